//! `WorktreeRemove`: when a worktree goes away.

use super::base::hook_input;

hook_input! {
    /// What a hook is told when a worktree goes away.
    pub struct WorktreeRemoveInput = "WorktreeRemove" {
        worktree_path: String,
    }
}
