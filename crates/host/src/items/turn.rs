//! The beginning and the end of turns and of the process.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sluice_wire::stdout::TerminalReason;
use sluice_wire::stdout::system::TaskOutcome;

use super::millis;
use crate::conversation::{Exit, Tokens};

/// The agent's process started or ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum ProcessChange {
    /// It started.
    Started {
        /// Whether it continues the conversation of an earlier process.
        resumed: bool,
    },
    /// It ended.
    Exited(ProcessEnd),
}

/// The end of the agent's process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProcessEnd {
    /// The exit code, or the signal.
    pub exit: Exit,
    /// Why it ended, as far as this host knows.
    pub cause: ExitCause,
    /// The same in words.
    pub reason: Option<String>,
    /// Its last lines on standard error.
    pub stderr: Vec<String>,
}

impl From<Exit> for ProcessEnd {
    fn from(exit: Exit) -> Self {
        Self {
            exit,
            ..Self::default()
        }
    }
}

/// Why the agent's process ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ExitCause {
    /// It ended by itself, or for a cause outside of this host.
    #[default]
    Unknown,
    /// It crashed.
    Crashed,
    /// A person stopped it.
    Stopped,
    /// It was idle.
    Retired,
}

/// A turn began that no prompt of a person started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TurnOrigin {
    /// What started it.
    pub kind: OriginKind,
    /// The details, for example what a task reports.
    pub text: String,
    /// The outcome of the task, if the end of a task started it.
    #[cfg_attr(feature = "types", ts(type = "string | null"))]
    pub outcome: Option<TaskOutcome>,
    /// The id of that task.
    pub task: Option<Box<str>>,
}

/// What started a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum OriginKind {
    /// The end of a task in the background.
    Task,
    /// A time that the model scheduled.
    Wakeup,
    /// Another agent.
    Peer,
    /// A message of a channel.
    Channel,
    /// The agent continues by itself.
    Continuation,
    /// Something else; the text is what the agent calls it.
    Other,
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TurnEnd {
    /// The outcome of the turn.
    pub outcome: TurnOutcome,
    /// What went wrong.
    pub errors: Vec<String>,
    /// How long the turn took, without the time in which it waited for a person.
    #[serde(with = "millis")]
    #[cfg_attr(feature = "types", ts(type = "number"))]
    pub duration: Duration,
    /// How long it waited for a person.
    #[serde(with = "millis")]
    #[cfg_attr(feature = "types", ts(type = "number"))]
    pub waited: Duration,
    /// How long requests to the model took.
    #[serde(with = "millis")]
    #[cfg_attr(feature = "types", ts(type = "number"))]
    pub api: Duration,
    /// The cost in dollars. `None` if the agent did not report it.
    pub cost: Option<f64>,
    /// The tokens, if the agent reported them.
    pub tokens: Option<Tokens>,
    /// The number of tool calls of the main conversation and its subagents.
    pub calls: u64,
    /// The number of tool calls whose permission was denied.
    pub denials: u64,
    /// The files that were changed, ordered by path.
    pub files: Vec<FileCount>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TurnOutcome {
    /// Completed.
    Completed,
    /// A person stopped it.
    Stopped,
    /// The maximum number of requests to the model was reached.
    MaxTurns,
    /// The maximum cost was reached.
    MaxBudget,
    /// It failed.
    Failed {
        /// Why, if the agent reported it.
        #[cfg_attr(feature = "types", ts(type = "string | null"))]
        reason: Option<TerminalReason>,
    },
    /// The agent did not report how it ended.
    Unreported,
    /// The process ended.
    Died {
        /// The exit code, or the signal.
        exit: Exit,
    },
}

/// The lines that were changed in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FileCount {
    /// The path, as the tool reported it.
    pub path: String,
    /// The number of lines that were added.
    pub added: u64,
    /// The number of lines that were removed.
    pub removed: u64,
}
