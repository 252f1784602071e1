//! Skills and slash commands in the response to `get_context_usage`: how many there are, how many are listed for the
//! model, and how many tokens the list takes.

use serde_json::{Value, json};
use sluice_model::measure::tokens;
use sluice_wire::Raw;
use sluice_wire::control::{ContextSkills, ContextSlashCommands};

use crate::catalogue::entry::{Entry, Kind, Origin};

/// Numbers of skills and slash commands, and the tokens that the list of them takes.
#[derive(Debug, Default, Clone)]
pub(crate) struct SkillRoom {
    pub(crate) skills: ContextSkills,
    pub(crate) commands: ContextSlashCommands,
}

impl SkillRoom {
    /// Counts all entries, and the entries that are listed for the model together with their lines.
    pub(crate) fn of<'a>(all: &[Entry], told: impl Iterator<Item = (&'a Entry, &'a str)>) -> Self {
        let mut room = Self::default();
        for entry in all {
            match entry.kind {
                Kind::Skill => room.skills.total_skills += 1,
                Kind::Command => room.commands.total_commands += 1,
            }
        }
        for (entry, line) in told {
            let tokens = tokens(&Value::from(line));
            match entry.kind {
                Kind::Skill => {
                    room.skills.included_skills += 1;
                    room.skills.tokens += tokens;
                    let told = json!({"name": entry.name, "source": source(&entry.origin), "tokens": tokens});
                    room.skills.skill_frontmatter.push(Raw::of(&told));
                }
                Kind::Command => {
                    room.commands.included_commands += 1;
                    room.commands.tokens += tokens;
                }
            }
        }
        room
    }

    /// Tokens of the whole list.
    pub(crate) fn tokens(&self) -> u64 {
        self.skills.tokens + self.commands.tokens
    }
}

fn source(origin: &Origin) -> &'static str {
    match origin {
        Origin::User => "userSettings",
        Origin::Project => "projectSettings",
        Origin::Plugin { .. } => "plugin",
    }
}
