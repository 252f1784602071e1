//! Permission requests for calls: sending them and applying the answers.

use serde_json::Value;
use sluice_call::{AskedOf, CallEvent, Change, Changed, Denial, PermissionAnswer};
use sluice_permission::{Decision, Reason, ReasonKind};
use sluice_tools::{Context, Outcome, Pins};

use crate::messages;
use crate::options::Asker;
use crate::policy::HostAnswer;
use crate::sandbox::may_look;
use crate::session::Session;
use crate::turn::Stop;

impl Session {
    /// Sends a permission request. Returns the event if the call is decided without one.
    pub(super) async fn ask(&mut self, index: usize, decision: &Decision) -> Option<CallEvent> {
        if let Some(outcome) = self.early_failure(index).await {
            return Some(CallEvent::Unfit(Box::new(outcome)));
        }
        let request_id = messages::fresh_id();
        let asked = |of| CallEvent::Asked {
            request_id: request_id.clone(),
            of,
        };
        match self.asker() {
            Asker::Host if !self.line.input_ended() => {
                let call = self.calls.get(index)?;
                let request = messages::ask(&request_id, call, decision, &self.options.cwd);
                self.step(index, asked(AskedOf::Person));
                self.enter(messages::State::RequiresAction).await;
                self.emit(request).await;
            }
            Asker::Tool(name) => {
                if let Err(why) = self.ask_permission_tool(index, &request_id, &name) {
                    // The program cannot continue without its permission prompt tool and exits with an error.
                    self.line.leave(1);
                    self.turn.stop_unless_stopping(Stop::Fail);
                    return Some(failed(&why));
                }
                self.step(index, asked(AskedOf::Person));
            }
            Asker::Host | Asker::Nobody | Asker::Refuses => {
                let hooks = self.hooks_beside_ask(index, &request_id, decision).await;
                return Some(if hooks { asked(AskedOf::Hooks) } else { self.unasked() });
            }
        }
        self.hooks_beside_ask(index, &request_id, decision).await;
        None
    }

    /// Asks the tool whether a permission request would be pointless, because the call fails in any case.
    async fn early_failure(&self, index: usize) -> Option<Outcome> {
        let call = self.calls.get(index)?;
        let tool = call.tool.as_ref()?;
        let read = |reading| self.decide_pinned(reading, &call.checked, &call.pins);
        if !may_look(tool.descriptor().touches, read) {
            return None;
        }
        let context = Context {
            pins: Some(call.pins.clone()),
            ..self.context(&call.id)
        };
        tool.vet(&call.checked, &context).await
    }

    /// The event for a call that needs permission in a session without a host or tool to answer.
    pub(super) fn unasked(&self) -> CallEvent {
        match self.asker() {
            Asker::Refuses => CallEvent::Unasked(Some(Reason::said(
                ReasonKind::AsyncAgent,
                "nobody answers questions in this session",
            ))),
            Asker::Nobody | Asker::Tool(_) => CallEvent::Unasked(None),
            Asker::Host => failed("AbortError: Stream closed"),
        }
    }

    /// Fails an open permission request.
    pub(crate) async fn ask_failed(&mut self, index: usize, why: &str) {
        self.advance(index, failed(why)).await;
    }

    /// Applies the answer of the host or of the permission prompt tool.
    pub(crate) async fn answered(&mut self, index: usize, answer: Result<Value, String>) {
        if self.calls.open_asks().len() <= 1 {
            self.enter(messages::State::Running).await;
        }
        // Apply rules that were added in the meantime, possibly by a subagent.
        self.apply_shared_changes().await;
        let event = match answer {
            Err(error) => failed(&format!("Error: {error}")),
            Ok(value) => CallEvent::Answered(match HostAnswer::read(&value) {
                HostAnswer::Allow { input, updates, grant } => PermissionAnswer::Allow {
                    changed: input.and_then(|input| self.changed(index, input)),
                    updates,
                    grant,
                },
                HostAnswer::Deny { interrupt: true, .. } => PermissionAnswer::Interrupt,
                HostAnswer::Deny { message, .. } => PermissionAnswer::Deny(Denial::by_person(message)),
                HostAnswer::Invalid(why) => PermissionAnswer::Deny(Denial::unanswered(why)),
            }),
        };
        self.advance(index, event).await;
        self.launch().await;
    }

    /// The changed input in an answer; `None` if it is the original input.
    pub(crate) fn changed(&self, index: usize, input: Value) -> Option<Changed> {
        let call = self.calls.get(index)?;
        if input == call.checked {
            // Keep the original input, with paths as the model wrote them.
            return None;
        }
        let cwd = self.tooling.cwd().get();
        let tool = call.tool.as_ref()?;
        Some(match tool.check(&input, &cwd) {
            Err(invalid) => Changed::Invalid(Box::new(invalid.into())),
            Ok(checked) => Changed::Valid(Box::new(Change {
                pins: Pins::of(tool.descriptor().touches, &checked, &cwd),
                checked,
                input,
                as_given: true,
            })),
        })
    }
}

fn failed(why: &str) -> CallEvent {
    CallEvent::Answered(PermissionAnswer::Deny(Denial::request_failed(why)))
}
