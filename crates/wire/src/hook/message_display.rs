//! `MessageDisplay`: while an answer is shown.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told while an answer is shown.
    pub struct MessageDisplayInput = "MessageDisplay" {
        turn_id: String,
        message_id: String,
        index: u64,
        last: bool as "final",
        delta: String,
    }
}

wire_struct! {
    /// What a hook may answer while an answer is shown.
    pub struct MessageDisplayOutput ["hookEventName" = "MessageDisplay"] {
        display_content: Option<String> as "displayContent",
    }
}
