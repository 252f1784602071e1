//! Lines that cannot be parsed as a message.

use std::sync::Arc;

use serde::de::IgnoredAny;

use crate::Map;
use crate::Raw;
use crate::control::{RequestId, Subtype};
use crate::stdin::UserFault;

/// The kind of error in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MalformedKind {
    /// The line is not JSON.
    NotJson,
    /// The line is `null`.
    Null,
    /// The line is an array.
    Array,
    /// The line is a number, a string or a boolean.
    Scalar,
    /// `type` is missing or is not a string.
    NoType,
    /// The line is a `control_request` without `request`.
    NoRequest,
    /// The line is a `control_response` without `response`.
    NoResponse,
    /// The line is a `user` message of the host that is not a valid prompt.
    User(UserFault),
    /// A field of a known message is invalid.
    Field,
}

/// The error for a line that cannot be parsed as a message.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{error}")]
pub struct Malformed {
    /// The kind of error.
    pub kind: MalformedKind,
    /// The error message. It starts with the path of the field if a field is invalid.
    pub error: String,
    /// The column of the error, counted from 1; 0 if the error has no single position.
    pub column: usize,
    /// The unchanged line.
    pub text: Arc<str>,
}

impl Malformed {
    pub(crate) fn new(kind: MalformedKind, error: String, column: usize, text: impl Into<Arc<str>>) -> Self {
        Self {
            kind,
            error,
            column,
            text: text.into(),
        }
    }

    /// Creates the error for a line that could not be parsed as an object. `valid_text` is the line with unpaired
    /// surrogates replaced.
    pub(crate) fn line(text: &str, error: &serde_json::Error, valid_text: &str) -> Self {
        let (kind, error, column) = match serde_json::from_str::<IgnoredAny>(valid_text) {
            Err(error) => (MalformedKind::NotJson, error.to_string(), error.column()),
            Ok(_) => {
                let kind = match valid_text.trim_start().as_bytes().first() {
                    Some(b'n') => MalformedKind::Null,
                    Some(b'[') => MalformedKind::Array,
                    Some(b'{') => MalformedKind::NotJson,
                    _ => MalformedKind::Scalar,
                };
                (kind, error.to_string(), error.column())
            }
        };
        Self::new(kind, error, column, text)
    }

    pub(crate) fn no_type(text: &str) -> Self {
        Self::new(MalformedKind::NoType, "message without `type`".to_owned(), 0, text)
    }

    /// Returns the `request_id` of a control message that cannot be parsed, to answer it with an error.
    #[must_use]
    pub fn request_id(&self) -> RequestId {
        match crate::repair::repair(&self.text) {
            Some(repaired_text) => request_id(&repaired_text),
            None => request_id(&self.text),
        }
    }
}

pub(crate) fn lacks(text: &str, name: &str) -> bool {
    serde_json::from_str::<Map<Raw>>(text).is_ok_and(|fields| fields.get(name).is_none_or(Raw::is_null))
}

/// Returns the `subtype` of the `request` in a line, even if other fields are invalid.
pub(crate) fn request_subtype(text: &str) -> Option<Subtype> {
    let fields: Map<Raw> = serde_json::from_str(text).ok()?;
    let request: Map<Raw> = fields.get("request")?.parse().ok()?;
    request.get("subtype")?.parse().ok()
}

pub(crate) fn request_id(text: &str) -> RequestId {
    let Ok(fields) = serde_json::from_str::<Map<Raw>>(text) else {
        return RequestId::default();
    };
    let inner = || {
        let response: Map<Raw> = fields.get("response")?.parse().ok()?;
        response.get("request_id").cloned()
    };
    let id = fields.get("request_id").cloned().or_else(inner);
    RequestId::from(id.map(|raw| raw.to_value()))
}
