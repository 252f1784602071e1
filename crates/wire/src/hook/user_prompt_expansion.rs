//! `UserPromptExpansion`: when a command becomes a prompt.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told when a command becomes a prompt.
    pub struct UserPromptExpansionInput = "UserPromptExpansion" {
        expansion_type: String,
        command_name: String,
        command_args: String,
        command_source: Option<String>,
        prompt: String,
    }
}

wire_struct! {
    /// What a hook may answer when a command becomes a prompt.
    pub struct UserPromptExpansionOutput ["hookEventName" = "UserPromptExpansion"] {
        additional_context: Option<String> as "additionalContext",
        suppress_original_prompt: Option<bool> as "suppressOriginalPrompt",
    }
}
