//! `background_tasks`: move running calls to the background.

use crate::record::wire_struct;

wire_struct! {
    /// Moves running calls, or one of them, to the background.
    pub struct BackgroundTasks ["subtype" = "background_tasks"] {
        tool_use_id: Option<String>,
    }
}

wire_struct! {
    /// Whether something moved.
    pub struct BackgroundTasksResponse {
        backgrounded: Option<bool>,
    }
}
