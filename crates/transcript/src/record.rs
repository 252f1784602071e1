//! The index of a transcript: the location of each entry and the entry that it follows.
//!
//! Invalid and unknown lines are skipped, and of two lines with the same uuid the first counts. A line is scanned once,
//! and parsed only if it is part of the conversation.

use std::collections::HashMap;

use hashbrown::HashTable;
use serde_json::Value;

use super::envelope::{self, Key};
use super::line::Names;
use super::load::EntryLocation;

/// The index of the scanned part of a transcript. The content is read later, and only for entries that are part of the
/// conversation. There may be far more other entries, so a slot is as small as possible.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) slots: Vec<Slot>,
    /// Indexes into `slots`, by key.
    index: HashTable<u32>,
    /// Position and length of the `shown-to-model` lines, by the entry up to which they apply.
    pub(super) shown: HashMap<Key, (u64, u32)>,
    /// The keys of the `user` entries in the dropped part.
    dropped_users: Vec<Key>,
    /// Whether a part before a compaction was dropped, because it is rarely needed.
    is_partial: bool,
    /// Whether the last compaction preserves entries of the dropped part.
    misses_preserved: bool,
    /// The index of the last compaction in `slots`.
    compaction: usize,
    pub(super) names: Names,
    /// The last recorded cost.
    pub(super) cost: Option<Value>,
    /// The system prompt since the last compaction.
    pub(super) system_prompt: Option<Vec<String>>,
    /// The target of the last rewind, and the position of the line that records the rewind.
    pub(super) rewound: Option<(Key, u64)>,
    /// Number of lines that cannot be parsed.
    pub(super) broken: u64,
}

/// Entries that refer to an entry that has not been scanned yet, with their indexes. This is rare.
#[derive(Debug, Default)]
pub(super) struct UnresolvedLinks(Vec<(usize, envelope::Entry)>);

/// An entry's location in the file and its links in the conversation.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) key: Key,
    pub(super) at: u64,
    pub(super) length: u32,
    /// The entries it refers to, as indexes into `slots`.
    pub(super) parent: Option<Link>,
    pub(super) source: Option<Link>,
    /// A part of the hash of the message id: enough to distinguish neighbours.
    pub(super) message: Option<Link>,
    pub(super) is_user: bool,
    pub(super) is_message: bool,
    pub(super) is_visible: bool,
    pub(super) is_session_message: bool,
    pub(super) is_result: bool,
    pub(super) deferred_call: bool,
    /// The parent of the entry does not exist.
    pub(super) is_orphan: bool,
}

impl Slot {
    pub(super) fn location(&self) -> EntryLocation {
        EntryLocation {
            key: self.key,
            at: self.at,
            length: self.length,
        }
    }
}

/// An index plus one, so that an optional index needs no additional space.
pub(super) type Link = std::num::NonZeroU32;

fn link(number: u32) -> Option<Link> {
    Link::new(number.wrapping_add(1))
}

pub(super) fn link_index(link: Option<Link>) -> Option<usize> {
    usize::try_from(link?.get() - 1).ok()
}

