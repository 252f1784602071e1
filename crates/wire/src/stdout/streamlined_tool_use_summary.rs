//! `streamlined_tool_use_summary`: calls in a line, declared from 2.1.33 to 2.1.44.

use crate::record::wire_struct;

wire_struct! {
    /// Calls in a line.
    pub struct StreamlinedToolUseSummary ["type" = "streamlined_tool_use_summary"] {
        tool_summary: Option<String>,
        session_id: Option<String>,
        uuid: Option<String>,
    }
}
