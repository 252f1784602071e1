//! `PostToolUseFailure`: after a call that failed.

use super::base::hook_input;
use crate::control::McpServerProvenance;
use crate::record::wire_struct;
use crate::{Number, Raw};

hook_input! {
    /// What a hook is told after a call that failed.
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
    /// What a hook may answer after a call that failed.
    pub struct PostToolUseFailureOutput ["hookEventName" = "PostToolUseFailure"] {
        additional_context: Option<String> as "additionalContext",
    }
}
