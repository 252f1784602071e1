//! Prompt-cache breakpoints.
//!
//! The server caches the request up to a mark, in the order tools, system, messages. Marks must move as a conversation
//! grows, at most four are allowed, and moving a mark must not change the marked content. Therefore content is always
//! written as the same bytes without marks, and a mark is only *added* as the last key of a block. With the marks
//! removed, the body of one request (up to the end of its last message) is a byte prefix of the body of the next one;
//! `tests/it/prefix.rs` verifies this.
//!
//! The four positions: the last tool, the last system block, the last user message, and the last user message before
//! the last reply, which is where the previous request had its last mark.

use serde_json::{Map, Value};

use crate::message::Message;

/// How long the server may cache a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// Not at all: no marks.
    Off,
    /// Five minutes after the last use.
    #[default]
    Minutes,
    /// An hour.
    Hour,
}

impl Cache {
    /// Returns the text that is added to a marked block after its last key.
    pub(crate) fn mark(self) -> Option<&'static str> {
        match self {
            Self::Off => None,
            Self::Minutes => Some(r#","cache_control":{"type":"ephemeral"}"#),
            Self::Hour => Some(r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#),
        }
    }
}

/// Returns the indices of the messages that carry a mark.
pub(crate) fn marked_messages(messages: &[Message]) -> [Option<usize>; 2] {
    let last_user = |end: usize| messages.iter().take(end).rposition(Message::is_user);
    let reply = messages.iter().rposition(Message::is_assistant);
    [last_user(messages.len()), reply.and_then(last_user)]
}

/// Writes an array of blocks. The last block that can carry a mark gets it.
pub(crate) fn write_blocks(out: &mut Vec<u8>, blocks: &[Value], mark: Option<&str>) {
    let marked = mark.and_then(|_| blocks.iter().rposition(can_carry));
    out.push(b'[');
    for (index, block) in blocks.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match block {
            Value::Object(map) => write_block(out, map),
            other => write_value(out, other),
        }
        if let Some(mark) = mark.filter(|_| Some(index) == marked) {
            out.pop();
            out.extend_from_slice(mark.as_bytes());
            out.push(b'}');
        }
    }
    out.push(b']');
}

/// Writes one block without any mark that a host added, which would count against the limit of four.
pub(crate) fn write_block(out: &mut Vec<u8>, map: &Map<String, Value>) {
    out.push(b'{');
    for (count, (key, value)) in map.iter().filter(|(key, _)| *key != "cache_control").enumerate() {
        if count > 0 {
            out.push(b',');
        }
        write_key(out, key);
        write_value(out, value);
    }
    out.push(b'}');
}

/// Returns whether a block can carry a mark. The server rejects marks on thinking and on empty text.
#[must_use]
pub fn can_carry(block: &Value) -> bool {
    match block.get("type").and_then(Value::as_str) {
        Some("thinking" | "redacted_thinking") => false,
        Some("text") => block
            .get("text")
            .and_then(Value::as_str)
            .is_some_and(|text| !text.is_empty()),
        // A mark is written after another key.
        _ => block
            .as_object()
            .is_some_and(|map| map.keys().any(|key| key != "cache_control")),
    }
}

/// Writes `"key":`.
pub(crate) fn write_key(out: &mut Vec<u8>, key: &str) {
    write_value(out, &key);
    out.push(b':');
}

/// Writes a value as JSON; neither strings nor `Value` can fail to serialise into memory.
pub(crate) fn write_value(out: &mut Vec<u8>, value: &(impl serde::Serialize + ?Sized)) {
    let done = serde_json::to_writer(&mut *out, value);
    debug_assert!(done.is_ok());
}
