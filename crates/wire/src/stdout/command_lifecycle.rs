//! `command_lifecycle`: the progress of a prompt that was sent with a uuid.

use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// The state of a prompt.
    pub enum CommandState {
        Queued = "queued",
        Started = "started",
        Completed = "completed",
        Cancelled = "cancelled",
    }
}

wire_struct! {
    /// The state of a prompt changed.
    pub struct CommandLifecycle ["type" = "command_lifecycle"] {
        command_uuid: String,
        state: CommandState,
        uuid: String,
        session_id: String,
    }
}
