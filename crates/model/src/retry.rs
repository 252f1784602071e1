//! The retry policy: decides what to do after a failed request. A pure function.

use std::time::Duration;

use crate::failure::Failure;

/// The default number of retries (`CLAUDE_CODE_MAX_RETRIES`).
pub const DEFAULT_MAX_RETRIES: u32 = 10;
/// The maximum number of attempts at an overloaded server, regardless of the policy. After that a fallback model is used.
pub const MAX_OVERLOADED_ATTEMPTS: u32 = 3;
/// The maximum delay of the exponential backoff.
pub const MAX_DELAY: Duration = Duration::from_secs(32);
/// The maximum `retry-after` that is waited for; a longer one is reported as a failure.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);

const FIRST_DELAY: Duration = Duration::from_millis(500);
/// The maximum share of the delay that is randomly added.
const MAX_JITTER: f64 = 0.25;

/// The configurable part of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The maximum number of attempts after the first.
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
    /// Notify the host, wait, and send the same request again.
    Retry {
        /// How long to wait.
        delay: Duration,
    },
    /// Send it again immediately with [`crate::Client::create`], without notifying the host.
    RetryWithoutStreaming,
    /// Report the failure to the person.
    GiveUp,
}

/// Decides how to continue after attempt number `attempt` failed. The first attempt is 1, so this is also the number of
/// the retry that would follow. `overloaded_so_far` is the number of earlier attempts that failed because the server
/// was overloaded, and `jitter` is a random number from 0 to 1.
pub fn next(policy: &Policy, attempt: u32, failure: &Failure, overloaded_so_far: u32, jitter: f64) -> RetryDecision {
    match failure {
        Failure::NoCredentials | Failure::Helper { .. } | Failure::Excess(_) => RetryDecision::GiveUp,
        Failure::InStream { .. } | Failure::Stalled | Failure::Protocol(_) => without_streaming(policy, attempt),
        Failure::Connect { .. } | Failure::Timeout | Failure::Lost { .. } => retry_later(policy, attempt, None, jitter),
        // Some gateways support only requests without streaming.
        Failure::Http { status: 404, .. } if attempt <= 1 && !failure.is_about_model() => {
            RetryDecision::RetryWithoutStreaming
        }
        Failure::Http { .. } if failure.is_limit_reached() => RetryDecision::GiveUp,
        Failure::Http { .. } if failure.is_overloaded() && overloaded_so_far + 1 >= MAX_OVERLOADED_ATTEMPTS => {
            RetryDecision::GiveUp
        }
        Failure::Http {
            status,
            retry_after,
            should_retry,
            ..
        } => {
            if should_retry.unwrap_or_else(|| is_temporary(*status)) {
                retry_later(policy, attempt, *retry_after, jitter)
            } else {
                RetryDecision::GiveUp
            }
        }
    }
}

/// Returns whether a status may be temporary. This includes 401, as a key helper may return a newer key.
fn is_temporary(status: u16) -> bool {
    matches!(status, 401 | 408 | 409 | 429 | 500..=599)
}

fn retry_later(policy: &Policy, attempt: u32, retry_after: Option<Duration>, jitter: f64) -> RetryDecision {
    if attempt > policy.max_retries || retry_after.is_some_and(|asked| asked > MAX_RETRY_AFTER) {
        return RetryDecision::GiveUp;
    }
    let delay = retry_after.unwrap_or_else(|| {
        let doubled = FIRST_DELAY.saturating_mul(1 << attempt.saturating_sub(1).min(16));
        doubled
            .min(MAX_DELAY)
            .mul_f64(1.0 + MAX_JITTER * jitter.clamp(0.0, 1.0))
    });
    RetryDecision::Retry { delay }
}

/// Requests the complete message after the server interrupted a stream, within the same number of retries.
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
