//! `mcp_clear_auth`: sign out of an MCP server.

use crate::record::wire_struct;

wire_struct! {
    /// Deletes the stored credentials of an MCP server.
    pub struct McpClearAuth ["subtype" = "mcp_clear_auth"] {
        server_name: String as "serverName",
    }
}
