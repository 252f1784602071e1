//! `stop_task`: stop a background task.

use crate::record::wire_struct;

wire_struct! {
    /// Stops a background task.
    pub struct StopTask ["subtype" = "stop_task"] {
        task_id: String,
    }
}
