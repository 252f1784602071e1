//! `PostCompact`: after a compaction.

use super::base::hook_input;

hook_input! {
    /// What a hook is told after a compaction.
    pub struct PostCompactInput = "PostCompact" {
        trigger: String,
        compact_summary: String,
    }
}
