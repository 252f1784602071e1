//! `FileChanged`: a watched file changed.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `FileChanged` hook, which runs when a watched file changed.
    pub struct FileChangedInput = "FileChanged" {
        file_path: String,
        event: String,
    }
}

wire_struct! {
    /// Output of the `FileChanged` hook.
    pub struct FileChangedOutput ["hookEventName" = "FileChanged"] {
        watch_paths: Option<Vec<String>> as "watchPaths",
    }
}
