//! `user`, from the host: a prompt.

use serde_json::Value;

use crate::Raw;
use crate::content::Content;
use crate::open::open_enum;
use crate::origin::Origin;
use crate::record::wire_struct;
use crate::stdout::UserMessage;

open_enum! {
    /// The priority of a prompt in the queue.
    pub enum Priority {
        Next = "next",
        Now = "now",
        Later = "later",
    }
}

wire_struct! {
    /// A prompt.
    pub struct User ["type" = "user"] {
        message: UserMessage,
        parent_tool_use_id: Option<String> = null,
        /// Ignored by the agent.
        session_id: Option<String>,
        uuid: Option<String>,
        is_synthetic: Option<bool> as "isSynthetic",
        priority: Option<Priority>,
        timestamp: Option<String>,
        origin: Option<Origin>,
        /// `false` adds the message to the conversation without a request to the model.
        should_query: Option<bool> as "shouldQuery",
        /// Whether the text is literal: file mentions and slash commands in it are not expanded.
        client_composed: Option<bool>,
        pasted_content: Option<Raw>,
        inline_pastes: Option<Vec<String>>,
        tool_use_result: Option<Value>,
        is_replay: Option<bool> as "isReplay",
    }
}

impl User {
    /// Creates a prompt with the fields that the official hosts send.
    pub fn new(content: impl Into<Content>) -> Self {
        Self {
            message: UserMessage::new(content),
            session_id: Some(String::new()),
            ..Self::default()
        }
    }
}

/// Why a `user` message is not a valid prompt. The reference agents handle the cases differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum UserFault {
    /// `message` is missing or is not an object.
    #[error("user message without `message`")]
    NoMessage,
    /// `message` has no `role`.
    #[error("user message without `role`")]
    NoRole,
    /// `role` is not `user`.
    #[error("user message whose role is not `user`")]
    OtherRole,
    /// `content` is missing.
    #[error("user message without `content`")]
    NoContent,
    /// `content` is `null`.
    #[error("user message with null `content`")]
    NullContent,
    /// `content` is neither a string nor an array.
    #[error("user message whose `content` is neither text nor blocks")]
    OddContent,
}

impl UserFault {
    /// Finds the fault in a `user` message that could not be parsed as a prompt.
    pub(crate) fn find(text: &str) -> Option<Self> {
        let line: Value = serde_json::from_str(text).ok()?;
        let Some(message) = line.get("message").and_then(Value::as_object) else {
            return Some(Self::NoMessage);
        };
        match message.get("role") {
            None => return Some(Self::NoRole),
            Some(role) if role != "user" => return Some(Self::OtherRole),
            Some(_) => {}
        }
        match message.get("content") {
            None => Some(Self::NoContent),
            Some(Value::Null) => Some(Self::NullContent),
            Some(Value::String(_) | Value::Array(_)) => None,
            Some(_) => Some(Self::OddContent),
        }
    }
}
