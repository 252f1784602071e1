//! Hooks around a call: before it is decided about, beside the ask, after it has run.
//!
//! A call whose hooks run stays where it is; the session goes on listening, and [`Session::hooked`] takes the call
//! up again when they are done.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sluice_permission::decide::after_hook;
use sluice_permission::{Decision, Verdict};
use sluice_tools::Outcome;
use sluice_wire::control::McpServerProvenance;
use sluice_wire::hook::{BatchCall, HookSpecificOutput, PermissionRequestDecision};
use sluice_wire::permission_update::Behavior;
use sluice_wire::{Number, Raw};

use super::config::Origin;
use super::decide;
use super::event::Event;
use super::merge::{self, Merged};
use super::output::Permission;
use super::run::{Hooked, Purpose};
use super::told::{reminder, told};
use crate::calls::{Call, State};
use crate::messages;
use crate::options::Asker;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::turn::Ending;

/// How long an ask waits before somebody is told that it does.
const UNANSWERED: Duration = Duration::from_secs(6);

/// How a call a hook allowed is marked in its result.
fn allowed_by_hook() -> Value {
    json!({"decision": "accept", "source": "hook", "reason_type": "hook"})
}

impl Session {
    /// Shows a call to hooks before it is decided about; false if none waits for it.
    pub(crate) async fn hooks_before(&mut self, index: usize) -> bool {
        if !self.hooks.await_any(&[Event::PreToolUse]) {
            return false;
        }
        let Some(call) = self.calls.list.get(index) else {
            return false;
        };
        let id = call.id.clone();
        let input = told!(self, Full, PreToolUse(PreToolUseInput) {
            tool_name: call.name.clone(),
            tool_input: Raw::of(&call.checked),
            tool_use_id: call.id.clone(),
            mcp_server: server_of(call),
        });
        self.spawn_hooks(input, Purpose::Before(id)).await
    }

    /// Hooks have looked at a call: it goes on as they say.
    pub(super) async fn begin_hooked(&mut self, id: &str, merged: Merged) {
        let Some(index) = self.running_call(id) else { return };
        if merged.halt.is_some() {
            self.hooks.halt = merged.halt;
        }
        let verdict = merged.verdict.as_ref();
        if verdict.is_some_and(|verdict| verdict.permission == Permission::Defer) {
            if !self.deferred_call(index).await {
                self.rule_on(index, None).await;
            }
            return self.launch().await;
        }
        if let Some(input) = merged.updated_input
            && !self.change_call(index, &input).await
        {
            return self.launch().await;
        }
        match verdict.filter(|verdict| {
            verdict.silence && verdict.origin == Origin::Host && verdict.permission == Permission::Deny
        }) {
            // Nobody said no: it is a failure, and no refusal to be counted.
            Some(silent) => {
                let outcome = Outcome::failed(silent.block.shown.as_str());
                self.finish(index, outcome, None).await;
            }
            None => self.rule_on(index, verdict).await,
        }
        self.launch().await;
    }

    /// Puts another input in the place of a call's own; false if it is none, and then the call has its result.
    async fn change_call(&mut self, index: usize, input: &Value) -> bool {
        let cwd = self.tooling.cwd.get();
        let Some(call) = self.calls.list.get_mut(index) else {
            return false;
        };
        let Some(tool) = call.tool.clone() else { return false };
        let filled = tool.fill(input);
        match tool.check(&filled, &cwd) {
            Ok(checked) => {
                call.pins = sluice_tools::Pins::of(&call.name, &checked, &cwd);
                call.checked = checked;
                call.input = filled;
                call.presented = false;
                true
            }
            Err(invalid) => {
                self.remember_denial(index);
                self.finish(index, invalid.into(), None).await;
                false
            }
        }
    }

    /// What remains of a decision when hooks have spoken.
    pub(crate) fn after_hooks(&self, decision: Decision, verdict: Option<&merge::Verdict>, tool: &str) -> Decision {
        decide::adjusted(decision, verdict, &format!("PreToolUse:{tool}"), &self.policy.mode)
    }

    /// Shows an ask to hooks, which may answer before the host does; false if none waits for it.
    pub(crate) async fn hooks_beside_ask(&mut self, index: usize, request_id: &str, decision: &Decision) -> bool {
        self.notify_of_ask(index, request_id);
        if !self.hooks.await_any(&[Event::PermissionRequest]) {
            return false;
        }
        let Some(call) = self.calls.list.get(index) else {
            return false;
        };
        let id = call.id.clone();
        let input = told!(self, Full, PermissionRequest(PermissionRequestInput) {
            tool_name: call.name.clone(),
            tool_input: Raw::of(&call.checked),
            permission_suggestions: decision.suggestions.clone(),
            mcp_server: server_of(call),
        });
        self.hooks.asked_for = Some(id.clone());
        let begun = self.spawn_hooks(input, Purpose::Asked(request_id.to_owned())).await;
        // Where the host is asked as well, the ask itself says whether it is still open.
        if begun && self.calls.asking(request_id).is_none() {
            self.hooks.asks.insert(request_id.to_owned(), id);
        }
        begun
    }

