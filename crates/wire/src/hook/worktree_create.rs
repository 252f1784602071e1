//! `WorktreeCreate`: when a worktree is wanted.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told when a worktree is wanted.
    pub struct WorktreeCreateInput = "WorktreeCreate" {
        name: String,
    }
}

wire_struct! {
    /// What a hook may answer when a worktree is wanted.
    pub struct WorktreeCreateOutput ["hookEventName" = "WorktreeCreate"] {
        worktree_path: String as "worktreePath",
    }
}
