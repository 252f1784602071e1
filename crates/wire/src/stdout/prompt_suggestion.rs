//! `prompt_suggestion`: a suggestion for the next prompt.

use crate::record::wire_struct;

wire_struct! {
    /// A suggested prompt.
    pub struct PromptSuggestion ["type" = "prompt_suggestion"] {
        suggestion: String,
        uuid: String,
        session_id: String,
    }
}
