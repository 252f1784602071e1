//! The events of a stream, each with its original JSON.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::failure::Failure;

/// One event of a streamed message.
#[derive(Clone, Debug)]
pub struct ModelEvent {
    /// The JSON of the event as received, except for line breaks.
    pub raw: Box<RawValue>,
    /// The parsed event.
    pub kind: EventKind,
}

/// The kind of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// `message_start`.
    MessageStart {
        /// The envelope: id, model and initial usage, without content.
        message: Value,
    },
    /// `content_block_start`.
    BlockStart {
        /// Index in the content of the message.
        index: usize,
        /// The block, still empty.
        block: Value,
    },
    /// `content_block_delta`.
    Delta {
        /// Index in the content of the message.
        index: usize,
        /// The added part.
        delta: Delta,
    },
    /// `content_block_stop`.
    BlockStop {
        /// Index in the content of the message.
        index: usize,
    },
    /// `message_delta`.
    MessageDelta {
        /// Stop reason and related fields.
        delta: Value,
        /// Usage so far.
        usage: Value,
    },
    /// `message_stop`.
    MessageStop,
    /// `ping`.
    Ping,
    /// An unknown type; `raw` contains it.
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
    /// An unknown kind of delta.
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
    /// Parses the data of one event. An `error` event is returned as a failure.
    pub(crate) fn read(data: String) -> Result<Self, Failure> {
        let raw = RawValue::from_string(data).map_err(|error| malformed("an event that is not JSON", &error))?;
        let raw = on_one_line(raw)?;
        let kind = match read_kind(raw.get()) {
            // JavaScript servers may split a surrogate pair; the rest of the event is still valid.
            Err(ParseError::Json(error)) => match repair_surrogates(raw.get()) {
                Some(repaired) => read_kind(&repaired),
                None => Err(ParseError::Json(error)),
            },
            other => other,
        };
        match kind {
            Ok(kind) => Ok(Self { raw, kind }),
            Err(ParseError::Failure(failure)) => Err(failure),
            Err(ParseError::Json(error)) => Err(malformed("an event of an unknown form", &error)),
        }
    }
}

/// The maximum nesting depth of an event, which readers of the JSON can process.
const MAX_DEPTH: usize = 128;

/// Replaces line breaks. An event may consist of several `data` lines; if it were forwarded unchanged on a line-based
/// stream, a server could inject lines of its choice.
fn on_one_line(raw: Box<RawValue>) -> Result<Box<RawValue>, Failure> {
    let text = raw.get();
    let (mut depth, mut in_string, mut escaped, mut has_breaks) = (0_usize, false, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(Failure::Protocol("an event that is nested too deeply".to_owned()));
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            b'\n' | b'\r' | b'\t' => has_breaks = true,
            _ => {}
        }
    }
    if !has_breaks {
        return Ok(raw);
    }
    // In valid JSON these characters only occur between values; inside strings they are escaped.
    let joined = text.replace(['\n', '\r', '\t'], " ");
    RawValue::from_string(joined).map_err(|error| malformed("an event that is not JSON", &error))
}

enum ParseError {
    Json(serde_json::Error),
    Failure(Failure),
}

impl From<serde_json::Error> for ParseError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

fn read_kind(text: &str) -> Result<EventKind, ParseError> {
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
            return Err(ParseError::Failure(Failure::InStream {
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

fn malformed(what: &str, error: &serde_json::Error) -> Failure {
    Failure::Protocol(format!("{what} ({error})"))
}

/// Replaces lone surrogate escapes by U+FFFD. Returns `None` if there are none.
pub(crate) fn repair_surrogates(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut changed = false;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let length = match (code_unit(escape), code_unit(escape.get(6..).unwrap_or_default())) {
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
        let (copied, after) = escape.split_at_checked(length)?;
        out.push_str(copied);
        rest = after;
    }
    out.push_str(rest);
    changed.then_some(out)
}

/// Returns the code unit of a `\uXXXX` escape at the start of `text`.
fn code_unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
