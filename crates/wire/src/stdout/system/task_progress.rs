//! `task_progress`: the progress of a background task.

use crate::record::wire_struct;

wire_struct! {
    /// The resources used by a background task so far.
    pub struct TaskUsage {
        total_tokens: u64,
        tool_uses: u64,
        duration_ms: u64,
    }
}

wire_struct! {
    /// The progress of a background task.
    pub struct TaskProgress ["type" = "system", "subtype" = "task_progress"] {
        task_id: String,
        run_id: Option<String>,
        tool_use_id: Option<String>,
        description: String,
        subagent_type: Option<String>,
        usage: TaskUsage,
        last_tool_name: Option<String>,
        summary: Option<String>,
        uuid: String,
        session_id: String,
    }
}
