//! The one branch of a transcript's entries that is the conversation.
//!
//! The walk goes from its end to its beginning. Blocks of a message and results of its calls that lie beside it are
//! put back. Entries that do not lead to the end of the conversation are left out.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Seek};

use serde_json::Value;

use super::load::{Much, Place, load};
use super::record::{Link, Record, Slot, linked};

/// Where a branch ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Where the conversation ends: its last message is there with all its blocks, and with the results its calls came
    /// to before it was whole.
    Whole,
    /// At an entry somebody chose: nothing comes back that stands behind it.
    Cut,
}

impl Record {
    /// The end of the conversation: the last message, or the one the conversation was rewound to since.
    pub(super) fn leaf(&self) -> Option<usize> {
        let last = self.last_said();
        let Some((key, at)) = self.rewound else { return last };
        let before = |place: usize| self.slots.get(place).is_some_and(|slot| slot.at < at);
        match self.place_of(key) {
            _ if !last.is_none_or(before) => last,
            Some(place) => Some(place),
            // It may be in the part that was left out.
            None => last.filter(|_| !self.has_forgotten()),
        }
    }

    /// The last message that has an entry leading to it.
    fn last_said(&self) -> Option<usize> {
        let mut leads_on = vec![false; self.slots.len()];
        for parent in self.slots.iter().filter_map(|slot| linked(slot.parent)) {
            if let Some(leads_on) = leads_on.get_mut(parent) {
                *leads_on = true;
            }
        }
        let is_end = |at: &usize| leads_on.get(*at) == Some(&false);
        let said = |at: &usize| self.slots.get(*at).is_some_and(|slot| slot.said);
        let mut last: Option<usize> = None;
        for end in (0..self.slots.len()).rev().filter(is_end) {
            // What stands before the best so far leads to nothing better.
            if last.is_some_and(|last| end < last) {
                break;
            }
            last = last.max(self.up(end).find(said));
        }
        last
    }

    /// The last thing the model was told behind this entry, by the session itself; else the entry.
    pub(super) fn with_asides(&self, leaf: usize) -> usize {
        let slot = |at: usize| self.slots.get(at);
        let behind = |at: &usize| {
            let said = |up: &usize| slot(*up).is_some_and(|slot| slot.said);
            slot(*at).is_some_and(|slot| slot.aside) && self.up(*at).find(said) == Some(leaf)
        };
        (leaf + 1..self.slots.len()).rev().find(behind).unwrap_or(leaf)
    }

    /// The last thing said, by whomever: the end of a subagent's conversation, which has its file for itself.
    pub(super) fn last_word(&self) -> Option<usize> {
        self.slots.iter().rposition(|slot| slot.speaks)
    }

    /// Where it stands that a call was put off with which the conversation ends here.
    pub(super) fn deferred_call(&self, end: &Place) -> Option<Place> {
        let end = self.place_of(end.key)?;
        let at = self.slots.iter().rposition(|slot| slot.deferred_call)?;
        let leads_up = self.up(at).any(|up| up == end);
        self.slots.get(at).map(Slot::place).filter(|_| leads_up)
    }

    /// The conversation that ends with this entry, from its beginning or from the last compaction on, with what that has
    /// kept in its own words.
    pub(super) fn branch(
        &self,
        leaf: usize,
        extent: Extent,
        source: &mut (impl Read + Seek),
    ) -> io::Result<Vec<usize>> {
        let chain = self.with_preserved(self.chain(leaf), source)?;
        Ok(self.with_parallel(&chain, extent))
    }

    /// What was said, and meant to be seen, up to this entry, from the beginning or from the last compaction on.
    pub(super) fn said_since_compaction(&self, leaf: usize) -> Vec<Place> {
        let branch = self.with_parallel(&self.chain(leaf), Extent::Whole);
        let slots = branch.into_iter().filter_map(|at| self.slots.get(at));
        slots.filter(|slot| slot.said).map(Slot::place).collect()
    }

    /// The entries that lead to this one.
    fn chain(&self, leaf: usize) -> Vec<usize> {
        let mut seen = HashSet::new();
        let mut chain: Vec<usize> = self.up(leaf).take_while(|at| seen.insert(*at)).collect();
        chain.reverse();
        chain
    }

