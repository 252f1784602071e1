//! `set_mcp_permission_mode_override`: a mode for one MCP server.

use crate::mode::PermissionMode;
use crate::record::wire_struct;

wire_struct! {
    /// Sets a mode for one MCP server.
    pub struct SetMcpPermissionModeOverride ["subtype" = "set_mcp_permission_mode_override"] {
        server_name: String as "serverName",
        mode: Option<PermissionMode> = null,
    }
}

wire_struct! {
    /// What to know about it.
    pub struct SetMcpPermissionModeOverrideResponse {
        warning: Option<String>,
    }
}
