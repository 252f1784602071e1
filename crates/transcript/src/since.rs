//! What a session saves of the messages since the model's last one, and whether that is what the model is shown.
//!
//! Not everything the model reads is an entry of its own: there are reminders, and prompts that arrive together are
//! one message. Where the entries alone would give something else, a line `shown-to-model` records what was sent. So a
//! resumed session shows the model the same conversation, byte for byte.

use serde_json::Value;

use super::block::{self, Block, Kind, Look};
use super::entry_content::{self, EntryContent, Part};
use super::envelope::Key;
use super::history_builder::{HistoryBuilder, Spelled};

/// The messages since the model's last one, that included.
#[derive(Debug, Default)]
pub struct Since {
    message: Option<String>,
    said: Vec<EntryContent>,
    /// What the model was asked with, as long as it has not answered.
    asked: Option<Vec<Vec<Part>>>,
}

impl Since {
    /// Another line of the conversation, behind `leaf`. Where the user's side speaks again before the model has answered
    /// it, the message it was asked with ends there: that comes back, to be kept before this.
    pub(super) fn push_line(
        &mut self,
        line: &Value,
        (uuid, leaf): (&str, Option<&str>),
        look: Look,
    ) -> Option<Vec<Vec<Part>>> {
        let line = serde_json::to_vec(line).ok()?;
        let said = entry_content::read(&line, Key::of(uuid), look)?;
        let asked = match said.by_model {
            false => self.asked.take().filter(|asked| !asked.is_empty()),
            true => None,
        };
        if let (Some(asked), Some(leaf)) = (&asked, leaf) {
            self.said.push(as_shown(Key::of(leaf), asked));
        }
        self.push(said);
        asked
    }

    /// The next thing said.
    pub(super) fn push(&mut self, said: EntryContent) {
        if said.by_model && said.blocks.iter().any(|block| block.kind != Kind::Thinking) {
            self.asked = None;
        }
        if said.by_model && said.message != self.message {
            self.message.clone_from(&said.message);
            self.said.clear();
        }
        self.said.push(said);
    }

    /// Puts what was said earlier before it.
    pub(super) fn preceded_by(&mut self, mut earlier: Self) {
        if self.message.is_none() {
            earlier.said.append(&mut self.said);
            *self = earlier;
        }
    }

    /// A compaction has put its summary, which was said last, in the place of all but these.
    pub(super) fn compacted(&mut self, kept: &[String]) {
        let summary = self.said.pop();
        let kept: Vec<Key> = kept.iter().map(|uuid| Key::of(uuid)).collect();
        self.said.retain(|said| kept.contains(&said.key));
        self.said.splice(..0, summary);
    }

    /// How the user's side is shown to the model, unless that is what the entries say.
    pub(super) fn otherwise(&mut self, key: Key, shown: &[&[u8]], look: Look) -> Option<Vec<Vec<Part>>> {
        let mut told = HistoryBuilder::<Spelled>::default();
        // A call may come to its result while the model still speaks: then its message stands first all the same.
        let begins = self
            .said
            .iter()
            .position(|said| said.by_model)
            .unwrap_or(self.said.len());
        let (before, message) = self.said.split_at_checked(begins).unwrap_or((&self.said, &[]));
        let by_model = message.iter().filter(|said| said.by_model);
        let others = message.iter().filter(|said| !said.by_model);
        for said in before.iter().chain(by_model).chain(others) {
            told.take(said.clone());
        }
        let (messages, mut blocks) = told.since_reply();
        let parts: Vec<Vec<Part>> = shown.iter().map(|message| parts(message, &mut blocks, look)).collect();
        if messages == shown {
            self.asked = Some(parts);
            return None;
        }
        self.asked = None;
        self.said.push(as_shown(key, &parts));
        Some(parts)
    }

    /// What the model was asked with is no longer what it is to be asked with.
    pub(super) fn begin_anew(&mut self) {
        self.asked = None;
    }
}

fn as_shown(key: Key, parts: &[Vec<Part>]) -> EntryContent {
    EntryContent {
        key,
        by_model: false,
        message: None,
        blocks: Vec::new(),
        shown: Some(parts.to_vec()),
    }
}

/// Where the blocks of a message come from.
fn parts(message: &[u8], blocks: &mut Vec<Block>, look: Look) -> Vec<Part> {
    let mut message: Value = serde_json::from_slice(message).unwrap_or_default();
    let Some(Value::Array(content)) = message.get_mut("content").map(Value::take) else {
        return Vec::new();
    };
    let parts = content.into_iter().filter_map(|value| {
        let spelled = serde_json::to_vec(&value).ok()?;
        match blocks.iter().position(|block| *block.spelled == *spelled) {
            Some(at) => {
                let (key, at) = blocks.remove(at).from;
                Some(Part::Kept(key, at))
            }
            None => block::block(&spelled, false, look).map(Part::Said),
        }
    });
    parts.collect()
}
