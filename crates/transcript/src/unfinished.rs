//! The entries of the model message that is being received. Each entry is written as soon as its block is complete. The
//! final usage and stop reason are known only at the end of the message and replace the first values in place.

use serde_json::{Map, Value};

use super::appender::{Appender, LineLocation};

/// Number of bytes reserved in each entry for the final values.
pub(super) const RESERVED_BYTES: usize = 320;
/// The fields of a usage that all readers need. The other fields are left out if they do not fit.
const REQUIRED_USAGE_FIELDS: &[&str] = &[
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
];

/// The message that is being received.
#[derive(Debug, Default)]
pub(super) struct Unfinished {
    id: String,
    /// Number of blocks written so far.
    blocks: usize,
    /// The uuid of the next entry, if it belongs to this message.
    next: Option<String>,
    entries: Vec<(LineLocation, Value)>,
    /// Lines that were not sent to the host yet, because a host that mirrors the transcript gets entries with their
    /// final values.
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
    /// Begins the entry of a block and returns the index of the block in the message. `uuid` is the uuid of the entry;
    /// it is `None` for an entry that the session writes in place of the model.
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

    /// Returns the number of bytes to reserve in the entry with this uuid.
    pub(super) fn reserved_bytes(&self, uuid: &str) -> usize {
        if self.next.as_deref() == Some(uuid) {
            RESERVED_BYTES
        } else {
            0
        }
    }

    /// Records that the entry was written.
    pub(super) fn written(&mut self, uuid: &str, location: Option<LineLocation>, line: Value) {
        if self.next.take_if(|next| next == uuid).is_some() {
            self.entries.extend(location.map(|location| (location, line)));
        }
    }

    /// Holds lines back until the message is complete. Returns the lines that may be sent to the host now.
    pub(super) fn hold_back(&mut self, lines: Vec<Value>) -> Vec<Value> {
        self.held.extend(lines);
        if self.entries.is_empty() {
            self.release()
        } else {
            Vec::new()
        }
    }

    /// Ends the message and returns the lines that were held back.
    pub(super) fn release(&mut self) -> Vec<Value> {
        self.entries.clear();
        std::mem::take(&mut self.held)
    }

    /// Writes the final values to the entries of the message, and returns the lines that were held back. A line that
    /// cannot be replaced keeps its first values.
    pub(super) fn finish(&mut self, appender: &Appender, end: MessageEnd<'_>) -> Vec<Value> {
        if self.id == end.id {
            for (location, line) in std::mem::take(&mut self.entries) {
                let uuid = line.get("uuid").cloned();
                for usage in [end.usage.clone(), counts(end.usage)] {
                    let line = finished(&line, end.ending, usage);
                    if matches!(appender.replace(&location, &line), Ok(true)) {
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

/// Returns the entry with its final values.
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

/// Returns the token counts of a usage without details.
fn counts(usage: &Value) -> Value {
    let pairs = REQUIRED_USAGE_FIELDS
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), usage.get(key)?.clone())));
    Value::Object(pairs.collect())
}
