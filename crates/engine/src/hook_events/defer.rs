//! Tool calls that a hook defers: the turn ends without running the call, and the process exits. When the session is
//! resumed, hooks are run again and the call runs or is deferred once more.

use std::future::Ready;
use std::pin::Pin;

use serde_json::json;
use sluice_call::{Call, CallEvent, Deferred};
use sluice_wire::stdin::User;

use crate::messages;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::session_loop::WaitOutcome;
use crate::turn::Ending;

/// The entrypoint of interactive sessions, in which calls cannot be deferred.
const INTERACTIVE: &str = "cli";
/// The prompt after a deferred call has run, if there is no other prompt.
const CONTINUE_PROMPT: &str = "Go on where you left off.";

impl Session {
    /// Returns whether a call may be deferred. If not, it is decided as if no hook had deferred it.
    pub(crate) async fn may_defer(&mut self) -> bool {
        let headless = self.options.session.keeping.entrypoint != INTERACTIVE && self.hooks.speaker().is_none();
        if !headless || self.calls.len() > 1 {
            self.report_not_deferred().await;
            return false;
        }
        true
    }

    async fn report_not_deferred(&mut self) {
        let text = "A hook wants to put a call off. That can be done with the only call of an answer, in a session without \
                    a person in front of it; this one is decided about as usual.";
        self.emit(messages::informational(text, "warning")).await;
    }

    /// Decides a deferred call after all, because further calls followed it in the message.
    pub(crate) async fn decide_deferred_call(&mut self) {
        if self.calls.len() < 2 {
            return;
        }
        if let Some(index) = self.calls.iter().position(Call::is_deferred) {
            self.report_not_deferred().await;
            self.advance(index, CallEvent::NotDeferred).await;
        }
    }

    /// Returns how the turn ends if its call is deferred. Stores the call for the resumed session and exits.
    pub(crate) async fn deferred_ending(&mut self) -> Option<Ending> {
        let call = self.calls.iter().find(|call| call.is_deferred())?;
        let deferred_call = Deferred {
            id: call.id.clone(),
            name: call.name.clone(),
            input: call.input.clone(),
        };
        let attachment = deferred_call.attachment(self.policy.mode.as_str());
        self.keep_deferred_call(&attachment).await;
        self.line.begin_leaving();
        Some(Ending::Deferred(deferred_call))
    }
}

impl SessionLoop {
    /// Runs the call that an earlier process deferred, before anything else. Returns how the turn ends, or `None` if it
    /// continues with waiting prompts.
    pub(crate) async fn play_deferred_call(&mut self, call: Deferred) -> Option<Ending> {
        self.session.hooks.begin_turn();
        self.session.conversation.transcript.holds(&call.id);
        self.session.calls.reset(self.session.line.quit());
        let block = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input});
        self.session.add_call(&block).await;
        if self.session.calls.iter().all(|call| call.tool.is_none()) {
            self.session.line.leave(1);
            self.session.announce().await;
            return Some(Ending::DeferredUnavailable(call.name));
        }
        self.session.admit_last_call().await;
        self.session.launch().await;
        let ending = match self.wait_for(None::<Pin<&mut Ready<()>>>).await {
            WaitOutcome::Stopped => Some(self.session.stopped().await),
            _ => match self.session.deferred_ending().await {
                Some(ending) => Some(ending),
                None if self.hook_batch().await.is_err() => Some(self.session.stopped().await),
                None => {
                    self.session.keep_results();
                    self.session.hook_halt()
                }
            },
        };
        if ending.is_some() {
            self.session.announce().await;
            return ending;
        }
        if self.session.queue.is_empty() {
            self.session.enqueue(User::new(CONTINUE_PROMPT)).await;
        }
        None
    }
}
