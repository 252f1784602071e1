//! `PermissionRequest`: when a call has to be asked for.

use super::base::hook_input;
use crate::Raw;
use crate::control::McpServerProvenance;
use crate::permission_update::{Behavior, PermissionUpdate};
use crate::record::wire_struct;

wire_struct! {
    /// What the hook decides.
    pub struct PermissionRequestDecision {
        behavior: Behavior,
        updated_input: Option<Raw> as "updatedInput",
        updated_permissions: Option<Vec<PermissionUpdate>> as "updatedPermissions",
        message: Option<String>,
        interrupt: Option<bool>,
    }
}

hook_input! {
    /// What a hook is told when a call has to be asked for.
    pub struct PermissionRequestInput = "PermissionRequest" {
        tool_name: String,
        tool_input: Raw,
        permission_suggestions: Option<Vec<PermissionUpdate>>,
        mcp_server: Option<McpServerProvenance>,
    }
}

wire_struct! {
    /// What a hook may answer when a call has to be asked for.
    pub struct PermissionRequestOutput ["hookEventName" = "PermissionRequest"] {
        decision: PermissionRequestDecision,
    }
}
