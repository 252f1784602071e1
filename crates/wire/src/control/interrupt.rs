//! `interrupt`: stop the turn.

use crate::record::wire_struct;

wire_struct! {
    /// Stops the turn.
    pub struct Interrupt ["subtype" = "interrupt"] {
        /// Also forget the prompts that wait.
        cancel_queued: Option<bool>,
    }
}

wire_struct! {
    /// What became of the prompts that waited.
    pub struct InterruptResponse {
        still_queued: Option<Vec<String>>,
        cancelled: Option<Vec<String>>,
    }
}
