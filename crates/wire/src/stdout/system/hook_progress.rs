//! `hook_progress`: a command hook says something.

use crate::record::wire_struct;

wire_struct! {
    /// What a running command hook has written so far.
    pub struct HookProgress ["type" = "system", "subtype" = "hook_progress"] {
        hook_id: String,
        hook_name: String,
        hook_event: String,
        stdout: String,
        stderr: String,
        output: String,
        uuid: String,
        session_id: String,
    }
}
