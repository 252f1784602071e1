//! `PermissionDenied`: a tool call was denied.

use super::base::hook_input;
use crate::Raw;
use crate::control::McpServerProvenance;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `PermissionDenied` hook, which runs after a tool call was denied.
    pub struct PermissionDeniedInput = "PermissionDenied" {
        tool_name: String,
        tool_input: Raw,
        tool_use_id: String,
        reason: String,
        mcp_server: Option<McpServerProvenance>,
    }
}

wire_struct! {
    /// Output of the `PermissionDenied` hook.
    pub struct PermissionDeniedOutput ["hookEventName" = "PermissionDenied"] {
        retry: Option<bool>,
    }
}
