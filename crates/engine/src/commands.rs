//! Prompts that begin with a slash, skills the model takes up, and files a prompt mentions.
//!
//! * `slash`: whether a prompt is a command, pure;
//! * `arguments`, `body`, `mentions`: what is put where in a body, and what a text mentions, pure;
//! * `builtin`, `prompts`: the commands that need no file;
//! * `expand`: from a body to what the model reads, its shell commands run and its files attached; `listing`: a folder that
//!   was mentioned;
//! * `play`: the turn of a command; `local`: those answered without the model; `clear`: beginning again;
//! * `fork`: those an agent of their own carries out; `skill`: the tool by which the model takes a skill up;
//! * `list`: what hosts and the model are told there is, and reading it all again; `room`: how much of the context that takes.

mod arguments;
mod body;
mod builtin;
mod clear;
mod expand;
mod fork;
mod list;
mod listing;
mod local;
mod mentions;
mod play;
mod prompts;
mod room;
mod skill;
mod slash;

pub(crate) use expand::{Failure, runs_commands};
pub(crate) use play::Known;
pub(crate) use room::SkillRoom;
use std::sync::Arc;

use serde_json::Value;
pub(crate) use skill::{NAME as SKILL, named as skill_of};
pub(crate) use slash::Slash;
use sluice_permission::Source;
use sluice_wire::control::SlashCommand;

pub(crate) use expand::Mentioned;

use crate::catalogue::Catalogue;
use crate::hooks::Origin;
use crate::session::Session;

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
    lent: Lent,
    /// Skills the model has called for and whose instructions it has not got yet.
    called: Vec<(String, String)>,
    /// What the model was given of skills in this conversation.
    given: Vec<(String, String)>,
    /// The list of skills the model was last told.
    told: Option<String>,
    /// How many problems of files were told.
    problems_told: bool,
    /// The list of commands the host was last told.
    host_knows: Option<Vec<SlashCommand>>,
    /// Whether `init` was said: nothing stands before it but answers.
    announced: bool,
}

/// What a command changes for as long as its turn runs.
#[derive(Debug, Default)]
struct Lent {
    /// The model before, and the one in its place.
    model: Option<(String, String)>,
    effort: Option<Option<String>>,
    /// Skills and commands whose hooks hold.
    hooks: Vec<Origin>,
}

impl Session {
    /// Takes back what a command was given for its turn. A model or an effort chosen meanwhile stays.
    pub(crate) fn return_lent(&mut self) {
        self.policy.rules.retain(|rule| rule.source != Source::Command);
        if let Some((before, lent)) = self.commands.lent.model.take()
            && self.model.name == lent
        {
            self.model.name = before;
        }
        if let Some(effort) = self.commands.lent.effort.take() {
            self.options.model.effort = effort;
        }
        for origin in std::mem::take(&mut self.commands.lent.hooks) {
            self.remove_hooks(&origin);
        }
    }
}
