//! `UserPromptSubmit`: before a prompt is taken.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told before a prompt is taken.
    pub struct UserPromptSubmitInput = "UserPromptSubmit" {
        prompt: String,
        source: Option<String>,
        session_title: Option<String>,
    }
}

wire_struct! {
    /// What a hook may answer before a prompt is taken.
    pub struct UserPromptSubmitOutput ["hookEventName" = "UserPromptSubmit"] {
        additional_context: Option<String> as "additionalContext",
        session_title: Option<String> as "sessionTitle",
        suppress_original_prompt: Option<bool> as "suppressOriginalPrompt",
    }
}
