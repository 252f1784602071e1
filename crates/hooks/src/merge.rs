//! Merges the results of all hooks of an event. Pure: the order in which the hooks ended does not matter, and a deny is
//! never overridden.

use serde_json::Value;
use sluice_call::{HookVerdict, Permission, Silence};
use sluice_wire::hook::{HookSpecificOutput, PermissionRequestDecision};
use sluice_wire::permission_update::Behavior;

use crate::config::Origin;
use crate::event::Event;
use crate::output::{Block, Failure, HookAnswer, refusal};

/// The result of a hook.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The position in the list of hooks: later hooks come later in a file or from a stronger origin.
    pub place: usize,
    /// The name of the run, such as `PreToolUse:Bash`.
    pub name: String,
    /// A one-line description of the action.
    pub text: String,
    pub origin: Origin,
    /// Whether a failure of the hook denies.
    pub refuses: Refuses,
    pub what: Result<HookAnswer, Failure>,
}

/// When a hook without a result denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refuses {
    Never,
    /// If it timed out or was cancelled.
    Silence,
    Always,
}

/// A problem of a hook that the user must be informed about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A tool call continues although a hook timed out.
    NoVerdict,
    /// A callback of the host failed.
    Callback(String),
    /// Any other failure.
    Trouble(String),
}

/// The merged result of the hooks of an event.
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

/// Merges the results of all hooks.
pub fn merge(event: Event, mut said: Vec<Said>) -> Merged {
    said.sort_by_key(|said| said.place);
    let mut merged = Merged::default();
    let mut changed_by_allowing_hook = true;
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
            changed_by_allowing_hook = allows;
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
        merged.block = merged_blocks(merged.block, answer.block);
        merged.updated_output = answer.updated_output.or(merged.updated_output);
        let named = |text: Option<String>| text.map(|text| (said.name.clone(), text));
        merged.contexts.extend(named(answer.context));
        merged.messages.extend(named(answer.message));
        merged.decision = merged_decisions(merged.decision, answer.decision);
        merged.specific.extend(answer.specific);
    }
    // The allow of one hook does not cover the input that another hook changed.
    let allows = matches!(&merged.verdict, Some(verdict) if verdict.permission == Permission::Allow);
    if allows && !changed_by_allowing_hook {
        merged.verdict = None;
    }
    merged
}

/// Returns the result of a hook, or the consequence of its failure.
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
        // A permission request that no hook answers is sent to the host.
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

fn merged_blocks(one: Option<Block>, two: Option<Block>) -> Option<Block> {
    match (one, two) {
        (Some(one), Some(two)) => Some(Block {
            reason: format!("{}\n{}", one.reason, two.reason),
            shown: format!("{}\n{}", one.shown, two.shown),
        }),
        (one, two) => one.or(two),
    }
}

/// Merges two decisions. A deny has precedence; of two allows, the later one counts.
fn merged_decisions(
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
