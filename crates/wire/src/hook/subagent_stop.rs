//! `SubagentStop`: when a subagent is about to end.

use super::base::hook_input;
use super::{BackgroundTaskSummary, SessionCronSummary};
use crate::record::wire_struct;

hook_input! {
    /// Input of the `SubagentStop` hook, which runs when a subagent is about to end.
    pub struct SubagentStopInput = "SubagentStop" {
        stop_hook_active: bool,
        agent_transcript_path: Option<String>,
        last_assistant_message: Option<String>,
        background_tasks: Option<Vec<BackgroundTaskSummary>>,
        session_crons: Option<Vec<SessionCronSummary>>,
    }
}

wire_struct! {
    /// Output of the `SubagentStop` hook.
    pub struct SubagentStopOutput ["hookEventName" = "SubagentStop"] {
        additional_context: Option<String> as "additionalContext",
    }
}
