//! A message of the conversation, as the bytes that are sent.
//!
//! Every request contains the whole conversation, and earlier messages never change. So a message is serialised once;
//! from then on its bytes are copied.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::cache::{can_carry, write_block, write_value};

/// One message, as the API's own JSON. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    inner: Arc<Inner>,
}

#[derive(PartialEq, Eq)]
struct Inner {
    text: Box<[u8]>,
    role: Role,
    /// Where a cache mark goes: behind the last key of the last block that can carry one.
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
    /// A message of this role with these blocks.
    #[must_use]
    pub fn new(role: Role, blocks: &[Value]) -> Self {
        let mut written = Writing::new(role);
        for block in blocks {
            written.block(block);
        }
        written.done()
    }

    /// Whether its role is `user`.
    #[must_use]
    pub fn is_user(&self) -> bool {
        self.inner.role == Role::User
    }

    /// Whether its role is `assistant`.
    #[must_use]
    pub fn is_assistant(&self) -> bool {
        self.inner.role == Role::Assistant
    }

    /// The message as it is sent, without a cache mark.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.inner.text
    }

    /// The message, read.
    #[must_use]
    pub fn value(&self) -> Value {
        let read = serde_json::from_slice(&self.inner.text);
        debug_assert!(read.is_ok(), "a message that is none: {self:?}");
        read.unwrap_or_default()
    }

    /// What it is made of, read.
    #[must_use]
    pub fn blocks(&self) -> Vec<Value> {
        match self.value().get_mut("content").map(Value::take) {
            Some(Value::Array(blocks)) => blocks,
            _ => Vec::new(),
        }
    }

    /// How many bytes it takes with this mark.
    pub(crate) fn length(&self, mark: Option<&str>) -> usize {
        let mark = mark.filter(|_| self.inner.mark_at.is_some());
        self.inner.text.len() + mark.map_or(0, str::len)
    }

    /// Writes it, with this mark if it can carry one.
    pub(crate) fn write(&self, out: &mut Vec<u8>, mark: Option<&str>) {
        let text = &self.inner.text;
        let split = self.inner.mark_at.and_then(|at| text.split_at_checked(at));
        match (mark, split) {
            (Some(mark), Some((before, behind))) => {
                out.extend_from_slice(before);
                out.extend_from_slice(mark.as_bytes());
                out.extend_from_slice(behind);
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

/// A message from its JSON: a text is a block like any other, so that a mark fits without changing the rest. Only the role
/// and the content are sent.
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

/// A message while it is put together.
#[derive(Debug)]
pub struct Writing {
    text: Vec<u8>,
    role: Role,
    begins: usize,
    mark_at: Option<usize>,
}

impl Writing {
    /// An empty message of this role.
    #[must_use]
    pub fn new(role: Role) -> Self {
        let open: &[u8] = match role {
            Role::User => br#"{"role":"user","content":["#,
            Role::Assistant => br#"{"role":"assistant","content":["#,
        };
        Self {
            text: open.to_vec(),
            role,
            begins: open.len(),
            mark_at: None,
        }
    }

    /// Adds a block. A mark it came with is left out: it would count against those we may make.
    pub fn block(&mut self, block: &Value) {
        self.comma();
        match block {
            Value::Object(map) => write_block(&mut self.text, map),
            other => write_value(&mut self.text, other),
        }
        self.behind(can_carry(block));
    }

    /// Adds a block in the bytes it is spelled with. They must be a JSON object without a mark and with at least one key;
    /// whether a mark may be added to it is for the caller to say.
    pub fn spelled(&mut self, block: &[u8], can_carry: bool) {
        self.comma();
        self.text.extend_from_slice(block);
        self.behind(can_carry && block.ends_with(b"}"));
    }

    /// Whether nothing was added yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.len() == self.begins
    }

    /// The message.
    #[must_use]
    pub fn done(mut self) -> Message {
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

    fn behind(&mut self, can_carry: bool) {
        if can_carry {
            self.mark_at = self.text.len().checked_sub(1);
        }
    }
}
