//! `mcp_read_resource`: a resource of an MCP server.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Asks for a resource of an MCP server.
    pub struct McpReadResource ["subtype" = "mcp_read_resource"] {
        server_name: String as "serverName",
        uri: String,
    }
}

wire_struct! {
    /// A part of a resource.
    pub struct ResourceContents {
        uri: String,
        mime_type: Option<String> as "mimeType",
        text: Option<String>,
        blob: Option<String>,
        meta: Option<Raw> as "_meta",
    }
}

wire_struct! {
    /// The resource.
    pub struct McpReadResourceResponse {
        contents: Vec<ResourceContents>,
    }
}
