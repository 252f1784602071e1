//! `PostToolBatch`: after the calls of one answer.

use super::base::hook_input;
use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// One of the calls.
    pub struct BatchCall {
        tool_name: String,
        tool_input: Raw,
        tool_use_id: String,
        tool_response: Option<Raw>,
    }
}

hook_input! {
    /// What a hook is told after the calls of one answer.
    pub struct PostToolBatchInput = "PostToolBatch" {
        tool_calls: Vec<BatchCall>,
    }
}

wire_struct! {
    /// What a hook may answer after the calls of one answer.
    pub struct PostToolBatchOutput ["hookEventName" = "PostToolBatch"] {
        additional_context: Option<String> as "additionalContext",
    }
}
