//! The text of a delta: its number and when it was said, always as long.

use std::time::{SystemTime, UNIX_EPOCH};

/// Five digits, a colon, sixteen digits, a space: as long as a delta usually is.
pub(crate) const LENGTH: usize = 23;

/// Microseconds since 1970. Both ends run on one machine.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

pub(crate) fn write(number: u64) -> String {
    format!("{number:05}:{:016} ", now())
}

/// The numbers and times in a text of one or more deltas.
pub(crate) fn read(mut text: &str) -> impl Iterator<Item = (u64, u64)> {
    std::iter::from_fn(move || {
        let (one, rest) = text.split_at_checked(LENGTH)?;
        text = rest;
        let (number, at) = one.trim_end().split_once(':')?;
        Some((number.parse().ok()?, at.parse().ok()?))
    })
}
