//! `background_tasks_changed`: the list of running background tasks.

use crate::record::wire_struct;

wire_struct! {
    /// A running background task.
    pub struct BackgroundTask {
        task_id: String,
        run_id: Option<String>,
        task_type: String,
        subagent_type: Option<String>,
        description: String,
        parent_task_id: Option<String>,
        ambient: Option<bool>,
    }
}

wire_struct! {
    /// All running background tasks. Replaces the previous list.
    pub struct BackgroundTasksChanged ["type" = "system", "subtype" = "background_tasks_changed"] {
        tasks: Vec<BackgroundTask>,
        uuid: String,
        session_id: String,
    }
}
