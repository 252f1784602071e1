//! Types of options with several values.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::conversation::{Ladder, Patience};

/// The system prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SystemPrompt {
    /// Empty, the default of the official SDKs.
    #[default]
    None,
    /// This text.
    Text(String),
    /// These texts, with a marker at the end of the cacheable part.
    Texts(Vec<String>),
    /// The default system prompt of the agent, optionally with additional text.
    Preset {
        /// Text to append.
        append: Option<String>,
    },
    /// The content of a file.
    File(PathBuf),
}

impl SystemPrompt {
    /// Returns the agent's default system prompt.
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
    /// The default tools of the agent.
    Preset,
    /// Only these; none if the list is empty.
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
    /// Whether its MCP servers are ignored.
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
    /// The model decides how much it thinks. The value is the display mode (`summarized` or `omitted`).
    Adaptive(Option<String>),
    /// Up to this many tokens.
    Enabled(u64),
    /// No thinking.
    Disabled,
}

/// The skills that are enabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skills {
    /// All.
    All,
    /// Only these.
    Only(Vec<String>),
}

/// The timeouts for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// For the response to `initialize`, which may have to wait for hooks and servers.
    pub greeting: Duration,
    /// For the response to a request.
    pub request: Duration,
    /// From writing a prompt while no turn runs to the first sign of its turn, which may have to wait for hooks and servers.
    pub uptake: Duration,
    /// From an interrupt to the end of the turn.
    pub interrupt: Duration,
    /// From a request to terminate to the exit.
    pub terminate: Duration,
    /// From the end of its input to its exit.
    pub leave: Duration,
    /// From the last message of a turn to its `result`, while no call, permission request or compaction is open.
    pub result: Duration,
}

impl super::Options {
    /// Converts the timeouts for the conversation state machine.
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
