//! `command_lifecycle`: what becomes of a prompt that carried a uuid.

use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// Where a prompt is.
    pub enum CommandState {
        Queued = "queued",
        Started = "started",
        Completed = "completed",
        Cancelled = "cancelled",
    }
}

wire_struct! {
    /// A prompt moved on.
    pub struct CommandLifecycle ["type" = "command_lifecycle"] {
        command_uuid: String,
        state: CommandState,
        uuid: String,
        session_id: String,
    }
}
