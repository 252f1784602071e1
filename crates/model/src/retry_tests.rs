#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::*;

const POLICY: Policy = Policy { max_retries: 10 };

fn http(status: u16) -> Failure {
    Failure::Http {
        status,
        kind: None,
        message: String::new(),
        retry_after: None,
        should_retry: None,
        request_id: None,
        limits: None,
    }
}

fn http_with_hints(status: u16, after: Option<u64>, again: Option<bool>) -> Failure {
    let retry_after = after.map(Duration::from_secs);
    Failure::Http {
        status,
        kind: None,
        message: String::new(),
        retry_after,
        should_retry: again,
        request_id: None,
        limits: None,
    }
}

fn first(failure: &Failure) -> RetryDecision {
    next(&POLICY, 1, failure, 0, 0.0)
}

fn wait(milliseconds: u64) -> RetryDecision {
    RetryDecision::Retry {
        delay: Duration::from_millis(milliseconds),
    }
}

#[test]
fn temporary_failures_are_retried_and_permanent_ones_are_not() {
    for status in [401, 408, 409, 429, 500, 502, 503, 529] {
        assert_eq!(first(&http(status)), wait(500), "{status}");
    }
    for status in [302, 400, 402, 403, 413, 422] {
        assert_eq!(first(&http(status)), RetryDecision::GiveUp, "{status}");
    }
    for failure in [Failure::Timeout, Failure::Lost { message: String::new() }] {
        assert_eq!(first(&failure), wait(500));
    }
    assert_eq!(
        first(&Failure::Connect {
            code: None,
            message: String::new()
        }),
        wait(500)
    );
    assert_eq!(first(&Failure::NoCredentials), RetryDecision::GiveUp);
    assert_eq!(
        first(&Failure::Helper { message: String::new() }),
        RetryDecision::GiveUp
    );
}

#[test]
fn delays_double_up_to_a_limit_with_up_to_a_quarter_of_jitter() {
    let delays: Vec<RetryDecision> = (1..=9)
        .map(|attempt| next(&POLICY, attempt, &http(500), 0, 0.0))
        .collect();
    assert_eq!(
        delays,
        [500, 1000, 2000, 4000, 8000, 16000, 32000, 32000, 32000].map(wait)
    );
    assert_eq!(next(&POLICY, 1, &http(500), 0, 1.0), wait(625));
    assert_eq!(next(&POLICY, 2, &http(500), 0, 0.5), wait(1125));
    assert_eq!(next(&POLICY, 1, &http(500), 0, 7.0), wait(625));
    assert_eq!(
        next(&Policy { max_retries: u32::MAX }, u32::MAX, &http(500), 0, 0.0),
        wait(32000)
    );
}

#[test]
fn retries_end_at_the_policy_limit() {
    let policy = Policy { max_retries: 2 };
    assert_eq!(next(&policy, 2, &http(500), 0, 0.0), wait(1000));
    assert_eq!(next(&policy, 3, &http(500), 0, 0.0), RetryDecision::GiveUp);
    assert_eq!(
        next(&Policy { max_retries: 0 }, 1, &http(500), 0, 0.0),
        RetryDecision::GiveUp
    );
}

#[test]
fn retry_after_determines_the_delay() {
    assert_eq!(
        next(&POLICY, 4, &http_with_hints(429, Some(1), None), 0, 1.0),
        wait(1000)
    );
    assert_eq!(first(&http_with_hints(429, Some(0), None)), wait(0));
    assert_eq!(first(&http_with_hints(429, Some(3600), None)), RetryDecision::GiveUp);
}

#[test]
fn should_retry_overrides_the_status() {
    assert_eq!(first(&http_with_hints(400, None, Some(true))), wait(500));
    assert_eq!(first(&http_with_hints(500, None, Some(false))), RetryDecision::GiveUp);
}

#[test]
fn overloaded_server_gets_three_attempts() {
    assert_eq!(next(&POLICY, 1, &http(529), 0, 0.0), wait(500));
    assert_eq!(next(&POLICY, 2, &http(529), 1, 0.0), wait(1000));
    assert_eq!(next(&POLICY, 3, &http(529), 2, 0.0), RetryDecision::GiveUp);
    assert_eq!(
        next(&POLICY, 3, &http_with_hints(529, None, Some(true)), 2, 0.0),
        RetryDecision::GiveUp
    );
}

#[test]
fn not_found_is_retried_once_without_streaming() {
    assert_eq!(first(&http(404)), RetryDecision::RetryWithoutStreaming);
    assert_eq!(next(&POLICY, 2, &http(404), 0, 0.0), RetryDecision::GiveUp);
}

#[test]
fn interrupted_stream_is_retried_without_streaming() {
    for failure in [
        Failure::InStream {
            kind: "overloaded_error".into(),
            message: String::new(),
        },
        Failure::Stalled,
        Failure::Protocol(String::new()),
    ] {
        assert_eq!(first(&failure), RetryDecision::RetryWithoutStreaming);
        assert_eq!(
            next(&Policy { max_retries: 0 }, 1, &failure, 0, 0.0),
            RetryDecision::RetryWithoutStreaming
        );
        assert_eq!(next(&POLICY, 11, &failure, 0, 0.0), RetryDecision::GiveUp);
    }
}