    /// Where these entries are read from, and what the model was shown up to them. With it nothing else of the record is
    /// needed.
    pub(super) fn places(&self, branch: &[usize]) -> Vec<Place> {
        let mut places = Vec::with_capacity(branch.len());
        // A message stands before its results, wherever it ended. What was shown then was shown with them.
        let mut held: Option<(Option<Link>, Place)> = None;
        for slot in branch.iter().filter_map(|at| self.slots.get(*at)) {
            let goes_on = |(message, _): &mut (Option<Link>, Place)| !slot.is_result && slot.message != *message;
            places.extend(held.take_if(goes_on).map(|(_, place)| place));
            places.push(slot.place());
            if let Some((at, length)) = self.shown.get(&slot.key).copied() {
                let key = slot.key;
                let place = Place { key, at, length };
                match slot.message {
                    Some(_) => held = Some((slot.message, place)),
                    None => places.push(place),
                }
            }
        }
        places.extend(held.map(|(_, place)| place));
        places
    }

    /// From an entry up to its root, step by step. A chain that bites its tail has as many steps as there are entries.
    pub(super) fn up(&self, from: usize) -> impl Iterator<Item = usize> {
        let parent = |at: &usize| linked(self.slots.get(*at)?.parent);
        std::iter::successors(Some(from), parent).take(self.slots.len())
    }

    /// What a compaction kept in its own words stands behind the summary.
    fn with_preserved(&self, chain: Vec<usize>, source: &mut (impl Read + Seek)) -> io::Result<Vec<usize>> {
        let root = chain.first().and_then(|at| self.slots.get(*at)).map(Slot::place);
        let root = load(root.as_slice(), Much::All, source)?;
        let kept = root
            .first()
            .and_then(|line| line.fields.get("compactMetadata"))
            .and_then(|meta| meta.get("preservedMessages"));
        let Some(kept) = kept else { return Ok(chain) };
        let anchor = kept
            .get("anchorUuid")
            .and_then(Value::as_str)
            .and_then(|uuid| self.find(uuid));
        let uuids = kept.get("uuids").and_then(Value::as_array).into_iter().flatten();
        let mut seen: HashSet<usize> = chain.iter().copied().collect();
        let places: Vec<usize> = uuids
            .filter_map(|uuid| self.find(uuid.as_str()?))
            .filter(|at| seen.insert(*at))
            .collect();
        let mut all = Vec::with_capacity(chain.len() + places.len());
        for at in chain {
            all.push(at);
            if Some(at) == anchor {
                all.extend(&places);
            }
        }
        Ok(all)
    }

    /// Calls made side by side have one parent each, so that a walk sees one of them: where it passes through a result,
    /// the whole message and all its results belong to it.
    fn with_parallel(&self, chain: &[usize], extent: Extent) -> Vec<usize> {
        let slots = || chain.iter().filter_map(|at| Some((*at, self.slots.get(*at)?)));
        let results = slots().filter(|(_, slot)| slot.is_result);
        let mut passed: HashSet<usize> = results.filter_map(|(at, slot)| self.first_of(at, slot)).collect();
        let last = slots().rev().find(|(_, slot)| slot.said);
        let last = last.filter(|(_, slot)| extent == Extent::Whole && slot.message.is_some());
        passed.extend(last.and_then(|(at, slot)| self.first_of(at, slot)));
        // A message and its results follow its first block.
        let from = passed.iter().copied().min().unwrap_or(self.slots.len());
        let mut members: HashMap<usize, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (at, slot) in self.slots.iter().enumerate().skip(from).filter(|(_, slot)| slot.speaks) {
            if let Some(first) = self.first_of(at, slot).filter(|first| passed.contains(first)) {
                let (blocks, results) = members.entry(first).or_default();
                if slot.is_result {
                    results.push(at);
                } else {
                    blocks.push(at);
                }
            }
        }
        let mut all = Vec::with_capacity(chain.len());
        for (at, slot) in slots() {
            match self.first_of(at, slot).filter(|first| passed.contains(first)) {
                Some(first) => {
                    if let Some((blocks, results)) = members.remove(&first) {
                        all.extend(blocks);
                        all.extend(results);
                    }
                }
                None => all.push(at),
            }
        }
        all
    }

    /// Where the model's message begins that this entry is a block of, or the result of a call in.
    fn first_of(&self, at: usize, slot: &Slot) -> Option<usize> {
        let from = match slot.source {
            Some(_) => linked(slot.source)?,
            None => at,
        };
        let message = |at: usize| self.slots.get(at).and_then(|slot| slot.message);
        let id = message(from)?;
        // A call may come to its result while the model still speaks.
        let between = |at: usize| {
            let source = self.slots.get(at).and_then(|slot| linked(slot.source));
            source.and_then(message) == Some(id)
        };
        let up = self.up(from).take_while(|at| message(*at) == Some(id) || between(*at));
        up.filter(|at| message(*at) == Some(id)).last()
    }
}
