//! Calls that end early, because the host is gone, the turn is interrupted, or the process exits.

use serde_json::Value;
use sluice_call::{CallEvent, End};
use sluice_tools::Outcome;

use crate::messages;
use crate::options::Asker;
use crate::session::Session;

impl Session {
    /// Fails open permission requests after the end of the host's input.
    pub(crate) async fn fail_open_asks(&mut self) {
        self.hooks.forget_callbacks();
        if self.turn.is_open() {
            self.enter(messages::State::Running).await;
        }
        for request_id in self.calls.open_asks() {
            if let (Asker::Host, Some(index)) = (&self.options.permissions.asker, self.calls.asking(&request_id)) {
                self.ask_failed(
                    index,
                    "AbortError: Tool permission stream closed before response received",
                )
                .await;
            }
        }
        if self.turn.is_open() {
            self.launch().await;
        }
    }

    /// Withdraws open permission requests when the turn is interrupted.
    pub(crate) async fn withdraw_asks(&mut self) {
        for request_id in self.calls.open_asks() {
            if let Some(index) = self.calls.asking(&request_id) {
                self.advance(index, CallEvent::Withdrawn).await;
            }
            if self.options.permissions.asker == Asker::Host {
                self.emit(messages::cancel(&request_id)).await;
            }
        }
        self.withdraw_callbacks().await;
    }

    /// Rejects every open call and cancels running ones.
    pub(crate) async fn reject_calls(&mut self) {
        self.release().await;
        self.calls.cancel();
        self.calls.end_running().await;
        self.drain_events().await;
        self.abandon_hooks().await;
        let starts = |index: &usize| {
            let call = self.calls.get(*index);
            call.is_some_and(|call| self.starts_agent(&call.name, &call.input))
        };
        let (agents, others): (Vec<usize>, Vec<usize>) = self.calls.unfinished().into_iter().partition(starts);
        for index in others {
            self.reject(index).await;
        }
        // The ends of subagents are reported in reverse order, like the reference CLI does.
        for index in agents.into_iter().rev() {
            self.reject(index).await;
            let id = self.calls.get(index).map(|call| call.id.clone());
            self.stop_agents_of(&id.unwrap_or_default()).await;
        }
    }

    async fn reject(&mut self, index: usize) {
        let outcome = Outcome {
            content: Value::from(messages::REJECTED),
            result: Value::from(messages::REJECTED_RESULT),
            ..Outcome::interrupted()
        };
        let end = Box::new(End::stopped(outcome));
        self.advance(index, CallEvent::Stopped(end)).await;
    }

    /// Kills running calls when the process exits. Results that arrive in time are sent.
    pub(crate) async fn abandon_calls(&mut self) {
        self.release().await;
        self.calls.cancel();
        for (index, outcome) in self.calls.end_running().await {
            self.finish_run(index, outcome).await;
        }
        self.abandon_hooks().await;
    }
}
