//! Converts a reply to a sequence of beats: events, waits and faults. Pure: the order of a stream is determined here,
//! and the server only carries it out.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::json_text::spaced;
use crate::script::{Piece, Reply};

/// A step of a streamed reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Beat {
    /// Send an event with a name and data.
    Event(&'static str, Value),
    /// Send nothing for a time.
    Wait(Duration),
    /// Wait at a gate.
    Gate(String),
    /// Drop the connection.
    Cut,
}

/// The properties of a message other than its content.
#[derive(Debug, Clone)]
pub struct Envelope {
    /// The id, as in `msg_sim_1`.
    pub id: String,
    /// The model of the request.
    pub model: Value,
    /// The prefix of ids for tool calls without an id, as in `toolu_sim_1_0`.
    pub call_prefix: String,
}

enum Part {
    Delta(Value),
    Gate(String),
}

/// Returns the beats of a streamed reply, from `message_start` to its end or fault.
#[must_use]
pub fn beats(reply: &Reply, envelope: &Envelope) -> Vec<Beat> {
    let mut builder = BeatBuilder {
        beats: Vec::new(),
        sent: 0,
        reply,
        ended: false,
    };
    let mut message = head(reply, envelope);
    message.insert("content".into(), json!([]));
    message.insert("stop_reason".into(), Value::Null);
    message.insert("stop_sequence".into(), Value::Null);
    message.insert("usage".into(), usage(reply));
    builder.event("message_start", json!({"message": message}));

    let mut index = 0;
    for piece in &reply.content {
        let block = match piece {
            Piece::Gate(name) => {
                builder.push(Beat::Gate(name.clone()));
                continue;
            }
            Piece::Block(block) => with_id(block, envelope, index),
        };
        let (start, parts) = split(&block);
        builder.event("content_block_start", json!({"index": index, "content_block": start}));
        for part in parts {
            let delta = match part {
                Part::Gate(name) => {
                    builder.push(Beat::Gate(name));
                    continue;
                }
                Part::Delta(delta) => delta,
            };
            if let Some(name) = &reply.gate_each {
                builder.push(Beat::Gate(name.clone()));
            }
            if !reply.delay.is_zero() {
                builder.push(Beat::Wait(reply.delay));
            }
            builder.event("content_block_delta", json!({"index": index, "delta": delta}));
        }
        builder.event("content_block_stop", json!({"index": index}));
        index += 1;
    }
    builder.event(
        "message_delta",
        json!({
            "delta": {"stop_reason": stop_reason(reply), "stop_sequence": null},
            "usage": {"output_tokens": reply.output_tokens.unwrap_or(12)},
        }),
    );
    builder.event("message_stop", json!({}));
    builder.beats
}

/// Returns the reply as one message, for a request without streaming.
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

/// Returns the text of a reply, including the inputs of calls.
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

/// Returns all gates of a reply in order, for a request without streaming.
pub(crate) fn gates(reply: &Reply) -> impl Iterator<Item = &str> {
    reply.content.iter().filter_map(|piece| match piece {
        Piece::Gate(name) => Some(name.as_str()),
        Piece::Block(_) => None,
    })
}

struct BeatBuilder<'a> {
    beats: Vec<Beat>,
    sent: usize,
    reply: &'a Reply,
    ended: bool,
}

impl BeatBuilder<'_> {
    fn push(&mut self, beat: Beat) {
        if !self.ended {
            self.beats.push(beat);
        }
    }

    /// Adds an event, or the fault that is scripted before it.
    fn event(&mut self, name: &'static str, mut data: Value) {
        let sent = self.sent;
        let due = |after: Option<usize>| after == Some(sent);
        if due(self.reply.cut_after) {
            self.push(Beat::Cut);
            self.ended = true;
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
            self.ended = true;
        }
        if let Value::Object(fields) = &mut data {
            fields.shift_insert(0, "type".to_owned(), name.into());
        }
        self.push(Beat::Event(name, data));
        self.sent += 1;
    }
}

/// Returns the body of an error. Type and message of the script have precedence over the arguments.
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

/// Removes the keys that only determine how a block streams.
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

/// Returns the first form of a streamed block, and its deltas.
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

/// Splits a text before each word. Spaces belong to the word before them.
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

/// Splits a text in the middle, counted in characters.
fn halves(text: &str) -> (&str, &str) {
    let middle = text.chars().count() / 2;
    let place = text.char_indices().nth(middle).map_or(text.len(), |(place, _)| place);
    text.split_at(place)
}

#[cfg(test)]
#[path = "playback_tests.rs"]
mod tests;
