//! Failures of a request, and their error codes and messages for the host.

use std::time::Duration;

use crate::limits::Limits;

/// Why one attempt failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// No credentials are configured, so nothing was sent.
    #[error("no credentials")]
    NoCredentials,
    /// The `apiKeyHelper` command returned no credential.
    #[error("the key helper returned no key: {message}")]
    Helper {
        /// The error message.
        message: String,
    },
    /// No connection could be established, or it was lost before a response.
    #[error("no connection: {message}")]
    Connect {
        /// The error code of the system, such as `ECONNREFUSED`.
        code: Option<&'static str>,
        /// The complete chain of causes.
        message: String,
    },
    /// The head of the response, or a complete response that is not streamed, took too long.
    #[error("the response timed out")]
    Timeout,
    /// A response with an error status.
    #[error("status {status}: {message}")]
    Http {
        /// The status code.
        status: u16,
        /// `error.type` of the body.
        kind: Option<String>,
        /// `error.message` of the body, or the body itself.
        message: String,
        /// The delay that `retry-after` or `retry-after-ms` requests.
        retry_after: Option<Duration>,
        /// The header `x-should-retry`.
        should_retry: Option<bool>,
        /// The `request-id` header.
        request_id: Option<String>,
        /// The usage limits of the account, if the credential is a personal token.
        limits: Option<Box<Limits>>,
    },
    /// The connection ended before `message_stop`.
    #[error("the stream was cut off: {message}")]
    Lost {
        /// The cause, if known.
        message: String,
    },
    /// An `error` event inside the stream.
    #[error("the stream reported {kind}: {message}")]
    InStream {
        /// `error.type`.
        kind: String,
        /// `error.message`.
        message: String,
    },
    /// No data was received for longer than [`crate::Config::stall_timeout`].
    #[error("the stream stalled")]
    Stalled,
    /// The response exceeds a limit; a retry would not help.
    #[error("the response exceeds a limit: {0}")]
    Excess(String),
    /// The response does not come from the Messages API.
    #[error("not a response of the Messages API: {0}")]
    Protocol(String),
}

/// The context of an attempt for [`Failure::text`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// The requested model.
    pub model: &'a str,
    /// Host and port of a gateway, if requests do not go to the default URL.
    pub gateway: Option<&'a str>,
}

impl Failure {
    /// Returns the usage limits of the account that the response reported.
    pub fn limits(&self) -> Option<&Limits> {
        match self {
            Self::Http { limits, .. } => limits.as_deref(),
            _ => None,
        }
    }

    /// Returns whether a usage limit of the account is reached. Requests fail until it is reset.
    pub fn is_limit_reached(&self) -> bool {
        self.status() == Some(429) && self.limits().is_some_and(Limits::is_rejected)
    }

