//! Messages that were received: a message that comes a second time is recognised and dropped.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::index::hash;

/// The identity of a message: its whole id, and a hash of its content.
///
/// Two messages are the same one only if both are equal. An agent that gives two different messages one id loses none.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct MessageIdentity {
    id: MessageId,
    content: u64,
}

/// The id of a message. Nearly all are UUIDs; those take half the memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
enum MessageId {
    Uuid(Uuid),
    Text(Box<str>),
}

impl From<&str> for MessageId {
    fn from(id: &str) -> Self {
        Uuid::try_parse(id).map_or_else(|_| Self::Text(id.into()), Self::Uuid)
    }
}

impl From<String> for MessageId {
    fn from(id: String) -> Self {
        id.as_str().into()
    }
}

impl From<MessageId> for String {
    fn from(id: MessageId) -> Self {
        match id {
            MessageId::Uuid(uuid) => uuid.to_string(),
            MessageId::Text(text) => text.into(),
        }
    }
}

impl MessageIdentity {
    pub(crate) fn new(id: &str, content: &str) -> Self {
        Self {
            id: id.into(),
            content: hash(content.as_bytes()),
        }
    }
}

/// The messages that were received.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Seen(HashSet<MessageIdentity>);

impl Seen {
    /// Adds a message. Returns false if it was received before.
    pub(crate) fn insert(&mut self, message: MessageIdentity) -> bool {
        self.0.insert(message)
    }
}
