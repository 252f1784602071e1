//! The prompt queue.
//!
//! Pure: it decides which prompts are accepted, which form the next turn, and which may join a running turn. The
//! session owns one queue.

use std::collections::{HashSet, VecDeque};

use serde_json::{Value, json};
use sluice_transcript::Key;

use crate::note::Note;

/// When a prompt should run, as specified by the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Priority {
    /// Interrupts the running turn.
    Now,
    /// After the running turn, or within it after tool calls; the default.
    #[default]
    Next,
    /// After all other prompts.
    Later,
}

impl Priority {
    /// Parses the value of the protocol. Unknown values mean the default.
    pub(crate) fn from_wire(word: Option<&str>) -> Self {
        match word {
            Some("now") => Self::Now,
            Some("later") => Self::Later,
            _ => Self::Next,
        }
    }
}

/// A prompt of a person or of a program.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Prompt {
    /// The host's UUID, if it specified one. Lifecycle messages are sent only in this case.
    pub(crate) uuid: Option<String>,
    /// The id of the prompt: the host's UUID, or a generated one.
    pub(crate) id: String,
    /// A string or a list of blocks, as the host sent it.
    pub(crate) content: Value,
    /// How soon it runs: at once, next or later.
    pub(crate) priority: Priority,
    /// Written by the host, not by a person; never replayed.
    pub(crate) synthetic: bool,
    /// Whether the model is asked to respond; otherwise the prompt is only recorded.
    pub(crate) should_query: bool,
    /// It gets its own turn, because it is a command.
    pub(crate) alone: bool,
    /// The text is used unchanged: it is not a command and mentions no files.
    pub(crate) verbatim: bool,
    /// Continues a turn that an earlier process did not finish.
    pub(crate) resumes: bool,
    /// The sender, echoed in the result.
    pub(crate) origin: Option<Value>,
    /// The time of arrival.
    pub(crate) timestamp: String,
}

impl Prompt {
    /// Converts a note into a prompt for hooks.
    pub(crate) fn of_note(note: &Note) -> Self {
        Self {
            uuid: None,
            id: String::new(),
            content: Value::from(note.bare()),
            priority: Priority::Next,
            synthetic: true,
            should_query: true,
            alone: true,
            verbatim: true,
            resumes: false,
            origin: Some(note.origin.clone()),
            timestamp: note.timestamp.clone(),
        }
    }

    /// True if the prompt is echoed to a host that asked for replay. Synthetic prompts and tool results are not.
    pub(crate) fn is_replayed(&self) -> bool {
        let blocks = self.content.as_array();
        let only_results = blocks.is_some_and(|blocks| !blocks.is_empty() && blocks.iter().all(is_result));
        !self.synthetic && !only_results
    }

    /// True if the prompt gets its own turn.
    fn goes_alone(&self) -> bool {
        self.alone || !self.should_query
    }
}

/// The prompts of one turn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Batch {
    /// In order of arrival, never empty.
    pub(crate) prompts: Vec<Prompt>,
}

impl Batch {
    /// The UUIDs that the host specified.
    pub(crate) fn uuids(&self) -> Vec<String> {
        self.prompts.iter().filter_map(|prompt| prompt.uuid.clone()).collect()
    }

    /// The content for the model: one prompt unchanged, several as one list of blocks.
    pub(crate) fn content(&self) -> Value {
        match self.prompts.as_slice() {
            [only] => only.content.clone(),
            prompts => {
                let last = prompts.len().saturating_sub(1);
                let mut blocks = Vec::new();
                for (index, prompt) in prompts.iter().enumerate() {
                    let mut part = blocks_of(&prompt.content);
                    if index != last {
                        end_line(&mut part);
                    }
                    blocks.append(&mut part);
                }
                Value::Array(blocks)
            }
        }
    }
}

/// The result of queueing a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// It will run.
    Queued,
    /// Its UUID is known: it was sent again and does not run.
    Duplicate,
    /// An earlier process of the resumed session has run it.
    Earlier,
}

/// The waiting prompts, and the UUIDs of earlier ones.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: VecDeque<Prompt>,
    seen: HashSet<String>,
    /// UUIDs of the resumed session, sorted. There may be many.
    earlier: Vec<Key>,
}

