//! `set_mcp_permission_mode_override`: set the permission mode for one MCP server.

use crate::mode::PermissionMode;
use crate::record::wire_struct;

wire_struct! {
    /// Sets the permission mode for the tools of one MCP server.
    pub struct SetMcpPermissionModeOverride ["subtype" = "set_mcp_permission_mode_override"] {
        server_name: String as "serverName",
        mode: Option<PermissionMode> = null,
    }
}

wire_struct! {
    /// An optional warning about the effect of the mode.
    pub struct SetMcpPermissionModeOverrideResponse {
        warning: Option<String>,
    }
}
