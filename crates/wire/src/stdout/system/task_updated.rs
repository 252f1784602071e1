//! `task_updated`: a background task changed.

use crate::Number;
use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// The status of a background task.
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
    /// The changed fields of a background task.
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
    /// A background task changed.
    pub struct TaskUpdated ["type" = "system", "subtype" = "task_updated"] {
        task_id: String,
        run_id: Option<String>,
        patch: TaskPatch,
        uuid: String,
        session_id: String,
    }
}
