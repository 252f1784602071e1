//! `SessionEnd`: when a session ends.

use super::base::hook_input;

hook_input! {
    /// What a hook is told when a session ends.
    pub struct SessionEndInput = "SessionEnd" {
        reason: String,
    }
}
