//! `task_updated`: a task changed.

use crate::Number;
use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// Where a task is.
    pub enum TaskStatus {
        Pending = "pending",
        Running = "running",
        Completed = "completed",
        Failed = "failed",
        Killed = "killed",
        Paused = "paused",
    }
}

wire_struct! {
    /// What changed of a task.
    pub struct TaskPatch {
        status: Option<TaskStatus>,
        description: Option<String>,
        end_time: Option<Number>,
        total_paused_ms: Option<Number>,
        error: Option<String>,
        is_backgrounded: Option<bool>,
    }
}

wire_struct! {
    /// A task changed.
    pub struct TaskUpdated ["type" = "system", "subtype" = "task_updated"] {
        task_id: String,
        run_id: Option<String>,
        patch: TaskPatch,
        uuid: String,
        session_id: String,
    }
}
