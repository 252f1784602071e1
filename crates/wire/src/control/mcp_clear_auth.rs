//! `mcp_clear_auth`: forget the sign-in to an MCP server.

use crate::record::wire_struct;

wire_struct! {
    /// Forgets the sign-in to an MCP server.
    pub struct McpClearAuth ["subtype" = "mcp_clear_auth"] {
        server_name: String as "serverName",
    }
}
