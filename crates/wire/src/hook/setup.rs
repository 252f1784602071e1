//! `Setup`: when a project is set up.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told when a project is set up.
    pub struct SetupInput = "Setup" {
        trigger: String,
    }
}

wire_struct! {
    /// What a hook may answer when a project is set up.
    pub struct SetupOutput ["hookEventName" = "Setup"] {
        additional_context: Option<String> as "additionalContext",
    }
}
