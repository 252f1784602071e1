//! `PermissionRequest`: a tool call needs permission.

use super::base::hook_input;
use crate::Raw;
use crate::control::McpServerProvenance;
use crate::permission_update::{Behavior, PermissionUpdate};
use crate::record::wire_struct;

wire_struct! {
    /// The decision of the hook.
    pub struct PermissionRequestDecision {
        behavior: Behavior,
        updated_input: Option<Raw> as "updatedInput",
        updated_permissions: Option<Vec<PermissionUpdate>> as "updatedPermissions",
        message: Option<String>,
        interrupt: Option<bool>,
    }
}

hook_input! {
    /// Input of the `PermissionRequest` hook, which runs when a tool call needs permission.
    pub struct PermissionRequestInput = "PermissionRequest" {
        tool_name: String,
        tool_input: Raw,
        permission_suggestions: Option<Vec<PermissionUpdate>>,
        mcp_server: Option<McpServerProvenance>,
    }
}

wire_struct! {
    /// Output of the `PermissionRequest` hook.
    pub struct PermissionRequestOutput ["hookEventName" = "PermissionRequest"] {
        decision: PermissionRequestDecision,
    }
}
