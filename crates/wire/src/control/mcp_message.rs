//! `mcp_message`: JSON-RPC to or from an MCP server inside the host.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// JSON-RPC to or from an MCP server inside the host.
    pub struct McpMessage ["subtype" = "mcp_message"] {
        server_name: String,
        message: Raw,
    }
}

wire_struct! {
    /// What the server answered; a bare acknowledgement after a notification.
    pub struct McpMessageResponse {
        mcp_response: Option<Raw>,
    }
}
