//! `DirectoryAdded`: when a directory to work in was added.

use super::base::hook_input;

hook_input! {
    /// What a hook is told when a directory to work in was added.
    pub struct DirectoryAddedInput = "DirectoryAdded" {
        directory: String,
        source: String,
    }
}
