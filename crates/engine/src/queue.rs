//! Prompts that wait for their turn.
//!
//! Pure: what is accepted, what goes together into the next turn, what may join a turn that is
//! already running. The session owns one queue and asks it; nothing here speaks or waits.

use std::collections::{HashSet, VecDeque};

use serde_json::{Value, json};
use sluice_transcript::Key;

use crate::note::Note;

/// When a prompt wants to run, as the host said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Priority {
    /// Stops the running turn.
    Now,
    /// After the running turn, or inside it when tools run: what a host means by default.
    #[default]
    Next,
    /// After everything else.
    Later,
}

impl Priority {
    /// Reads the wire's word; an unknown one means the default.
    pub(crate) fn from_wire(word: Option<&str>) -> Self {
        match word {
            Some("now") => Self::Now,
            Some("later") => Self::Later,
            _ => Self::Next,
        }
    }
}

/// What a person (or a program on their behalf) sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Prompt {
    /// The host's own uuid, if it gave one: only then is the prompt's lifecycle told.
    pub(crate) uuid: Option<String>,
    /// The uuid under which the prompt is known here: the host's, or one we made.
    pub(crate) id: String,
    /// A string or a list of blocks, in the form the host chose.
    pub(crate) content: Value,
    /// When it wants to run.
    pub(crate) priority: Priority,
    /// Written by the host, not by a person: never replayed.
    pub(crate) synthetic: bool,
    /// False: remember it, do not ask the model.
    pub(crate) should_query: bool,
    /// A command: it has a turn of its own.
    pub(crate) alone: bool,
    /// Its text is taken as it is: it mentions no files and is no command.
    pub(crate) verbatim: bool,
    /// Continues a turn that an earlier process did not finish.
    pub(crate) resumes: bool,
    /// Who it came from, echoed on the result.
    pub(crate) origin: Option<Value>,
    /// When it arrived.
    pub(crate) timestamp: String,
}

impl Prompt {
    /// What is told of background work, as hooks are shown it.
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

    /// Whether it is echoed to a host that wants its prompts back: not what the host wrote itself, nor results of
    /// calls, which are no prompts.
    pub(crate) fn is_replayed(&self) -> bool {
        let blocks = self.content.as_array();
        let only_results = blocks.is_some_and(|blocks| !blocks.is_empty() && blocks.iter().all(is_result));
        !self.synthetic && !only_results
    }

    /// Whether its turn is its own.
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
    /// The uuids the host gave.
    pub(crate) fn uuids(&self) -> Vec<String> {
        self.prompts.iter().filter_map(|prompt| prompt.uuid.clone()).collect()
    }

    /// What the model reads: one prompt as it is, several as one list of blocks.
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

/// What became of a prompt that was pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// It will run.
    Queued,
    /// Its uuid was here before: it is the same prompt sent again and will not run.
    Duplicate,
    /// It was run by an earlier session that this one goes on with.
    Earlier,
}

/// The waiting prompts and the memory of those that came before.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: VecDeque<Prompt>,
    seen: HashSet<String>,
    /// In order; there may be many of them.
    earlier: Vec<Key>,
}

impl Queue {
    /// Whether a prompt of this uuid was here before.
    pub(crate) fn knows(&self, uuid: Option<&str>) -> bool {
        uuid.is_some_and(|uuid| self.seen.contains(uuid) || self.earlier.binary_search(&Key::of(uuid)).is_ok())
    }

    /// Takes a prompt in, unless its uuid was seen before.
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

    /// Knows these prompts from an earlier session, named in order.
    pub(crate) fn remember(&mut self, earlier: Vec<Key>) {
        self.earlier = earlier;
    }

    /// The next turn: everything of the most urgent class together. A prompt that is only to be
    /// remembered goes alone, since its turn asks no model, and so does a command.
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
                // Order within a class is the order of arrival, so nothing may overtake this one.
                open = open && prompt.priority != class;
                rest.push_back(prompt);
            }
        }
        self.waiting = rest;
        Some(Batch { prompts })
    }

    /// Whether the next turn is one of prompts, where something has waited for one of its own since then.
    pub(crate) fn goes_before(&self, since: &str) -> bool {
        let first = self.waiting.iter().min_by_key(|prompt| prompt.priority);
        first.is_some_and(|prompt| match prompt.priority {
            Priority::Now => true,
            Priority::Next => prompt.timestamp.as_str() < since,
            Priority::Later => false,
        })
    }

    /// What may join the running turn after its tools: all but what was meant for later, and nothing that came behind a
    /// command: what follows `/clear` belongs to what it clears the way for.
    pub(crate) fn fold(&mut self) -> Vec<Prompt> {
        let mut open = true;
        let (folded, rest) = self.waiting.drain(..).partition(|prompt| {
            open &= !prompt.alone;
            open && prompt.priority != Priority::Later
        });
        self.waiting = rest;
        Vec::from(folded)
    }

    /// Takes a prompt back that was to join a turn and did not.
    pub(crate) fn put_back(&mut self, prompt: Prompt) {
        self.waiting.push_front(prompt);
    }

    /// Takes one prompt out before it runs.
    pub(crate) fn cancel(&mut self, uuid: &str) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|prompt| prompt.uuid.as_deref() != Some(uuid));
        self.waiting.len() < before
    }

    /// Takes all of them out; returns the uuids the host knows them by.
    pub(crate) fn cancel_all(&mut self) -> Vec<String> {
        self.waiting.drain(..).filter_map(|prompt| prompt.uuid).collect()
    }

    /// The uuids that wait.
    pub(crate) fn uuids(&self) -> Vec<String> {
        self.waiting.iter().filter_map(|prompt| prompt.uuid.clone()).collect()
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether none waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

/// Whether a block says what a call came to.
pub(crate) fn is_result(block: &Value) -> bool {
    block.get("type").and_then(Value::as_str) == Some("tool_result")
}

/// Content as blocks, whatever its form.
pub(crate) fn blocks_of(content: &Value) -> Vec<Value> {
    match content {
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks.clone(),
        _ => Vec::new(),
    }
}

/// Ends the last text with a line break, so that merged prompts do not run into each other.
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
