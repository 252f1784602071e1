//! `PreToolUse`: before a call.

use super::HookPermissionDecision;
use super::base::hook_input;
use crate::Raw;
use crate::control::McpServerProvenance;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told before a call.
    pub struct PreToolUseInput = "PreToolUse" {
        tool_name: String,
        tool_input: Raw,
        tool_use_id: String,
        mcp_server: Option<McpServerProvenance>,
    }
}

wire_struct! {
    /// What a hook may answer before a call.
    pub struct PreToolUseOutput ["hookEventName" = "PreToolUse"] {
        permission_decision: Option<HookPermissionDecision> as "permissionDecision",
        permission_decision_reason: Option<String> as "permissionDecisionReason",
        updated_input: Option<Raw> as "updatedInput",
        additional_context: Option<String> as "additionalContext",
    }
}
