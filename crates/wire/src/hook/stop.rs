//! `Stop`: when the agent would stop.

use super::base::hook_input;
use super::{BackgroundTaskSummary, SessionCronSummary};
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told when the agent would stop.
    pub struct StopInput = "Stop" {
        stop_hook_active: bool,
        last_assistant_message: Option<String>,
        background_tasks: Option<Vec<BackgroundTaskSummary>>,
        session_crons: Option<Vec<SessionCronSummary>>,
    }
}

wire_struct! {
    /// What a hook may answer when the agent would stop.
    pub struct StopOutput ["hookEventName" = "Stop"] {
        additional_context: Option<String> as "additionalContext",
    }
}
