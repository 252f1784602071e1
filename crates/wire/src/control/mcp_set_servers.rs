//! `mcp_set_servers`: replace the MCP servers of the host.

use crate::record::wire_struct;
use crate::{Map, Raw};

wire_struct! {
    /// Replaces the MCP servers of the host.
    pub struct McpSetServers ["subtype" = "mcp_set_servers"] {
        servers: Map<Raw>,
    }
}

wire_struct! {
    /// The changes. A server that fails to start is in `errors`.
    pub struct McpSetServersResponse {
        added: Vec<String>,
        removed: Vec<String>,
        errors: Map<String>,
    }
}
