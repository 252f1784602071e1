//! `stop_task`: end a task.

use crate::record::wire_struct;

wire_struct! {
    /// Ends a task.
    pub struct StopTask ["subtype" = "stop_task"] {
        task_id: String,
    }
}
