//! Drafts: an assistant message while its stream events arrive, before its blocks come as `assistant` messages.

use serde::{Deserialize, Serialize};

use super::Time;
use super::seen::MessageIdentity;

/// An assistant message that is still being streamed.
///
/// It is void as soon as a new message begins, one with another id is said, the request is tried again, or
/// the turn ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The id of the message.
    pub message: Box<str>,
    /// The call that started the subagent that writes it; `None` in the main conversation.
    pub parent: Option<usize>,
    /// When it began.
    pub began: Time,
    /// The blocks that are not yet said for good.
    pub blocks: Vec<DraftBlock>,
    /// How many blocks of it were said.
    pub(crate) said: u64,
    pub(crate) seen: Vec<MessageIdentity>,
}

/// One content block that is being streamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftBlock {
    /// Its place in the message.
    pub index: u64,
    /// What it is.
    pub kind: DraftKind,
    /// What there is of it: text, thoughts, or the beginning of a call's input as JSON.
    pub text: String,
    /// Whether it is whole.
    pub whole: bool,
}

/// The kind of a content block that is being streamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DraftKind {
    /// Text.
    Text,
    /// Thoughts.
    Thinking,
    /// The input of a call.
    Call {
        /// The call's id.
        id: Box<str>,
        /// The tool.
        name: Box<str>,
    },
    /// Something else.
    Other(Box<str>),
}
