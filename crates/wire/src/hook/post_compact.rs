//! `PostCompact`: after a compaction.

use super::base::hook_input;

hook_input! {
    /// Input of the `PostCompact` hook, which runs after a compaction.
    pub struct PostCompactInput = "PostCompact" {
        trigger: String,
        compact_summary: String,
    }
}
