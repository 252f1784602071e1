//! A reply as a row of beats: what is sent, where it waits, where it breaks. Pure, so that the order of a
//! stream is decided here and only carried out by the server.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::json_text::spaced;
use crate::script::{Piece, Reply};

/// One step of a streamed reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Beat {
    /// An event, by name and data.
    Event(&'static str, Value),
    /// Silence.
    Wait(Duration),
    /// A gate to pass.
    Gate(String),
    /// The connection is dropped.
    Cut,
}

/// What a message says of itself besides its content.
#[derive(Debug, Clone)]
pub struct Envelope {
    /// As in `msg_sim_1`.
    pub id: String,
    /// The model the request named.
    pub model: Value,
    /// Makes ids for tool calls that have none, as in `toolu_sim_1_0`.
    pub call_prefix: String,
}

enum Part {
    Delta(Value),
    Gate(String),
}

/// The beats of a streamed reply, from `message_start` to its end or its fault.
#[must_use]
pub fn beats(reply: &Reply, envelope: &Envelope) -> Vec<Beat> {
    let mut row = Row {
        beats: Vec::new(),
        sent: 0,
        reply,
        over: false,
    };
    let mut message = head(reply, envelope);
    message.insert("content".into(), json!([]));
    message.insert("stop_reason".into(), Value::Null);
    message.insert("stop_sequence".into(), Value::Null);
    message.insert("usage".into(), usage(reply));
    row.event("message_start", json!({"message": message}));

    let mut index = 0;
    for piece in &reply.content {
        let block = match piece {
            Piece::Gate(name) => {
                row.push(Beat::Gate(name.clone()));
                continue;
            }
            Piece::Block(block) => with_id(block, envelope, index),
        };
        let (start, parts) = split(&block);
        row.event("content_block_start", json!({"index": index, "content_block": start}));
        for part in parts {
            let delta = match part {
                Part::Gate(name) => {
                    row.push(Beat::Gate(name));
                    continue;
                }
                Part::Delta(delta) => delta,
            };
            if let Some(name) = &reply.gate_each {
                row.push(Beat::Gate(name.clone()));
            }
            if !reply.delay.is_zero() {
                row.push(Beat::Wait(reply.delay));
            }
            row.event("content_block_delta", json!({"index": index, "delta": delta}));
        }
        row.event("content_block_stop", json!({"index": index}));
        index += 1;
    }
    row.event(
        "message_delta",
        json!({
            "delta": {"stop_reason": stop_reason(reply), "stop_sequence": null},
            "usage": {"output_tokens": reply.output_tokens.unwrap_or(12)},
        }),
    );
    row.event("message_stop", json!({}));
    row.beats
}

/// The reply as one message, for a request that does not stream.
#[must_use]
pub fn whole(reply: &Reply, envelope: &Envelope) -> Value {
    let blocks = reply.content.iter().filter_map(|piece| match piece {
        Piece::Block(block) => Some(block),
        Piece::Gate(_) => None,
    });
    let blocks: Vec<Value> = blocks
        .enumerate()
        .map(|(index, block)| finished(with_id(block, envelope, index)))
        .collect();
    let mut message = head(reply, envelope);
    message.insert("content".into(), Value::Array(blocks));
    message.insert("stop_reason".into(), stop_reason(reply).into());
    message.insert("stop_sequence".into(), Value::Null);
    message.insert("usage".into(), usage(reply));
    Value::Object(message)
}

/// Everything a reply says, inputs of calls included.
pub(crate) fn text_of(reply: &Reply) -> String {
    let blocks = reply.content.iter().filter_map(|piece| match piece {
        Piece::Block(block) => Some(block),
        Piece::Gate(_) => None,
    });
    let said = blocks.map(|block| match kind(block) {
        "tool_use" => spaced(block.get("input").unwrap_or(&Value::Null)),
        kind => field(block, kind).to_owned(),
    });
    said.collect()
}

/// All gates of a reply in order, for a request that does not stream.
pub(crate) fn gates(reply: &Reply) -> impl Iterator<Item = &str> {
    reply.content.iter().filter_map(|piece| match piece {
        Piece::Gate(name) => Some(name.as_str()),
        Piece::Block(_) => None,
    })
}

struct Row<'a> {
    beats: Vec<Beat>,
    sent: usize,
    reply: &'a Reply,
    over: bool,
}

impl Row<'_> {
    fn push(&mut self, beat: Beat) {
        if !self.over {
            self.beats.push(beat);
        }
    }

    /// Adds an event, unless a fault is due before it.
    fn event(&mut self, name: &'static str, mut data: Value) {
        let sent = self.sent;
        let due = |after: Option<usize>| after == Some(sent);
        if due(self.reply.cut_after) {
            self.push(Beat::Cut);
            self.over = true;
        }
        if let Some((after, silence)) = self.reply.hang
            && after == self.sent
        {
            self.push(Beat::Wait(silence));
        }
        if due(self.reply.error_after) {
            self.push(Beat::Event(
                "error",
                error_body(self.reply, "overloaded_error", "Overloaded"),
            ));
            self.push(Beat::Cut);
            self.over = true;
        }
        if let Value::Object(fields) = &mut data {
            fields.shift_insert(0, "type".to_owned(), name.into());
        }
        self.push(Beat::Event(name, data));
        self.sent += 1;
    }
}

