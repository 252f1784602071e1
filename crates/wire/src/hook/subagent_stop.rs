//! `SubagentStop`: when a subagent would stop.

use super::base::hook_input;
use super::{BackgroundTaskSummary, SessionCronSummary};
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told when a subagent would stop.
    pub struct SubagentStopInput = "SubagentStop" {
        stop_hook_active: bool,
        agent_transcript_path: Option<String>,
        last_assistant_message: Option<String>,
        background_tasks: Option<Vec<BackgroundTaskSummary>>,
        session_crons: Option<Vec<SessionCronSummary>>,
    }
}

wire_struct! {
    /// What a hook may answer when a subagent would stop.
    pub struct SubagentStopOutput ["hookEventName" = "SubagentStop"] {
        additional_context: Option<String> as "additionalContext",
    }
}