impl Queue {
    /// True if a prompt with this UUID was queued before.
    pub(crate) fn knows(&self, uuid: Option<&str>) -> bool {
        uuid.is_some_and(|uuid| self.seen.contains(uuid) || self.earlier.binary_search(&Key::of(uuid)).is_ok())
    }

    /// Queues a prompt, unless its UUID is known.
    pub(crate) fn push(&mut self, prompt: Prompt) -> Accepted {
        if let Some(uuid) = &prompt.uuid
            && self.earlier.binary_search(&Key::of(uuid)).is_ok()
        {
            return Accepted::Earlier;
        }
        if let Some(uuid) = &prompt.uuid
            && !self.seen.insert(uuid.clone())
        {
            return Accepted::Duplicate;
        }
        self.waiting.push_back(prompt);
        Accepted::Queued
    }

    /// Sets the UUIDs of the resumed session, sorted.
    pub(crate) fn remember(&mut self, earlier: Vec<Key>) {
        self.earlier = earlier;
    }

    /// Removes and returns the prompts of the next turn: all of the most urgent priority. Commands and prompts that are
    /// only recorded get their own turn.
    pub(crate) fn next(&mut self) -> Option<Batch> {
        let class = self.waiting.iter().map(|prompt| prompt.priority).min()?;
        let mut prompts: Vec<Prompt> = Vec::new();
        let mut rest = VecDeque::with_capacity(self.waiting.len());
        let mut open = true;
        for prompt in self.waiting.drain(..) {
            let fits = open && prompt.priority == class && (prompts.is_empty() || !prompt.goes_alone());
            if fits {
                open = !prompt.goes_alone();
                prompts.push(prompt);
            } else {
                // Prompts of one priority run in the order of arrival, so none may overtake this one.
                open = open && prompt.priority != class;
                rest.push_back(prompt);
            }
        }
        self.waiting = rest;
        Some(Batch { prompts })
    }

    /// True if the next turn belongs to prompts rather than to a note that has waited since `since`.
    pub(crate) fn goes_before(&self, since: &str) -> bool {
        let first = self.waiting.iter().min_by_key(|prompt| prompt.priority);
        first.is_some_and(|prompt| match prompt.priority {
            Priority::Now => true,
            Priority::Next => prompt.timestamp.as_str() < since,
            Priority::Later => false,
        })
    }

    /// Removes and returns the prompts that may join the running turn after its tools: all except those of priority
    /// `Later` and those that follow a command, because they may depend on it (`/clear`).
    pub(crate) fn fold(&mut self) -> Vec<Prompt> {
        let mut open = true;
        let (folded, rest) = self.waiting.drain(..).partition(|prompt| {
            open &= !prompt.alone;
            open && prompt.priority != Priority::Later
        });
        self.waiting = rest;
        Vec::from(folded)
    }

    /// Puts a prompt that did not join the turn back to the front of the queue.
    pub(crate) fn put_back(&mut self, prompt: Prompt) {
        self.waiting.push_front(prompt);
    }

    /// Removes a waiting prompt. Returns false if it is not in the queue.
    pub(crate) fn cancel(&mut self, uuid: &str) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|prompt| prompt.uuid.as_deref() != Some(uuid));
        self.waiting.len() < before
    }

    /// Removes all prompts. Returns the UUIDs that the host specified.
    pub(crate) fn cancel_all(&mut self) -> Vec<String> {
        self.waiting.drain(..).filter_map(|prompt| prompt.uuid).collect()
    }

    /// The UUIDs of the waiting prompts.
    pub(crate) fn uuids(&self) -> Vec<String> {
        self.waiting.iter().filter_map(|prompt| prompt.uuid.clone()).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

/// True for a tool result block.
pub(crate) fn is_result(block: &Value) -> bool {
    block.get("type").and_then(Value::as_str) == Some("tool_result")
}

/// Converts content to blocks.
pub(crate) fn blocks_of(content: &Value) -> Vec<Value> {
    match content {
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks.clone(),
        _ => Vec::new(),
    }
}

/// Appends a line break to the last text, so that merged prompts stay separate.
fn end_line(blocks: &mut [Value]) {
    let text = blocks.iter_mut().rev().find_map(|block| match block.get_mut("text") {
        Some(Value::String(text)) => Some(text),
        _ => None,
    });
    if let Some(text) = text {
        text.push('\n');
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
