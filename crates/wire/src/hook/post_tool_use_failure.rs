//! `PostToolUseFailure`: after a tool call that failed.

use super::base::hook_input;
use crate::control::McpServerProvenance;
use crate::record::wire_struct;
use crate::{Number, Raw};

hook_input! {
    /// Input of the `PostToolUseFailure` hook, which runs after a tool call that failed.
    pub struct PostToolUseFailureInput = "PostToolUseFailure" {
        tool_name: String,
        tool_input: Raw,
        tool_use_id: String,
        error: String,
        is_interrupt: Option<bool>,
        duration_ms: Option<Number>,
        mcp_server: Option<McpServerProvenance>,
    }
}

wire_struct! {
    /// Output of the `PostToolUseFailure` hook.
    pub struct PostToolUseFailureOutput ["hookEventName" = "PostToolUseFailure"] {
        additional_context: Option<String> as "additionalContext",
    }
}
