//! `task_notification`: a background task ended.

use super::TaskUsage;
use crate::Raw;
use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// The outcome of a background task.
    pub enum TaskOutcome {
        Completed = "completed",
        Failed = "failed",
        Stopped = "stopped",
    }
}

wire_struct! {
    /// A background task ended.
    pub struct TaskNotification ["type" = "system", "subtype" = "task_notification"] {
        task_id: String,
        run_id: Option<String>,
        tool_use_id: Option<String>,
        status: TaskOutcome,
        reason: Option<String>,
        output_file: String,
        summary: String,
        /// True if `summary` is the report of a subagent in the background.
        summary_is_report: Option<bool>,
        usage: Option<TaskUsage>,
        resource_links: Option<Vec<Raw>>,
        skip_transcript: Option<bool>,
        ambient: Option<bool>,
        uuid: String,
        session_id: String,
    }
}