    /// Returns the `error` of `system/api_retry`.
    pub fn category(&self) -> &'static str {
        match self {
            Self::NoCredentials | Self::Helper { .. } => "authentication_failed",
            Self::Connect { .. }
            | Self::Timeout
            | Self::Lost { .. }
            | Self::Stalled
            | Self::Protocol(_)
            | Self::Excess(_) => "unknown",
            Self::InStream { kind, .. } => category_of(kind),
            Self::Http { status, .. } => match status {
                _ if self.is_out_of_credit() => "billing_error",
                400 if self.is_prompt_too_long() => "invalid_request",
                401 | 403 => "authentication_failed",
                402 => "billing_error",
                404 if self.is_about_model() => "model_not_found",
                404 | 413 | 422 => "invalid_request",
                429 => "rate_limit",
                529 => "overloaded",
                408 | 500..=599 => "server_error",
                _ => "unknown",
            },
        }
    }

    /// Returns the `error` of the final synthetic assistant message. Failures that are worth retrying count as server errors
    /// there (scenarios `api_529_persist`, `api_refused`).
    pub fn final_category(&self) -> &'static str {
        match self {
            Self::Connect { .. } | Self::Timeout | Self::Lost { .. } | Self::Stalled => "server_error",
            _ => match self.category() {
                "overloaded" => "server_error",
                other => other,
            },
        }
    }

    /// Returns the HTTP status: `error_status` and `api_error_status`.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Http { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Returns `api_error_type`: the API's name for the error.
    pub fn api_error_type(&self) -> Option<&str> {
        match self {
            Self::Http { kind, .. } => kind.as_deref(),
            Self::InStream { kind, .. } => Some(kind),
            _ => None,
        }
    }

    /// Returns the `api_error`: set if the connection failed or a limit of the account is reached.
    pub fn api_error(&self) -> Option<&'static str> {
        match self {
            Self::Connect { .. } => Some("connection_failed"),
            _ if self.is_limit_reached() => Some("usage_limit_reached"),
            _ => None,
        }
    }

    /// Returns the `request-id` of the response.
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Http { request_id, .. } => request_id.as_deref(),
            _ => None,
        }
    }

    /// Returns the `terminal_reason` of the result of a turn that ends with this failure.
    pub fn terminal_reason(&self) -> &'static str {
        if self.is_prompt_too_long() {
            "prompt_too_long"
        } else if self.is_media_refused() {
            "image_error"
        } else {
            "api_error"
        }
    }

    /// Returns whether the API rejected images or documents of the request: one of them, or their total size
    /// ([`Self::is_too_large`]).
    pub fn is_media_refused(&self) -> bool {
        if self.is_prompt_too_long() {
            return false;
        }
        let names_media = |message: &str| {
            let message = message.to_ascii_lowercase();
            ["image", "pdf", ".document", "base64"]
                .iter()
                .any(|word| message.contains(word))
        };
        self.is_too_large() || matches!(self, Self::Http { status: 400, message, .. } if names_media(message))
    }

    /// Returns whether the request has more bytes than the API accepts.
    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::Http { status: 413, .. }) && !self.is_prompt_too_long()
    }

    /// Returns whether the context window is full.
    pub fn is_prompt_too_long(&self) -> bool {
        match self {
            Self::Http {
                status: 400 | 413,
                message,
                ..
            } => {
                let message = message.to_ascii_lowercase();
                message.contains("prompt is too long") || message.contains("exceed context limit")
            }
            _ => false,
        }
    }

    /// Returns whether the server rejects all requests for now.
    pub fn is_unavailable(&self) -> bool {
        self.status() == Some(503)
    }

    /// Returns whether the server is overloaded.
    pub fn is_overloaded(&self) -> bool {
        match self {
            Self::Http { status, kind, .. } => *status == 529 || kind.as_deref() == Some("overloaded_error"),
            Self::InStream { kind, .. } => kind == "overloaded_error",
            _ => false,
        }
    }

    /// Returns the message for a person. Hosts recognise its fixed beginnings.
    pub fn text(&self, context: &Context<'_>) -> String {
        match self {
            Self::NoCredentials => "Not logged in: there is no API key. Set ANTHROPIC_API_KEY, or \
                 ANTHROPIC_BASE_URL and ANTHROPIC_AUTH_TOKEN for your own server, or start sluice in a terminal \
                 and type /login"
                .to_owned(),
            Self::Helper { message } => format!("Failed to authenticate. The apiKeyHelper command failed: {message}"),
            Self::Connect {
                code: Some("ECONNREFUSED"),
                ..
            } => "API Error: Connection refused: no server is listening at that address (ECONNREFUSED)".to_owned(),
            Self::Connect {
                code: Some(code),
                message,
            } => format!("API Error: Connection failed: {message} ({code})"),
            Self::Connect { code: None, message } => format!("API Error: Connection failed: {message}"),
            Self::Timeout => format!("API Error: The response timed out.{}", try_later(context)),
            Self::Lost { message } => format!("API Error: The response was cut off: {message}"),
            Self::Stalled => format!("API Error: The response stalled.{}", try_later(context)),
            Self::InStream { message, .. } => format!("API Error: {message}"),
            Self::Protocol(message) => format!("API Error: Unexpected response: {message}"),
            Self::Excess(message) => format!("API Error: The response was aborted: {message}"),
            Self::Http { status, message, .. } => http_text(self, *status, message, context),
        }
    }

    /// Returns whether a 404 concerns the model. Any other 404 concerns the URL.
    pub(crate) fn is_about_model(&self) -> bool {
        matches!(self, Self::Http { kind: Some(kind), message, .. } if kind == "not_found_error" && message.contains("model"))
    }

    fn is_out_of_credit(&self) -> bool {
        matches!(self, Self::Http { message, .. } if message.to_ascii_lowercase().contains("credit balance is too low"))
    }
}

fn http_text(failure: &Failure, status: u16, message: &str, context: &Context<'_>) -> String {
    if let Some(limits) = failure.limits().filter(|_| failure.is_limit_reached()) {
        return format!("You have reached your {} limit", limits.name());
    }
    if failure.is_out_of_credit() {
        return "Credit balance is too low".to_owned();
    }
    if failure.is_prompt_too_long() {
        return match token_counts(message) {
            Some((used, limit)) => {
                format!("Prompt is too long · the request has {used} tokens, the limit is {limit}")
            }
            None => "Prompt is too long".to_owned(),
        };
    }
    match status {
        401 => "Invalid API key · Fix external API key".to_owned(),
        403 => format!("Failed to authenticate. API Error: 403 {message}"),
        404 if failure.is_about_model() => format!(
            "The model {} was not found: it does not exist, or your API key has no access to it. Choose another one with --model.",
            context.model
        ),
        413 => format!(
            "API Error: 413 The request is too large: {message}. Images and documents take up the most space; \
             remove some, or start over with /clear."
        ),
        529 => format!("API Error: 529 Overloaded, repeatedly.{}", try_later(context)),
        500..=599 => format!(
            "API Error: {status} {}.{}",
            message.trim_end_matches('.'),
            try_later(context)
        ),
        _ => format!("API Error: {status} {message}"),
    }
}

fn try_later(context: &Context<'_>) -> String {
    match context.gateway {
        Some(gateway) => format!(" This is usually temporary; otherwise check the server behind {gateway}."),
        None => " This is usually temporary; try again in a moment.".to_owned(),
    }
}

/// Extracts the two numbers of "prompt is too long: 210000 tokens > 200000 maximum".
fn token_counts(message: &str) -> Option<(u64, u64)> {
    let mut numbers = message
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

fn category_of(kind: &str) -> &'static str {
    match kind {
        "overloaded_error" => "overloaded",
        "rate_limit_error" => "rate_limit",
        "api_error" | "timeout_error" => "server_error",
        "authentication_error" | "permission_error" => "authentication_failed",
        "billing_error" => "billing_error",
        "invalid_request_error" | "request_too_large" => "invalid_request",
        "not_found_error" => "model_not_found",
        _ => "unknown",
    }
}

#[cfg(test)]
#[path = "failure_tests.rs"]
mod tests;