    /// An ask that is not answered for a while is worth a person's look.
    fn notify_of_ask(&mut self, index: usize, request_id: &str) {
        if let (Some(call), Asker::Host) = (self.calls.list.get(index), &self.options.asker)
            && self.hooks.await_any(&[Event::Notification])
        {
            let (id, message) = (
                request_id.to_owned(),
                format!("Permission is needed to use {}", call.name),
            );
            self.hooks.around.spawn(async move {
                tokio::time::sleep(UNANSWERED).await;
                Hooked::of_unanswered(id, message)
            });
        }
    }

    /// An ask was not answered for a while.
    pub(super) async fn ask_waits(&mut self, request_id: &str, message: &str) {
        if self.calls.asking(request_id).is_some() {
            self.hook_notification(message, None, "permission_prompt").await;
        }
    }

    /// Hooks have looked at an ask. What they decide withdraws it; otherwise it stays open, or is refused where nobody
    /// else can answer.
    pub(super) async fn answer_hooked(&mut self, request_id: &str, merged: Merged) {
        let call_id = self.hooks.asks.remove(request_id);
        let asked = self.calls.asking(request_id);
        let alone = call_id.as_deref().and_then(|id| self.running_call(id));
        let Some(index) = asked.or(alone) else { return };
        if merged.halt.is_some() {
            self.hooks.halt = merged.halt;
        }
        let Some(decision) = self.calls.list.get(index).map(|call| self.decide_call(call)) else {
            return;
        };
        let decided = merged
            .decision
            .filter(|said| said.behavior == Behavior::Deny || after_hook(&decision) == Verdict::Allow);
        match (decided, asked) {
            (None, Some(_)) => {}
            (None, None) => {
                self.refuse_unasked(index, &decision).await;
                self.launch().await;
            }
            (Some(said), asked) => {
                if asked.is_some() {
                    self.say(messages::cancel(request_id)).await;
                    if self.calls.open_asks().len() <= 1 {
                        self.enter(messages::State::Running).await;
                    }
                }
                if let Some(call) = self.calls.list.get_mut(index) {
                    call.state = State::Running;
                }
                self.take_decision(index, said).await;
                self.launch().await;
            }
        }
    }

    async fn take_decision(&mut self, index: usize, said: PermissionRequestDecision) {
        if said.behavior == Behavior::Deny {
            let message = said.message.unwrap_or_else(|| "A hook refused this call.".to_owned());
            if said.interrupt == Some(true) {
                let answer = json!({"behavior": "deny", "message": message, "interrupt": true});
                return self.answered(index, Ok(answer)).await;
            }
            return self.deny(index, &message, "hook", Some("hook")).await;
        }
        for update in said.updated_permissions.unwrap_or_default() {
            self.apply(&update).await;
        }
        match said.updated_input {
            None => self.start(index, None, allowed_by_hook()),
            Some(input) => {
                let asked = self.calls.list.get(index).map(|call| self.decide_call(call));
                self.start_changed(index, &input.to_value(), asked, allowed_by_hook())
                    .await;
            }
        }
    }

    /// A call is about to run.
    pub(crate) fn hooks_at_start(&mut self, id: &str) {
        if self.hooks.await_any(&[Event::PostToolUse, Event::PostToolUseFailure]) {
            self.hooks.began.insert(id.to_owned(), Instant::now());
        }
    }

    /// Shows a call that has run to hooks before its result is told; gives it back if none waits for it.
    pub(crate) async fn hooks_after(
        &mut self,
        index: usize,
        outcome: Outcome,
        meta: Option<Value>,
    ) -> Option<(Outcome, Option<Value>)> {
        self.hook_cwd().await;
        let (outcome, meta) = self.hooks_of_tasks(index, outcome, meta).await?;
        self.hooks_after_call(index, outcome, meta).await
    }

