//! `SubagentStart`: when a subagent starts.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `SubagentStart` hook, which runs when a subagent starts.
    pub struct SubagentStartInput = "SubagentStart" {
    }
}

wire_struct! {
    /// Output of the `SubagentStart` hook.
    pub struct SubagentStartOutput ["hookEventName" = "SubagentStart"] {
        additional_context: Option<String> as "additionalContext",
    }
}
