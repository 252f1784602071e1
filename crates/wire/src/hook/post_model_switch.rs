//! `PostModelSwitch`: after another model answers.

use super::base::hook_input;
use crate::Number;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told after another model answers.
    pub struct PostModelSwitchInput = "PostModelSwitch" {
        from_model: String,
        to_model: String,
        requested_model: Option<String> = null,
        source: String,
        context_tokens: u64,
        prompt_cache_warm: bool,
        cache_ttl: String,
        estimated_cache_write_usd: Number,
        pricing: String,
    }
}

wire_struct! {
    /// What a hook may answer after another model answers.
    pub struct PostModelSwitchOutput ["hookEventName" = "PostModelSwitch"] {
        additional_context: Option<String> as "additionalContext",
    }
}
