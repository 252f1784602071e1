//! Slash commands, skills that the model invokes, and files that a prompt mentions (`@`).
//!
//! * `expand`: builds the prompt for the model from the body of a command, running its shell commands and attaching its
//!   files; `listing`: lists a mentioned folder;
//! * `play`: the turn of a command; `local`: commands that run without the model; `clear`: starts a new conversation;
//! * `fork`: commands that run in a subagent; `skill`: the tool with which the model invokes a skill (`Skill`);
//! * `list`: lists of commands and skills for hosts and the model, and reloading them.

mod clear;
mod expand;
mod fork;
mod list;
mod listing;
mod local;
mod play;
mod skill;

use sluice_permission::Source;

pub(crate) use play::FoundCommand;

use crate::session::Session;

impl Session {
    /// Reverts the overrides of a command at the end of its turn. A model that was chosen in the meantime is kept.
    pub(crate) fn revert_overrides(&mut self) {
        if self.policy.rules.iter().any(|rule| rule.source == Source::Command) {
            self.change_policy(|policy| policy.rules.retain(|rule| rule.source != Source::Command));
        }
        let overrides = self.commands.take_overrides();
        if let Some((before, replacement)) = overrides.model
            && self.model.name == replacement
        {
            self.model.name = before;
        }
        if let Some(effort) = overrides.effort {
            self.options.model.effort = effort;
        }
        for origin in overrides.hooks {
            self.remove_hooks(&origin);
        }
    }
}
