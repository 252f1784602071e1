//! `StopFailure`: when a turn ends with an API error.

use super::base::hook_input;
use crate::stdout::AssistantError;

hook_input! {
    /// Input of the `StopFailure` hook, which runs when a turn ends with an API error.
    pub struct StopFailureInput = "StopFailure" {
        error: AssistantError,
        error_details: Option<String>,
        last_assistant_message: Option<String>,
    }
}
