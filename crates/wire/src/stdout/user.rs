//! `user`, from the agent: results of calls, notices, replayed prompts.

use crate::Raw;
use crate::content::Content;
use crate::origin::Origin;
use crate::record::wire_struct;

wire_struct! {
    /// A message on the user's side of the conversation.
    pub struct UserMessage {
        role: String,
        content: Content,
    }
}

impl UserMessage {
    /// A message with the role `user`.
    pub fn new(content: impl Into<Content>) -> Self {
        Self {
            role: "user".to_owned(),
            content: content.into(),
            ..Self::default()
        }
    }
}

wire_struct! {
    /// Who decided on a call, and how.
    pub struct PermissionDecision {
        decision: String,
        source: Option<String>,
        reason_type: Option<String>,
    }
}

wire_struct! {
    /// How a call came to its result.
    pub struct ToolResultMeta {
        id: String,
        permission_decision: Option<PermissionDecision>,
        non_execution_kind: Option<String>,
    }
}

wire_struct! {
    /// One result of a call, a notice of the agent's own, or a prompt replayed.
    pub struct User ["type" = "user"] {
        message: UserMessage,
        parent_tool_use_id: Option<String> = null,
        session_id: Option<String>,
        uuid: Option<String>,
        timestamp: Option<String>,
        /// What the tool gave besides text; `Error: …` as a string when it failed.
        tool_use_result: Option<serde_json::Value>,
        tool_result_meta: Option<Vec<ToolResultMeta>>,
        is_replay: Option<bool> as "isReplay",
        is_synthetic: Option<bool> as "isSynthetic",
        refused_message_id: Option<String>,
        priority: Option<String>,
        origin: Option<Origin>,
        should_query: Option<bool> as "shouldQuery",
        client_composed: Option<bool>,
        pasted_content: Option<Raw>,
        inline_pastes: Option<Vec<String>>,
        file_attachments: Option<Raw>,
        agent_id: Option<String>,
        subagent_type: Option<String>,
        task_description: Option<String>,
    }
}
