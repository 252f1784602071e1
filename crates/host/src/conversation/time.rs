//! Time of the state machine: it comes with events, never from a clock.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A moment, in milliseconds of the clock that stamps the events.
///
/// Only differences are looked at, so any origin will do; a log that is read again later needs one that
/// lasts, such as the Unix epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(transparent)]
pub struct Time(pub u64);

impl Time {
    /// The moment `wait` after this one.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        Self(
            self.0
                .saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        )
    }

    /// How long ago `earlier` was; nothing when it lies ahead.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl From<u64> for Time {
    fn from(milliseconds: u64) -> Self {
        Self(milliseconds)
    }
}
