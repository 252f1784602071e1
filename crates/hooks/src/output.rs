//! The output of a hook, read from an exit code, a JSON object or plain text. Pure.

use serde::Deserialize;
use serde_json::Value;
use sluice_call::Permission;
use sluice_settings::held::HOW_TO_TRUST;
use sluice_wire::hook::{
    HookDecision, HookOutput, HookPermissionDecision, HookSpecificOutput, PermissionRequestDecision,
    WorktreeCreateOutput,
};
use sluice_wire::permission_update::Behavior;

use crate::event::Event;

/// How long a text for the model may be, in letters: a hook does not get to fill the conversation.
const LONGEST_CONTEXT: usize = 10_000;

/// Why something is held up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The hook's own words.
    pub reason: String,
    /// The same, with whose they are where that is not plain.
    pub shown: String,
}

impl Block {
    pub fn plain(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self {
            shown: reason.clone(),
            reason,
        }
    }
}

/// The answer of one hook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookAnswer {
    /// The turn has to end; why.
    pub halt: Option<String>,
    /// What waits must not happen, or the model must think again.
    pub block: Option<Block>,
    pub permission: Option<(Permission, Block)>,
    pub updated_input: Option<Value>,
    pub updated_output: Option<Value>,
    pub context: Option<String>,
    /// For the person.
    pub message: Option<String>,
    pub decision: Option<PermissionRequestDecision>,
    /// What else belongs to the event.
    pub specific: Option<HookSpecificOutput>,
    /// The hook did not run: its folder is not trusted.
    pub held_back: bool,
    /// It is async.
    pub is_async: bool,
    /// Its output is not worth showing.
    pub quiet: bool,
}

impl HookAnswer {
    /// The answer in place of a hook that does not run because its folder is not trusted.
    pub fn held_back() -> Self {
        let reason = "This folder is not trusted, so a PreToolUse hook of the project that covers this call does not \
                      run. The hook might deny the call.";
        Self {
            permission: Some((Permission::Ask, Block::plain(format!("{reason} {HOW_TO_TRUST}")))),
            held_back: true,
            ..Self::default()
        }
    }

    /// The answer without what it allows: its source may deny, but not allow.
    pub fn without_leave(self) -> Self {
        Self {
            permission: self
                .permission
                .filter(|(permission, _)| *permission != Permission::Allow),
            decision: self.decision.filter(|decision| decision.behavior == Behavior::Deny),
            ..self
        }
    }
}

/// Why a hook has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// It did not answer in time.
    TimedOut,
    /// It could not be run, crashed, or its output cannot be read.
    Broken(String),
    /// Its answer is no longer needed.
    Cancelled,
}

/// The answer of a command, by its exit code and output.
pub fn of_program(event: Event, command: &str, code: i32, stdout: &str, stderr: &str) -> Result<HookAnswer, Failure> {
    match code {
        0 => of_text(event, stdout),
        2 => {
            let said = if stderr.trim().is_empty() { stdout } else { stderr };
            let reason = said.trim().to_owned();
            Ok(refusal(
                event,
                Block {
                    shown: format!("[{command}]: {reason}"),
                    reason,
                },
            ))
        }
        code => {
            let first = stderr.trim().lines().next().unwrap_or_default();
            Err(Failure::Broken(format!("[{command}] ended with code {code}: {first}")))
        }
    }
}

/// The answer in a text: a JSON object is read as hook output, anything else is plain text.
pub fn of_text(event: Event, text: &str) -> Result<HookAnswer, Failure> {
    let trimmed = text.trim();
    if trimmed.starts_with('{') {
        let value = serde_json::from_str(trimmed)
            .map_err(|error| Failure::Broken(format!("its output looks like JSON but is not: {error}")))?;
        return of_value(event, &value);
    }
    if event == Event::WorktreeCreate && !trimmed.is_empty() {
        // Its last line is the path: what it ran may have printed something before.
        let made = WorktreeCreateOutput {
            worktree_path: trimmed.lines().next_back().unwrap_or_default().trim().to_owned(),
            ..WorktreeCreateOutput::default()
        };
        return Ok(HookAnswer {
            specific: Some(HookSpecificOutput::WorktreeCreate(Box::new(made))),
            ..HookAnswer::default()
        });
    }
    Ok(HookAnswer {
        context: (event.text_is_context() && !trimmed.is_empty()).then(|| shortened(trimmed)),
        ..HookAnswer::default()
    })
}

