//! `FileChanged`: when a watched file changed.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told when a watched file changed.
    pub struct FileChangedInput = "FileChanged" {
        file_path: String,
        event: String,
    }
}

wire_struct! {
    /// What a hook may answer when a watched file changed.
    pub struct FileChangedOutput ["hookEventName" = "FileChanged"] {
        watch_paths: Option<Vec<String>> as "watchPaths",
    }
}
