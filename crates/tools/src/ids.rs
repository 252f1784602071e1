//! Random ids for tasks and files.

use std::hash::{BuildHasher, Hasher, RandomState};

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// Returns `b` and eight base-36 digits, as shell tasks are named on the wire.
pub(crate) fn task_id() -> String {
    std::iter::once('b').chain(base36(8)).collect()
}

/// Returns `count` random hexadecimal digits, at most 32.
pub(crate) fn hex(count: usize) -> String {
    let half = || RandomState::new().build_hasher().finish();
    let digits = format!("{:016x}{:016x}", half(), half());
    digits.chars().take(count).collect()
}

/// Returns random base-36 digits from the hash seeds of the standard library.
pub(crate) fn base36(count: usize) -> impl Iterator<Item = char> {
    let state = RandomState::new();
    let mut bits = 0u64;
    (0..count).map(move |at| {
        if at % 8 == 0 {
            let mut hasher = state.build_hasher();
            hasher.write_usize(at);
            bits = hasher.finish();
        }
        let digit = DIGITS
            .get(usize::try_from(bits % 36).unwrap_or(0))
            .copied()
            .unwrap_or(b'0');
        bits /= 36;
        char::from(digit)
    })
}
