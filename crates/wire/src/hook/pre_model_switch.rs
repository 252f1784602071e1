//! `PreModelSwitch`: before another model answers.

use super::HookPermissionDecision;
use super::base::hook_input;
use crate::Number;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told before another model answers.
    pub struct PreModelSwitchInput = "PreModelSwitch" {
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
    /// What a hook may answer before another model answers.
    pub struct PreModelSwitchOutput ["hookEventName" = "PreModelSwitch"] {
        permission_decision: Option<HookPermissionDecision> as "permissionDecision",
        permission_decision_reason: Option<String> as "permissionDecisionReason",
    }
}