    /// The same, once the task list is as it will be.
    pub(super) async fn hooks_after_call(
        &mut self,
        index: usize,
        outcome: Outcome,
        meta: Option<Value>,
    ) -> Option<(Outcome, Option<Value>)> {
        let failed = outcome.is_error == Some(true);
        let event = if failed {
            Event::PostToolUseFailure
        } else {
            Event::PostToolUse
        };
        let Some(call) = self.calls.list.get(index).filter(|_| self.hooks.await_any(&[event])) else {
            return Some((outcome, meta));
        };
        let id = call.id.clone();
        let began = self.hooks.began.remove(&id);
        #[allow(clippy::cast_precision_loss)]
        let duration = began.map(|began| Number(began.elapsed().as_millis() as f64));
        let input = if failed {
            told!(self, Full, PostToolUseFailure(PostToolUseFailureInput) {
                tool_name: call.name.clone(),
                tool_input: Raw::of(&call.checked),
                tool_use_id: id.clone(),
                mcp_server: server_of(call),
                error: text_of(&outcome.content),
                is_interrupt: Some(self.calls.cancel.is_cancelled()),
                duration_ms: duration,
            })
        } else {
            told!(self, Full, PostToolUse(PostToolUseInput) {
                tool_name: call.name.clone(),
                tool_input: Raw::of(&call.checked),
                tool_response: Raw::of(&outcome.result),
                tool_use_id: id.clone(),
                mcp_server: server_of(call),
                duration_ms: duration,
            })
        };
        if !self.spawn_hooks(input, Purpose::After(id.clone())).await {
            return Some((outcome, meta));
        }
        self.hooks.after.insert(id, (outcome, meta));
        None
    }

    /// Shows a call that was refused without a question to hooks; false if none waits for it.
    pub(crate) async fn hooks_after_denial(&mut self, index: usize, reason: &str, meta: Value) -> bool {
        let Some(call) = self
            .calls
            .list
            .get(index)
            .filter(|_| self.hooks.await_any(&[Event::PermissionDenied]))
        else {
            return false;
        };
        let id = call.id.clone();
        let input = told!(self, Full, PermissionDenied(PermissionDeniedInput) {
            tool_name: call.name.clone(),
            tool_input: Raw::of(&call.checked),
            tool_use_id: id.clone(),
            mcp_server: server_of(call),
            reason: reason.to_owned(),
        });
        let begun = self.spawn_hooks(input, Purpose::After(id.clone())).await;
        if begun {
            self.hooks.after.insert(id, (Outcome::failed(reason), Some(meta)));
        }
        begun
    }

    /// Hooks have looked at a call that is over: its result is told.
    pub(super) async fn finish_hooked(&mut self, event: Event, id: &str, merged: Merged) {
        let Some((mut outcome, meta)) = self.hooks.after.remove(id) else {
            return;
        };
        let Some(index) = self.running_call(id) else { return };
        let name = self
            .calls
            .list
            .get(index)
            .map(|call| call.name.clone())
            .unwrap_or_default();
        let name = format!("{}:{name}", event.as_str());
        if let Some(updated) = merged.updated_output
            && let Err(why) = replace(&mut outcome, updated)
        {
            let text = format!("{name}: the output a hook put in place of the tool's is not used: {why}");
            self.say(messages::informational(&text, "warning")).await;
        }
        if let Some(block) = merged.block {
            self.hooks.contexts.push(reminder(&name, &block.shown));
        }
        let retry = |specific: &HookSpecificOutput| matches!(specific, HookSpecificOutput::PermissionDenied(it) if it.retry == Some(true));
        if merged.specific.iter().any(retry) {
            let text = "The refused call may be tried once more.";
            self.hooks.contexts.push(reminder(&name, text));
        }
        // A failed call is for the model to deal with, whoever wants to stop.
        if merged.halt.is_some() && event != Event::PostToolUseFailure {
            self.hooks.halt = merged.halt;
        }
        self.finish(index, outcome, meta).await;
        self.launch().await;
    }

    /// How the turn ends, if a hook wants it to.
    pub(crate) fn hook_halt(&mut self) -> Option<Ending> {
        self.hooks.halt.take().map(|_| Ending::HookStopped("hook_stopped"))
    }

    /// The turn is stopped: hooks around calls are gone, and calls that have run keep their outcome.
    pub(crate) async fn abandon_hooks(&mut self) {
        self.hooks.around.abort_all();
        self.hooks.asks.clear();
        let held: Vec<_> = self.hooks.after.drain().collect();
        for (id, (outcome, meta)) in held {
            if let Some(index) = self.running_call(&id) {
                self.finish(index, outcome, meta).await;
            }
        }
    }

    /// Callbacks that are open need not be answered any more.
    pub(crate) async fn withdraw_callbacks(&mut self) {
        for request_id in self.hooks.forget_callbacks() {
            self.say(messages::cancel(&request_id)).await;
        }
    }

    /// The call of that id, if it is neither new nor done nor asked about.
    pub(super) fn running_call(&self, id: &str) -> Option<usize> {
        let mut list = self.calls.list.iter();
        list.position(|call| call.id == id && matches!(call.state, State::Running))
    }
}

