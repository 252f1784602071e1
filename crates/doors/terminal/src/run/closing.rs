//! The end of input: how long a turn may continue without a keyboard.

use std::time::{Duration, Instant};

/// Maximum time a turn continues after the end of input.
const MAX_TURN_WITHOUT_INPUT: Duration = Duration::from_secs(10);

/// Work in progress when the input ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Work {
    /// True if a turn is running.
    pub(super) busy: bool,
    /// True if the turn waits for an answer.
    pub(super) asks: bool,
}

impl Work {
    /// True if the turn can end without an answer.
    fn ends_by_itself(self) -> bool {
        self.busy && !self.asks
    }
}

/// Deadline of the running turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closing {
    until: Instant,
}

impl Closing {
    /// Starts the deadline; `None` if no turn can end without the user.
    pub(super) fn begin(moment: Instant, work: Work) -> Option<Self> {
        work.ends_by_itself().then(|| Self {
            until: moment + MAX_TURN_WITHOUT_INPUT,
        })
    }

    /// True if the session can end now.
    pub(super) fn is_over(self, moment: Instant, work: Work) -> bool {
        self.until <= moment || !work.ends_by_itself()
    }

    /// Returns the deadline.
    pub(super) fn until(self) -> Instant {
        self.until
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const RUNS: Work = Work {
        busy: true,
        asks: false,
    };
    const ASKS: Work = Work { busy: true, asks: true };
    const IDLE: Work = Work {
        busy: false,
        asks: false,
    };

    #[test]
    fn a_turn_has_ten_seconds_unless_it_ends_or_needs_an_answer() {
        let start = Instant::now();
        let after = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let closing = Closing::begin(start, RUNS).unwrap();
        assert!(!closing.is_over(start, RUNS));
        assert!(!closing.is_over(after(9.999), RUNS));
        assert!(closing.is_over(after(10.0), RUNS));
        assert_eq!(closing.until(), after(10.0), "it wakes up for it");
        assert!(closing.is_over(after(0.1), IDLE), "the turn ended");
        assert!(closing.is_over(after(0.1), ASKS), "nobody can answer");
    }

    #[test]
    fn a_turn_that_needs_an_answer_is_not_awaited() {
        assert!(Closing::begin(Instant::now(), IDLE).is_none());
        assert!(Closing::begin(Instant::now(), ASKS).is_none());
    }
}
