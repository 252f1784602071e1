//! Performs the effects of a call's state machine in a session.

use std::collections::VecDeque;

use serde_json::{Value, json};
use sluice_call::{Call, CallEffect, CallEvent, End, Rules};
use sluice_permission::{Decision, PermissionMode, ReasonKind, Verdict};
use sluice_tools::Outcome;
use tokio::time::Instant;

use crate::messages;
use crate::session::Session;

/// How long the model's message may continue after a person denied a call and stopped the turn.
const STOP_DELAY: std::time::Duration = std::time::Duration::from_millis(100);

impl Session {
    /// Advances a call with an event and performs the effects.
    pub(crate) async fn advance(&mut self, index: usize, event: CallEvent) {
        let mut effects = VecDeque::from(self.step(index, event));
        while let Some(effect) = effects.pop_front() {
            if let Some(event) = self.perform(index, effect).await {
                effects.extend(self.step(index, event));
            }
        }
    }

    /// Advances the state machine of a call with the current rules.
    pub(crate) fn step(&mut self, index: usize, event: CallEvent) -> Vec<CallEffect> {
        let Some(mut call) = self.calls.get_mut(index).map(std::mem::take) else {
            return Vec::new();
        };
        let rules = Rules {
            decide: &|call| self.decide_call(call),
            mode: &self.policy.mode,
        };
        let effects = call.step(event, &rules);
        if let Some(slot) = self.calls.get_mut(index) {
            *slot = call;
        }
        effects
    }

    /// Performs an effect. Returns the resulting event, if there is one immediately.
    async fn perform(&mut self, index: usize, effect: CallEffect) -> Option<CallEvent> {
        match effect {
            CallEffect::ShowToHooks => {
                let none = CallEvent::HooksSaid {
                    changed: None,
                    verdict: None,
                };
                (!self.hooks_before(index).await).then_some(none)
            }
            CallEffect::Defer => (!self.may_defer().await).then_some(CallEvent::NotDeferred),
            CallEffect::Ask(decision) => self.ask(index, &decision).await,
            CallEffect::LeftUnanswered => Some(self.unasked()),
            CallEffect::WithdrawRequest(request_id) => {
                self.emit(messages::cancel(&request_id)).await;
                if self.calls.open_asks().is_empty() {
                    self.enter(messages::State::Running).await;
                }
                None
            }
            CallEffect::Apply(updates) => {
                for update in updates {
                    self.apply(&update).await;
                }
                None
            }
            CallEffect::NoteDenial => {
                self.note_denial(index);
                None
            }
            CallEffect::Refuse(decision) => self.refuse(index, &decision).await,
            CallEffect::StopTurn => {
                // The model may still be sending its message. The denial applies to the rest of the message too, so it
                // gets a moment to finish.
                self.agents.refuse();
                self.note_denial(index);
                self.turn.stop_by(Instant::now() + STOP_DELAY);
                None
            }
            CallEffect::Keep => (!self.checkpoint_call(index)).then_some(CallEvent::Kept),
            CallEffect::Run => {
                self.spawn_call(index);
                None
            }
            CallEffect::ShowOutcome => (!self.hooks_after(index).await).then_some(CallEvent::Settled(None)),
            CallEffect::Tell { end, block } => {
                self.emit_tool_result(index, *end, block).await;
                None
            }
        }
    }

    /// Reports a denied call. Returns the event that ends it, unless hooks run first.
    async fn refuse(&mut self, index: usize, decision: &Decision) -> Option<CallEvent> {
        let by_hook = decision.reason.kind == Some(ReasonKind::Hook);
        if !by_hook {
            if let Some(kind) = self.denied_kind(index, decision) {
                // Denied kinds are reported by the tool itself, like invalid input.
                let end = End::unfit(Outcome::failed(kind));
                return Some(CallEvent::Settled(Some(Box::new(end))));
            }
            // Denials by path rules are reported in the result only.
            let by_path = decision.behavior == Verdict::Deny && decision.reason.kind == Some(ReasonKind::Rule);
            let of_path = |call: &Call| call.tool.as_ref().and_then(|tool| tool.descriptor().touches.path());
            if let Some(call) = self.calls.get(index)
                && !(by_path && of_path(call).is_some())
            {
                let denied = messages::permission_denied(call, decision);
                self.emit(denied).await;
            }
        }
        // `PermissionDenied` hooks run for decisions of the auto mode only, as in the reference CLI.
        let judged = !by_hook && self.policy.mode == PermissionMode::Auto;
        let shown = judged && self.hooks_after_denial(index, &decision.message).await;
        self.note_denial(index);
        (!shown).then_some(CallEvent::Settled(None))
    }

    fn note_denial(&mut self, index: usize) {
        if let Some(call) = self.calls.get(index) {
            self.turn.denials.push(json!({
                "tool_name": call.name, "tool_use_id": call.id, "tool_input": call.checked,
            }));
        }
    }

    /// Sends the result of a call.
    async fn emit_tool_result(&mut self, index: usize, end: End, block: Value) {
        let Some(id) = self.calls.get(index).map(|call| call.id.clone()) else {
            return;
        };
        let meta = end.meta();
        self.account.count_lines(&end.outcome.result);
        let frame = messages::tool_result(&id, &block, end.outcome.result, meta);
        self.turn.frames += 1;
        self.emit_result(&id, frame, block).await;
    }
}
