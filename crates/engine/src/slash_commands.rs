//! Slash commands: prompts that begin with a slash, skills the model takes up, and files a prompt mentions (`@`).
//!
//! * `expand`: from a body to what the model reads, its shell commands run and its files attached; `listing`: a folder that
//!   was mentioned;
//! * `play`: the turn of a command; `local`: those answered without the model; `clear`: beginning again;
//! * `fork`: those an agent of their own carries out; `skill`: the tool by which the model takes a skill up (`Skill`);
//! * `list`: what hosts and the model are told there is, and reading it all again.

mod clear;
mod expand;
mod fork;
mod list;
mod listing;
mod local;
mod play;
mod skill;

use sluice_permission::Source;

pub(crate) use play::Known;

use crate::session::Session;

impl Session {
    /// Takes back what a command was given for its turn. A model or an effort chosen meanwhile stays.
    pub(crate) fn return_lent(&mut self) {
        if self.policy.rules.iter().any(|rule| rule.source == Source::Command) {
            self.change_policy(|policy| policy.rules.retain(|rule| rule.source != Source::Command));
        }
        let lent = self.commands.take_lent();
        if let Some((before, lent)) = lent.model
            && self.model.name == lent
        {
            self.model.name = before;
        }
        if let Some(effort) = lent.effort {
            self.options.model.effort = effort;
        }
        for origin in lent.hooks {
            self.remove_hooks(&origin);
        }
    }
}
