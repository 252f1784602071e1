//! `session_state_changed`: whether the session waits, runs, or is done.

use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// What the session is at.
    pub enum SessionState {
        Idle = "idle",
        Running = "running",
        RequiresAction = "requires_action",
    }
}

wire_struct! {
    /// The session's state changed; `idle` is the end of the run.
    pub struct SessionStateChanged ["type" = "system", "subtype" = "session_state_changed"] {
        state: SessionState,
        uuid: String,
        session_id: String,
        /// Meant for the library that drives the agent, not for its caller.
        sdk_host_only: Option<bool>,
    }
}