impl Record {
    /// Adds an entry. If there is already an entry with this uuid, the new one is ignored.
    pub(super) fn take(&mut self, at: u64, length: usize, entry: &envelope::Entry, unresolved: &mut UnresolvedLinks) {
        let (Ok(number), Ok(length)) = (u32::try_from(self.slots.len()), u32::try_from(length)) else {
            return;
        };
        if self.index_of(entry.key).is_some() {
            return;
        }
        let slots = &self.slots;
        let hasher = |at: &u32| key_at(slots, *at).map_or(0, Key::hash_value);
        self.index.insert_unique(entry.key.hash_value(), number, hasher);
        let parent = entry.parent.and_then(|key| self.link_to(key));
        let source = entry.source.and_then(|key| self.link_to(key));
        if parent.is_none() != entry.parent.is_none() || source.is_none() != entry.source.is_none() {
            unresolved.0.push((self.slots.len(), entry.clone()));
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
            is_message: entry.is_message,
            is_visible: entry.is_visible,
            is_session_message: entry.is_session_message,
            is_result: entry.is_result,
            deferred_call: entry.deferred_call,
            is_orphan: false,
        });
    }

    /// Adds the location of a `shown-to-model` line. The last line for an entry counts.
    pub(super) fn take_shown(&mut self, key: Key, at: u64, length: usize) {
        if let Ok(length) = u32::try_from(length) {
            self.shown.insert(key, (at, length));
        }
    }

    /// Resolves references to entries that were scanned later.
    pub(super) fn resolve(&mut self, unresolved: UnresolvedLinks) {
        for (at, entry) in unresolved.0 {
            let parent = entry.parent.and_then(|key| self.link_to(key));
            let source = entry.source.and_then(|key| self.link_to(key));
            if let Some(slot) = self.slots.get_mut(at) {
                (slot.parent, slot.source) = (parent, source);
                slot.is_orphan = parent.is_none() && entry.parent.is_some();
            }
        }
    }

    /// Drops the entries before a compaction, up to the first one that the compaction preserves.
    pub(super) fn drop_before_compaction(&mut self, kept: &[Key], unresolved: &mut UnresolvedLinks) {
        let message = |at: usize| self.slots.get(at).and_then(|slot| slot.message);
        let mut first = kept
            .iter()
            .filter_map(|key| self.index_of(*key))
            .min()
            .unwrap_or(self.slots.len());
        while first > 0 && message(first).is_some() && message(first) == message(first - 1) {
            first -= 1;
        }
        self.misses_preserved = self.is_partial && kept.iter().any(|key| self.index_of(*key).is_none());
        self.is_partial |= first > 0;
        let dropped_users = self.slots.drain(..first).filter(|slot| slot.is_user);
        self.dropped_users.extend(dropped_users.map(|slot| slot.key));
        unresolved.0.retain_mut(|(at, _)| match at.checked_sub(first) {
            Some(moved) => {
                *at = moved;
                true
            }
            None => false,
        });
        let moved = |old: Option<Link>| link(u32::try_from(link_index(old)?.checked_sub(first)?).ok()?);
        self.index.clear();
        for at in 0..self.slots.len() {
            let Some(slot) = self.slots.get_mut(at) else { break };
            let parent = moved(slot.parent);
            slot.is_orphan |= parent.is_none() && slot.parent.is_some();
            (slot.parent, slot.source) = (parent, moved(slot.source));
            let key = slot.key;
            let slots = &self.slots;
            let hasher = |at: &u32| key_at(slots, *at).map_or(0, Key::hash_value);
            if let Ok(number) = u32::try_from(at) {
                self.index.insert_unique(key.hash_value(), number, hasher);
            }
        }
        self.compaction = self.slots.len();
        let mut shown = std::mem::take(&mut self.shown);
        shown.retain(|key, _| self.index_of(*key).is_some());
        self.shown = shown;
    }

    /// Whether the record contains all entries of the conversation that ends with this entry.
    pub(super) fn is_complete_to(&self, leaf: usize) -> bool {
        let root = self.ancestors(leaf).last().filter(|root| *root >= self.compaction);
        let root = root.and_then(|root| self.slots.get(root));
        !self.is_partial || (!self.misses_preserved && root.is_some_and(|root| !root.is_orphan))
    }

    /// Whether a part was dropped.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Returns the keys of all `user` entries on all branches, sorted.
    pub(super) fn take_users(&mut self) -> Vec<Key> {
        let users = self.slots.iter().filter(|slot| slot.is_user);
        let mut keys: Vec<Key> = std::mem::take(&mut self.dropped_users);
        keys.extend(users.map(|slot| slot.key));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Returns the index of the entry with this uuid.
    pub(super) fn find(&self, uuid: &str) -> Option<usize> {
        self.index_of(Key::of(uuid))
    }

    pub(super) fn index_of(&self, key: Key) -> Option<usize> {
        let found = self
            .index
            .find(key.hash_value(), |at| key_at(&self.slots, *at) == Some(key));
        usize::try_from(*found?).ok()
    }

    fn link_to(&self, key: Key) -> Option<Link> {
        link(u32::try_from(self.index_of(key)?).ok()?)
    }
}

fn key_at(slots: &[Slot], at: u32) -> Option<Key> {
    slots.get(usize::try_from(at).ok()?).map(|slot| slot.key)
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
