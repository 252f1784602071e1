//! `UserPromptSubmit`: before a prompt is processed.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `UserPromptSubmit` hook, which runs before a prompt is processed.
    pub struct UserPromptSubmitInput = "UserPromptSubmit" {
        prompt: String,
        source: Option<String>,
        session_title: Option<String>,
    }
}

wire_struct! {
    /// Output of the `UserPromptSubmit` hook.
    pub struct UserPromptSubmitOutput ["hookEventName" = "UserPromptSubmit"] {
        additional_context: Option<String> as "additionalContext",
        session_title: Option<String> as "sessionTitle",
        suppress_original_prompt: Option<bool> as "suppressOriginalPrompt",
    }
}
