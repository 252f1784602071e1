//! `PostToolUse`: after a tool call that succeeded.

use super::base::hook_input;
use crate::control::McpServerProvenance;
use crate::record::wire_struct;
use crate::{Number, Raw};

hook_input! {
    /// Input of the `PostToolUse` hook, which runs after a tool call that succeeded.
    pub struct PostToolUseInput = "PostToolUse" {
        tool_name: String,
        tool_input: Raw,
        tool_response: Raw,
        tool_use_id: String,
        duration_ms: Option<Number>,
        mcp_server: Option<McpServerProvenance>,
    }
}

wire_struct! {
    /// Output of the `PostToolUse` hook.
    pub struct PostToolUseOutput ["hookEventName" = "PostToolUse"] {
        additional_context: Option<String> as "additionalContext",
        classifier_context: Option<String> as "classifierContext",
        updated_tool_output: Option<Raw> as "updatedToolOutput",
        updated_mcp_tool_output: Option<Raw> as "updatedMCPToolOutput",
    }
}
