//! `SessionEnd`: when a session ends.

use super::base::hook_input;

hook_input! {
    /// Input of the `SessionEnd` hook, which runs when a session ends.
    pub struct SessionEndInput = "SessionEnd" {
        reason: String,
    }
}
