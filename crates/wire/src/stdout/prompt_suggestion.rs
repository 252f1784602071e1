//! `prompt_suggestion`: what a person might ask next.

use crate::record::wire_struct;

wire_struct! {
    /// A prompt to offer.
    pub struct PromptSuggestion ["type" = "prompt_suggestion"] {
        suggestion: String,
        uuid: String,
        session_id: String,
    }
}
