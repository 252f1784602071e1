//! `WorktreeCreate`: when a worktree is needed.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `WorktreeCreate` hook, which creates a worktree instead of git.
    pub struct WorktreeCreateInput = "WorktreeCreate" {
        name: String,
    }
}

wire_struct! {
    /// Output of the `WorktreeCreate` hook.
    pub struct WorktreeCreateOutput ["hookEventName" = "WorktreeCreate"] {
        worktree_path: String as "worktreePath",
    }
}
