//! `WorktreeRemove`: when a worktree is removed.

use super::base::hook_input;

hook_input! {
    /// Input of the `WorktreeRemove` hook, which runs when a worktree is removed.
    pub struct WorktreeRemoveInput = "WorktreeRemove" {
        worktree_path: String,
    }
}
