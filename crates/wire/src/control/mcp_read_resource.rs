//! `mcp_read_resource`: read a resource of an MCP server.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Requests a resource of an MCP server.
    pub struct McpReadResource ["subtype" = "mcp_read_resource"] {
        server_name: String as "serverName",
        uri: String,
    }
}

wire_struct! {
    /// A part of a resource's content.
    pub struct ResourceContents {
        uri: String,
        mime_type: Option<String> as "mimeType",
        text: Option<String>,
        blob: Option<String>,
        meta: Option<Raw> as "_meta",
    }
}

wire_struct! {
    /// The content of the resource.
    pub struct McpReadResourceResponse {
        contents: Vec<ResourceContents>,
    }
}
