//! Checks whether a resume would send the model the same messages since its last reply, and records differences.
//!
//! Not everything that is sent to the model is a separate entry: there are reminders, and prompts that arrive together
//! are one message. If the entries alone would give different messages, a line `shown-to-model` records what was sent.
//! So a resumed session sends the model the same conversation, byte for byte.

use serde_json::Value;

use super::block::{self, Block, BlockKind, Look};
use super::entry_content::{self, EntryContent, ShownPart};
use super::envelope::Key;
use super::history_builder::{HistoryBuilder, SerializedMessages};

/// The entries from the model's last message on.
#[derive(Debug, Default)]
pub struct Since {
    message: Option<String>,
    entries: Vec<EntryContent>,
    /// The `user` messages of the last request, until the model replies.
    last_request: Option<Vec<Vec<ShownPart>>>,
}

impl Since {
    /// Adds a line that follows `leaf`. If it is a `user` message and the model has not replied to the last request,
    /// the messages of that request are complete: they are returned and must be recorded before this line.
    pub(super) fn push_line(
        &mut self,
        line: &Value,
        (uuid, leaf): (&str, Option<&str>),
        look: Look,
    ) -> Option<Vec<Vec<ShownPart>>> {
        let line = serde_json::to_vec(line).ok()?;
        let entry = entry_content::read(&line, Key::of(uuid), look)?;
        let last_request = match entry.by_model {
            false => self.last_request.take().filter(|last_request| !last_request.is_empty()),
            true => None,
        };
        if let (Some(last_request), Some(leaf)) = (&last_request, leaf) {
            self.entries.push(shown_entry(Key::of(leaf), last_request));
        }
        self.push(entry);
        last_request
    }

    /// Adds an entry.
    pub(super) fn push(&mut self, entry: EntryContent) {
        if entry.by_model && entry.blocks.iter().any(|block| block.kind != BlockKind::Thinking) {
            self.last_request = None;
        }
        if entry.by_model && entry.message != self.message {
            self.message.clone_from(&entry.message);
            self.entries.clear();
        }
        self.entries.push(entry);
    }

    /// Inserts the entries of an earlier conversation before these.
    pub(super) fn preceded_by(&mut self, mut earlier: Self) {
        if self.message.is_none() {
            earlier.entries.append(&mut self.entries);
            *self = earlier;
        }
    }

    /// Removes the entries that a compaction has replaced. The last entry, the summary, becomes the first; the `kept`
    /// entries follow.
    pub(super) fn compacted(&mut self, kept: &[String]) {
        let summary = self.entries.pop();
        let kept: Vec<Key> = kept.iter().map(|uuid| Key::of(uuid)).collect();
        self.entries.retain(|entry| kept.contains(&entry.key));
        self.entries.splice(..0, summary);
    }

    /// Compares the messages that are sent (`shown`) with those that the entries give. Returns the parts of the sent
    /// messages if they differ.
    pub(super) fn difference(&mut self, key: Key, shown: &[&[u8]], look: Look) -> Option<Vec<Vec<ShownPart>>> {
        let mut builder = HistoryBuilder::<SerializedMessages>::default();
        // A result may be written before the end of the message with its call. The message is sent first nevertheless.
        let begins = self
            .entries
            .iter()
            .position(|entry| entry.by_model)
            .unwrap_or(self.entries.len());
        let (before, message) = self.entries.split_at_checked(begins).unwrap_or((&self.entries, &[]));
        let by_model = message.iter().filter(|entry| entry.by_model);
        let others = message.iter().filter(|entry| !entry.by_model);
        for entry in before.iter().chain(by_model).chain(others) {
            builder.push(entry.clone());
        }
        let (messages, mut blocks) = builder.since_reply();
        let parts: Vec<Vec<ShownPart>> = shown.iter().map(|message| parts(message, &mut blocks, look)).collect();
        if messages == shown {
            self.last_request = Some(parts);
            return None;
        }
        self.last_request = None;
        self.entries.push(shown_entry(key, &parts));
        Some(parts)
    }

    /// Forgets the last request, because a compaction replaces its messages.
    pub(super) fn forget_request(&mut self) {
        self.last_request = None;
    }
}

fn shown_entry(key: Key, parts: &[Vec<ShownPart>]) -> EntryContent {
    EntryContent {
        key,
        by_model: false,
        message: None,
        blocks: Vec::new(),
        shown: Some(parts.to_vec()),
    }
}

/// Returns the parts of a message: references to blocks of entries where possible.
fn parts(message: &[u8], blocks: &mut Vec<Block>, look: Look) -> Vec<ShownPart> {
    let mut message: Value = serde_json::from_slice(message).unwrap_or_default();
    let Some(Value::Array(content)) = message.get_mut("content").map(Value::take) else {
        return Vec::new();
    };
    let parts = content.into_iter().filter_map(|value| {
        let spelled = serde_json::to_vec(&value).ok()?;
        match blocks.iter().position(|block| *block.spelled == *spelled) {
            Some(at) => {
                let (key, at) = blocks.remove(at).from;
                Some(ShownPart::Reference(key, at))
            }
            None => block::parse_block(&spelled, false, look).map(ShownPart::Inline),
        }
    });
    parts.collect()
}
