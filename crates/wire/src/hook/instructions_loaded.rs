//! `InstructionsLoaded`: when a file of instructions was read.

use super::base::hook_input;

hook_input! {
    /// What a hook is told when a file of instructions was read.
    pub struct InstructionsLoadedInput = "InstructionsLoaded" {
        file_path: String,
        memory_type: String,
        load_reason: String,
        globs: Option<Vec<String>>,
        trigger_file_path: Option<String>,
        parent_file_path: Option<String>,
    }
}
