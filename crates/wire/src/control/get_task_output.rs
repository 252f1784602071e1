//! `get_task_output`: the end of what a task wrote.

use crate::record::wire_struct;

wire_struct! {
    /// Asks for the end of what a task wrote.
    pub struct GetTaskOutput ["subtype" = "get_task_output"] {
        task_id: String,
    }
}

wire_struct! {
    /// The end of what a task wrote.
    pub struct GetTaskOutputResponse {
        output: String,
        total_bytes: u64,
        truncated: bool,
    }
}
