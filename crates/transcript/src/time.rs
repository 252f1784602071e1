//! Timestamps in the format of transcripts: `2026-01-31T12:00:00.250Z`.

use jiff::Timestamp;

/// Returns the current time as text.
pub(super) fn now() -> String {
    format(Timestamp::now())
}

/// Formats a timestamp.
pub(super) fn format(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Parses a timestamp and returns it in milliseconds since 1970.
pub(super) fn milliseconds(text: &str) -> Option<u64> {
    let at: Timestamp = text.parse().ok()?;
    u64::try_from(at.as_millisecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_parsed() {
        assert_eq!(milliseconds("1970-01-01T00:00:00.000Z"), Some(0));
        assert_eq!(milliseconds("2024-02-29T12:30:15.250Z"), Some(1_709_209_815_250));
        assert_eq!(milliseconds("yesterday"), None);
    }

    #[test]
    fn the_current_time_survives_a_round_trip() {
        let before = Timestamp::now().as_millisecond();
        let read = milliseconds(&now()).and_then(|read| i64::try_from(read).ok());
        assert!(read.is_some_and(|read| (before..before + 10_000).contains(&read)));
    }
}
