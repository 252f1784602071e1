//! Tool calls and their results.

use serde::{Deserialize, Serialize};

use super::Time;

/// One tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The id the model gave it.
    pub id: Box<str>,
    /// The tool.
    pub name: Box<str>,
    /// The call that started the subagent that makes this one.
    pub parent: Option<usize>,
    /// The turn it belongs to.
    pub turn: Option<usize>,
    /// The entry with the message that makes it; `None` when that was never seen.
    pub entry: Option<usize>,
    /// When it was seen.
    pub at: Time,
    /// How it stands.
    pub state: CallState,
    /// The entry with its result.
    pub result: Option<usize>,
    /// When it ended.
    pub ended: Option<Time>,
    /// When it last gave a sign of life, if it ever did.
    pub heartbeat: Option<Time>,
}

/// The state of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// No result yet.
    Running,
    /// It has its result.
    Done,
    /// It has its result, and that is an error, a refusal for example.
    Failed,
    /// The turn ended without one.
    Dropped,
}
