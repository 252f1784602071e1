//! The index: positions of prompts, calls and asks by their ids.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::state::{ConversationState, Index};

/// Places by key.
pub(crate) type Places = HashMap<u64, u32, BuildHasherDefault<Mixed>>;

/// Keys alone.
pub(crate) type Keys = HashSet<u64, BuildHasherDefault<Mixed>>;

/// Keys are hashes already.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
    }
}

const PRIME: u64 = 0x0000_0100_0000_01b3;

/// A short key of an id: two ids with the same one are as likely as two equal uuids of half the length.
pub(crate) fn key(id: &str) -> u64 {
    // FNV-1a; eight bytes at a time would not pay: ids are short.
    let mut hash = Mixed(0xcbf2_9ce4_8422_2325);
    hash.write(id.as_bytes());
    // The tables look at the highest bits first, which FNV mixes least.
    hash.0 ^ hash.0.rotate_left(32)
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
            index.prompts.insert(key(&prompt.id), place(at));
            if !prompt.is_over() {
                index.waiting.push(place(at));
            }
        }
        for (at, call) in state.calls.iter().enumerate() {
            index.calls.insert(key(&call.id), place(at));
            if call.state == super::CallState::Running {
                index.running.push(place(at));
            }
        }
        for (at, ask) in state.asks.iter().enumerate() {
            index.asks.insert(key(&ask.id.to_string()), place(at));
            if ask.is_pending() {
                index.pending.push(place(at));
            }
        }
        for (at, task) in state.tasks.iter().enumerate() {
            index.tasks.insert(key(&task.id), place(at));
        }
        index
    }
}
