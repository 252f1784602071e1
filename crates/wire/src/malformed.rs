//! Lines that are no message.

use std::sync::Arc;

use serde::de::IgnoredAny;

use crate::Map;
use crate::Raw;
use crate::control::{RequestId, Subtype};
use crate::stdin::UserFault;

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MalformedKind {
    /// Not JSON.
    NotJson,
    /// `null`.
    Null,
    /// An array.
    Array,
    /// A number, a string or a boolean.
    Scalar,
    /// An object without a `type` that is a string.
    NoType,
    /// A `control_request` without `request`.
    NoRequest,
    /// A `control_response` without `response`.
    NoResponse,
    /// A `user` message of the host that is no prompt.
    User(UserFault),
    /// A message of a known kind with a field that cannot be read.
    Field,
}

/// A line that is no message, with the text kept.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{error}")]
pub struct Malformed {
    /// What is wrong.
    pub kind: MalformedKind,
    /// In words; for a field, its path comes first.
    pub error: String,
    /// Where in the line, counted from 1; 0 when it is not one place.
    pub column: usize,
    /// The line as it came.
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

    /// A line that could not be read as an object.
    pub(crate) fn line(text: &str, error: &serde_json::Error, sound: &str) -> Self {
        let (kind, error, column) = match serde_json::from_str::<IgnoredAny>(sound) {
            Err(error) => (MalformedKind::NotJson, error.to_string(), error.column()),
            Ok(_) => {
                let kind = match sound.trim_start().as_bytes().first() {
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

    /// The `request_id` of a control message that cannot be read, to answer it with an error.
    #[must_use]
    pub fn request_id(&self) -> RequestId {
        match crate::repair::repair(&self.text) {
            Some(mended) => request_id(&mended),
            None => request_id(&self.text),
        }
    }
}

pub(crate) fn lacks(text: &str, name: &str) -> bool {
    serde_json::from_str::<Map<Raw>>(text).is_ok_and(|fields| fields.get(name).is_none_or(Raw::is_null))
}

/// The `subtype` of the `request` in a line, whatever else stands there.
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
