//! What the hooks of one event say together. Pure: the order in which they answered does not matter, and one that
//! refuses is never outvoted.

use serde_json::Value;
use sluice_wire::hook::{HookSpecificOutput, PermissionRequestDecision};
use sluice_wire::permission_update::Behavior;

use super::config::Origin;
use super::event::Event;
use super::output::{Block, Failure, HookAnswer, refusal};
use crate::call::{HookVerdict, Permission, Silence};

/// What one hook came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    /// Its place among the hooks: later ones were written later or by somebody stronger.
    pub(crate) place: usize,
    /// `PreToolUse:Bash`.
    pub(crate) name: String,
    /// What it does, in a line.
    pub(crate) text: String,
    pub(crate) origin: Origin,
    /// Whether a failure of it refuses, and not only those where it did not answer in time.
    pub(crate) refuses: Refuses,
    pub(crate) what: Result<HookAnswer, Failure>,
}

/// When a hook that says nothing refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refuses {
    Never,
    /// When it does not answer at all.
    Silence,
    Always,
}

/// Something the person has to know of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    /// A gate was passed because a hook did not answer in time.
    NoVerdict,
    /// A callback of the host failed.
    Callback(String),
    /// Any other failure.
    Trouble(String),
}

/// What the hooks of one event say together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Merged {
    pub(crate) halt: Option<String>,
    pub(crate) block: Option<Block>,
    pub(crate) verdict: Option<HookVerdict>,
    pub(crate) updated_input: Option<Value>,
    pub(crate) updated_output: Option<Value>,
    pub(crate) contexts: Vec<(String, String)>,
    pub(crate) messages: Vec<(String, String)>,
    pub(crate) decision: Option<PermissionRequestDecision>,
    pub(crate) specific: Vec<HookSpecificOutput>,
    pub(crate) notes: Vec<Note>,
}

/// Lays the answers of all hooks over each other.
pub(crate) fn merge(event: Event, mut said: Vec<Said>) -> Merged {
    said.sort_by_key(|said| said.place);
    let mut merged = Merged::default();
    let mut changed_by_an_allower = true;
    for said in said {
        let silence = matches!(said.what, Err(Failure::TimedOut | Failure::Cancelled)).then_some(match said.origin {
            Origin::Host => Silence::Host,
            _ => Silence::Hook,
        });
        let Some(answer) = answer_of(event, &said, &mut merged.notes) else {
            continue;
        };
        if let Some(input) = answer.updated_input {
            let allows = matches!(answer.permission, Some((Permission::Allow, _)));
            changed_by_an_allower = allows;
            merged.updated_input = Some(input);
        }
        if let Some((permission, block)) = answer.permission
            && merged
                .verdict
                .as_ref()
                .is_none_or(|known| permission > known.permission)
        {
            merged.verdict = Some(HookVerdict {
                permission,
                reason: block.reason,
                shown: block.shown,
                silence,
            });
        }
        merged.halt = merged.halt.or(answer.halt);
        merged.block = both(merged.block, answer.block);
        merged.updated_output = answer.updated_output.or(merged.updated_output);
        let named = |text: Option<String>| text.map(|text| (said.name.clone(), text));
        merged.contexts.extend(named(answer.context));
        merged.messages.extend(named(answer.message));
        merged.decision = decided(merged.decision, answer.decision);
        merged.specific.extend(answer.specific);
    }
    // Who allowed the call as it was has not allowed what another made of it.
    let allows = matches!(&merged.verdict, Some(verdict) if verdict.permission == Permission::Allow);
    if allows && !changed_by_an_allower {
        merged.verdict = None;
    }
    merged
}

/// What a hook says, or what its silence means.
fn answer_of(event: Event, said: &Said, notes: &mut Vec<Note>) -> Option<HookAnswer> {
    let failure = match &said.what {
        Ok(answer) => return Some(answer.clone()),
        Err(failure) => failure,
    };
    let name = event.as_str();
    let why = match failure {
        Failure::TimedOut => format!("{name} hook did not respond before its timeout"),
        Failure::Cancelled => format!("{name} hook could not be asked any more"),
        Failure::Broken(why) => format!("{name} hook failed: {why}"),
    };
    let refuses = match said.refuses {
        Refuses::Always => true,
        Refuses::Silence => !matches!(failure, Failure::Broken(_)),
        Refuses::Never => false,
    };
    if refuses && event.is_gate() {
        // An ask that nobody's hook answers is still asked.
        return (event != Event::PermissionRequest).then(|| refusal(event, Block::plain(why)));
    }
    notes.extend(match failure {
        Failure::Cancelled => None,
        Failure::TimedOut if event == Event::PreToolUse => Some(Note::NoVerdict),
        Failure::Broken(why) if said.origin == Origin::Host => Some(Note::Callback(format!(
            "{name}: Hook callback {} failed: {why}",
            said.text
        ))),
        Failure::TimedOut | Failure::Broken(_) => Some(Note::Trouble(why)),
    });
    None
}

fn both(one: Option<Block>, two: Option<Block>) -> Option<Block> {
    match (one, two) {
        (Some(one), Some(two)) => Some(Block {
            reason: format!("{}\n{}", one.reason, two.reason),
            shown: format!("{}\n{}", one.shown, two.shown),
        }),
        (one, two) => one.or(two),
    }
}

/// A no stands; of two that say yes the later one's input counts.
fn decided(
    one: Option<PermissionRequestDecision>,
    two: Option<PermissionRequestDecision>,
) -> Option<PermissionRequestDecision> {
    match (one, two) {
        (Some(one), Some(_)) if one.behavior == Behavior::Deny => Some(one),
        (one, two) => two.or(one),
    }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
