//! `PreCompact`: before a compaction.

use super::base::hook_input;

hook_input! {
    /// Input of the `PreCompact` hook, which runs before a compaction.
    pub struct PreCompactInput = "PreCompact" {
        trigger: String,
        custom_instructions: Option<String> = null,
    }
}
