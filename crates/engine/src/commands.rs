//! State of commands and skills in a session. `slash_commands` runs them.
//!
//! * `slash`: parses slash commands, pure; `usage`: how much of the context the list of skills takes.

mod slash;
mod usage;

use std::sync::Arc;

use serde_json::Value;
use sluice_hooks::Origin;
use sluice_wire::control::SlashCommand;

pub(crate) use slash::Slash;
pub(crate) use usage::SkillUsage;

use crate::catalogue::Catalogue;

/// The tool with which the model invokes a skill.
pub(crate) const SKILL: &str = "Skill";

/// A file or folder attached to a prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attached {
    /// The attachment as stored in the transcript.
    pub(crate) what: Value,
    /// The content blocks for the model.
    pub(crate) blocks: Vec<Value>,
}

/// State of commands and skills in a session.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    /// The loaded commands, skills, styles and plugins.
    catalogue: Arc<Catalogue>,
    /// Customizations of an untrusted folder that are not applied, as a sentence; the outer `None` means not determined
    /// yet.
    held_back: Option<Option<String>>,
    /// Overrides of the running command for its turn.
    overrides: TurnOverrides,
    /// Skills that the model has invoked and whose instructions it has not received yet, with their arguments.
    called: Vec<(String, String)>,
    /// Names and texts of the skills that the model has received in this conversation.
    received: Vec<(String, String)>,
    /// The list of skills that the model received last.
    listed_skills: Option<String>,
    /// Whether problems of the files have been reported.
    problems_reported: bool,
    /// The list of commands that the host received last.
    host_commands: Option<Vec<SlashCommand>>,
    /// Whether `init` has been sent. Only control responses are sent before it.
    announced: bool,
}

/// Overrides of a command, which apply until its turn ends.
#[derive(Debug, Default)]
pub(crate) struct TurnOverrides {
    /// The model before the command, and the model that replaces it.
    pub(crate) model: Option<(String, String)>,
    pub(crate) effort: Option<Option<String>>,
    /// Skills and commands whose hooks are active.
    pub(crate) hooks: Vec<Origin>,
}

/// Whether the model receives a list of skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SkillListChange {
    Nothing,
    First,
    /// The model has received a different list before.
    Changed,
}

/// Why a command produces no prompt for the model.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The command failed, with an error message.
    Failed(String),
    /// The turn has to stop.
    Stopped,
}

/// Where a file is mentioned, which decides what may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mentioned {
    /// In a prompt. The person named the file, so only denied files are excluded.
    ByPerson,
    /// In a file. Files that would need permission are excluded.
    InFile,
}

/// Whether the model has received a skill before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SkillVersion {
    First,
    /// It has received a different text.
    Changed,
    Unchanged,
}

impl Commands {
    pub(crate) fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    /// Replaces the catalogue after a reload. `held_back`, if given, replaces the stored value as well.
    pub(crate) fn replace_catalogue(&mut self, catalogue: Arc<Catalogue>, held_back: Option<Option<String>>) {
        self.catalogue = catalogue;
        self.held_back = held_back;
    }

    /// Customizations of an untrusted folder that are not applied, if determined.
    pub(crate) fn held_back(&self) -> Option<&Option<String>> {
        self.held_back.as_ref()
    }

    pub(crate) fn note_held_back(&mut self, held: Option<String>) {
        self.held_back = Some(held);
    }

    /// Clears the stored value after a change of settings.
    pub(crate) fn forget_held_back(&mut self) {
        self.held_back = None;
    }

    /// Overrides of the running command for its turn.
    pub(crate) fn overrides(&mut self) -> &mut TurnOverrides {
        &mut self.overrides
    }

    /// Removes and returns the overrides at the end of the turn.
    pub(crate) fn take_overrides(&mut self) -> TurnOverrides {
        std::mem::take(&mut self.overrides)
    }

    /// Stores a skill that the model has invoked.
    pub(crate) fn call_skill(&mut self, name: String, args: String) {
        self.called.push((name, args));
    }

    /// Removes and returns the skills that the model has invoked, with their arguments.
    pub(crate) fn take_called(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.called)
    }

    /// Returns true if problems of the files have not been reported yet, and marks them as reported.
    pub(crate) fn take_problem_report(&mut self) -> bool {
        !std::mem::replace(&mut self.problems_reported, true)
    }

    /// Stores the list of skills for the model. Returns whether it has to be sent.
    pub(crate) fn set_listed_skills(&mut self, list: Option<String>) -> SkillListChange {
        let change = match (&self.listed_skills, &list) {
            (_, None) => SkillListChange::Nothing,
            (Some(before), Some(now)) if before == now => SkillListChange::Nothing,
            (Some(_), Some(_)) => SkillListChange::Changed,
            (None, Some(_)) => SkillListChange::First,
        };
        self.listed_skills = list;
        change
    }

    /// Clears the list that the model received: it is no longer part of the conversation.
    pub(crate) fn forget_listed_skills(&mut self) {
        self.listed_skills = None;
    }

    /// Prepares for a reload: remembers the list that the host knows, and reports problems again.
    pub(crate) fn reloaded(&mut self, before: Vec<SlashCommand>) {
        self.host_commands.get_or_insert(before);
        self.problems_reported = false;
    }

    /// Stores the list that the host receives.
    pub(crate) fn set_host_commands(&mut self, commands: &[SlashCommand]) {
        self.host_commands = Some(commands.to_vec());
    }

    /// Records that `init` has been sent. Changes of the list may be sent from now on.
    pub(crate) fn announce(&mut self) {
        self.announced = true;
    }

    /// The list that the host knows, if changes of it may be sent.
    pub(crate) fn host_commands(&self) -> Option<&[SlashCommand]> {
        self.host_commands.as_deref().filter(|_| self.announced)
    }

    /// Stores the text of a skill for the model. Returns whether it is new.
    pub(crate) fn record_skill(&mut self, name: &str, text: &str) -> SkillVersion {
        match self.received.iter_mut().find(|(known, _)| known == name) {
            None => {
                self.received.push((name.to_owned(), text.to_owned()));
                SkillVersion::First
            }
            Some((_, before)) if before == text => SkillVersion::Unchanged,
            Some((_, before)) => {
                text.clone_into(before);
                SkillVersion::Changed
            }
        }
    }

    /// Clears the skills that the model has received, for a new conversation.
    pub(crate) fn forget_received_skills(&mut self) {
        self.received.clear();
    }
}

/// The name of the skill in the input of a `Skill` call.
pub(crate) fn skill_of(input: &Value) -> &str {
    let name = input.get("skill").and_then(Value::as_str).unwrap_or_default();
    name.trim().trim_start_matches('/')
}
