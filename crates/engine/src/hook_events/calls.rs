//! Hooks around a tool call: before the permission decision, during the permission request, and after the call has run.
//!
//! A call whose hooks are running keeps its state while the session handles other events; [`Session::on_hook_outcome`]
//! continues the call when they are done.

use std::time::Duration;

use sluice_call::{Call, CallEvent, Changed, Denial, Grant, PermissionAnswer};
use sluice_hooks::event::Event;
use sluice_hooks::merge::Merged;
use sluice_hooks::tool_output::{replace, text_of};
use sluice_permission::Decision;
use sluice_tools::Outcome;
use sluice_wire::control::McpServerProvenance;
use sluice_wire::hook::{BatchCall, HookSpecificOutput, PermissionRequestDecision};
use sluice_wire::permission_update::Behavior;
use sluice_wire::{Number, Raw};

use super::input::{hook_input, reminder};
use crate::hooks::{HookOutcome, Purpose};
use crate::messages;
use crate::options::Asker;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::turn::Ending;

/// How long a permission request stays unanswered before a notification is raised.
const NOTIFY_AFTER: Duration = Duration::from_secs(6);

impl Session {
    /// Runs hooks on a call before the permission decision. Returns false if there are none.
    pub(crate) async fn hooks_before(&mut self, index: usize) -> bool {
        if !self.hooks.await_any(&[Event::PreToolUse]) {
            return false;
        }
        let Some(call) = self.calls.get(index) else {
            return false;
        };
        let id = call.id.clone();
        let input = hook_input!(self, Full, PreToolUse(PreToolUseInput) {
            tool_name: call.name.clone(),
            tool_input: Raw::of(&call.checked),
            tool_use_id: call.id.clone(),
            mcp_server: server_of(call),
        });
        self.spawn_hooks(input, Purpose::Before(id)).await
    }

    /// Continues a call with the result of its `PreToolUse` hooks.
    pub(super) async fn continue_after_hooks(&mut self, id: &str, merged: Merged) {
        let Some(index) = self.calls.iter().position(|call| call.id == id && call.is_hooked()) else {
            return;
        };
        self.hooks.halt(merged.halt);
        // Apply rules that were added in the meantime, possibly by a subagent.
        self.apply_shared_changes().await;
        let (call, cwd) = (self.calls.get(index), self.tooling.cwd().get());
        let event = CallEvent::HooksSaid {
            changed: call
                .zip(merged.updated_input)
                .and_then(|(call, input)| Changed::by_hook(call, &input, &cwd)),
            verdict: merged.verdict,
        };
        self.advance(index, event).await;
        self.launch().await;
    }

    /// Runs hooks on a permission request, concurrently with the host. Returns false if there are none.
    pub(crate) async fn hooks_beside_ask(&mut self, index: usize, request_id: &str, decision: &Decision) -> bool {
        self.notify_of_ask(index, request_id);
        if !self.hooks.await_any(&[Event::PermissionRequest]) {
            return false;
        }
        let Some(call) = self.calls.get(index) else {
            return false;
        };
        let id = call.id.clone();
        let input = hook_input!(self, Full, PermissionRequest(PermissionRequestInput) {
            tool_name: call.name.clone(),
            tool_input: Raw::of(&call.checked),
            permission_suggestions: decision.suggestions.clone(),
            mcp_server: server_of(call),
        });
        self.hooks.show_ask_of(id);
        self.spawn_hooks(input, Purpose::Asked(request_id.to_owned())).await
    }

    /// Starts the timer for the notification about an unanswered permission request.
    fn notify_of_ask(&mut self, index: usize, request_id: &str) {
        if let (Some(call), Asker::Host) = (self.calls.get(index), &self.options.permissions.asker)
            && self.hooks.await_any(&[Event::Notification])
        {
            let (id, message) = (
                request_id.to_owned(),
                format!("Permission is needed to use {}", call.name),
            );
            self.hooks.spawn(true, async move {
                tokio::time::sleep(NOTIFY_AFTER).await;
                HookOutcome::of_unanswered(id, message)
            });
        }
    }

    /// Raises a notification about a permission request that is still open.
    pub(super) async fn ask_waits(&mut self, request_id: &str, message: &str) {
        if self.calls.asking(request_id).is_some() {
            self.hook_notification(message, None, "permission_prompt").await;
        }
    }

