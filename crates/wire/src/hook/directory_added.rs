//! `DirectoryAdded`: a working directory was added.

use super::base::hook_input;

hook_input! {
    /// Input of the `DirectoryAdded` hook, which runs when a working directory was added.
    pub struct DirectoryAddedInput = "DirectoryAdded" {
        directory: String,
        source: String,
    }
}
