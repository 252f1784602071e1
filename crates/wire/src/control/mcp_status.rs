//! `mcp_status`: the status of the MCP servers.

use crate::Raw;
use crate::open::open_enum;
use crate::record::wire_struct;

wire_struct! {
    /// Requests the status of the MCP servers.
    pub struct McpStatus ["subtype" = "mcp_status"] {
        live_reply: Option<bool> as "liveReply",
    }
}

wire_struct! {
    /// The name and version that a server reports.
    pub struct McpServerInfo {
        name: String,
        version: Option<String>,
    }
}

wire_struct! {
    /// The behaviour that a tool declares.
    pub struct McpToolAnnotations {
        read_only: Option<bool> as "readOnly",
        destructive: Option<bool>,
        open_world: Option<bool> as "openWorld",
    }
}

wire_struct! {
    /// A tool of an MCP server.
    pub struct McpTool {
        name: String,
        description: Option<String>,
        annotations: Option<McpToolAnnotations>,
        meta: Option<Raw> as "_meta",
    }
}

open_enum! {
    /// The permission policy of one tool of an MCP server.
    pub enum McpPermissionPolicy {
        AlwaysAllow = "always_allow",
        AlwaysAsk = "always_ask",
        AlwaysDeny = "always_deny",
    }
}

wire_struct! {
    /// The permission policy that a host declares for a tool of an MCP server.
    pub struct McpToolPolicy {
        name: String,
        permission_policy: Option<McpPermissionPolicy>,
        org_max_permission: Option<String>,
    }
}

wire_struct! {
    /// An MCP server and its status.
    pub struct McpServerStatus {
        name: String,
        /// `connected`, `failed`, `needs-auth`, `pending` or `disabled`.
        status: String,
        server_info: Option<McpServerInfo> as "serverInfo",
        error: Option<String>,
        config: Option<Raw>,
        scope: Option<String>,
        source: Option<String>,
        transport: Option<String>,
        tools: Option<Vec<McpTool>>,
    }
}

wire_struct! {
    /// The status of all MCP servers.
    pub struct McpStatusResponse {
        mcp_servers: Vec<McpServerStatus> as "mcpServers",
    }
}