    /// Applies the result of hooks on a permission request. A decision withdraws the request. Otherwise it stays open,
    /// or is denied if no host or permission tool can answer it.
    pub(super) async fn apply_hook_answer(&mut self, request_id: &str, merged: Merged) {
        let Some(index) = self.calls.asked(request_id) else {
            return;
        };
        self.hooks.halt(merged.halt);
        // Apply rules that were added in the meantime, possibly by a subagent.
        self.apply_shared_changes().await;
        let answer = merged.decision.map(|decision| self.answer_of_hook(index, decision));
        self.advance(index, CallEvent::HooksAnswered(answer)).await;
        if self.calls.asked(request_id).is_none() {
            self.launch().await;
        }
    }

    fn answer_of_hook(&self, index: usize, decision: PermissionRequestDecision) -> PermissionAnswer {
        match decision.behavior {
            Behavior::Deny if decision.interrupt == Some(true) => PermissionAnswer::Interrupt,
            Behavior::Deny => PermissionAnswer::Deny(Denial::of_hook(decision.message)),
            _ => PermissionAnswer::Allow {
                changed: decision
                    .updated_input
                    .and_then(|input| self.changed(index, input.to_value())),
                updates: decision.updated_permissions.unwrap_or_default(),
                grant: Grant::by_hook(),
            },
        }
    }

    /// Records the start time of a call for its hooks.
    pub(crate) fn hooks_at_start(&mut self, id: &str) {
        if self.hooks.await_any(&[Event::PostToolUse, Event::PostToolUseFailure]) {
            self.hooks.call_begins(id);
        }
    }

    /// Runs hooks on the outcome of a call before it is sent. Returns false if there are none.
    pub(crate) async fn hooks_after(&mut self, index: usize) -> bool {
        self.hook_cwd().await;
        self.hooks_of_tasks(index).await || self.hooks_after_call(index).await
    }

    /// Runs the hooks after a call, once those of the task list are done.
    pub(super) async fn hooks_after_call(&mut self, index: usize) -> bool {
        let Some((call, outcome)) = self.unsent_call(index) else {
            return false;
        };
        let failed = outcome.is_error == Some(true);
        let event = if failed {
            Event::PostToolUseFailure
        } else {
            Event::PostToolUse
        };
        if !self.hooks.await_any(&[event]) {
            return false;
        }
        let (id, began) = (call.id.clone(), self.hooks.began(&call.id));
        #[allow(clippy::cast_precision_loss)]
        let duration = began.map(|began| Number(began.elapsed().as_millis() as f64));
        let input = if failed {
            hook_input!(self, Full, PostToolUseFailure(PostToolUseFailureInput) {
                tool_name: call.name.clone(),
                tool_input: Raw::of(&call.checked),
                tool_use_id: id.clone(),
                mcp_server: server_of(call),
                error: text_of(&outcome.content),
                is_interrupt: Some(self.calls.is_cancelled()),
                duration_ms: duration,
            })
        } else {
            hook_input!(self, Full, PostToolUse(PostToolUseInput) {
                tool_name: call.name.clone(),
                tool_input: Raw::of(&call.checked),
                tool_response: Raw::of(&outcome.result),
                tool_use_id: id.clone(),
                mcp_server: server_of(call),
                duration_ms: duration,
            })
        };
        self.spawn_hooks(input, Purpose::After(id)).await
    }

    /// Returns a call whose result has not been sent yet, and its outcome.
    pub(super) fn unsent_call(&self, index: usize) -> Option<(&Call, &Outcome)> {
        let call = self.calls.get(index)?;
        Some((call, &call.untold()?.outcome))
    }

    /// Runs hooks on a call that was denied without a permission request. Returns false if there are none.
    pub(crate) async fn hooks_after_denial(&mut self, index: usize, reason: &str) -> bool {
        let Some(call) = self
            .calls
            .get(index)
            .filter(|_| self.hooks.await_any(&[Event::PermissionDenied]))
        else {
            return false;
        };
        let id = call.id.clone();
        let input = hook_input!(self, Full, PermissionDenied(PermissionDeniedInput) {
            tool_name: call.name.clone(),
            tool_input: Raw::of(&call.checked),
            tool_use_id: id.clone(),
            mcp_server: server_of(call),
            reason: reason.to_owned(),
        });
        self.spawn_hooks(input, Purpose::After(id)).await
    }

