//! `tool_use_summary`: a summary of a series of tool calls.

use crate::record::wire_struct;

wire_struct! {
    /// A summary of the preceding tool calls.
    pub struct ToolUseSummary ["type" = "tool_use_summary"] {
        summary: String,
        preceding_tool_use_ids: Vec<String>,
        uuid: String,
        session_id: String,
    }
}
