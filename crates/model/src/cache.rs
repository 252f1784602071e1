//! Prompt-cache breakpoints.
//!
//! The server caches the request up to a mark, in the order tools, system, messages. Marks must move as a
//! conversation grows, at most four are allowed, and a moved mark must not change what it marks. So:
//! content is written without marks, the same bytes every time, and a mark is only ever *added* as the
//! last key of a block. With the marks taken out, the body of one request (up to the end of its last
//! message) is a byte prefix of the next; `tests/it/prefix.rs` holds us to it.
//!
//! The four places: the last tool, the last system block, the last user message, and the last user message
//! before the last reply, which is where the previous request had its own last mark.

use std::sync::Arc;

use serde_json::{Map, Value};

/// How long the server may keep what it has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// No marks.
    Off,
    /// Five minutes after the last use.
    #[default]
    Minutes,
    /// An hour.
    Hour,
}

impl Cache {
    /// The text added to a marked block, after its last key.
    pub(crate) fn mark(self) -> Option<&'static str> {
        match self {
            Self::Off => None,
            Self::Minutes => Some(r#","cache_control":{"type":"ephemeral"}"#),
            Self::Hour => Some(r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#),
        }
    }
}

/// The indices of the messages that carry a mark.
pub(crate) fn marked_messages(messages: &[Arc<Value>]) -> impl Fn(usize) -> bool + use<> {
    let last_user = |end: usize| messages.iter().take(end).rposition(|message| is_role(message, "user"));
    let newest = last_user(messages.len());
    let reply = messages.iter().rposition(|message| is_role(message, "assistant"));
    let before = reply.and_then(last_user);
    move |index| Some(index) == newest || Some(index) == before
}

fn is_role(message: &Value, role: &str) -> bool {
    message.get("role").and_then(Value::as_str) == Some(role)
}

/// Writes an array of blocks; the last one that can carry a mark gets it.
pub(crate) fn write_blocks(out: &mut Vec<u8>, blocks: &[Value], mark: Option<&str>) {
    let marked = mark.and_then(|_| blocks.iter().rposition(can_carry));
    out.push(b'[');
    for (index, block) in blocks.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_block(out, block, mark.filter(|_| Some(index) == marked));
    }
    out.push(b']');
}

/// Writes one block without any mark it came with, and with ours if there is one.
fn write_block(out: &mut Vec<u8>, block: &Value, mark: Option<&str>) {
    let Value::Object(map) = block else {
        return write_value(out, block);
    };
    write_map_open(out, map);
    if let Some(mark) = mark {
        let mark = if map.is_empty() {
            mark.trim_start_matches(',')
        } else {
            mark
        };
        out.extend_from_slice(mark.as_bytes());
    }
    out.push(b'}');
}

fn write_map_open(out: &mut Vec<u8>, map: &Map<String, Value>) {
    out.push(b'{');
    // A mark that came with a host's content would count against the four.
    for (count, (key, value)) in map.iter().filter(|(key, _)| *key != "cache_control").enumerate() {
        if count > 0 {
            out.push(b',');
        }
        write_key(out, key);
        write_value(out, value);
    }
}

/// The server refuses marks on thinking and on empty text.
fn can_carry(block: &Value) -> bool {
    match block.get("type").and_then(Value::as_str) {
        Some("thinking" | "redacted_thinking") => false,
        Some("text") => block
            .get("text")
            .and_then(Value::as_str)
            .is_some_and(|text| !text.is_empty()),
        _ => block.is_object(),
    }
}

/// Writes one message; text content becomes a block, so that a mark fits without changing the rest.
pub(crate) fn write_message(out: &mut Vec<u8>, message: &Value, mark: Option<&str>) {
    let Value::Object(map) = message else {
        return write_value(out, message);
    };
    out.push(b'{');
    for (count, (key, value)) in map.iter().enumerate() {
        if count > 0 {
            out.push(b',');
        }
        write_key(out, key);
        match value {
            Value::Array(blocks) if key == "content" => write_blocks(out, blocks, mark),
            Value::String(_) if key == "content" => {
                let mut block = Map::new();
                block.insert("type".to_owned(), "text".into());
                block.insert("text".to_owned(), value.clone());
                write_blocks(out, &[Value::Object(block)], mark);
            }
            _ => write_value(out, value),
        }
    }
    out.push(b'}');
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
