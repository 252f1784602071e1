//! `PostModelSwitch`: after a change of the model.

use super::base::hook_input;
use crate::Number;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `PostModelSwitch` hook, which runs after a change of the model.
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
    /// Output of the `PostModelSwitch` hook.
    pub struct PostModelSwitchOutput ["hookEventName" = "PostModelSwitch"] {
        additional_context: Option<String> as "additionalContext",
    }
}
