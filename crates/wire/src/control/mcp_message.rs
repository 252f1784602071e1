//! `mcp_message`: JSON-RPC to or from an MCP server that runs in the host.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Carries a JSON-RPC message to or from an MCP server that runs in the host.
    pub struct McpMessage ["subtype" = "mcp_message"] {
        server_name: String,
        message: Raw,
    }
}

wire_struct! {
    /// The response of the server. For a notification it is only an acknowledgement.
    pub struct McpMessageResponse {
        mcp_response: Option<Raw>,
    }
}
