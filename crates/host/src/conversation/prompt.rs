//! Prompts: what was submitted, and whether the agent is known to have it.

use serde::{Deserialize, Serialize};

use super::{Line, Time};
use crate::items::Sender;

/// A prompt: a `user` message to the agent, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackedPrompt {
    /// Its uuid, the same on the wire; one of our making when it was written without.
    pub id: Box<str>,
    /// Whether the line carries the uuid.
    pub(crate) marked: bool,
    /// Whether it shall be written once more, to a process that knows it if it arrived.
    pub(crate) again: bool,
    /// Whether it was: a process that knew it repeats it and runs nothing.
    #[serde(default)]
    pub(crate) rewritten: bool,
    /// The line.
    pub line: Line,
    /// Where it is.
    pub state: PromptState,
    /// Who sent it, if that is known.
    #[serde(default)]
    pub sender: Option<Sender>,
    /// Whether it was read during a turn that another prompt had started.
    #[serde(default)]
    pub(crate) joined: bool,
    /// When it was handed in.
    pub at: Time,
    /// When it reached its state.
    pub since: Time,
    /// The turn it belongs to, once that is known.
    pub turn: Option<usize>,
    /// How that is known.
    pub proof: Option<Proof>,
    /// Its place among the entries, once it was taken up.
    pub entry: Option<usize>,
    /// Whether the agent said that it began with it. Where it says so, an echo alone is no beginning.
    #[serde(default)]
    pub(crate) started: bool,
    /// Whether the agent says that it is done with it.
    pub finished: bool,
}

/// The state of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptState {
    /// Accepted, not yet written: no process is up, the way is lost, or an interrupt has to end first.
    Queued,
    /// Written. The agent may have it in its own queue.
    Sent,
    /// The agent took it up.
    Delivered,
    /// Written, but the process or the time went by without a sign of it. It may have arrived.
    /// Under the same uuid it can be written again without harm, and is, to a process that resumes.
    Indeterminate,
    /// It will not be read.
    Failed(Failure),
}

/// Why a prompt failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// It was taken back before it began.
    Withdrawn,
    /// The conversation was closed before it was written.
    Closed,
    /// The conversation was closed before anyone could tell whether it arrived.
    Lost,
}

/// How it is known that a prompt belongs to its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// Worked out from the order of things, for agents that say nothing. What is said later outweighs it.
    Presumed,
    /// The agent named it.
    Named,
}

impl TrackedPrompt {
    /// Whether nothing more will happen to it.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.state, PromptState::Delivered | PromptState::Failed(_))
    }

    /// Whether it waits to be taken up.
    pub(crate) fn is_owed(&self) -> bool {
        matches!(self.state, PromptState::Sent | PromptState::Indeterminate)
    }
}
