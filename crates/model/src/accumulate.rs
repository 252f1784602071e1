//! Assembles the events of a stream into a message, block by block.

use serde_json::{Map, Value, json};

use crate::event::{Delta, EventKind, ModelEvent};

/// A complete content block.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Index in the content of the message.
    pub index: usize,
    /// The block, in the form for hosts and for the next request.
    pub block: Value,
}

/// A streamed message, as far as it was received.
#[derive(Clone, Debug, Default)]
pub struct Accumulator {
    envelope: Option<Value>,
    open: Vec<OpenBlock>,
    finished: Vec<Finished>,
    ending: Map<String, Value>,
    usage: Map<String, Value>,
    stopped: bool,
}

/// A block that is still being received. Its growing parts are separate, so that appending to them is cheap.
#[derive(Clone, Debug)]
struct OpenBlock {
    index: usize,
    block: Map<String, Value>,
    text: String,
    input: String,
}

impl Accumulator {
    /// Creates an empty message.
    pub fn new() -> Self {
        Self::default()
    }

    /// Processes an event. Returns the block that it completes, if any.
    pub fn feed(&mut self, event: &ModelEvent) -> Option<Finished> {
        match &event.kind {
            EventKind::MessageStart { message } => self.start(message),
            EventKind::BlockStart { index, block } => self.open.push(OpenBlock::new(*index, block)),
            EventKind::Delta { index, delta } => {
                if let Some(open) = self.open.iter_mut().find(|open| open.index == *index) {
                    open.add(delta);
                }
            }
            EventKind::BlockStop { index } => {
                let at = self.open.iter().position(|open| open.index == *index)?;
                let finished = Finished {
                    index: *index,
                    block: self.open.remove(at).into_block(),
                };
                self.finished.push(finished.clone());
                return Some(finished);
            }
            EventKind::MessageDelta { delta, usage } => {
                overwrite(&mut self.ending, delta);
                overwrite(&mut self.usage, usage);
            }
            EventKind::MessageStop => self.stopped = true,
            EventKind::Ping | EventKind::Unknown => {}
        }
        None
    }

    /// Returns the message of `message_start` (id, model, usage), or `None` before that event.
    pub fn envelope(&self) -> Option<&Value> {
        self.envelope.as_ref()
    }

    /// Returns the id of the message.
    pub fn id(&self) -> Option<&str> {
        self.envelope.as_ref()?.get("id")?.as_str()
    }

    /// Returns the model that answers.
    pub fn model(&self) -> Option<&str> {
        self.envelope.as_ref()?.get("model")?.as_str()
    }

    /// Returns the usage that `message_start` reported. Messages of single blocks contain this one.
    pub fn start_usage(&self) -> Option<&Value> {
        self.envelope.as_ref()?.get("usage")
    }

    /// Returns the usage as known so far: that of `message_start`, updated by `message_delta`.
    pub fn usage(&self) -> Value {
        Value::Object(self.usage.clone())
    }

    /// Returns the stop reason, once it is known.
    pub fn stop_reason(&self) -> Option<&str> {
        self.ending.get("stop_reason")?.as_str()
    }

    /// Returns the fields of `message_delta`: stop reason, stop sequence, details.
    pub fn ending(&self) -> &Map<String, Value> {
        &self.ending
    }

    /// Returns the complete blocks.
    pub fn finished(&self) -> &[Finished] {
        &self.finished
    }

    /// Returns the open block with the content received so far, for a turn that ends here.
    pub fn partial(&self) -> Option<Finished> {
        let open = self.open.last()?;
        Some(Finished {
            index: open.index,
            block: open.clone().into_block(),
        })
    }

    /// Returns index and type of the open block.
    pub fn open(&self) -> Option<(usize, &str)> {
        let open = self.open.last()?;
        let kind = open.block.get("type").and_then(Value::as_str).unwrap_or_default();
        Some((open.index, kind))
    }

    /// Returns whether `message_stop` was received.
    pub fn is_complete(&self) -> bool {
        self.stopped
    }

    /// Returns the complete message, as [`crate::Client::create`] would have returned it.
    pub fn message(&self) -> Option<Value> {
        let mut message = self.envelope.as_ref()?.as_object()?.clone();
        let content: Vec<Value> = self.finished.iter().map(|finished| finished.block.clone()).collect();
        message.insert("content".to_owned(), content.into());
        overwrite(&mut message, &Value::Object(self.ending.clone()));
        message.insert("usage".to_owned(), self.usage());
        Some(Value::Object(message))
    }

    fn start(&mut self, message: &Value) {
        *self = Self::default();
        if let Some(usage) = message.get("usage").and_then(Value::as_object) {
            self.usage = usage.clone();
        }
        self.envelope = Some(message.clone());
    }
}

/// Copies the values of `update`. Missing fields and null do not replace existing values.
fn overwrite(target: &mut Map<String, Value>, update: &Value) {
    for (key, value) in update.as_object().into_iter().flatten() {
        if !value.is_null() || !target.contains_key(key) {
            target.insert(key.clone(), value.clone());
        }
    }
}

impl OpenBlock {
    fn new(index: usize, block: &Value) -> Self {
        Self {
            index,
            block: block.as_object().cloned().unwrap_or_default(),
            text: String::new(),
            input: String::new(),
        }
    }

    fn add(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(more) | Delta::Thinking(more) => self.text.push_str(more),
            Delta::InputJson(more) => self.input.push_str(more),
            Delta::Signature(more) => append(&mut self.block, "signature", more),
            Delta::Citations(citation) => match self.block.get_mut("citations") {
                Some(Value::Array(citations)) => citations.push(citation.clone()),
                _ => {
                    self.block.insert("citations".to_owned(), json!([citation]));
                }
            },
            // An unknown kind of delta: strings are appended, other values replaced.
            Delta::Other(delta) => {
                for (key, value) in delta
                    .as_object()
                    .into_iter()
                    .flatten()
                    .filter(|(key, _)| *key != "type")
                {
                    match value {
                        Value::String(more) => append(&mut self.block, key, more),
                        other => {
                            self.block.insert(key.clone(), other.clone());
                        }
                    }
                }
            }
        }
    }

    fn into_block(mut self) -> Value {
        let kind = self.block.get("type").and_then(Value::as_str).unwrap_or_default();
        let has_input = kind.ends_with("tool_use");
        if !self.text.is_empty() {
            let key = if kind == "thinking" { "thinking" } else { "text" };
            append(&mut self.block, key, &self.text);
        }
        if has_input && !self.input.is_empty() {
            self.block.insert("input".to_owned(), parse_input(&self.input));
        } else if has_input {
            self.block.entry("input").or_insert_with(|| json!({}));
        }
        Value::Object(self.block)
    }
}

fn append(block: &mut Map<String, Value>, key: &str, more: &str) {
    if let Some(Value::String(text)) = block.get_mut(key) {
        text.push_str(more);
    } else {
        block.insert(key.to_owned(), more.into());
    }
}

/// Parses the input of a call. Input that is not a JSON object is wrapped in `__unparsedToolInput`.
fn parse_input(text: &str) -> Value {
    if text.trim().is_empty() {
        return json!({});
    }
    match serde_json::from_str::<Value>(text) {
        Ok(input @ Value::Object(_)) => input,
        _ => json!({ "__unparsedToolInput": { "raw": text, "len": text.encode_utf16().count() } }),
    }
}

#[cfg(test)]
#[path = "accumulate_tests.rs"]
mod tests;
