//! `streamlined_tool_use_summary`: tool calls summarised in one line. Only CLI versions 2.1.33 to 2.1.44 declare it.

use crate::record::wire_struct;

wire_struct! {
    /// A summary of tool calls in one line.
    pub struct StreamlinedToolUseSummary ["type" = "streamlined_tool_use_summary"] {
        tool_summary: Option<String>,
        session_id: Option<String>,
        uuid: Option<String>,
    }
}
