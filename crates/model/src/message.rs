//! A message of the conversation, as the bytes that are sent.
//!
//! Every request contains the complete conversation, and earlier messages never change. Therefore a message is serialised
//! once, and its bytes are copied from then on.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::cache::{can_carry, write_block, write_value};

/// A message in the JSON format of the API. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    inner: Arc<Inner>,
}

#[derive(PartialEq, Eq)]
struct Inner {
    text: Box<[u8]>,
    role: Role,
    /// Offset of a cache mark: after the last key of the last block that can carry one.
    mark_at: Option<usize>,
}

/// The role of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user's side.
    User,
    /// The model.
    Assistant,
}

impl Message {
    /// Creates a message with this role and these blocks.
    #[must_use]
    pub fn new(role: Role, blocks: &[Value]) -> Self {
        let mut builder = MessageBuilder::new(role);
        for block in blocks {
            builder.block(block);
        }
        builder.build()
    }

    /// Returns whether its role is `user`.
    #[must_use]
    pub fn is_user(&self) -> bool {
        self.inner.role == Role::User
    }

    /// Returns whether its role is `assistant`.
    #[must_use]
    pub fn is_assistant(&self) -> bool {
        self.inner.role == Role::Assistant
    }

    /// Returns the message as it is sent, without a cache mark.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.inner.text
    }

    /// Parses the message.
    #[must_use]
    pub fn value(&self) -> Value {
        let read = serde_json::from_slice(&self.inner.text);
        debug_assert!(read.is_ok(), "a message is not valid JSON: {self:?}");
        read.unwrap_or_default()
    }

    /// Parses the content blocks of the message.
    #[must_use]
    pub fn blocks(&self) -> Vec<Value> {
        match self.value().get_mut("content").map(Value::take) {
            Some(Value::Array(blocks)) => blocks,
            _ => Vec::new(),
        }
    }

    /// Returns the number of bytes of the message with this mark.
    pub(crate) fn length(&self, mark: Option<&str>) -> usize {
        let mark = mark.filter(|_| self.inner.mark_at.is_some());
        self.inner.text.len() + mark.map_or(0, str::len)
    }

    /// Writes the message, with the mark if it can carry one.
    pub(crate) fn write(&self, out: &mut Vec<u8>, mark: Option<&str>) {
        let text = &self.inner.text;
        let split = self.inner.mark_at.and_then(|at| text.split_at_checked(at));
        match (mark, split) {
            (Some(mark), Some((before, after))) => {
                out.extend_from_slice(before);
                out.extend_from_slice(mark.as_bytes());
                out.extend_from_slice(after);
            }
            _ => out.extend_from_slice(text),
        }
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.inner.text))
    }
}

/// Converts the JSON of a message. A string content becomes a text block, so that a mark can be added without changing the
/// rest. Only role and content are used.
impl From<Value> for Message {
    fn from(message: Value) -> Self {
        let role = match message.get("role").and_then(Value::as_str) {
            Some("assistant") => Role::Assistant,
            _ => Role::User,
        };
        match message.get("content") {
            Some(Value::Array(blocks)) => Self::new(role, blocks),
            Some(Value::String(text)) => Self::new(role, &[serde_json::json!({"type": "text", "text": text})]),
            _ => Self::new(role, &[]),
        }
    }
}

/// Builds a message block by block.
#[derive(Debug)]
pub struct MessageBuilder {
    text: Vec<u8>,
    role: Role,
    start: usize,
    mark_at: Option<usize>,
}

impl MessageBuilder {
    /// Creates an empty message with this role.
    #[must_use]
    pub fn new(role: Role) -> Self {
        let open: &[u8] = match role {
            Role::User => br#"{"role":"user","content":["#,
            Role::Assistant => br#"{"role":"assistant","content":["#,
        };
        Self {
            text: open.to_vec(),
            role,
            start: open.len(),
            mark_at: None,
        }
    }

    /// Adds a block without any mark that it contains, which would count against the limit of four.
    pub fn block(&mut self, block: &Value) {
        self.comma();
        match block {
            Value::Object(map) => write_block(&mut self.text, map),
            other => write_value(&mut self.text, other),
        }
        self.set_mark(can_carry(block));
    }

    /// Adds a block as raw bytes. They must be a JSON object without a mark and with at least one key. `can_carry` tells
    /// whether a mark may be added to it.
    pub fn raw_block(&mut self, block: &[u8], can_carry: bool) {
        self.comma();
        self.text.extend_from_slice(block);
        self.set_mark(can_carry && block.ends_with(b"}"));
    }

    /// Returns whether no block was added yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.len() == self.start
    }

    /// Returns the finished message.
    #[must_use]
    pub fn build(mut self) -> Message {
        self.text.extend_from_slice(b"]}");
        Message {
            inner: Arc::new(Inner {
                text: self.text.into_boxed_slice(),
                role: self.role,
                mark_at: self.mark_at,
            }),
        }
    }

    fn comma(&mut self) {
        if !self.is_empty() {
            self.text.push(b',');
        }
    }

    fn set_mark(&mut self, can_carry: bool) {
        if can_carry {
            self.mark_at = self.text.len().checked_sub(1);
        }
    }
}
