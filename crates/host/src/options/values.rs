//! Options that are more than one value.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::conversation::{Ladder, Patience};

/// The system prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SystemPrompt {
    /// Nothing, as the official SDKs do.
    #[default]
    None,
    /// This text.
    Text(String),
    /// These texts, with a mark where the cache may end.
    Texts(Vec<String>),
    /// What the agent says by itself, and perhaps more.
    Preset {
        /// What comes after it.
        append: Option<String>,
    },
    /// What a file holds.
    File(PathBuf),
}

impl SystemPrompt {
    /// The agent's own system prompt.
    #[must_use]
    pub fn preset() -> Self {
        Self::Preset { append: None }
    }
}

impl From<&str> for SystemPrompt {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for SystemPrompt {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// The built-in tools that are enabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tools {
    /// Those the agent has by itself.
    Preset,
    /// These; none for an empty list.
    Only(Vec<String>),
}

impl<T: Into<String>, const N: usize> From<[T; N]> for Tools {
    fn from(tools: [T; N]) -> Self {
        Self::Only(tools.into_iter().map(Into::into).collect())
    }
}

impl From<Vec<String>> for Tools {
    fn from(tools: Vec<String>) -> Self {
        Self::Only(tools)
    }
}

/// Settings in addition to the settings files.
#[derive(Debug, Clone, PartialEq)]
pub enum Settings {
    /// A file.
    File(PathBuf),
    /// An object.
    Object(Value),
}

impl From<PathBuf> for Settings {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<Value> for Settings {
    fn from(object: Value) -> Self {
        Self::Object(object)
    }
}

/// A plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugin {
    /// Its folder.
    pub path: PathBuf,
    /// Whether its MCP servers are left alone.
    pub skip_mcp: bool,
}

impl<P: Into<PathBuf>> From<P> for Plugin {
    fn from(path: P) -> Self {
        Self {
            path: path.into(),
            skip_mcp: false,
        }
    }
}

/// Extended thinking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thinking {
    /// As much as it finds right; how that is shown (`summarized` or `omitted`).
    Adaptive(Option<String>),
    /// Up to so many tokens.
    Enabled(u64),
    /// Not at all.
    Disabled,
}

/// The skills that are enabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skills {
    /// All.
    All,
    /// These.
    Only(Vec<String>),
}

/// How long an agent may take before it counts as silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// To the greeting: it may wait for hooks and servers.
    pub greeting: Duration,
    /// To a request.
    pub request: Duration,
    /// From a prompt, written while nothing runs, to the first sign of its turn: it may wait for hooks and servers.
    pub uptake: Duration,
    /// From an interrupt to the end of the turn.
    pub interrupt: Duration,
    /// From being asked to end to the end.
    pub terminate: Duration,
    /// From the end of its input to its own end.
    pub leave: Duration,
    /// From the last word of a turn to its `result`, while no call, question or compaction is open.
    pub result: Duration,
}

impl super::Options {
    /// The deadlines as the machine of a conversation knows them.
    pub(crate) fn patience(&self) -> Patience {
        let deadlines = self.deadlines;
        Patience {
            result: deadlines.result,
            uptake: deadlines.uptake,
            reply: deadlines.request,
            ladder: Some(Ladder {
                acknowledge: deadlines.interrupt,
                result: deadlines.interrupt,
                terminate: deadlines.terminate,
            }),
            ..Patience::default()
        }
    }
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            greeting: Duration::from_secs(60),
            request: Duration::from_secs(60),
            uptake: Duration::from_secs(120),
            interrupt: Duration::from_secs(10),
            terminate: Duration::from_secs(5),
            leave: Duration::from_secs(5),
            result: Duration::from_secs(30),
        }
    }
}
