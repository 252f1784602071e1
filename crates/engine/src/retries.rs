//! Requests to the model that failed: when they are made again, and how the host is told.

use std::pin::pin;
use std::time::Duration;

use sluice_model::{Failure, RetryDecision, retry};

use crate::messages;
use crate::session_loop::{Heard, SessionLoop};

/// How far a request has come.
#[derive(Debug)]
pub(crate) struct Attempts {
    /// The attempt that is being made, from 1.
    attempt: u32,
    /// How often the server was too busy.
    overloaded: u32,
    /// Whether the answer is asked for piece by piece.
    pub(crate) streaming: bool,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            attempt: 1,
            overloaded: 0,
            streaming: true,
        }
    }
}

/// What follows a failed attempt.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// Another attempt, now.
    Try,
    /// Nothing: the failure stands.
    GiveUp,
    /// The turn was told to stop meanwhile.
    Stopped,
}

impl SessionLoop {
    /// Waits until a failed request may be made again, if it may.
    pub(crate) async fn again(&mut self, attempts: &mut Attempts, failure: &Failure) -> Again {
        // A model that is unavailable is replaced at once, if there is another one.
        if failure.is_unavailable() && !self.session.options.model.fallbacks.is_empty() {
            return Again::GiveUp;
        }
        let max_retries = self.session.options.model.max_retries;
        let policy = retry::Policy { max_retries };
        match retry::next(&policy, attempts.attempt, failure, attempts.overloaded, jitter()) {
            RetryDecision::RetryWithoutStreaming => attempts.streaming = false,
            RetryDecision::Retry { delay } => {
                if self.wait_to_retry(attempts.attempt, delay, failure).await == Again::Stopped {
                    return Again::Stopped;
                }
            }
            RetryDecision::GiveUp => {
                self.session.report_limits(failure.limits()).await;
                return Again::GiveUp;
            }
        }
        attempts.overloaded += u32::from(failure.is_overloaded());
        attempts.attempt += 1;
        Again::Try
    }

    async fn wait_to_retry(&mut self, attempt: u32, delay: Duration, failure: &Failure) -> Again {
        let max_retries = self.session.options.model.max_retries;
        let told = messages::api_retry(attempt, max_retries, delay, failure);
        self.session.say(told).await;
        match self.wait_for(Some(pin!(tokio::time::sleep(delay)))).await {
            Heard::Stopped => Again::Stopped,
            Heard::Ready(()) | Heard::CallsDone => Again::Try,
        }
    }
}

/// A number from 0 to 1 that keeps many sessions from retrying in step.
fn jitter() -> f64 {
    let byte = uuid::Uuid::new_v4().as_bytes().first().copied().unwrap_or(128);
    f64::from(byte) / 255.0
}
