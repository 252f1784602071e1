//! `local_command_output`: the output of a local command.

use crate::record::wire_struct;

wire_struct! {
    /// The output of a local command.
    pub struct LocalCommandOutput ["type" = "system", "subtype" = "local_command_output"] {
        content: String,
        uuid: String,
        session_id: String,
    }
}
