//! `get_task_output`: the end of a task's output.

use crate::record::wire_struct;

wire_struct! {
    /// Requests the end of a background task's output.
    pub struct GetTaskOutput ["subtype" = "get_task_output"] {
        task_id: String,
    }
}

wire_struct! {
    /// The end of a background task's output.
    pub struct GetTaskOutputResponse {
        output: String,
        total_bytes: u64,
        truncated: bool,
    }
}
