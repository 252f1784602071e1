//! `tool_use_summary`: what a run of calls did, in words.

use crate::record::wire_struct;

wire_struct! {
    /// What the calls before it did.
    pub struct ToolUseSummary ["type" = "tool_use_summary"] {
        summary: String,
        preceding_tool_use_ids: Vec<String>,
        uuid: String,
        session_id: String,
    }
}
