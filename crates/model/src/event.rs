//! The events of a stream, each with its original text.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::failure::Failure;

/// One event of a streamed message.
#[derive(Clone, Debug)]
pub struct ModelEvent {
    /// The event's JSON on one line, otherwise as it arrived.
    pub raw: Box<RawValue>,
    /// Its kind.
    pub kind: EventKind,
}

/// The kind of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// `message_start`.
    MessageStart {
        /// The envelope: id, model, usage at the start; no content yet.
        message: Value,
    },
    /// `content_block_start`.
    BlockStart {
        /// Place in the content.
        index: usize,
        /// The block, still empty.
        block: Value,
    },
    /// `content_block_delta`.
    Delta {
        /// Place in the content.
        index: usize,
        /// What is added.
        delta: Delta,
    },
    /// `content_block_stop`.
    BlockStop {
        /// Place in the content.
        index: usize,
    },
    /// `message_delta`.
    MessageDelta {
        /// Stop reason and the like.
        delta: Value,
        /// Usage so far.
        usage: Value,
    },
    /// `message_stop`.
    MessageStop,
    /// `ping`.
    Ping,
    /// A type this version does not know; `raw` has it.
    Unknown,
}

/// What a delta adds to its block.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// `text_delta`.
    Text(String),
    /// `thinking_delta`.
    Thinking(String),
    /// `signature_delta`.
    Signature(String),
    /// `input_json_delta`.
    InputJson(String),
    /// `citations_delta`: one citation.
    Citations(Value),
    /// Any other, whole.
    Other(Value),
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    index: Option<usize>,
    message: Option<Value>,
    content_block: Option<Value>,
    #[serde(borrow)]
    delta: Option<&'a RawValue>,
    usage: Option<Value>,
    error: Option<WireError>,
}

#[derive(Deserialize)]
struct WireError {
    #[serde(rename = "type")]
    kind: Option<String>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct WireDelta<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    partial_json: Option<String>,
    citation: Option<Value>,
}

impl ModelEvent {
    /// Reads the data of one event. An `error` event is a failure.
    pub(crate) fn read(data: String) -> Result<Self, Failure> {
        let raw = RawValue::from_string(data).map_err(|error| bad("an event that is not JSON", &error))?;
        let raw = on_one_line(raw)?;
        let kind = match read_kind(raw.get()) {
            // JavaScript servers may cut an emoji in half; the rest of the event is still good.
            Err(Unread::Json(error)) => match repaired(raw.get()) {
                Some(repaired) => read_kind(&repaired),
                None => Err(Unread::Json(error)),
            },
            other => other,
        };
        match kind {
            Ok(kind) => Ok(Self { raw, kind }),
            Err(Unread::Failure(failure)) => Err(failure),
            Err(Unread::Json(error)) => Err(bad("an event of an unknown form", &error)),
        }
    }
}

/// How deep an event may be nested: as deep as whoever reads it can follow.
const DEEPEST: usize = 128;

/// The same JSON without line ends. An event may come in several `data` lines, and whoever passes it on by the line would
/// let a server write lines of its own.
fn on_one_line(raw: Box<RawValue>) -> Result<Box<RawValue>, Failure> {
    let text = raw.get();
    let (mut depth, mut in_string, mut escaped, mut broken) = (0_usize, false, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(Failure::Protocol("an event that is nested too deeply".to_owned()));
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            b'\n' | b'\r' | b'\t' => broken = true,
            _ => {}
        }
    }
    if !broken {
        return Ok(raw);
    }
    // In JSON that is whole these stand between values only: inside a text they are escaped.
    let joined = text.replace(['\n', '\r', '\t'], " ");
    RawValue::from_string(joined).map_err(|error| bad("an event that is not JSON", &error))
}

enum Unread {
    Json(serde_json::Error),
    Failure(Failure),
}

impl From<serde_json::Error> for Unread {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

fn read_kind(text: &str) -> Result<EventKind, Unread> {
    let wire: Wire<'_> = serde_json::from_str(text)?;
    let index = wire.index.unwrap_or_default();
    Ok(match &*wire.kind {
        "content_block_delta" => match wire.delta {
            Some(delta) => EventKind::Delta {
                index,
                delta: read_delta(delta.get())?,
            },
            None => EventKind::Unknown,
        },
        "content_block_start" => EventKind::BlockStart {
            index,
            block: wire.content_block.unwrap_or_default(),
        },
        "content_block_stop" => EventKind::BlockStop { index },
        "message_start" => EventKind::MessageStart {
            message: wire.message.unwrap_or_default(),
        },
        "message_delta" => EventKind::MessageDelta {
            delta: wire
                .delta
                .map(|delta| serde_json::from_str(delta.get()))
                .transpose()?
                .unwrap_or_default(),
            usage: wire.usage.unwrap_or_default(),
        },
        "message_stop" => EventKind::MessageStop,
        "ping" => EventKind::Ping,
        "error" => {
            let (kind, message) = wire.error.map(|error| (error.kind, error.message)).unwrap_or_default();
            return Err(Unread::Failure(Failure::InStream {
                kind: kind.unwrap_or_else(|| "api_error".to_owned()),
                message: message.unwrap_or_else(|| "the server gave no reason".to_owned()),
            }));
        }
        _ => EventKind::Unknown,
    })
}

fn read_delta(text: &str) -> Result<Delta, serde_json::Error> {
    let wire: WireDelta<'_> = serde_json::from_str(text)?;
    let known = match &*wire.kind {
        "text_delta" => wire.text.map(Delta::Text),
        "thinking_delta" => wire.thinking.map(Delta::Thinking),
        "signature_delta" => wire.signature.map(Delta::Signature),
        "input_json_delta" => wire.partial_json.map(Delta::InputJson),
        "citations_delta" => wire.citation.map(Delta::Citations),
        _ => None,
    };
    known.map_or_else(|| serde_json::from_str(text).map(Delta::Other), Ok)
}

fn bad(what: &str, error: &serde_json::Error) -> Failure {
    Failure::Protocol(format!("{what} ({error})"))
}

/// Replaces lone surrogate escapes by U+FFFD; `None` if there are none.
pub(crate) fn repaired(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut changed = false;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let taken = match (unit(escape), unit(escape.get(6..).unwrap_or_default())) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.push_str("\\ufffd");
                changed = true;
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (kept, after) = escape.split_at_checked(taken)?;
        out.push_str(kept);
        rest = after;
    }
    out.push_str(rest);
    changed.then_some(out)
}

/// The code unit of a `\uXXXX` at the start of `text`.
fn unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
