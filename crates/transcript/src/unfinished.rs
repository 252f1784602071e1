//! The entries of the model message that is being written. Each is in the file as soon as its block is complete; their
//! usage and stop reason are known only at the end of the message, and replace the first values in place.

use serde_json::{Map, Value};

use super::pen::{Pen, Spot};

/// The bytes reserved in each entry for what the end of the message adds.
pub(super) const ROOM: usize = 320;
/// What every reader of usage needs; the rest is left out where there is no room.
const COUNTS: &[&str] = &[
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
];

/// The message that is being written.
#[derive(Debug, Default)]
pub(super) struct Unfinished {
    id: String,
    /// How many of its blocks are written.
    blocks: usize,
    /// The uuid of the entry that is written next, if it is one of this message.
    next: Option<String>,
    entries: Vec<(Spot, Value)>,
    /// Lines that the host has not got yet: a mirror gets entries with their final values.
    held: Vec<Value>,
}

/// The fields that the end of a message sets.
#[derive(Debug, Clone, Copy)]
pub struct MessageEnd<'a> {
    /// The id of the message.
    pub id: &'a str,
    /// `stop_reason` and `stop_sequence`.
    pub ending: &'a Map<String, Value>,
    /// The final usage.
    pub usage: &'a Value,
}

impl Unfinished {
    /// Begins the entry of a block: one of the model's is the entry of this uuid, and one that the session writes in its
    /// place has none. Returns its index in the message.
    pub(super) fn begin_block(&mut self, message: &str, uuid: Option<&str>) -> usize {
        if self.id != message {
            message.clone_into(&mut self.id);
            self.blocks = 0;
            self.entries.clear();
        }
        self.next = uuid.map(str::to_owned);
        self.blocks += 1;
        self.blocks - 1
    }

    /// The room that the entry of this uuid needs.
    pub(super) fn room(&self, uuid: &str) -> usize {
        if self.next.as_deref() == Some(uuid) { ROOM } else { 0 }
    }

    /// The entry is in the file.
    pub(super) fn written(&mut self, uuid: &str, spot: Option<Spot>, line: Value) {
        if self.next.take_if(|next| next == uuid).is_some() {
            self.entries.extend(spot.map(|spot| (spot, line)));
        }
    }

    /// Holds lines back until the message is finished; returns what the host may get now.
    pub(super) fn pass(&mut self, lines: Vec<Value>) -> Vec<Value> {
        self.held.extend(lines);
        if self.entries.is_empty() {
            self.release()
        } else {
            Vec::new()
        }
    }

    /// The message ends here. Returns the lines that were held back.
    pub(super) fn release(&mut self) -> Vec<Value> {
        self.entries.clear();
        std::mem::take(&mut self.held)
    }

    /// Gives the entries of the message their final values, and returns the lines that were held back. A line that
    /// cannot be replaced keeps its first values.
    pub(super) fn finish(&mut self, pen: &Pen, end: MessageEnd<'_>) -> Vec<Value> {
        if self.id == end.id {
            for (spot, line) in std::mem::take(&mut self.entries) {
                let uuid = line.get("uuid").cloned();
                for usage in [end.usage.clone(), counts(end.usage)] {
                    let line = finished(&line, end.ending, usage);
                    if matches!(pen.replace(&spot, &line), Ok(true)) {
                        let mut held = self.held.iter_mut();
                        if let Some(held) = held.find(|held| held.get("uuid") == uuid.as_ref()) {
                            *held = line;
                        }
                        break;
                    }
                }
            }
        }
        self.release()
    }
}

/// The entry with its final values.
fn finished(line: &Value, ending: &Map<String, Value>, usage: Value) -> Value {
    let mut line = line.clone();
    if let Some(message) = line.get_mut("message").and_then(Value::as_object_mut) {
        for key in ["stop_reason", "stop_sequence"] {
            if let Some(value) = ending.get(key) {
                message.insert(key.to_owned(), value.clone());
            }
        }
        message.insert("usage".to_owned(), usage);
    }
    line
}

/// The counts of a usage, without details.
fn counts(usage: &Value) -> Value {
    let pairs = COUNTS
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), usage.get(key)?.clone())));
    Value::Object(pairs.collect())
}
