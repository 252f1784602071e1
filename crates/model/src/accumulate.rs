//! Stream events assembled into a message, block by block.

use serde_json::{Map, Value, json};

use crate::event::{Delta, EventKind, ModelEvent};

/// A content block that is complete.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Place in the content.
    pub index: usize,
    /// The block, ready for the wire and for the next request.
    pub block: Value,
}

/// One streamed message as far as it has come.
#[derive(Clone, Debug, Default)]
pub struct Accumulator {
    envelope: Option<Value>,
    open: Vec<Open>,
    finished: Vec<Finished>,
    ending: Map<String, Value>,
    usage: Map<String, Value>,
    stopped: bool,
}

/// A block still being written. The growing parts are kept apart so that adding to them is cheap.
#[derive(Clone, Debug)]
struct Open {
    index: usize,
    block: Map<String, Value>,
    text: String,
    input: String,
}

impl Accumulator {
    /// An empty message.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes an event; gives the block it completes.
    pub fn feed(&mut self, event: &ModelEvent) -> Option<Finished> {
        match &event.kind {
            EventKind::MessageStart { message } => self.start(message),
            EventKind::BlockStart { index, block } => self.open.push(Open::new(*index, block)),
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

    /// The message as `message_start` gave it: id, model, usage; `None` before that.
    pub fn envelope(&self) -> Option<&Value> {
        self.envelope.as_ref()
    }

    /// The message's id.
    pub fn id(&self) -> Option<&str> {
        self.envelope.as_ref()?.get("id")?.as_str()
    }

    /// The model that answers.
    pub fn model(&self) -> Option<&str> {
        self.envelope.as_ref()?.get("model")?.as_str()
    }

    /// Usage as known at the start, which is what block messages carry.
    pub fn start_usage(&self) -> Option<&Value> {
        self.envelope.as_ref()?.get("usage")
    }

    /// Usage as known now: the start's, with what `message_delta` replaced.
    pub fn usage(&self) -> Value {
        Value::Object(self.usage.clone())
    }

    /// The stop reason, once it is known.
    pub fn stop_reason(&self) -> Option<&str> {
        self.ending.get("stop_reason")?.as_str()
    }

    /// The fields of `message_delta`: stop reason, stop sequence, details.
    pub fn ending(&self) -> &Map<String, Value> {
        &self.ending
    }

    /// The blocks complete so far.
    pub fn finished(&self) -> &[Finished] {
        &self.finished
    }

    /// The open block as it is so far, for a turn that ends here.
    pub fn partial(&self) -> Option<Finished> {
        let open = self.open.last()?;
        Some(Finished {
            index: open.index,
            block: open.clone().into_block(),
        })
    }

    /// Index and type of the open block.
    pub fn open(&self) -> Option<(usize, &str)> {
        let open = self.open.last()?;
        let kind = open.block.get("type").and_then(Value::as_str).unwrap_or_default();
        Some((open.index, kind))
    }

    /// Whether `message_stop` has come.
    pub fn is_complete(&self) -> bool {
        self.stopped
    }

    /// The whole message as [`crate::Client::create`] would have given it.
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

/// Later values win; missing ones and null change nothing.
fn overwrite(known: &mut Map<String, Value>, news: &Value) {
    for (key, value) in news.as_object().into_iter().flatten() {
        if !value.is_null() || !known.contains_key(key) {
            known.insert(key.clone(), value.clone());
        }
    }
}

impl Open {
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
            // A kind of delta from after our time: texts grow, the rest is replaced.
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
        let takes_input = kind.ends_with("tool_use");
        if !self.text.is_empty() {
            let key = if kind == "thinking" { "thinking" } else { "text" };
            append(&mut self.block, key, &self.text);
        }
        if takes_input && !self.input.is_empty() {
            self.block.insert("input".to_owned(), parse_input(&self.input));
        } else if takes_input {
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

/// A call's input as the model wrote it; what is not a JSON object is handed on, marked.
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
