//! Timestamps as transcripts write them: `2026-01-31T12:00:00.250Z`.

use jiff::Timestamp;

/// The time now.
pub(super) fn now() -> String {
    spelled(Timestamp::now())
}

/// A moment, spelled.
pub(super) fn spelled(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Milliseconds since 1970 of a moment as it is spelled.
pub(super) fn milliseconds(text: &str) -> Option<u64> {
    let at: Timestamp = text.parse().ok()?;
    u64::try_from(at.as_millisecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(milliseconds("1970-01-01T00:00:00.000Z"), Some(0));
        assert_eq!(milliseconds("2024-02-29T12:30:15.250Z"), Some(1_709_209_815_250));
        assert_eq!(milliseconds("yesterday"), None);
    }

    #[test]
    fn the_time_written_is_the_time_read() {
        let before = Timestamp::now().as_millisecond();
        let read = milliseconds(&now()).and_then(|read| i64::try_from(read).ok());
        assert!(read.is_some_and(|read| (before..before + 10_000).contains(&read)));
    }
}
