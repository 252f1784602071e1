//! A tool call that a hook defers: the turn ends with the call undone and the process goes. Whoever goes on with the
//! session goes on with the call: hooks are asked again, and it runs, or is deferred once more.

use std::future::Ready;
use std::pin::Pin;

use serde_json::json;
use sluice_call::{Call, CallEvent, Deferred};
use sluice_wire::stdin::User;

use crate::messages;
use crate::session::Session;
use crate::session_loop::Heard;
use crate::session_loop::SessionLoop;
use crate::turn::Ending;

/// Who is not to be left alone with a session that ends by itself: a person in front of it.
const PERSON: &str = "cli";
/// What the model is asked when the call has run and nobody has said anything else.
const GO_ON: &str = "Go on where you left off.";

impl Session {
    /// Whether a call may be put off; where it may not, it is decided about as if no hook had said so.
    pub(crate) async fn may_defer(&mut self) -> bool {
        let headless = self.options.session.keeping.entrypoint != PERSON && self.hooks.speaker().is_none();
        if !headless || self.calls.len() > 1 {
            self.say_not_deferred().await;
            return false;
        }
        true
    }

    async fn say_not_deferred(&mut self) {
        let text = "A hook wants to put a call off. That can be done with the only call of an answer, in a session without \
                    a person in front of it; this one is decided about as usual.";
        self.say(messages::informational(text, "warning")).await;
    }

    /// More calls came behind one that was put off: it is decided about after all.
    pub(crate) async fn take_up_deferred_call(&mut self) {
        if self.calls.len() < 2 {
            return;
        }
        if let Some(index) = self.calls.iter().position(Call::is_deferred) {
            self.say_not_deferred().await;
            self.advance(index, CallEvent::NotDeferred).await;
        }
    }

    /// How the turn ends if its call was put off: the session goes, and keeps what it takes to go on.
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
    /// Goes on with the call an earlier session has put off, before anything else is done. Gives how the turn ends, if
    /// it does not go on with the prompts that wait.
    pub(crate) async fn play_deferred_call(&mut self, call: Deferred) -> Option<Ending> {
        self.session.hooks.begin_turn();
        self.session.conversation.transcript.holds(&call.id);
        self.session.calls.reset(self.session.line.quit());
        let block = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input});
        self.session.add_call(&block).await;
        if self.session.calls.iter().all(|call| call.tool.is_none()) {
            self.session.line.leave(1);
            self.session.announce().await;
            return Some(Ending::PutOffGone(call.name));
        }
        self.session.admit_last_call().await;
        self.session.launch().await;
        let ending = match self.wait_for(None::<Pin<&mut Ready<()>>>).await {
            Heard::Stopped => Some(self.session.stopped().await),
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
            self.session.enqueue(User::new(GO_ON)).await;
        }
        None
    }
}