impl SessionLoop {
    /// Every call of an answer has its result. `Err` when the turn is stopped meanwhile.
    pub(crate) async fn hook_batch(&mut self) -> Result<(), ()> {
        if !self.session.hooks.await_any(&[Event::PostToolBatch]) {
            return Ok(());
        }
        let calls = self.session.calls.list.iter().map(|call| BatchCall {
            tool_name: call.name.clone(),
            tool_input: Raw::of(&call.checked),
            tool_use_id: call.id.clone(),
            tool_response: match &call.state {
                State::Done(block) => block.get("content").map(Raw::of),
                _ => None,
            },
            ..BatchCall::default()
        });
        let calls: Vec<BatchCall> = calls.collect();
        let input = told!(self.session, Full, PostToolBatch(PostToolBatchInput) { tool_calls: calls });
        let merged = self.ask_hooks(input).await.ok_or(())?;
        // There is no call to hold up any more: the turn ends.
        let block = merged.block.map(|block| block.shown);
        self.session.hooks.halt = self.session.hooks.halt.take().or(merged.halt).or(block);
        Ok(())
    }
}

/// Whose tool a call is for, if it is one of a server.
fn server_of(call: &Call) -> Option<McpServerProvenance> {
    let known = call.tool.as_ref()?.provenance()?;
    Some(McpServerProvenance {
        name: known.server,
        source: Some(known.source.to_owned()),
        ..McpServerProvenance::default()
    })
}

/// What of a tool's output may be missing in one that takes its place.
const OPTIONAL: &[&str] = &[
    "isImage",
    "noOutputExpected",
    "returnCodeInterpretation",
    "userModified",
    "contentNotInModelContext",
    "persistedOutputPath",
    "persistedOutputSize",
    "structuredContent",
    "timedOutAfterMs",
    "backgroundTaskId",
];

/// Puts what a hook says in the place of what a tool gave, if it is of the same kind.
pub(super) fn replace(outcome: &mut Outcome, updated: Value) -> Result<(), &'static str> {
    let content = match (&outcome.result, &updated) {
        // What servers give is content, in whichever form it is kept.
        (Value::Object(before), _) if !updated.is_object() && !before.contains_key("structuredContent") => {
            return Err("it is not of the kind the tool gives");
        }
        (_, Value::String(text)) => Value::from(text.as_str()),
        (_, Value::Array(blocks)) if blocks.iter().all(|block| block.get("type").is_some()) => updated.clone(),
        (Value::Object(before), Value::Object(after)) => {
            let lacks = |key: &&String| !OPTIONAL.contains(&key.as_str()) && !after.contains_key(*key);
            if before.keys().any(|key| lacks(&key)) {
                return Err("it lacks fields the tool's has");
            }
            spoken(&updated)
        }
        _ => return Err("it is not of the kind the tool gives"),
    };
    outcome.content = content;
    outcome.result = updated;
    Ok(())
}

/// What the model reads of an output: its text where there is one.
fn spoken(output: &Value) -> Value {
    let text = |key: &str| output.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(content) = output.get("content").filter(|content| content.is_array()) {
        return content.clone();
    }
    let streams: Vec<&str> = ["stdout", "stderr"].into_iter().filter_map(text).collect();
    if !streams.is_empty() {
        return streams.join("\n").into();
    }
    match text("content").or_else(|| output.pointer("/file/content").and_then(Value::as_str)) {
        Some(content) => content.into(),
        None => output.to_string().into(),
    }
}

pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_replaced_by_one_of_its_kind() {
        let ran = || Outcome::ok("out", json!({"stdout": "out", "stderr": "", "interrupted": false}));
        let mut outcome = ran();
        let updated = json!({"stdout": "new", "stderr": "err", "interrupted": false});
        assert_eq!(replace(&mut outcome, updated.clone()), Ok(()));
        assert_eq!((outcome.content, outcome.result), (json!("new\nerr"), updated));
        let mut outcome = ran();
        assert!(replace(&mut outcome, json!({"stdout": "new"})).is_err());
        assert!(replace(&mut outcome, json!(5)).is_err());
        assert!(replace(&mut outcome, json!("text")).is_err());
        assert_eq!(outcome.content, json!("out"));
        let mut outcome = Outcome::ok("out", json!([{"type": "text", "text": "out"}]));
        assert_eq!(replace(&mut outcome, json!("text")), Ok(()));
        assert_eq!(outcome.content, json!("text"));
    }

    #[test]
    fn what_a_tool_need_not_say_may_be_missing() {
        let said =
            json!({"stdout": "out", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false});
        let mut outcome = Outcome::ok("out", said);
        let updated = json!({"stdout": "new", "stderr": "", "interrupted": false});
        assert_eq!(replace(&mut outcome, updated), Ok(()));
        assert_eq!(outcome.content, json!("new"));
    }
}
