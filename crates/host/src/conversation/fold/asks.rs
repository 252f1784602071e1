//! `control_request` of the agent, its answer and its withdrawal.

use serde_json::value::RawValue;
use sluice_wire::control::{Allow, CanUseToolResponse, ControlResponse, RequestId, Subtype};
use sluice_wire::{Frame, Raw, ToAgent};

use super::Fold;
use crate::conversation::read::{Control, Response};
use crate::conversation::{
    Ask, AskAnswer, AskKind, AskState, AskVerdict, CallState, Change, Effect, Evidence, Line, TransportStatus,
};

impl Fold<'_> {
    /// `control_request`: the agent asks.
    pub(super) fn ask(&mut self, frame: &Frame, control: &Control<'_>) {
        self.asked(Line::from(frame), control);
    }

    /// An ask that a host that comes back is told of.
    pub(super) fn ask_again(&mut self, request: &RawValue) {
        if let Ok(control) = serde_json::from_str::<Control<'_>>(request.get()) {
            self.asked(Line::from(request.get()), &control);
        }
    }

    fn asked(&mut self, line: Line, control: &Control<'_>) {
        let Some(request) = &control.request.0 else {
            self.state.drift.unknown += 1;
            self.change(Change::Drift);
            return;
        };
        if self.state.find_ask(&control.request_id).is_some() {
            // It came twice. Whatever became of it stays so.
            self.state.drift.repeated += 1;
            return;
        }
        let (kind, name) = match Subtype::from(request.subtype.text()) {
            Subtype::CanUseTool => (AskKind::Tool, &request.tool_name),
            Subtype::Elicitation => (AskKind::Elicitation, &request.mcp_server_name),
            Subtype::RequestUserDialog => (AskKind::Dialog, &request.subtype),
            Subtype::HookCallback => (AskKind::Hook, &request.callback_id),
            Subtype::McpMessage => (AskKind::Mcp, &request.server_name),
            _ => (AskKind::Other, &request.subtype),
        };
        let call = request.tool_use_id.boxed();
        if kind == AskKind::Tool
            && let Some(call) = &call
        {
            // One question at a time about one call: the newer one counts.
            for older in self.asks_about(call) {
                self.settle(older, AskState::Superseded, None);
            }
        }
        let at = self.state.asks.len();
        self.state.index.asks.insert(&control.request_id.to_string(), at);
        self.state.asks.push(Ask {
            id: control.request_id.clone(),
            kind,
            name: name.text().into(),
            call,
            agent: request.agent_id.boxed(),
            line: Some(line),
            turn: self.state.index.open,
            at: self.state.now,
            state: AskState::Pending,
            settled: None,
            by: None,
            late: 0,
            epoch: self.state.epoch,
            told: false,
        });
        super::insert(&mut self.state.index.pending, at);
        self.sign();
        self.permission_asks(at, request.decision_reason.get());
        self.waiting_changed();
        self.change(Change::Ask(at));
        if self.state.transport != TransportStatus::CatchingUp {
            self.tell_ask(at);
        }
    }

    /// Has whoever answers such things told, once.
    pub(super) fn tell_ask(&mut self, at: usize) {
        if let Some(ask) = self.state.asks.get_mut(at).filter(|it| !it.told && it.is_pending()) {
            ask.told = true;
            self.effects.push(Effect::Asked(at));
        }
    }

    /// The outcome of an ask. The first one counts, for ever.
    pub(super) fn settle(&mut self, at: usize, to: AskState, by: Option<Box<str>>) {
        let now = self.state.now;
        let Some(ask) = self.state.asks.get_mut(at).filter(|it| it.is_pending()) else {
            return;
        };
        ask.state = to;
        ask.settled = Some(now);
        ask.by = by.or_else(|| ask.by.take());
        if !ask.kind.is_for_a_person() {
            ask.line = None;
        }
        super::remove(&mut self.state.index.pending, at);
        self.permission_settled(at);
        self.waiting_changed();
        self.effects.push(Effect::Settled(at));
        self.change(Change::Ask(at));
    }

    /// The asks that wait and are about this call; callbacks of the host are not.
    pub(super) fn asks_about(&self, call: &str) -> Vec<usize> {
        let pending = self.state.index.pending.iter().map(|at| *at as usize);
        pending
            .filter(|at| {
                let ask = self.state.asks.get(*at);
                ask.is_some_and(|it| it.kind == AskKind::Tool && it.call.as_deref() == Some(call))
            })
            .collect()
    }

    /// The turn is over: what it asked nobody waits for. A subagent that goes on still waits.
    pub(super) fn supersede_turn(&mut self) {
        for at in self.state.index.pending.clone() {
            let at = at as usize;
            let Some(ask) = self.state.asks.get(at) else { continue };
            let call = ask.call.as_deref().and_then(|id| self.state.call(id));
            let lives_on = match call {
                Some(call) => call.state == CallState::Running,
                None => ask.agent.is_some() || !ask.kind.is_for_a_person(),
            };
            if !lives_on {
                self.settle(at, AskState::Superseded, None);
            }
        }
    }

    /// `control_cancel_request`: the agent no longer wants an answer.
    pub(super) fn cancelled(&mut self, id: &RequestId) {
        match self.state.find_ask(id) {
            Some(at) => self.settle(at, AskState::Cancelled, None),
            None => self.state.drift.foreign += 1,
        }
        self.sign();
    }

    /// Someone answered. The first answer is written, any other is only noted.
    pub(super) fn answer(&mut self, answer: AskAnswer) {
        let Some(at) = self.state.find_ask(&answer.ask) else {
            return;
        };
        let Some(ask) = self.state.asks.get_mut(at) else { return };
        if !ask.is_pending() {
            ask.late += 1;
            self.effects.push(Effect::TooLate(at));
            self.change(Change::Ask(at));
            return;
        }
        let hook = ask.kind == AskKind::Hook;
        let mut changes = None;
        let (state, response) = match answer.verdict {
            AskVerdict::Allow(given) => {
                changes = given.as_ref().and_then(|it| it.parse::<CanUseToolResponse>().ok());
                (AskState::Allowed, Ok(whole(changes.as_ref(), ask.line.as_ref())))
            }
            AskVerdict::Deny(given) => (AskState::Denied, Ok(given)),
            AskVerdict::Give(given) => (AskState::Allowed, Ok(given)),
            AskVerdict::Refuse(why) => (AskState::Denied, Err(why)),
        };
        let id = ask.id.clone();
        if let (true, Ok(given)) = (hook, &response) {
            self.hook_answered(at, given.get());
        }
        let response = match response {
            Ok(response) => ControlResponse::success(id, &response),
            Err(why) => ControlResponse::error(id, why),
        };
        self.settle(at, state, answer.by.clone());
        if let Some(changes) = changes {
            self.answer_changes(at, &changes, answer.by);
        }
        self.answered();
        self.send(ToAgent::from(response).into());
    }

    /// An answer found in a log of the pipes.
    pub(super) fn wrote_answer(&mut self, response: &Response<'_>) {
        let Some(at) = self.state.find_ask(&response.request_id) else {
            return;
        };
        let Some(ask) = self.state.asks.get_mut(at) else { return };
        if !ask.is_pending() {
            ask.late += 1;
            return;
        }
        let hook = ask.kind == AskKind::Hook;
        let given = response.response;
        let answer = given.and_then(|it| serde_json::from_str::<CanUseToolResponse>(it.get()).ok());
        let denied = !response.is_success() || matches!(answer, Some(CanUseToolResponse::Deny(_)));
        self.settle(at, if denied { AskState::Denied } else { AskState::Allowed }, None);
        if let Some(given) = given.filter(|_| hook) {
            self.hook_answered(at, given.get());
        }
        if let Some(answer) = answer.filter(|_| !hook) {
            self.answer_changes(at, &answer, None);
        }
        self.answered();
    }

    /// The agent can go on.
    fn answered(&mut self) {
        if self.state.running_calls().next().is_some() {
            self.evidence(Evidence::Calling);
        } else {
            self.sign();
        }
    }
}

/// Old agents refuse a yes that does not repeat the input, so it is always repeated.
fn whole(given: Option<&CanUseToolResponse>, line: Option<&Line>) -> Raw {
    let mut allow = match given {
        Some(CanUseToolResponse::Allow(allow)) => (**allow).clone(),
        _ => Allow::default(),
    };
    if allow.updated_input.is_none() {
        let asked = line.and_then(|it| serde_json::from_str::<Control<'_>>(it).ok());
        let input = asked.and_then(|it| it.request.0?.input.map(|it| it.get().to_owned()));
        allow.updated_input = input.and_then(|it| Raw::from_text(it).ok());
    }
    Raw::of(&CanUseToolResponse::from(allow))
}
