//! `Text`: a text of an item, or the place where a long one is stored.

use std::ops::Deref;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A text, or the place where a long one is stored. It derefs to the text, or to its beginning.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum Text {
    /// The text.
    Here(String),
    /// A long text that the host has stored elsewhere.
    Stored {
        /// Where it is.
        #[serde(rename = "$blob")]
        blob: Box<Blob>,
    },
}

/// A long text or an image that is stored elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Blob {
    /// The hash of the content: its name.
    pub hash: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The media type.
    pub mime: String,
    /// The beginning of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The end of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<String>,
    /// The number of lines of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
}

impl Text {
    /// Returns the text that a JSON value contains.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::Here(text.clone())),
            Value::Object(fields) if fields.contains_key("$blob") => serde_json::from_value(value.clone()).ok(),
            _ => None,
        }
    }

    /// Appends to the text. A stored text is complete and stays as it is.
    pub fn push_str(&mut self, more: &str) {
        if let Self::Here(text) = self {
            text.push_str(more);
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::Here(String::new())
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Here(text) => text,
            Self::Stored { blob } => blob.head.as_deref().unwrap_or_default(),
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::Here(text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::Here(text.to_owned())
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self)
    }
}
