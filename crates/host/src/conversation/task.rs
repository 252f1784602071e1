//! Background tasks, and the todo list.

use serde::{Deserialize, Serialize};
use sluice_wire::stdout::system::{TaskOutcome, TaskStatus};

use super::Time;

/// A subagent, a background command or another thing that runs beside the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: Box<str>,
    /// What kind: `local_bash`, `local_agent` and others.
    pub kind: Box<str>,
    /// What it is about.
    pub description: Box<str>,
    /// The call that started it.
    pub call: Option<Box<str>>,
    /// The kind of subagent.
    pub agent: Option<Box<str>>,
    /// Whether the turn does not wait for it.
    pub background: bool,
    /// How it stands.
    pub state: TaskState,
    /// When it was first seen.
    pub began: Time,
    /// When it ended.
    pub ended: Option<Time>,
    /// Tokens it used so far.
    pub tokens: u64,
    /// Calls it made so far.
    pub calls: u64,
    /// The tool it used last.
    pub last_tool: Option<Box<str>>,
    /// What it says about its end.
    pub summary: Option<Box<str>>,
    /// Where its output is.
    pub output: Option<Box<str>>,
}

/// The state of a background task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// It runs, or is about to, or pauses: as the agent says.
    Open(TaskStatus),
    /// It ended and said so.
    Ended(TaskOutcome),
    /// It is no longer among the running ones; how it ended was not said.
    Gone,
}

impl Task {
    /// Whether it still runs.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state, TaskState::Open(_))
    }
}

/// One item of the agent's todo list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// Its id, for lists that have ids.
    pub id: Option<Box<str>>,
    /// What is to be done.
    pub subject: Box<str>,
    /// The same as something that goes on.
    pub active: Option<Box<str>>,
    /// `pending`, `in_progress` or `completed`.
    pub status: Box<str>,
    /// The ids of the items that have to be done before.
    pub after: Vec<Box<str>>,
}
