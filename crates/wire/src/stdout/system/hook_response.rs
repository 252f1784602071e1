//! `hook_response`: a command hook ended.

use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// The outcome of a command hook.
    pub enum HookOutcome {
        Success = "success",
        Error = "error",
        Cancelled = "cancelled",
    }
}

wire_struct! {
    /// A command hook ended.
    pub struct HookResponse ["type" = "system", "subtype" = "hook_response"] {
        hook_id: String,
        hook_name: String,
        hook_event: String,
        output: String,
        stdout: String,
        stderr: String,
        exit_code: Option<i64>,
        outcome: Option<HookOutcome>,
        uuid: String,
        session_id: String,
    }
}
