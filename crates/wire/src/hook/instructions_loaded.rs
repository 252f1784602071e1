//! `InstructionsLoaded`: an instructions file such as `CLAUDE.md` was loaded.

use super::base::hook_input;

hook_input! {
    /// Input of the `InstructionsLoaded` hook, which runs when an instructions file was loaded.
    pub struct InstructionsLoadedInput = "InstructionsLoaded" {
        file_path: String,
        memory_type: String,
        load_reason: String,
        globs: Option<Vec<String>>,
        trigger_file_path: Option<String>,
        parent_file_path: Option<String>,
    }
}