/// The answer in a JSON value; `null` is an empty one.
pub fn of_value(event: Event, value: &Value) -> Result<HookAnswer, Failure> {
    if value.is_null() {
        return Ok(HookAnswer::default());
    }
    let output: HookOutput = serde_json::from_value(value.clone())
        .map_err(|error| Failure::Broken(format!("its output cannot be read: {error}")))?;
    of_output(event, output)
}

/// The answer in a hook's output.
pub fn of_output(event: Event, output: HookOutput) -> Result<HookAnswer, Failure> {
    let mut answer = HookAnswer {
        halt: (output.go_on == Some(false)).then(|| output.stop_reason.clone().unwrap_or_default()),
        message: output.system_message,
        is_async: output.is_async == Some(true),
        quiet: output.suppress_output == Some(true),
        ..HookAnswer::default()
    };
    let reason = output.reason.unwrap_or_default();
    match output.decision {
        Some(HookDecision::Block) => {
            let refused = refusal(event, Block::plain(reason));
            answer.block = refused.block;
            answer.permission = refused.permission;
            answer.decision = refused.decision;
        }
        Some(HookDecision::Approve) if event == Event::PreToolUse => {
            answer.permission = Some((Permission::Allow, Block::plain(reason)));
        }
        Some(HookDecision::Approve) | None => {}
        Some(HookDecision::Other(word)) => {
            return Err(Failure::Broken(format!("unknown decision {word:?}")));
        }
    }
    match output.hook_specific_output {
        None => {}
        Some(specific) => of_specific(event, specific, &mut answer)?,
    }
    Ok(answer)
}

/// The part that belongs to the event; of another event's it is no answer.
fn of_specific(event: Event, specific: HookSpecificOutput, answer: &mut HookAnswer) -> Result<(), Failure> {
    let foreign = || Failure::Broken(format!("its `hookEventName` is not {}", event.as_str()));
    let context = |text: &Option<String>| text.as_deref().filter(|text| !text.trim().is_empty()).map(shortened);
    match (event, &specific) {
        (Event::PreToolUse, HookSpecificOutput::PreToolUse(it)) => {
            let reason = Block::plain(it.permission_decision_reason.clone().unwrap_or_default());
            if let Some(word) = &it.permission_decision {
                let said = match word {
                    HookPermissionDecision::Allow => Permission::Allow,
                    HookPermissionDecision::Deny => Permission::Deny,
                    HookPermissionDecision::Defer => Permission::Defer,
                    HookPermissionDecision::Ask => Permission::Ask,
                    HookPermissionDecision::Other(word) => {
                        return Err(Failure::Broken(format!("unknown decision {word:?}")));
                    }
                };
                let stricter = answer.permission.as_ref().is_none_or(|(earlier, _)| said > *earlier);
                if stricter {
                    answer.permission = Some((said, reason));
                }
            }
            answer.updated_input = it.updated_input.as_ref().map(sluice_wire::Raw::to_value);
            answer.context = context(&it.additional_context);
        }
        (Event::PostToolUse, HookSpecificOutput::PostToolUse(it)) => {
            let updated = it.updated_tool_output.as_ref().or(it.updated_mcp_tool_output.as_ref());
            answer.updated_output = updated.map(sluice_wire::Raw::to_value);
            answer.context = context(&it.additional_context);
        }
        (Event::PermissionRequest, HookSpecificOutput::PermissionRequest(it)) => {
            let known = matches!(it.decision.behavior, Behavior::Allow | Behavior::Deny);
            if !known {
                return Err(Failure::Broken(format!("unknown decision {:?}", it.decision.behavior)));
            }
            if answer.decision.is_none() {
                answer.decision = Some(it.decision.clone());
            }
        }
        (Event::PreModelSwitch, HookSpecificOutput::PreModelSwitch(it)) => {
            let refused = !matches!(it.permission_decision, None | Some(HookPermissionDecision::Allow));
            if refused {
                let reason = it.permission_decision_reason.clone().unwrap_or_default();
                answer.block = Some(Block::plain(reason));
            }
        }
        (Event::PermissionDenied, HookSpecificOutput::PermissionDenied(_))
        | (Event::Elicitation, HookSpecificOutput::Elicitation(_))
        | (Event::ElicitationResult, HookSpecificOutput::ElicitationResult(_))
        | (Event::WorktreeCreate, HookSpecificOutput::WorktreeCreate(_))
        | (Event::CwdChanged, HookSpecificOutput::CwdChanged(_))
        | (Event::FileChanged, HookSpecificOutput::FileChanged(_))
        | (Event::MessageDisplay, HookSpecificOutput::MessageDisplay(_)) => {}
        _ => match said_to_model(event, &specific) {
            Some(text) => answer.context = context(text),
            None => return Err(foreign()),
        },
    }
    answer.specific = Some(specific);
    Ok(())
}

