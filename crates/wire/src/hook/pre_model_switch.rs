//! `PreModelSwitch`: before a change of the model.

use super::HookPermissionDecision;
use super::base::hook_input;
use crate::Number;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `PreModelSwitch` hook, which runs before a change of the model.
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
    /// Output of the `PreModelSwitch` hook.
    pub struct PreModelSwitchOutput ["hookEventName" = "PreModelSwitch"] {
        permission_decision: Option<HookPermissionDecision> as "permissionDecision",
        permission_decision_reason: Option<String> as "permissionDecisionReason",
    }
}
