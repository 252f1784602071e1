//! The id that links a response to its request.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::field::Field;

/// The id of a request. A response repeats it unchanged: usually a string, but a number or a missing id is accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RequestId(pub Option<Value>);

impl RequestId {
    /// Creates an id from a string.
    pub fn new(id: impl Into<String>) -> Self {
        Self(Some(Value::String(id.into())))
    }

    /// Returns the id if it is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.0.as_ref().and_then(Value::as_str)
    }

    /// Whether the message has an id.
    #[must_use]
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }
}

impl From<&str> for RequestId {
    fn from(id: &str) -> Self {
        Self::new(id)
    }
}

impl From<String> for RequestId {
    fn from(id: String) -> Self {
        Self::new(id)
    }
}

impl From<Option<Value>> for RequestId {
    fn from(id: Option<Value>) -> Self {
        Self(id)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(Value::String(id)) => f.write_str(id),
            Some(id) => write!(f, "{id}"),
            None => Ok(()),
        }
    }
}

impl Field for RequestId {
    fn absent() -> Option<Self> {
        Some(Self(None))
    }

    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(|id| Self(Some(id)))
    }
}
