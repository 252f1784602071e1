//! `UserPromptExpansion`: when a slash command is expanded into a prompt.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `UserPromptExpansion` hook, which runs when a slash command is expanded into a prompt.
    pub struct UserPromptExpansionInput = "UserPromptExpansion" {
        expansion_type: String,
        command_name: String,
        command_args: String,
        command_source: Option<String>,
        prompt: String,
    }
}

wire_struct! {
    /// Output of the `UserPromptExpansion` hook.
    pub struct UserPromptExpansionOutput ["hookEventName" = "UserPromptExpansion"] {
        additional_context: Option<String> as "additionalContext",
        suppress_original_prompt: Option<bool> as "suppressOriginalPrompt",
    }
}
