//! Parses the output of a hook: an exit code, a JSON object or plain text. Pure.

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

/// Maximum length of text for the model, in characters, so that a hook cannot fill the context window.
const MAX_CONTEXT_CHARS: usize = 10_000;

/// The reason of a block or deny.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The reason as the hook gave it.
    pub reason: String,
    /// The reason with the name of the hook, if it is needed.
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

/// The parsed output of a hook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookAnswer {
    /// If the turn must end: the reason.
    pub halt: Option<String>,
    /// If the action is blocked or the model must continue: the reason.
    pub block: Option<Block>,
    pub permission: Option<(Permission, Block)>,
    pub updated_input: Option<Value>,
    pub updated_output: Option<Value>,
    pub context: Option<String>,
    /// A message for the user.
    pub message: Option<String>,
    pub decision: Option<PermissionRequestDecision>,
    /// The event-specific output.
    pub specific: Option<HookSpecificOutput>,
    /// Whether the hook did not run because its folder is not trusted.
    pub held_back: bool,
    /// Whether the hook is async.
    pub is_async: bool,
    /// Whether its output is not displayed.
    pub quiet: bool,
}

impl HookAnswer {
    /// Returns the result of a hook that does not run because its folder is not trusted.
    pub fn held_back() -> Self {
        let reason = "This folder is not trusted, so a PreToolUse hook of the project that matches this call does not \
                      run. The hook might deny the call.";
        Self {
            permission: Some((Permission::Ask, Block::plain(format!("{reason} {HOW_TO_TRUST}")))),
            held_back: true,
            ..Self::default()
        }
    }

    /// Removes everything that allows, because the origin of the hook may only deny.
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

/// Why a hook has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// It timed out.
    TimedOut,
    /// It could not be run, crashed, or its output is invalid.
    Broken(String),
    /// Its result is no longer needed.
    Cancelled,
}

/// Parses the exit code and output of a command.
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

/// Parses a text: a JSON object is hook output, anything else is plain text.
pub fn of_text(event: Event, text: &str) -> Result<HookAnswer, Failure> {
    let trimmed = text.trim();
    if trimmed.starts_with('{') {
        let value = serde_json::from_str(trimmed)
            .map_err(|error| Failure::Broken(format!("its output looks like JSON but is not: {error}")))?;
        return of_value(event, &value);
    }
    if event == Event::WorktreeCreate && !trimmed.is_empty() {
        // The last line is the path, because programs that the hook ran may have printed other lines.
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
        context: (event.text_is_context() && !trimmed.is_empty()).then(|| truncated(trimmed)),
        ..HookAnswer::default()
    })
}

/// Parses a JSON value; `null` is an empty output.
pub fn of_value(event: Event, value: &Value) -> Result<HookAnswer, Failure> {
    if value.is_null() {
        return Ok(HookAnswer::default());
    }
    let output: HookOutput = serde_json::from_value(value.clone())
        .map_err(|error| Failure::Broken(format!("its output is invalid: {error}")))?;
    of_output(event, output)
}

/// Converts the output of a hook.
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

/// Adds the event-specific part. That of another event is an error.
fn of_specific(event: Event, specific: HookSpecificOutput, answer: &mut HookAnswer) -> Result<(), Failure> {
    let wrong_event = || Failure::Broken(format!("its `hookEventName` is not {}", event.as_str()));
    let context = |text: &Option<String>| text.as_deref().filter(|text| !text.trim().is_empty()).map(truncated);
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
        _ => match additional_context(event, &specific) {
            Some(text) => answer.context = context(text),
            None => return Err(wrong_event()),
        },
    }
    answer.specific = Some(specific);
    Ok(())
}

/// Returns `additionalContext` for events whose output has no other fields; `None` for the output of another event.
fn additional_context(event: Event, specific: &HookSpecificOutput) -> Option<&Option<String>> {
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

/// Returns a block or deny in the form that the event supports.
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
        // The event cannot be blocked, so the reason is shown to the user.
        _ => answer.message = Some(block.reason).filter(|reason| !reason.is_empty()),
    }
    answer
}

/// The reply of a model to a prompt hook.
#[derive(Debug, Deserialize)]
struct PromptReply {
    ok: bool,
    /// Should be a string, but models do not always follow the format.
    #[serde(default)]
    reason: Value,
}

/// Parses the reply of a model to a prompt hook: `{"ok": bool, "reason": text}`.
pub fn of_judgement(event: Event, text: &str, continues: bool) -> Result<HookAnswer, Failure> {
    let unreadable = || Failure::Broken("the model did not reply with {\"ok\": …}".to_owned());
    let object = text
        .find('{')
        .zip(text.rfind('}'))
        .and_then(|(from, to)| text.get(from..=to))
        .ok_or_else(unreadable)?;
    let reply: PromptReply = serde_json::from_str(object).map_err(|_| unreadable())?;
    match reply.ok {
        true => Ok(HookAnswer::default()),
        false => {
            let reason = reply.reason.as_str().unwrap_or_default().to_owned();
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

fn truncated(text: &str) -> String {
    match text.char_indices().nth(MAX_CONTEXT_CHARS) {
        None => text.to_owned(),
        Some((at, _)) => format!(
            "{}\n[The output of the hook was truncated to {MAX_CONTEXT_CHARS} characters.]",
            text.get(..at).unwrap_or_default()
        ),
    }
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
