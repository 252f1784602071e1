//! Retries of failed model requests, and their messages to the host.

use std::pin::pin;
use std::time::Duration;

use sluice_model::{Failure, RetryDecision, retry};

use crate::messages;
use crate::session_loop::{SessionLoop, WaitOutcome};

/// The retry state of a request.
#[derive(Debug)]
pub(crate) struct Attempts {
    /// Number of the current attempt, starting at 1.
    attempt: u32,
    /// Number of attempts that failed because the server was overloaded.
    overloaded: u32,
    /// Whether the response is streamed.
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
pub(crate) enum RetryOutcome {
    /// Retry now.
    Try,
    /// The request has failed finally.
    GiveUp,
    /// The turn was stopped in the meantime.
    Stopped,
}

impl SessionLoop {
    /// Waits until a failed request may be retried, if it may.
    pub(crate) async fn retry_or_give_up(&mut self, attempts: &mut Attempts, failure: &Failure) -> RetryOutcome {
        // An unavailable model is replaced immediately if there is a fallback.
        if failure.is_unavailable() && !self.session.options.model.fallbacks.is_empty() {
            return RetryOutcome::GiveUp;
        }
        let max_retries = self.session.options.model.max_retries;
        let policy = retry::Policy { max_retries };
        match retry::next(&policy, attempts.attempt, failure, attempts.overloaded, jitter()) {
            RetryDecision::RetryWithoutStreaming => attempts.streaming = false,
            RetryDecision::Retry { delay } => {
                if self.wait_to_retry(attempts.attempt, delay, failure).await == RetryOutcome::Stopped {
                    return RetryOutcome::Stopped;
                }
            }
            RetryDecision::GiveUp => {
                self.session.report_limits(failure.limits()).await;
                return RetryOutcome::GiveUp;
            }
        }
        attempts.overloaded += u32::from(failure.is_overloaded());
        attempts.attempt += 1;
        RetryOutcome::Try
    }

    async fn wait_to_retry(&mut self, attempt: u32, delay: Duration, failure: &Failure) -> RetryOutcome {
        let max_retries = self.session.options.model.max_retries;
        let message = messages::api_retry(attempt, max_retries, delay, failure);
        self.session.emit(message).await;
        match self.wait_for(Some(pin!(tokio::time::sleep(delay)))).await {
            WaitOutcome::Stopped => RetryOutcome::Stopped,
            WaitOutcome::Ready(()) | WaitOutcome::CallsDone => RetryOutcome::Try,
        }
    }
}

/// A random number from 0 to 1 that prevents sessions from retrying simultaneously.
fn jitter() -> f64 {
    let byte = uuid::Uuid::new_v4().as_bytes().first().copied().unwrap_or(128);
    f64::from(byte) / 255.0
}
