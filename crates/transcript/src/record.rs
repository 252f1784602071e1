//! The records of a transcript: where each entry lies, and which one it follows.
//!
//! Lines that cannot be read or are unknown are skipped, and of two lines with the same uuid the first counts. A line
//! is scanned once, and parsed only if it is part of the conversation.

use std::collections::HashMap;

use hashbrown::HashTable;
use serde_json::Value;

use super::envelope::{self, Key};
use super::line::Names;
use super::load::Place;

/// A transcript as far as it was looked at: where each entry stands and which one it follows. What an entry says is read
/// only for those that are part of the conversation. There may be far more of the others, so that each of them takes as
/// little room as it can.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) slots: Vec<Slot>,
    /// The places in `slots`, by key.
    index: HashTable<u32>,
    /// Where the lines lie that record what the model was shown up to an entry.
    pub(super) shown: HashMap<Key, (u64, u32)>,
    /// What the user's side said in the part that is forgotten.
    forgotten: Vec<Key>,
    /// Whether there is such a part: it stands before a compaction, and hardly anybody asks for it.
    has_forgotten: bool,
    /// Whether the last compaction keeps something of it.
    lacks: bool,
    /// Where that compaction stands.
    anew: usize,
    pub(super) names: Names,
    /// The last word about the cost.
    pub(super) cost: Option<Value>,
    /// The system prompt since the last compaction.
    pub(super) system_prompt: Option<Vec<String>>,
    /// The entry of the last rewind, and where in the file that is recorded.
    pub(super) rewound: Option<(Key, u64)>,
    /// How many lines cannot be read.
    pub(super) broken: u64,
}

/// What names an entry that has not been seen yet; hardly any does.
#[derive(Debug, Default)]
pub(super) struct Early(Vec<(usize, envelope::Entry)>);

/// An entry's place in the file and in the conversation.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) key: Key,
    pub(super) at: u64,
    pub(super) length: u32,
    /// The entries it names, as places in `slots`.
    pub(super) parent: Option<Link>,
    pub(super) source: Option<Link>,
    /// Enough to tell neighbours apart.
    pub(super) message: Option<Link>,
    pub(super) is_user: bool,
    pub(super) speaks: bool,
    pub(super) said: bool,
    pub(super) aside: bool,
    pub(super) is_result: bool,
    pub(super) deferred_call: bool,
    /// It follows something that is not there.
    pub(super) is_orphan: bool,
}

impl Slot {
    pub(super) fn place(&self) -> Place {
        Place {
            key: self.key,
            at: self.at,
            length: self.length,
        }
    }
}

/// A number that leaves room for its absence.
pub(super) type Link = std::num::NonZeroU32;

fn link(number: u32) -> Option<Link> {
    Link::new(number.wrapping_add(1))
}

pub(super) fn linked(link: Option<Link>) -> Option<usize> {
    usize::try_from(link?.get() - 1).ok()
}

impl Record {
    /// A uuid counts where it stands first.
    pub(super) fn take(&mut self, at: u64, length: usize, entry: &envelope::Entry, early: &mut Early) {
        let (Ok(number), Ok(length)) = (u32::try_from(self.slots.len()), u32::try_from(length)) else {
            return;
        };
        if self.place_of(entry.key).is_some() {
            return;
        }
        let slots = &self.slots;
        let spread = |at: &u32| key_at(slots, *at).map_or(0, Key::spread);
        self.index.insert_unique(entry.key.spread(), number, spread);
        let parent = entry.parent.and_then(|key| self.link_to(key));
        let source = entry.source.and_then(|key| self.link_to(key));
        if parent.is_none() != entry.parent.is_none() || source.is_none() != entry.source.is_none() {
            early.0.push((self.slots.len(), entry.clone()));
        }
        self.slots.push(Slot {
            key: entry.key,
            at,
            length,
            parent,
            source,
            message: entry
                .message
                .and_then(|hash| link(u32::try_from(hash >> 32).unwrap_or_default())),
            is_user: entry.is_user,
            speaks: entry.speaks,
            said: entry.said,
            aside: entry.aside,
            is_result: entry.is_result,
            deferred_call: entry.deferred_call,
            is_orphan: false,
        });
    }