/// `additionalContext`, for events whose output has nothing else; `None` for the output of another event.
fn said_to_model(event: Event, specific: &HookSpecificOutput) -> Option<&Option<String>> {
    Some(match (event, specific) {
        (Event::PostToolUseFailure, HookSpecificOutput::PostToolUseFailure(it)) => &it.additional_context,
        (Event::PostToolBatch, HookSpecificOutput::PostToolBatch(it)) => &it.additional_context,
        (Event::Notification, HookSpecificOutput::Notification(it)) => &it.additional_context,
        (Event::UserPromptSubmit, HookSpecificOutput::UserPromptSubmit(it)) => &it.additional_context,
        (Event::UserPromptExpansion, HookSpecificOutput::UserPromptExpansion(it)) => &it.additional_context,
        (Event::SessionStart, HookSpecificOutput::SessionStart(it)) => &it.additional_context,
        (Event::SubagentStart, HookSpecificOutput::SubagentStart(it)) => &it.additional_context,
        (Event::SubagentStop, HookSpecificOutput::SubagentStop(it)) => &it.additional_context,
        (Event::PostModelSwitch, HookSpecificOutput::PostModelSwitch(it)) => &it.additional_context,
        (Event::Setup, HookSpecificOutput::Setup(it)) => &it.additional_context,
        (Event::Stop, HookSpecificOutput::Stop(it)) => &it.additional_context,
        _ => return None,
    })
}

/// A block or deny, in the form of the event.
pub fn refusal(event: Event, block: Block) -> HookAnswer {
    let mut answer = HookAnswer::default();
    match event {
        Event::PreToolUse => answer.permission = Some((Permission::Deny, block)),
        Event::PermissionRequest => {
            answer.decision = Some(PermissionRequestDecision {
                behavior: Behavior::Deny,
                message: Some(block.reason),
                ..PermissionRequestDecision::default()
            });
        }
        event if event.can_block() => answer.block = Some(block),
        // Nothing waits for it: the person may want to know.
        _ => answer.message = Some(block.reason).filter(|reason| !reason.is_empty()),
    }
    answer
}

/// A model's answer to a prompt hook.
#[derive(Debug, Deserialize)]
struct Judgement {
    ok: bool,
    /// A text; models are not always exact.
    #[serde(default)]
    reason: Value,
}

/// The answer of a model to a prompt hook: `{"ok": bool, "reason": text}`.
pub fn of_judgement(event: Event, text: &str, continues: bool) -> Result<HookAnswer, Failure> {
    let unreadable = || Failure::Broken("the model did not answer with {\"ok\": …}".to_owned());
    let object = text
        .find('{')
        .zip(text.rfind('}'))
        .and_then(|(from, to)| text.get(from..=to))
        .ok_or_else(unreadable)?;
    let judgement: Judgement = serde_json::from_str(object).map_err(|_| unreadable())?;
    match judgement.ok {
        true => Ok(HookAnswer::default()),
        false => {
            let reason = judgement.reason.as_str().unwrap_or_default().to_owned();
            let mut answer = refusal(event, Block::plain(reason.clone()));
            let after = matches!(
                event,
                Event::PostToolUse | Event::PostToolUseFailure | Event::PostToolBatch
            );
            if after && !continues {
                answer.halt = Some(reason);
            }
            Ok(answer)
        }
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_CONTEXT) {
        None => text.to_owned(),
        Some((at, _)) => format!(
            "{}\n[The hook said more; only its first {LONGEST_CONTEXT} letters are kept.]",
            text.get(..at).unwrap_or_default()
        ),
    }
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
