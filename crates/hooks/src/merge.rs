//! The merged answer of all hooks of one event. Pure: the order in which they answered does not matter, and a hook
//! that denies is never overruled.

use serde_json::Value;
use sluice_call::{HookVerdict, Permission, Silence};
use sluice_wire::hook::{HookSpecificOutput, PermissionRequestDecision};
use sluice_wire::permission_update::Behavior;

use crate::config::Origin;
use crate::event::Event;
use crate::output::{Block, Failure, HookAnswer, refusal};

/// What one hook came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Its place among the hooks: later ones come later in a file or from a stronger source.
    pub place: usize,
    /// `PreToolUse:Bash`.
    pub name: String,
    /// What it does, in a line.
    pub text: String,
    pub origin: Origin,
    /// Whether a failure of it refuses, and not only those where it did not answer in time.
    pub refuses: Refuses,
    pub what: Result<HookAnswer, Failure>,
}

/// When a hook without an answer denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refuses {
    Never,
    /// When it does not answer at all.
    Silence,
    Always,
}

/// Something the person has to know of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A gate was passed because a hook did not answer in time.
    NoVerdict,
    /// A callback of the host failed.
    Callback(String),
    /// Any other failure.
    Trouble(String),
}

/// The merged answer of the hooks of one event.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Merged {
    pub halt: Option<String>,
    pub block: Option<Block>,
    pub verdict: Option<HookVerdict>,
    pub updated_input: Option<Value>,
    pub updated_output: Option<Value>,
    pub contexts: Vec<(String, String)>,
    pub messages: Vec<(String, String)>,
    pub decision: Option<PermissionRequestDecision>,
    pub specific: Vec<HookSpecificOutput>,
    pub notes: Vec<Note>,
}

/// Merges the answers of all hooks.
pub fn merge(event: Event, mut said: Vec<Said>) -> Merged {
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
        let silence = silence.or(answer.held_back.then_some(Silence::HeldBack));
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

/// The answer of a hook, or what its absence means.
fn answer_of(event: Event, said: &Said, notes: &mut Vec<Note>) -> Option<HookAnswer> {
    let failure = match &said.what {
        Ok(answer) => return Some(answer.clone()),
        Err(failure) => failure,
    };
    let name = event.as_str();
    let why = match failure {
        Failure::TimedOut => format!("{name} hook did not respond before its timeout"),
        Failure::Cancelled => format!("{name} hook was cancelled"),
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

/// A deny wins; of two that allow, the input of the later one counts.
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