    /// What the model was shown up to an entry: the last word counts.
    pub(super) fn take_shown(&mut self, key: Key, at: u64, length: usize) {
        if let Ok(length) = u32::try_from(length) {
            self.shown.insert(key, (at, length));
        }
    }

    /// Resolves what named an entry before it was there.
    pub(super) fn settle(&mut self, early: Early) {
        for (at, entry) in early.0 {
            let parent = entry.parent.and_then(|key| self.link_to(key));
            let source = entry.source.and_then(|key| self.link_to(key));
            if let Some(slot) = self.slots.get_mut(at) {
                (slot.parent, slot.source) = (parent, source);
                slot.is_orphan = parent.is_none() && entry.parent.is_some();
            }
        }
    }

    /// Forgets what stands before a compaction, except for what it keeps in its own words and all behind that.
    pub(super) fn forget(&mut self, kept: &[Key], early: &mut Early) {
        let message = |at: usize| self.slots.get(at).and_then(|slot| slot.message);
        let mut first = kept
            .iter()
            .filter_map(|key| self.place_of(*key))
            .min()
            .unwrap_or(self.slots.len());
        while first > 0 && message(first).is_some() && message(first) == message(first - 1) {
            first -= 1;
        }
        self.lacks = self.has_forgotten && kept.iter().any(|key| self.place_of(*key).is_none());
        self.has_forgotten |= first > 0;
        let forgotten = self.slots.drain(..first).filter(|slot| slot.is_user);
        self.forgotten.extend(forgotten.map(|slot| slot.key));
        early.0.retain_mut(|(at, _)| match at.checked_sub(first) {
            Some(moved) => {
                *at = moved;
                true
            }
            None => false,
        });
        let moved = |old: Option<Link>| link(u32::try_from(linked(old)?.checked_sub(first)?).ok()?);
        self.index.clear();
        for at in 0..self.slots.len() {
            let Some(slot) = self.slots.get_mut(at) else { break };
            let parent = moved(slot.parent);
            slot.is_orphan |= parent.is_none() && slot.parent.is_some();
            (slot.parent, slot.source) = (parent, moved(slot.source));
            let key = slot.key;
            let slots = &self.slots;
            let spread = |at: &u32| key_at(slots, *at).map_or(0, Key::spread);
            if let Ok(number) = u32::try_from(at) {
                self.index.insert_unique(key.spread(), number, spread);
            }
        }
        self.anew = self.slots.len();
        let mut shown = std::mem::take(&mut self.shown);
        shown.retain(|key, _| self.place_of(*key).is_some());
        self.shown = shown;
    }

    /// Whether all is known that leads to this entry.
    pub(super) fn reaches(&self, leaf: usize) -> bool {
        let root = self.up(leaf).last().filter(|root| *root >= self.anew);
        let root = root.and_then(|root| self.slots.get(root));
        !self.has_forgotten || (!self.lacks && root.is_some_and(|root| !root.is_orphan))
    }

    /// Whether a part of it was forgotten.
    pub(super) fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }

    /// What the user's side said, all of it, dead or alive; in order of the keys.
    pub(super) fn users(&mut self) -> Vec<Key> {
        let users = self.slots.iter().filter(|slot| slot.is_user);
        let mut keys: Vec<Key> = std::mem::take(&mut self.forgotten);
        keys.extend(users.map(|slot| slot.key));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Where the entry of this uuid lies.
    pub(super) fn find(&self, uuid: &str) -> Option<usize> {
        self.place_of(Key::of(uuid))
    }

    pub(super) fn place_of(&self, key: Key) -> Option<usize> {
        let found = self
            .index
            .find(key.spread(), |at| key_at(&self.slots, *at) == Some(key));
        usize::try_from(*found?).ok()
    }

    fn link_to(&self, key: Key) -> Option<Link> {
        link(u32::try_from(self.place_of(key)?).ok()?)
    }
}

fn key_at(slots: &[Slot], at: u32) -> Option<Key> {
    slots.get(usize::try_from(at).ok()?).map(|slot| slot.key)
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
