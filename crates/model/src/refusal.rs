//! Converts error responses and connection errors to a [`Failure`].

use std::error::Error as _;
use std::io;
use std::time::Duration;

use reqwest::Response;
use serde_json::Value;

use crate::client::Head;
use crate::failure::Failure;

/// The maximum number of bytes that are read of an error response.
const ERROR_BODY_LIMIT: usize = 64 << 10;

/// Returns a header as text.
pub(crate) fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

/// Returns the facts from the headers of a response.
pub(crate) fn head(response: &Response) -> Head {
    Head {
        request_id: header(response, "request-id").map(str::to_owned),
        status: response.status().as_u16(),
        limits: None,
    }
}

/// Converts an unsuccessful response.
pub(crate) async fn http_failure(mut response: Response, head: Head) -> Failure {
    let Head {
        request_id,
        status,
        limits,
    } = head;
    let retry_after = retry_after(header(&response, "retry-after-ms"), header(&response, "retry-after"));
    let should_retry = match header(&response, "x-should-retry") {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    };
    let reason = response.status().canonical_reason().unwrap_or("no reason given");
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > ERROR_BODY_LIMIT {
            break;
        }
    }
    let parsed: Value = serde_json::from_slice(&body).unwrap_or_default();
    let field = |key: &str| Some(parsed.get("error")?.get(key)?.as_str()?.to_owned());
    let plain = String::from_utf8_lossy(&body);
    let message = field("message").unwrap_or_else(|| match plain.trim() {
        "" => reason.to_owned(),
        // HTML pages are not useful as error messages.
        text if text.starts_with('<') => reason.to_owned(),
        text => text.chars().take(2000).collect(),
    });
    Failure::Http {
        status,
        kind: field("type"),
        message,
        retry_after,
        should_retry,
        request_id,
        limits: limits.map(Box::new),
    }
}

/// Parses the delay: in milliseconds, or in seconds from the standard header. The API does not use dates.
fn retry_after(milliseconds: Option<&str>, seconds: Option<&str>) -> Option<Duration> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let seconds = milliseconds
        .and_then(number)
        .map(|number| number / 1000.0)
        .or_else(|| seconds.and_then(number))?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Converts an error that occurred before a response.
pub(crate) fn connect_failure(error: &reqwest::Error) -> Failure {
    let mut code = None;
    let mut cause = error.source();
    while let Some(inner) = cause {
        code = inner.downcast_ref::<io::Error>().and_then(code_of).or(code);
        cause = inner.source();
    }
    let message = causes(error);
    if code.is_none() && message.contains("dns error") {
        code = Some("ENOTFOUND");
    }
    if code.is_none() && error.is_timeout() {
        code = Some("ETIMEDOUT");
    }
    Failure::Connect { code, message }
}

fn code_of(error: &io::Error) -> Option<&'static str> {
    Some(match error.kind() {
        io::ErrorKind::ConnectionRefused => "ECONNREFUSED",
        io::ErrorKind::ConnectionReset => "ECONNRESET",
        io::ErrorKind::ConnectionAborted => "ECONNABORTED",
        io::ErrorKind::BrokenPipe => "EPIPE",
        io::ErrorKind::TimedOut => "ETIMEDOUT",
        io::ErrorKind::HostUnreachable => "EHOSTUNREACH",
        io::ErrorKind::NetworkUnreachable => "ENETUNREACH",
        _ => return None,
    })
}

/// Joins the causes of an error, innermost last. The outermost one only repeats the URL.
pub(crate) fn causes(error: &reqwest::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if parts.last() != Some(&text) {
            parts.push(text);
        }
        cause = inner.source();
    }
    if parts.is_empty() {
        error.to_string()
    } else {
        parts.join(": ")
    }
}
