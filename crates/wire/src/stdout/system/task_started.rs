//! `task_started`: a background task started.

use crate::record::wire_struct;

wire_struct! {
    /// A background task started: a subagent, a background command or a workflow.
    pub struct TaskStarted ["type" = "system", "subtype" = "task_started"] {
        task_id: String,
        run_id: Option<String>,
        owned_by_subagent: Option<bool>,
        tool_use_id: Option<String>,
        description: String,
        subagent_type: Option<String>,
        is_backgrounded: Option<bool>,
        spawn_depth: Option<u64>,
        parent_task_id: Option<String>,
        task_type: Option<String>,
        workflow_name: Option<String>,
        prompt: Option<String>,
        skip_transcript: Option<bool>,
        ambient: Option<bool>,
        uuid: String,
        session_id: String,
    }
}
