//! `local_command_output`: what a local command printed.

use crate::record::wire_struct;

wire_struct! {
    /// What a local command printed.
    pub struct LocalCommandOutput ["type" = "system", "subtype" = "local_command_output"] {
        content: String,
        uuid: String,
        session_id: String,
    }
}
