//! `SubagentStart`: when a subagent begins.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told when a subagent begins.
    pub struct SubagentStartInput = "SubagentStart" {
    }
}

wire_struct! {
    /// What a hook may answer when a subagent begins.
    pub struct SubagentStartOutput ["hookEventName" = "SubagentStart"] {
        additional_context: Option<String> as "additionalContext",
    }
}
