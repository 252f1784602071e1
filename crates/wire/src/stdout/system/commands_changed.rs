//! `commands_changed`: the slash commands there are now.

use crate::control::SlashCommand;
use crate::record::wire_struct;

wire_struct! {
    /// Every slash command; replaces the list before.
    pub struct CommandsChanged ["type" = "system", "subtype" = "commands_changed"] {
        commands: Vec<SlashCommand>,
        uuid: String,
        session_id: String,
    }
}
