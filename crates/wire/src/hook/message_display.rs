//! `MessageDisplay`: a part of a reply is displayed.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `MessageDisplay` hook, which runs for each displayed part of a reply.
    pub struct MessageDisplayInput = "MessageDisplay" {
        turn_id: String,
        message_id: String,
        index: u64,
        last: bool as "final",
        delta: String,
    }
}

wire_struct! {
    /// Output of the `MessageDisplay` hook.
    pub struct MessageDisplayOutput ["hookEventName" = "MessageDisplay"] {
        display_content: Option<String> as "displayContent",
    }
}
