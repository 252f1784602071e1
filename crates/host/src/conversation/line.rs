//! `Line`: one line of the protocol as it came, shared by all who hold it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sluice_wire::{Frame, Malformed, ToAgent, ToHost};

/// The text of one line, without its end. Cloning it copies nothing.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Line(Arc<str>);

impl Line {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The message in it, when an agent wrote it.
    ///
    /// # Errors
    /// When it is no message, or one with a field that cannot be read.
    pub fn to_host(&self) -> Result<ToHost, Malformed> {
        Frame::parse(&self.0)?.to_host()
    }

    /// The message in it, when a host wrote it.
    ///
    /// # Errors
    /// When it is no message, or one with a field that cannot be read.
    pub fn to_agent(&self) -> Result<ToAgent, Malformed> {
        Frame::parse(&self.0)?.to_agent()
    }
}

impl Default for Line {
    fn default() -> Self {
        Self(Arc::from(""))
    }
}

impl Deref for Line {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Line({})", &*self.0)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&Frame> for Line {
    fn from(frame: &Frame) -> Self {
        Self(frame.shared_text())
    }
}

impl From<&ToAgent> for Line {
    fn from(message: &ToAgent) -> Self {
        Self(message.to_line().into())
    }
}

impl From<ToAgent> for Line {
    fn from(message: ToAgent) -> Self {
        Self::from(&message)
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<Arc<str>> for Line {
    fn from(text: Arc<str>) -> Self {
        Self(text)
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// A frame in a log is its text.
pub(crate) mod frame_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use sluice_wire::Frame;

    pub(crate) fn serialize<S: Serializer>(frame: &Frame, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(frame.text())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Frame, D::Error> {
        let text = String::deserialize(deserializer)?;
        Frame::parse(&text).map_err(D::Error::custom)
    }
}
