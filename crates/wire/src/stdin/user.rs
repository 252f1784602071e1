//! `user`, from the host: a prompt.

use serde_json::Value;

use crate::Raw;
use crate::content::Content;
use crate::open::open_enum;
use crate::origin::Origin;
use crate::record::wire_struct;
use crate::stdout::UserMessage;

open_enum! {
    /// Which prompt goes first.
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
        /// Not looked at by the agent.
        session_id: Option<String>,
        uuid: Option<String>,
        is_synthetic: Option<bool> as "isSynthetic",
        priority: Option<Priority>,
        timestamp: Option<String>,
        origin: Option<Origin>,
        /// `false` adds to the conversation without asking the model.
        should_query: Option<bool> as "shouldQuery",
        /// Take the text as it is: no files mentioned, no slash commands.
        client_composed: Option<bool>,
        pasted_content: Option<Raw>,
        inline_pastes: Option<Vec<String>>,
        tool_use_result: Option<Value>,
        is_replay: Option<bool> as "isReplay",
    }
}

impl User {
    /// A prompt as the official hosts send it.
    pub fn new(content: impl Into<Content>) -> Self {
        Self {
            message: UserMessage::new(content),
            session_id: Some(String::new()),
            ..Self::default()
        }
    }
}

/// Why a `user` line is not a prompt. The reference agents treat these differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum UserFault {
    /// No `message`, or none that is an object.
    #[error("user message without `message`")]
    NoMessage,
    /// `message` has no `role`.
    #[error("user message without `role`")]
    NoRole,
    /// `role` is not `user`.
    #[error("user message whose role is not `user`")]
    OtherRole,
    /// `content` did not come.
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
    /// Looks for what is wrong with a line that says it is a `user` message.
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
