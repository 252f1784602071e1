//! `commands_changed`: the list of available slash commands.

use crate::control::SlashCommand;
use crate::record::wire_struct;

wire_struct! {
    /// All available slash commands. Replaces the previous list.
    pub struct CommandsChanged ["type" = "system", "subtype" = "commands_changed"] {
        commands: Vec<SlashCommand>,
        uuid: String,
        session_id: String,
    }
}
