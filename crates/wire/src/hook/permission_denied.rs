//! `PermissionDenied`: after a call was refused.

use super::base::hook_input;
use crate::Raw;
use crate::control::McpServerProvenance;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told after a call was refused.
    pub struct PermissionDeniedInput = "PermissionDenied" {
        tool_name: String,
        tool_input: Raw,
        tool_use_id: String,
        reason: String,
        mcp_server: Option<McpServerProvenance>,
    }
}

wire_struct! {
    /// What a hook may answer after a call was refused.
    pub struct PermissionDeniedOutput ["hookEventName" = "PermissionDenied"] {
        retry: Option<bool>,
    }
}
