//! `Stop`: when the agent is about to end its turn.

use super::base::hook_input;
use super::{BackgroundTaskSummary, SessionCronSummary};
use crate::record::wire_struct;

hook_input! {
    /// Input of the `Stop` hook, which runs when the agent is about to end its turn.
    pub struct StopInput = "Stop" {
        stop_hook_active: bool,
        last_assistant_message: Option<String>,
        background_tasks: Option<Vec<BackgroundTaskSummary>>,
        session_crons: Option<Vec<SessionCronSummary>>,
    }
}

wire_struct! {
    /// Output of the `Stop` hook.
    pub struct StopOutput ["hookEventName" = "Stop"] {
        additional_context: Option<String> as "additionalContext",
    }
}
