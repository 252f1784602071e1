//! `interrupt`: stop the turn.

use crate::record::wire_struct;

wire_struct! {
    /// Stops the turn.
    pub struct Interrupt ["subtype" = "interrupt"] {
        /// Whether to remove the waiting prompts from the queue as well.
        cancel_queued: Option<bool>,
    }
}

wire_struct! {
    /// The ids of the prompts that are still in the queue, and of those that were removed.
    pub struct InterruptResponse {
        still_queued: Option<Vec<String>>,
        cancelled: Option<Vec<String>>,
    }
}
