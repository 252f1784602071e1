//! `mcp_call`: call a tool of an MCP server without the model.

use crate::record::wire_struct;
use crate::{Number, Raw};

wire_struct! {
    /// An input file of the call.
    pub struct InputFile {
        name: String,
        lane_path: String,
    }
}

wire_struct! {
    /// An output file of the call.
    pub struct OutputFile {
        name: String,
        lane_path: String,
        if_match: Option<String>,
    }
}

wire_struct! {
    /// Calls a tool of an MCP server without the model.
    pub struct McpCall ["subtype" = "mcp_call"] {
        tool: String,
        arguments: Option<Raw>,
        expires_at: Option<String>,
        timeout_ms: Option<Number>,
        result_not_for_model: Option<bool>,
        check_permissions: Option<bool>,
        input_files: Option<Vec<InputFile>>,
        output_files: Option<Vec<OutputFile>>,
    }
}

wire_struct! {
    /// The result of the tool.
    pub struct McpCallResponse {
        content: Option<Raw>,
    }
}
