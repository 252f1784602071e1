//! Where things are, by their ids.

use super::state::{Index, State};

/// A short key of an id: two ids with the same one are as likely as two equal uuids of half the length.
pub(crate) fn key(id: &str) -> u64 {
    // FNV-1a, eight bytes at a time would not pay: ids are short.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in id.bytes() {
        hash ^= u64::from(byte);
        hash = hash.wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

/// Places are kept in half the room; no conversation has four billion entries.
pub(crate) fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Index {
    /// Works everything out from the lists.
    pub(crate) fn of(state: &State) -> Self {
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
