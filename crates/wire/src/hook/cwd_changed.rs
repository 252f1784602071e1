//! `CwdChanged`: the working directory changed.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `CwdChanged` hook, which runs when the working directory changed.
    pub struct CwdChangedInput = "CwdChanged" {
        old_cwd: String,
        new_cwd: String,
    }
}

wire_struct! {
    /// Output of the `CwdChanged` hook.
    pub struct CwdChangedOutput ["hookEventName" = "CwdChanged"] {
        watch_paths: Option<Vec<String>> as "watchPaths",
    }
}
