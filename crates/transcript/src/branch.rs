//! The branch of a transcript's entry tree that is the conversation.
//!
//! The branch is followed from its end to its root. Blocks of a message and results of its calls that are on side
//! branches are added. Entries that do not lead to the end of the conversation are left out.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Seek};

use serde_json::Value;

use super::load::{EntryLocation, FieldSelection, load};
use super::record::{Link, Record, Slot, link_index};

/// How the end of a branch is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The branch ends at the end of the conversation. All blocks of the last message are included, and the results of
    /// its calls that were written before the message was complete.
    Whole,
    /// The branch ends at a chosen entry. Nothing after that entry is included.
    Cut,
}

impl Record {
    /// Returns the end of the conversation: the last message, or the message of a later rewind.
    pub(super) fn leaf(&self) -> Option<usize> {
        let last = self.last_visible_message();
        let Some((key, at)) = self.rewound else { return last };
        let before = |place: usize| self.slots.get(place).is_some_and(|slot| slot.at < at);
        match self.index_of(key) {
            _ if !last.is_none_or(before) => last,
            Some(place) => Some(place),
            // The entry may be in the part that was dropped.
            None => last.filter(|_| !self.is_partial()),
        }
    }

    /// Returns the last visible message on any branch.
    fn last_visible_message(&self) -> Option<usize> {
        let mut leads_on = vec![false; self.slots.len()];
        for parent in self.slots.iter().filter_map(|slot| link_index(slot.parent)) {
            if let Some(leads_on) = leads_on.get_mut(parent) {
                *leads_on = true;
            }
        }
        let is_end = |at: &usize| leads_on.get(*at) == Some(&false);
        let is_visible = |at: &usize| self.slots.get(*at).is_some_and(|slot| slot.is_visible);
        let mut last: Option<usize> = None;
        for end in (0..self.slots.len()).rev().filter(is_end) {
            // An end that comes before the best message so far cannot lead to a later message.
            if last.is_some_and(|last| end < last) {
                break;
            }
            last = last.max(self.ancestors(end).find(is_visible));
        }
        last
    }

    /// Returns the last message of the session itself (`isMeta`) that follows this entry, or the entry if there is
    /// none.
    pub(super) fn with_session_messages(&self, leaf: usize) -> usize {
        let slot = |at: usize| self.slots.get(at);
        let behind = |at: &usize| {
            let is_visible = |at: &usize| slot(*at).is_some_and(|slot| slot.is_visible);
            slot(*at).is_some_and(|slot| slot.is_session_message) && self.ancestors(*at).find(is_visible) == Some(leaf)
        };
        (leaf + 1..self.slots.len()).rev().find(behind).unwrap_or(leaf)
    }

    /// Returns the last message of the file. This is the end of a subagent's conversation, which has a dedicated file.
    pub(super) fn last_message(&self) -> Option<usize> {
        self.slots.iter().rposition(|slot| slot.is_message)
    }

    /// Returns the location of the entry that records a deferred call, if the conversation that ends at `end` ends with
    /// such a call.
    pub(super) fn deferred_call(&self, end: &EntryLocation) -> Option<EntryLocation> {
        let end = self.index_of(end.key)?;
        let at = self.slots.iter().rposition(|slot| slot.deferred_call)?;
        let leads_up = self.ancestors(at).any(|ancestor| ancestor == end);
        self.slots.get(at).map(Slot::location).filter(|_| leads_up)
    }

    /// Returns the entries of the conversation that ends with this entry, from its start or from the last compaction
    /// on, including the messages that the compaction preserved.
    pub(super) fn branch(
        &self,
        leaf: usize,
        extent: Extent,
        source: &mut (impl Read + Seek),
    ) -> io::Result<Vec<usize>> {
        let chain = self.with_preserved(self.chain(leaf), source)?;
        Ok(self.with_parallel(&chain, extent))
    }

    /// Returns the visible messages up to this entry, from the start or from the last compaction on.
    pub(super) fn visible_since_compaction(&self, leaf: usize) -> Vec<EntryLocation> {
        let branch = self.with_parallel(&self.chain(leaf), Extent::Whole);
        let slots = branch.into_iter().filter_map(|at| self.slots.get(at));
        slots.filter(|slot| slot.is_visible).map(Slot::location).collect()
    }

