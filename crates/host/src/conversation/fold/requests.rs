//! Control requests of the host: deadlines, responses, and the steps of an interrupt.

use sluice_wire::control::{RequestId, Subtype};
use sluice_wire::{Frame, MessageType};

use super::Fold;
use crate::conversation::read::{Control, MessageFields, Responded, Response};
use crate::conversation::{
    Change, Effect, Interruption, OwnRequest, Pending, ProcessStatus, RequestOutcome, Rung, Time,
};

impl Fold<'_> {
    pub(super) fn request(&mut self, request: OwnRequest) {
        if matches!(self.state.process, ProcessStatus::Exited { .. }) || self.state.closed {
            let reply = RequestOutcome::Died;
            self.effects.push(Effect::Replied {
                request: request.id,
                reply,
            });
            return;
        }
        let until = self
            .state
            .now
            .after(request.within.unwrap_or(self.state.patience.reply));
        self.asking(&request.line, until);
        self.send(request.line);
    }

    /// Notes a request, and what it is about.
    fn asking(&mut self, line: &str, until: Time) {
        let Ok(control) = serde_json::from_str::<Control<'_>>(line) else {
            return;
        };
        let Some(request) = &control.request.0 else { return };
        let about = [
            &request.mode,
            &request.model,
            &request.message_uuid,
            &request.user_message_id,
        ];
        let about = about.into_iter().find_map(|it| it.boxed());
        let pending = Pending {
            subtype: request.subtype.text().into(),
            about: about.filter(|_| !request.dry_run.0),
            at: self.state.now,
            until,
            id: control.request_id,
        };
        if pending.subtype == Subtype::Interrupt {
            self.interrupting(&pending.id);
        }
        self.state.requests.push(pending);
    }

    fn interrupting(&mut self, request: &RequestId) {
        let Some(turn) = self.state.index.open else { return };
        // A second one does not start the ladder anew.
        if self.state.interrupt.is_none() {
            self.state.interrupt = Some(Interruption {
                request: request.clone(),
                turn,
                rung: Rung::Asked,
                since: self.state.now,
            });
        }
    }

    /// A line to the agent, found in a log of its pipes.
    pub(super) fn wrote(&mut self, frame: &Frame) {
        let text = frame.text();
        match frame.message_type() {
            MessageType::User => {
                if let Ok(message) = serde_json::from_str::<MessageFields<'_>>(text) {
                    self.wrote_prompt(frame, &message);
                }
            }
            MessageType::ControlRequest => {
                let until = self.state.now.after(self.state.patience.reply);
                self.asking(text, until);
            }
            MessageType::ControlResponse => {
                let response = serde_json::from_str::<Responded<'_>>(text);
                if let Some(response) = response.ok().and_then(|it| it.response.0) {
                    self.wrote_answer(&response);
                }
            }
            _ => {}
        }
    }

    /// `control_response`: the first answer to a request of this side counts, and nothing else does.
    pub(super) fn responded(&mut self, frame: &Frame, responded: Responded<'_>) {
        let Some(response) = responded.response.0 else {
            self.state.drift.foreign += 1;
            return;
        };
        let known = self.state.requests.iter().position(|it| it.id == response.request_id);
        let Some(at) = known else {
            // Agents that echo repeat our own answers too.
            if self.state.find_ask(&response.request_id).is_none() {
                self.state.drift.foreign += 1;
                self.change(Change::Drift);
            }
            return;
        };
        let pending = self.state.requests.remove(at);
        if response.is_success() {
            let model = self.state.session.model.clone();
            self.learn(&pending, &response);
            self.request_took_effect(&pending, response.response, model);
        }
        if pending.subtype == Subtype::Interrupt {
            self.acknowledged(&response);
        }
        for request in &response.pending_permission_requests.0 {
            self.ask_again(request);
        }
        self.effects.push(Effect::Replied {
            request: pending.id,
            reply: RequestOutcome::Answered(frame.clone()),
        });
    }

    fn acknowledged(&mut self, response: &Response<'_>) {
        let now = self.state.now;
        if let Some(it) = &mut self.state.interrupt
            && it.rung == Rung::Asked
            && it.request == response.request_id
        {
            it.rung = Rung::Acknowledged;
            it.since = now;
        }
        self.sign();
    }

    /// Requests whose time is over, and interrupts that did not help.
    pub(super) fn overdue(&mut self) {
        let now = self.state.now;
        while let Some(at) = self.state.requests.iter().position(|it| it.until < now) {
            let pending = self.state.requests.remove(at);
            self.effects.push(Effect::Replied {
                request: pending.id,
                reply: RequestOutcome::Expired,
            });
        }
    }

    /// Takes the next rung when the one before had its time.
    pub(super) fn climb(&mut self) {
        let now = self.state.now;
        let Some(ladder) = self.state.patience.ladder else {
            return;
        };
        let Some(it) = &mut self.state.interrupt else { return };
        let (wait, next, signal) = match it.rung {
            Rung::Asked => (ladder.acknowledge, Rung::Terminated, super::super::Signal::Terminate),
            Rung::Acknowledged => (ladder.result, Rung::Terminated, super::super::Signal::Terminate),
            Rung::Terminated => (ladder.terminate, Rung::Killed, super::super::Signal::Kill),
            Rung::Killed => return,
        };
        if now > it.since.after(wait) && matches!(self.state.process, ProcessStatus::Up { .. }) {
            it.rung = next;
            it.since = now;
            self.effects.push(Effect::Signal(signal));
            self.change(Change::Activity);
        }
    }
}
