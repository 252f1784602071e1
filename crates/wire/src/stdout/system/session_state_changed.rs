//! `session_state_changed`: the session started running, became idle or needs an answer.

use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// The state of the session.
    pub enum SessionState {
        Idle = "idle",
        Running = "running",
        RequiresAction = "requires_action",
    }
}

wire_struct! {
    /// The state of the session changed. `idle` means that all turns have ended.
    pub struct SessionStateChanged ["type" = "system", "subtype" = "session_state_changed"] {
        state: SessionState,
        uuid: String,
        session_id: String,
        /// Whether the message is meant for the host library and is hidden from its caller.
        sdk_host_only: Option<bool>,
    }
}