    /// Returns the entries from the root to this one.
    fn chain(&self, leaf: usize) -> Vec<usize> {
        let mut seen = HashSet::new();
        let mut chain: Vec<usize> = self.ancestors(leaf).take_while(|at| seen.insert(*at)).collect();
        chain.reverse();
        chain
    }

    /// Returns the locations of these entries and of the lines that record what was sent to the model. The rest of the
    /// record is not needed any more after this.
    pub(super) fn places(&self, branch: &[usize]) -> Vec<EntryLocation> {
        let mut places = Vec::with_capacity(branch.len());
        // A message comes before its results, even if it was completed after them. The record of what was sent then
        // belongs after the results.
        let mut held: Option<(Option<Link>, EntryLocation)> = None;
        for slot in branch.iter().filter_map(|at| self.slots.get(*at)) {
            let goes_on =
                |(message, _): &mut (Option<Link>, EntryLocation)| !slot.is_result && slot.message != *message;
            places.extend(held.take_if(goes_on).map(|(_, place)| place));
            places.push(slot.location());
            if let Some((at, length)) = self.shown.get(&slot.key).copied() {
                let key = slot.key;
                let place = EntryLocation { key, at, length };
                match slot.message {
                    Some(_) => held = Some((slot.message, place)),
                    None => places.push(place),
                }
            }
        }
        places.extend(held.map(|(_, place)| place));
        places
    }

    /// Iterates from an entry to its root. A cycle ends after as many steps as there are entries.
    pub(super) fn ancestors(&self, from: usize) -> impl Iterator<Item = usize> {
        let parent = |at: &usize| link_index(self.slots.get(*at)?.parent);
        std::iter::successors(Some(from), parent).take(self.slots.len())
    }

    /// Inserts the messages that a compaction preserved after its summary.
    fn with_preserved(&self, chain: Vec<usize>, source: &mut (impl Read + Seek)) -> io::Result<Vec<usize>> {
        let root = chain.first().and_then(|at| self.slots.get(*at)).map(Slot::location);
        let root = load(root.as_slice(), FieldSelection::All, source)?;
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

    /// Adds the blocks and results of parallel calls. Each entry has one parent, so that a chain contains only one of
    /// the parallel calls. Where it contains a result, the whole message and all its results belong to the branch.
    fn with_parallel(&self, chain: &[usize], extent: Extent) -> Vec<usize> {
        let slots = || chain.iter().filter_map(|at| Some((*at, self.slots.get(*at)?)));
        let results = slots().filter(|(_, slot)| slot.is_result);
        let mut passed: HashSet<usize> = results.filter_map(|(at, slot)| self.first_block_of(at, slot)).collect();
        let last = slots().rev().find(|(_, slot)| slot.is_visible);
        let last = last.filter(|(_, slot)| extent == Extent::Whole && slot.message.is_some());
        passed.extend(last.and_then(|(at, slot)| self.first_block_of(at, slot)));
        // The blocks and results of a message come after its first block.
        let from = passed.iter().copied().min().unwrap_or(self.slots.len());
        let mut members: HashMap<usize, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (at, slot) in self
            .slots
            .iter()
            .enumerate()
            .skip(from)
            .filter(|(_, slot)| slot.is_message)
        {
            if let Some(first) = self.first_block_of(at, slot).filter(|first| passed.contains(first)) {
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
            match self.first_block_of(at, slot).filter(|first| passed.contains(first)) {
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

    /// Returns the first block of the model message to which this entry belongs, as a block or as the result of a call.
    fn first_block_of(&self, at: usize, slot: &Slot) -> Option<usize> {
        let from = match slot.source {
            Some(_) => link_index(slot.source)?,
            None => at,
        };
        let message = |at: usize| self.slots.get(at).and_then(|slot| slot.message);
        let id = message(from)?;
        // A result may be written before the message with its call is complete.
        let between = |at: usize| {
            let source = self.slots.get(at).and_then(|slot| link_index(slot.source));
            source.and_then(message) == Some(id)
        };
        let block_or_result = self
            .ancestors(from)
            .take_while(|at| message(*at) == Some(id) || between(*at));
        block_or_result.filter(|at| message(*at) == Some(id)).last()
    }
}
