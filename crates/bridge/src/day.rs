//! Calendar days.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The day of a moment, here: `2026-11-15`.
pub(crate) fn local(at: i64) -> String {
    let moment = Timestamp::from_millisecond(at).unwrap_or_default();
    moment.to_zoned(TimeZone::system()).strftime("%Y-%m-%d").to_string()
}
