//! `StopFailure`: when a turn ends with an error of the API.

use super::base::hook_input;
use crate::stdout::AssistantError;

hook_input! {
    /// What a hook is told when a turn ends with an error of the API.
    pub struct StopFailureInput = "StopFailure" {
        error: AssistantError,
        error_details: Option<String>,
        last_assistant_message: Option<String>,
    }
}
