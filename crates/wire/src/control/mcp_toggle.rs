//! `mcp_toggle`: switch an MCP server on or off.

use crate::record::wire_struct;

wire_struct! {
    /// Switches an MCP server on or off.
    pub struct McpToggle ["subtype" = "mcp_toggle"] {
        server_name: String as "serverName",
        enabled: bool,
    }
}
