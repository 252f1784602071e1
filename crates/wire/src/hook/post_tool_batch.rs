//! `PostToolBatch`: after all tool calls of one model message.

use super::base::hook_input;
use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// One call of the batch.
    pub struct BatchCall {
        tool_name: String,
        tool_input: Raw,
        tool_use_id: String,
        tool_response: Option<Raw>,
    }
}

hook_input! {
    /// Input of the `PostToolBatch` hook, which runs after all tool calls of one model message.
    pub struct PostToolBatchInput = "PostToolBatch" {
        tool_calls: Vec<BatchCall>,
    }
}

wire_struct! {
    /// Output of the `PostToolBatch` hook.
    pub struct PostToolBatchOutput ["hookEventName" = "PostToolBatch"] {
        additional_context: Option<String> as "additionalContext",
    }
}
