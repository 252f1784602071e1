//! Rate limit of log lines about refused requests: a page that tries a thousand times a second must not fill the log.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

const PERIOD: Duration = Duration::from_secs(10);
const MAX_LINES: u32 = 20;

#[derive(Debug, Default)]
pub(crate) struct Quiet {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    since: Option<Instant>,
    said: u32,
    left_out: u64,
}

impl Quiet {
    /// Returns whether to log this refusal, and if so, how many were omitted since the last one.
    pub(crate) fn say(&self) -> Option<u64> {
        let now = Instant::now();
        // Counts are consistent between statements.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.since.is_none_or(|since| now - since >= PERIOD) {
            (state.since, state.said) = (Some(now), 0);
        }
        if state.said >= MAX_LINES {
            state.left_out += 1;
            return None;
        }
        state.said += 1;
        Some(std::mem::take(&mut state.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn omitted_log_lines_are_counted() {
        let quiet = Quiet::default();
        let said = (0..50).filter_map(|_| quiet.say()).count();
        assert_eq!(said, 20);
        tokio::time::advance(PERIOD).await;
        assert_eq!(quiet.say(), Some(30));
        assert_eq!(quiet.say(), Some(0));
    }
}
