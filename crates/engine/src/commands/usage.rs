//! Skills and slash commands in the response to `get_context_usage`: how many there are, how many are listed for the
//! model, and how many tokens the list takes.

use serde_json::{Value, json};
use sluice_model::measure::tokens;
use sluice_wire::Raw;
use sluice_wire::control::{ContextSkills, ContextSlashCommands};

use crate::catalogue::entry::{Entry, Kind, Origin};

/// Numbers of skills and slash commands, and the tokens that the list of them takes.
#[derive(Debug, Default, Clone)]
pub(crate) struct SkillUsage {
    pub(crate) skills: ContextSkills,
    pub(crate) commands: ContextSlashCommands,
}

impl SkillUsage {
    /// Counts all entries, and the entries that are listed for the model together with their lines.
    pub(crate) fn of<'a>(all: &[Entry], listed: impl Iterator<Item = (&'a Entry, &'a str)>) -> Self {
        let mut usage = Self::default();
        for entry in all {
            match entry.kind {
                Kind::Skill => usage.skills.total_skills += 1,
                Kind::Command => usage.commands.total_commands += 1,
            }
        }
        for (entry, line) in listed {
            let tokens = tokens(&Value::from(line));
            match entry.kind {
                Kind::Skill => {
                    usage.skills.included_skills += 1;
                    usage.skills.tokens += tokens;
                    let listed = json!({"name": entry.name, "source": source(&entry.origin), "tokens": tokens});
                    usage.skills.skill_frontmatter.push(Raw::of(&listed));
                }
                Kind::Command => {
                    usage.commands.included_commands += 1;
                    usage.commands.tokens += tokens;
                }
            }
        }
        usage
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
