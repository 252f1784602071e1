#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::*;

fn http(status: u16, kind: &str, message: &str) -> Failure {
    Failure::Http {
        status,
        kind: Some(kind.to_owned()),
        message: message.to_owned(),
        retry_after: None,
        should_retry: None,
        request_id: Some("req_1".to_owned()),
        limits: None,
    }
}

fn refused() -> Failure {
    Failure::Connect {
        code: Some("ECONNREFUSED"),
        message: "tcp connect error".to_owned(),
    }
}

/// As recorded from the reference CLI: category while retrying, final category, beginning of the text.
#[test]
fn every_failure_has_its_categories_and_text() {
    let too_long = "prompt is too long: 210000 tokens > 200000 maximum";
    for (failure, retry_category, final_category, text) in [
        (
            http(400, "invalid_request_error", "scripted bad request"),
            "unknown",
            "unknown",
            "API Error: 400 scripted bad request",
        ),
        (
            http(400, "invalid_request_error", "Your credit balance is too low to go on"),
            "billing_error",
            "billing_error",
            "Credit balance is too low",
        ),
        (
            http(400, "invalid_request_error", too_long),
            "invalid_request",
            "invalid_request",
            "Prompt is too long",
        ),
        (
            http(401, "authentication_error", "x"),
            "authentication_failed",
            "authentication_failed",
            "Invalid API key · Fix external API key",
        ),
        (
            http(403, "permission_error", "no access"),
            "authentication_failed",
            "authentication_failed",
            "Failed to authenticate. API Error: 403 no access",
        ),
        (
            http(404, "not_found_error", "model: nonsense"),
            "model_not_found",
            "model_not_found",
            "The model nonsense was not found",
        ),
        (
            http(404, "not_found_error", "no such path"),
            "invalid_request",
            "invalid_request",
            "API Error: 404 no such path",
        ),
        (
            http(413, "request_too_large", "big"),
            "invalid_request",
            "invalid_request",
            "API Error: 413 ",
        ),
        (
            http(429, "rate_limit_error", "slow down"),
            "rate_limit",
            "rate_limit",
            "API Error: 429 slow down",
        ),
        (
            http(500, "api_error", "Internal server error"),
            "server_error",
            "server_error",
            "API Error: 500 Internal server error",
        ),
        (
            http(529, "overloaded_error", "Overloaded"),
            "overloaded",
            "server_error",
            "API Error: 529 Overloaded",
        ),
        (refused(), "unknown", "server_error", "API Error: Connection refused"),
        (
            Failure::Timeout,
            "unknown",
            "server_error",
            "API Error: The response timed out",
        ),
        (
            Failure::Stalled,
            "unknown",
            "server_error",
            "API Error: The response stalled",
        ),
        (
            Failure::NoCredentials,
            "authentication_failed",
            "authentication_failed",
            "Not logged in: there is no API key. Set ANTHROPIC_API_KEY",
        ),
    ] {
        let shown = failure.text(&Context {
            model: "nonsense",
            gateway: None,
        });
        assert_eq!(failure.category(), retry_category, "{failure:?}");
        assert_eq!(failure.final_category(), final_category, "{failure:?}");
        assert!(shown.starts_with(text), "{shown}");
    }
}

#[test]
fn full_context_window_has_its_own_terminal_reason() {
    assert_eq!(
        http(400, "invalid_request_error", "Prompt is too long").terminal_reason(),
        "prompt_too_long"
    );
    assert_eq!(http(400, "invalid_request_error", "bad").terminal_reason(), "api_error");
    assert_eq!(refused().terminal_reason(), "api_error");
}

#[test]
fn text_of_a_full_window_contains_the_token_counts() {
    let text = http(400, "x", "prompt is too long: 210000 tokens > 200000 maximum").text(&Context::default());
    assert!(text.contains("210000") && text.contains("200000"), "{text}");
}

#[test]
fn status_type_and_request_id_come_from_the_response() {
    let failure = http(529, "overloaded_error", "x");
    assert_eq!(failure.status(), Some(529));
    assert_eq!(failure.api_error_type(), Some("overloaded_error"));
    assert_eq!(failure.request_id(), Some("req_1"));
    assert_eq!(failure.api_error(), None);
    assert_eq!(refused().status(), None);
    assert_eq!(refused().api_error(), Some("connection_failed"));
}

#[test]
fn server_errors_name_the_gateway() {
    let context = Context {
        model: "m",
        gateway: Some("127.0.0.1:9"),
    };
    assert!(http(503, "api_error", "x").text(&context).contains("127.0.0.1:9"));
    assert!(!http(400, "x", "y").text(&context).contains("127.0.0.1:9"));
}