/// The body of an error, with what the script says or the words given here.
pub(crate) fn error_body(reply: &Reply, kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {
        "type": reply.kind.as_deref().unwrap_or(kind),
        "message": reply.message.as_deref().unwrap_or(message),
    }})
}

fn head(reply: &Reply, envelope: &Envelope) -> Map<String, Value> {
    let model = reply
        .model
        .as_ref()
        .map_or(envelope.model.clone(), |model| model.as_str().into());
    let mut message = Map::new();
    message.insert("id".into(), envelope.id.as_str().into());
    message.insert("type".into(), "message".into());
    message.insert("role".into(), "assistant".into());
    message.insert("model".into(), model);
    message
}

fn usage(reply: &Reply) -> Value {
    let mut usage = Map::new();
    usage.insert("input_tokens".into(), 10.into());
    usage.insert("output_tokens".into(), 5.into());
    usage.insert("cache_creation_input_tokens".into(), 0.into());
    usage.insert("cache_read_input_tokens".into(), 0.into());
    usage.extend(reply.usage.clone());
    Value::Object(usage)
}

fn stop_reason(reply: &Reply) -> &str {
    let calls = |piece: &Piece| matches!(piece, Piece::Block(block) if kind(block) == "tool_use");
    match &reply.stop_reason {
        Some(reason) => reason,
        None if reply.content.iter().any(calls) => "tool_use",
        None => "end_turn",
    }
}

fn with_id(block: &Value, envelope: &Envelope, index: usize) -> Value {
    let mut block = block.clone();
    if kind(&block) == "tool_use"
        && let Value::Object(fields) = &mut block
        && !fields.contains_key("id")
    {
        let id = format!("{}_{index}", envelope.call_prefix);
        fields.shift_insert(1.min(fields.len()), "id".to_owned(), id.into());
    }
    block
}

/// A block without the keys that only say how it streams.
fn finished(mut block: Value) -> Value {
    if let Value::Object(fields) = &mut block {
        fields.shift_remove("raw_input");
        if let Some(Value::Array(parts)) = fields.shift_remove("parts") {
            let text: String = parts.iter().filter_map(Value::as_str).collect();
            fields.insert("text".into(), text.into());
        }
    }
    block
}

fn kind(block: &Value) -> &str {
    field(block, "type")
}

fn field<'a>(block: &'a Value, key: &str) -> &'a str {
    block.get(key).and_then(Value::as_str).unwrap_or("")
}

/// How a block streams: the block it starts with and its deltas.
fn split(block: &Value) -> (Value, Vec<Part>) {
    match kind(block) {
        "text" => {
            let delta = |text: &str| Part::Delta(json!({"type": "text_delta", "text": text}));
            let parts = match block.get("parts").and_then(Value::as_array) {
                Some(parts) => parts
                    .iter()
                    .map(|part| match part.as_str() {
                        Some(text) => delta(text),
                        None => Part::Gate(field(part, "gate").to_owned()),
                    })
                    .collect(),
                None => words(field(block, "text")).into_iter().map(delta).collect(),
            };
            (json!({"type": "text", "text": ""}), parts)
        }
        "thinking" => {
            let thought = |text: &str| Part::Delta(json!({"type": "thinking_delta", "thinking": text}));
            let (left, right) = halves(field(block, "thinking"));
            let mut parts: Vec<Part> = [left, right]
                .into_iter()
                .filter(|half| !half.is_empty())
                .map(thought)
                .collect();
            let signature = block.get("signature").and_then(Value::as_str).unwrap_or("c2ln");
            parts.push(Part::Delta(json!({"type": "signature_delta", "signature": signature})));
            (json!({"type": "thinking", "thinking": "", "signature": ""}), parts)
        }
        "tool_use" => {
            let text = match block.get("raw_input").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => spaced(block.get("input").unwrap_or(&json!({}))),
            };
            let (left, right) = halves(&text);
            let piece = |half: &str| Part::Delta(json!({"type": "input_json_delta", "partial_json": half}));
            let start = json!({
                "type": "tool_use", "id": field(block, "id"), "name": field(block, "name"), "input": {},
            });
            (start, vec![piece(left), piece(right)])
        }
        _ => (block.clone(), Vec::new()),
    }
}

/// A text cut before each word; the space belongs to the word before it.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut in_space = false;
    for (place, letter) in text.char_indices() {
        if in_space && !letter.is_whitespace() {
            words.push(text.get(start..place).unwrap_or(""));
            start = place;
        }
        in_space = letter.is_whitespace();
    }
    words.push(text.get(start..).unwrap_or(""));
    words.retain(|word| !word.is_empty());
    words
}

/// A text cut in the middle, counted in letters.
fn halves(text: &str) -> (&str, &str) {
    let middle = text.chars().count() / 2;
    let place = text.char_indices().nth(middle).map_or(text.len(), |(place, _)| place);
    text.split_at(place)
}

#[cfg(test)]
#[path = "playback_tests.rs"]
mod tests;
