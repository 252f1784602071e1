//! The index: positions of prompts, calls, asks and tasks by their ids.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use siphasher::sip::SipHasher13;

use super::state::{ConversationState, Index};

/// Passes a key on as it is: keys are hashes already.
#[derive(Debug, Clone, Copy, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes);
    }
}

/// A 64-bit hash that is the same in every version and on every machine.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    SipHasher13::new().hash(bytes)
}

/// Positions in a list, by the ids of its elements.
///
/// Only a hash of each id is stored. The list holds the id itself, and every lookup compares it: an id whose hash is taken
/// by another id gets the next free key.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Places(HashMap<u64, u32, BuildHasherDefault<KeyHasher>>);

impl Places {
    /// Returns the position of the element with this id. `is` compares the id of the element at a position.
    pub(crate) fn find(&self, id: &str, is: impl Fn(usize) -> bool) -> Option<usize> {
        self.find_key(hash(id.as_bytes()), is)
    }

    /// Adds an element whose id is not in the list yet.
    pub(crate) fn insert(&mut self, id: &str, at: usize) {
        self.insert_key(hash(id.as_bytes()), at);
    }

    fn find_key(&self, mut key: u64, is: impl Fn(usize) -> bool) -> Option<usize> {
        while let Some(at) = self.0.get(&key) {
            if is(*at as usize) {
                return Some(*at as usize);
            }
            key = key.wrapping_add(1);
        }
        None
    }

    fn insert_key(&mut self, mut key: u64, at: usize) {
        while self.0.contains_key(&key) {
            key = key.wrapping_add(1);
        }
        self.0.insert(key, place(at));
    }
}

/// Places are kept in half the room; no conversation has four billion entries.
pub(crate) fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Index {
    /// Works everything out from the lists.
    pub(crate) fn of(state: &ConversationState) -> Self {
        let mut index = Self {
            open: state.turns.iter().rposition(super::Turn::is_open),
            ..Self::default()
        };
        for (at, prompt) in state.prompts.iter().enumerate() {
            index.prompts.insert(&prompt.id, at);
            if !prompt.is_over() {
                index.waiting.push(place(at));
            }
        }
        for (at, call) in state.calls.iter().enumerate() {
            index.calls.insert(&call.id, at);
            if call.state == super::CallState::Running {
                index.running.push(place(at));
            }
        }
        for (at, ask) in state.asks.iter().enumerate() {
            index.asks.insert(&ask.id.to_string(), at);
            if ask.is_pending() {
                index.pending.push(place(at));
            }
        }
        for (at, task) in state.tasks.iter().enumerate() {
            index.tasks.insert(&task.id, at);
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Places;

    proptest! {
        #[test]
        fn ids_with_the_same_key_are_all_found(keys in prop::collection::vec(0_u64..4, 1..40), wrap in any::<bool>()) {
            let base = if wrap { u64::MAX - 1 } else { 0 };
            let mut places = Places::default();
            for (at, key) in keys.iter().enumerate() {
                places.insert_key(base.wrapping_add(*key), at);
            }
            for (at, key) in keys.iter().enumerate() {
                prop_assert_eq!(places.find_key(base.wrapping_add(*key), |it| it == at), Some(at));
                prop_assert_eq!(places.find_key(base.wrapping_add(*key), |_| false), None);
            }
        }
    }
}
