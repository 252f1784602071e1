//! `tool_progress`: a tool call is still running.

use crate::Number;
use crate::record::wire_struct;

wire_struct! {
    /// A subagent retries a failed request.
    pub struct SubagentRetry {
        agent_id: String,
        attempt: u64,
        max_retries: u64,
        retry_delay_ms: Number,
        error_status: Option<u64> = null,
        error_category: String,
    }
}

wire_struct! {
    /// The elapsed time of a running tool call. Sent every 30 seconds as a heartbeat.
    pub struct ToolProgress ["type" = "tool_progress"] {
        tool_use_id: String,
        tool_name: String,
        parent_tool_use_id: Option<String> = null,
        elapsed_time_seconds: Number,
        task_id: Option<String>,
        heartbeat: Option<bool>,
        subagent_type: Option<String>,
        subagent_retry: Option<SubagentRetry>,
        session_id: String,
        uuid: String,
    }
}
