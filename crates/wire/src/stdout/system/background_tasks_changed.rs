//! `background_tasks_changed`: the tasks that run now.

use crate::record::wire_struct;

wire_struct! {
    /// A running task.
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
    /// Every running task; replaces the list before.
    pub struct BackgroundTasksChanged ["type" = "system", "subtype" = "background_tasks_changed"] {
        tasks: Vec<BackgroundTask>,
        uuid: String,
        session_id: String,
    }
}
