//! What commands and skills have going in a session. How they are played is `slash_commands`.
//!
//! * `slash`: whether a prompt is a slash command, pure; `room`: how much of the context skills take.

mod room;
mod slash;

use std::sync::Arc;

use serde_json::Value;
use sluice_hooks::Origin;
use sluice_wire::control::SlashCommand;

pub(crate) use room::SkillRoom;
pub(crate) use slash::Slash;

use crate::catalogue::Catalogue;

/// The tool by which the model takes a skill up.
pub(crate) const SKILL: &str = "Skill";

/// A file or a folder that came with a prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attached {
    /// What it is, as it is kept.
    pub(crate) what: Value,
    /// As the model is shown it.
    pub(crate) blocks: Vec<Value>,
}

/// What commands and skills have going in a session.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    /// Commands, skills, styles and plugins that were found.
    pub(crate) catalogue: Arc<Catalogue>,
    /// What the folder brings to no effect, once it was looked up.
    pub(crate) held_back: Option<Option<String>>,
    /// What the running command has changed for its turn.
    pub(crate) lent: Lent,
    /// Skills the model has called for and whose instructions it has not got yet.
    pub(crate) called: Vec<(String, String)>,
    /// What the model was given of skills in this conversation.
    pub(crate) given: Vec<(String, String)>,
    /// The list of skills the model was last told.
    pub(crate) told: Option<String>,
    /// How many problems of files were told.
    pub(crate) problems_told: bool,
    /// The list of commands the host was last told.
    pub(crate) host_knows: Option<Vec<SlashCommand>>,
    /// Whether `init` was said: nothing stands before it but answers.
    pub(crate) announced: bool,
}

/// What a command changes for as long as its turn runs.
#[derive(Debug, Default)]
pub(crate) struct Lent {
    /// The model before, and the one in its place.
    pub(crate) model: Option<(String, String)>,
    pub(crate) effort: Option<Option<String>>,
    /// Skills and commands whose hooks hold.
    pub(crate) hooks: Vec<Origin>,
}

/// Why there is nothing for the model to read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The text says why.
    Failed(String),
    /// The turn has to stop.
    Stopped,
}

/// How far a mention is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mentioned {
    /// In a prompt: the person named the file, so only what is denied stays out.
    ByPerson,
    /// In a file: what would need a question stays out.
    InFile,
}

/// Whether the model has read a skill before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    First,
    /// It has, and it says something else now.
    Again,
    Unchanged,
}

impl Commands {
    /// The model is about to read this of a skill.
    pub(crate) fn give(&mut self, name: &str, text: &str) -> Given {
        match self.given.iter_mut().find(|(known, _)| known == name) {
            None => {
                self.given.push((name.to_owned(), text.to_owned()));
                Given::First
            }
            Some((_, before)) if before == text => Given::Unchanged,
            Some((_, before)) => {
                text.clone_into(before);
                Given::Again
            }
        }
    }

    /// The conversation begins anew.
    pub(crate) fn forget_given(&mut self) {
        self.given.clear();
    }
}

/// The skill a call asks for.
pub(crate) fn skill_of(input: &Value) -> &str {
    let name = input.get("skill").and_then(Value::as_str).unwrap_or_default();
    name.trim().trim_start_matches('/')
}
