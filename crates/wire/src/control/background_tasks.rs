//! `background_tasks`: move running calls to the background.

use crate::record::wire_struct;

wire_struct! {
    /// Moves all running calls, or the given one, to the background.
    pub struct BackgroundTasks ["subtype" = "background_tasks"] {
        tool_use_id: Option<String>,
    }
}

wire_struct! {
    /// Reports whether a call was moved.
    pub struct BackgroundTasksResponse {
        backgrounded: Option<bool>,
    }
}
