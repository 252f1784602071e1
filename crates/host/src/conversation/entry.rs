//! Entries: the messages of the conversation in the order in which they are read.

use serde::{Deserialize, Serialize};

use super::{Line, Time};

/// An entry of the conversation: a message of the agent, verbatim, or a prompt at the place where it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// When it came.
    pub at: Time,
    /// The turn it belongs to.
    pub turn: Option<u32>,
    /// The call that started the subagent it belongs to; `None` in the main conversation.
    pub parent: Option<u32>,
    /// What it is.
    pub kind: EntryKind,
    /// The line. [`Line::to_host`] reads it; for prompts it is [`Line::to_agent`].
    pub line: Line,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A prompt of this side; its place among the prompts.
    Prompt(u32),
    /// A block of an answer.
    Assistant,
    /// What a call came to.
    Result,
    /// Something the agent said on the user's side: a notice, a summary, a prompt of someone else.
    User,
    /// The end of a turn.
    End,
    /// Something the agent said about itself.
    System,
    /// Something this version does not know, or could not read. It is shown, not dropped.
    Unknown,
}
