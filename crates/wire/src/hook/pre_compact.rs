//! `PreCompact`: before a compaction.

use super::base::hook_input;

hook_input! {
    /// What a hook is told before a compaction.
    pub struct PreCompactInput = "PreCompact" {
        trigger: String,
        custom_instructions: Option<String> = null,
    }
}
