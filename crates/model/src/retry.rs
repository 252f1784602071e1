//! The retry policy: what to do after a failed request, as a pure function.

use std::time::Duration;

use crate::failure::Failure;

/// The default number of retries (`CLAUDE_CODE_MAX_RETRIES`).
pub const DEFAULT_MAX_RETRIES: u32 = 10;
/// Tries an overloaded server gets, whatever the policy; then it is time for a fallback model.
pub const OVERLOADED_TRIES: u32 = 3;
/// Delays stop doubling here.
pub const LONGEST_DELAY: Duration = Duration::from_secs(32);
/// A server that asks for more patience than this is reported instead of waited for.
pub const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(600);

const FIRST_DELAY: Duration = Duration::from_millis(500);
/// How much of a delay chance may add.
const SPREAD: f64 = 0.25;

/// How stubborn to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Attempts after the first.
    pub max_retries: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            max_retries: DEFAULT_MAX_RETRIES,
        }
    }
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryDecision {
    /// Announce it, wait, send the same request again.
    Retry {
        /// How long to wait.
        delay: Duration,
    },
    /// Send it again at once with [`crate::Client::create`], unannounced.
    RetryWithoutStreaming,
    /// Tell the person.
    GiveUp,
}

/// Decides about the `attempt`-th attempt (the first is 1; so this is also the number of the retry that
/// would follow) after `overloaded_so_far` earlier attempts ended in "overloaded".
/// `jitter` is a random number from 0 to 1.
pub fn next(policy: &Policy, attempt: u32, failure: &Failure, overloaded_so_far: u32, jitter: f64) -> RetryDecision {
    match failure {
        Failure::NoCredentials | Failure::Helper { .. } | Failure::Excess(_) => RetryDecision::GiveUp,
        Failure::InStream { .. } | Failure::Stalled | Failure::Protocol(_) => without_streaming(policy, attempt),
        Failure::Connect { .. } | Failure::Timeout | Failure::Lost { .. } => again(policy, attempt, None, jitter),
        // Some gateways know the path for whole messages only.
        Failure::Http { status: 404, .. } if attempt <= 1 => RetryDecision::RetryWithoutStreaming,
        Failure::Http { .. } if failure.is_limit_reached() => RetryDecision::GiveUp,
        Failure::Http { .. } if failure.is_overloaded() && overloaded_so_far + 1 >= OVERLOADED_TRIES => {
            RetryDecision::GiveUp
        }
        Failure::Http {
            status,
            retry_after,
            should_retry,
            ..
        } => {
            if should_retry.unwrap_or_else(|| passes(*status)) {
                again(policy, attempt, *retry_after, jitter)
            } else {
                RetryDecision::GiveUp
            }
        }
    }
}

/// Whether a status is one that may go away by itself. 401 counts: a key helper may know a newer key.
fn passes(status: u16) -> bool {
    matches!(status, 401 | 408 | 409 | 429 | 500..=599)
}

fn again(policy: &Policy, attempt: u32, retry_after: Option<Duration>, jitter: f64) -> RetryDecision {
    if attempt > policy.max_retries || retry_after.is_some_and(|asked| asked > LONGEST_RETRY_AFTER) {
        return RetryDecision::GiveUp;
    }
    let delay = retry_after.unwrap_or_else(|| {
        let doubled = FIRST_DELAY.saturating_mul(1 << attempt.saturating_sub(1).min(16));
        doubled
            .min(LONGEST_DELAY)
            .mul_f64(1.0 + SPREAD * jitter.clamp(0.0, 1.0))
    });
    RetryDecision::Retry { delay }
}

/// A stream that broke from the server's side is asked for whole, within the same patience.
fn without_streaming(policy: &Policy, attempt: u32) -> RetryDecision {
    if attempt > policy.max_retries.max(1) {
        RetryDecision::GiveUp
    } else {
        RetryDecision::RetryWithoutStreaming
    }
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
