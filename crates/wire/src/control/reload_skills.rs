//! `reload_skills`: reload the skills.

use super::SlashCommand;
use crate::record::wire_struct;

wire_struct! {
    /// Reloads the skills.
    pub struct ReloadSkills ["subtype" = "reload_skills"] {}
}

wire_struct! {
    /// The available skills.
    pub struct ReloadSkillsResponse {
        skills: Vec<SlashCommand>,
    }
}
