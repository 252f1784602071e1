//! `PreToolUse`: before a tool call.

use super::HookPermissionDecision;
use super::base::hook_input;
use crate::Raw;
use crate::control::McpServerProvenance;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `PreToolUse` hook, which runs before a tool call.
    pub struct PreToolUseInput = "PreToolUse" {
        tool_name: String,
        tool_input: Raw,
        tool_use_id: String,
        mcp_server: Option<McpServerProvenance>,
    }
}

wire_struct! {
    /// Output of the `PreToolUse` hook.
    pub struct PreToolUseOutput ["hookEventName" = "PreToolUse"] {
        permission_decision: Option<HookPermissionDecision> as "permissionDecision",
        permission_decision_reason: Option<String> as "permissionDecisionReason",
        updated_input: Option<Raw> as "updatedInput",
        additional_context: Option<String> as "additionalContext",
    }
}
