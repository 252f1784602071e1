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
    catalogue: Arc<Catalogue>,
    /// What an untrusted folder brings to no effect, once it was looked up.
    held_back: Option<Option<String>>,
    /// What the running command has changed for its turn.
    lent: Lent,
    /// Skills the model has called for and whose instructions it has not got yet.
    called: Vec<(String, String)>,
    /// What the model was given of skills in this conversation.
    given: Vec<(String, String)>,
    /// The list of skills the model was last told.
    told: Option<String>,
    /// Whether the problems of the files were told.
    problems_told: bool,
    /// The list of commands the host was last told.
    host_knows: Option<Vec<SlashCommand>>,
    /// Whether `init` was said: nothing stands before it but answers.
    announced: bool,
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

/// Whether the model is told a list of skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    Nothing,
    First,
    /// It was told another one before.
    Changed,
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
    pub(crate) fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    /// Everything was read anew, and `held_back` along with it where that is given.
    pub(crate) fn replace_catalogue(&mut self, catalogue: Arc<Catalogue>, held_back: Option<Option<String>>) {
        self.catalogue = catalogue;
        self.held_back = held_back;
    }

    /// What an untrusted folder brings to no effect, if it was looked up.
    pub(crate) fn held_back(&self) -> Option<&Option<String>> {
        self.held_back.as_ref()
    }

    pub(crate) fn note_held_back(&mut self, held: Option<String>) {
        self.held_back = Some(held);
    }

    /// The settings have changed.
    pub(crate) fn forget_held_back(&mut self) {
        self.held_back = None;
    }

    /// What the running command changes for its turn.
    pub(crate) fn lent(&mut self) -> &mut Lent {
        &mut self.lent
    }

    /// Its turn is over.
    pub(crate) fn take_lent(&mut self) -> Lent {
        std::mem::take(&mut self.lent)
    }

    /// The model has called for a skill.
    pub(crate) fn call_skill(&mut self, name: String, args: String) {
        self.called.push((name, args));
    }

    /// The skills the model has called for, with their arguments.
    pub(crate) fn take_called(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.called)
    }

    /// Whether the problems of the files are still to be told; they are told now.
    pub(crate) fn tell_problems(&mut self) -> bool {
        !std::mem::replace(&mut self.problems_told, true)
    }

    /// The model is told this list of skills. What it was told before, if it is another one.
    pub(crate) fn tell_skills(&mut self, list: Option<String>) -> Told {
        let told = match (&self.told, &list) {
            (_, None) => Told::Nothing,
            (Some(before), Some(now)) if before == now => Told::Nothing,
            (Some(_), Some(_)) => Told::Changed,
            (None, Some(_)) => Told::First,
        };
        self.told = list;
        told
    }

    /// What was told of the skills is no longer part of the conversation.
    pub(crate) fn forget_skills_told(&mut self) {
        self.told = None;
    }

    /// Everything is read again: the host knows the list of before, and problems are told anew.
    pub(crate) fn reloaded(&mut self, before: Vec<SlashCommand>) {
        self.host_knows.get_or_insert(before);
        self.problems_told = false;
    }

    /// The host is given this list.
    pub(crate) fn note_host_knows(&mut self, commands: &[SlashCommand]) {
        self.host_knows = Some(commands.to_vec());
    }

    /// `init` was said: changes of the list may be told from now on.
    pub(crate) fn announce(&mut self) {
        self.announced = true;
    }

    /// The list the host knows, once changes of it may be told.
    pub(crate) fn host_knows(&self) -> Option<&[SlashCommand]> {
        self.host_knows.as_deref().filter(|_| self.announced)
    }

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
