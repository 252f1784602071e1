//! `CwdChanged`: when the working directory changed.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told when the working directory changed.
    pub struct CwdChangedInput = "CwdChanged" {
        old_cwd: String,
        new_cwd: String,
    }
}

wire_struct! {
    /// What a hook may answer when the working directory changed.
    pub struct CwdChangedOutput ["hookEventName" = "CwdChanged"] {
        watch_paths: Option<Vec<String>> as "watchPaths",
    }
}
