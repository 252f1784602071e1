//! `hook_progress`: the output of a running command hook.

use crate::record::wire_struct;

wire_struct! {
    /// The output of a running command hook so far.
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
