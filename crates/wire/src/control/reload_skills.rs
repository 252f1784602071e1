//! `reload_skills`: read the skills again.

use super::SlashCommand;
use crate::record::wire_struct;

wire_struct! {
    /// Reads the skills again.
    pub struct ReloadSkills ["subtype" = "reload_skills"] {}
}

wire_struct! {
    /// The skills there are.
    pub struct ReloadSkillsResponse {
        skills: Vec<SlashCommand>,
    }
}