    /// Sends the result of a call after its hooks are done.
    pub(super) async fn finish_after_hooks(&mut self, event: Event, id: &str, merged: Merged) {
        let Some(index) = self.unsent_call_index(id) else {
            return;
        };
        let call = self.calls.get_mut(index);
        let name = call.as_ref().map(|call| call.name.clone()).unwrap_or_default();
        let name = format!("{}:{name}", event.as_str());
        if let Some(updated) = merged.updated_output
            && let Some(end) = call.and_then(Call::untold_mut)
            && let Err(why) = replace(&mut end.outcome, updated)
        {
            let text = format!("{name}: the output a hook put in place of the tool's is not used: {why}");
            self.emit(messages::informational(&text, "warning")).await;
        }
        if let Some(block) = merged.block {
            self.hooks.add_context(reminder(&name, &block.shown));
        }
        let retry = |specific: &HookSpecificOutput| matches!(specific, HookSpecificOutput::PermissionDenied(it) if it.retry == Some(true));
        if merged.specific.iter().any(retry) {
            let text = "The refused call may be tried once more.";
            self.hooks.add_context(reminder(&name, text));
        }
        // A failed call never stops the turn: the model should react to the failure.
        self.hooks
            .halt(merged.halt.filter(|_| event != Event::PostToolUseFailure));
        self.advance(index, CallEvent::Settled(None)).await;
        self.launch().await;
    }

    /// Returns how the turn ends, if a hook stops it.
    pub(crate) fn hook_halt(&mut self) -> Option<Ending> {
        self.hooks.take_halt().map(|_| Ending::HookStopped("hook_stopped"))
    }

    /// Cancels hooks around calls when the turn is stopped. Calls that have run keep their outcome.
    pub(crate) async fn abandon_hooks(&mut self) {
        self.hooks.cancel_call_hooks();
        for index in self.calls.unfinished() {
            if self.unsent_call(index).is_some() {
                self.advance(index, CallEvent::Settled(None)).await;
            }
        }
    }

    /// Withdraws open callback requests.
    pub(crate) async fn withdraw_callbacks(&mut self) {
        for request_id in self.hooks.forget_callbacks() {
            self.emit(messages::cancel(&request_id)).await;
        }
    }

    /// Returns the index of the call with this id, if its result has not been sent yet.
    pub(super) fn unsent_call_index(&self, id: &str) -> Option<usize> {
        let mut list = self.calls.iter();
        list.position(|call| call.id == id && call.untold().is_some())
    }
}

impl SessionLoop {
    /// Runs `PostToolBatch` hooks when every call of a message has its result. Returns `Err` if the turn is stopped
    /// meanwhile.
    pub(crate) async fn hook_batch(&mut self) -> Result<(), ()> {
        if !self.session.hooks.await_any(&[Event::PostToolBatch]) {
            return Ok(());
        }
        let calls = self.session.calls.iter().map(|call| BatchCall {
            tool_name: call.name.clone(),
            tool_input: Raw::of(&call.checked),
            tool_use_id: call.id.clone(),
            tool_response: call.result().and_then(|block| block.get("content")).map(Raw::of),
            ..BatchCall::default()
        });
        let calls: Vec<BatchCall> = calls.collect();
        let input = hook_input!(self.session, Full, PostToolBatch(PostToolBatchInput) { tool_calls: calls });
        let merged = self.ask_hooks(input).await.ok_or(())?;
        // There is no single call to block, so a block ends the turn.
        let block = merged.block.map(|block| block.shown);
        let halt = self.session.hooks.take_halt().or(merged.halt).or(block);
        self.session.hooks.halt(halt);
        Ok(())
    }
}

/// The MCP server of the tool of a call, if it is one.
fn server_of(call: &Call) -> Option<McpServerProvenance> {
    let known = call.tool.as_ref()?.provenance()?;
    Some(McpServerProvenance {
        name: known.server,
        source: Some(known.source.to_owned()),
        ..McpServerProvenance::default()
    })
}
