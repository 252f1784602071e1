//! `mcp_reconnect`: connect an MCP server again.

use crate::record::wire_struct;

wire_struct! {
    /// Connects an MCP server again.
    pub struct McpReconnect ["subtype" = "mcp_reconnect"] {
        server_name: String as "serverName",
    }
}
