//! `Setup`: when a project is set up.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `Setup` hook, which runs when a project is set up.
    pub struct SetupInput = "Setup" {
        trigger: String,
    }
}

wire_struct! {
    /// Output of the `Setup` hook.
    pub struct SetupOutput ["hookEventName" = "Setup"] {
        additional_context: Option<String> as "additionalContext",
    }
}
