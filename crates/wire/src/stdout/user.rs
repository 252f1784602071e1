//! `user`, from the agent: tool results, notices, replayed prompts.

use crate::Raw;
use crate::content::Content;
use crate::origin::Origin;
use crate::record::wire_struct;

wire_struct! {
    /// A message with the role `user` in the conversation.
    pub struct UserMessage {
        role: String,
        content: Content,
    }
}

impl UserMessage {
    /// Creates a message with the role `user`.
    pub fn new(content: impl Into<Content>) -> Self {
        Self {
            role: "user".to_owned(),
            content: content.into(),
            ..Self::default()
        }
    }
}

wire_struct! {
    /// The permission decision about a tool call and its source.
    pub struct PermissionDecision {
        decision: String,
        source: Option<String>,
        reason_type: Option<String>,
    }
}

wire_struct! {
    /// Metadata of a tool result.
    pub struct ToolResultMeta {
        id: String,
        permission_decision: Option<PermissionDecision>,
        non_execution_kind: Option<String>,
    }
}

wire_struct! {
    /// A tool result, a notice from the agent, or a replayed prompt.
    pub struct User ["type" = "user"] {
        message: UserMessage,
        parent_tool_use_id: Option<String> = null,
        session_id: Option<String>,
        uuid: Option<String>,
        timestamp: Option<String>,
        /// The structured result of the tool; the string `Error: …` if the call failed.
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
