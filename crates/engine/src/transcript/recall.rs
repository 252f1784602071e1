//! Remembering an earlier conversation. A long one is read while the session begins: nothing but the model needs to know
//! what was said.

use std::io;

use serde_json::Value;
use tokio::task::JoinHandle;

use super::since::Since;
use crate::history::History;
use crate::measure::Gauge;
use crate::messages;
use crate::session::Session;

/// A conversation that is being read.
#[derive(Debug)]
pub(crate) struct Recall {
    reading: JoinHandle<io::Result<(History, Since)>>,
    usage: Value,
}

impl Session {
    /// Takes up what an earlier session left.
    pub(crate) async fn take_up(&mut self) {
        let Some(mut earlier) = self.options.earlier.take() else {
            return;
        };
        self.hooks.resumed = Some(earlier.is_fork());
        self.queue.remember(std::mem::take(&mut earlier.known));
        if let Some(cost) = earlier.cost.take() {
            self.account
                .ledger
                .restore(cost.get("modelUsage").unwrap_or(&Value::Null));
            self.account.api_ms = cost.get("totalAPIDuration").and_then(Value::as_u64).unwrap_or(0);
        }
        self.hooks.deferred_call.clone_from(&earlier.deferred_call);
        let usage = earlier.usage().unwrap_or_default();
        if earlier.is_long() {
            let reading = tokio::task::spawn_blocking(move || earlier.history());
            self.conversation.recall = Some(Recall { reading, usage });
        } else {
            let history = earlier.history();
            self.remember(history, &usage).await;
        }
    }

    /// Waits until the session knows what was said before it. Whoever needs the conversation calls this first.
    pub(crate) async fn recall(&mut self) {
        if let Some(Recall { reading, usage }) = self.conversation.recall.take() {
            let history = reading.await.unwrap_or_else(|error| Err(io::Error::other(error)));
            self.remember(history, &usage).await;
            if self.agents.id().is_none() {
                self.tell_orphans().await;
            }
        }
    }

    async fn remember(&mut self, history: io::Result<(History, Since)>, usage: &Value) {
        match history {
            Ok((earlier, since)) => {
                self.conversation.transcript.since.preceded_by(since);
                self.conversation.compactions.gauge = Gauge::read(usage, earlier.len());
                self.conversation.history.preceded_by(earlier);
            }
            Err(error) => {
                let text = format!("What was said earlier cannot be read: {error}. The model does not know of it.");
                self.say(messages::informational(&text, "warning")).await;
            }
        }
    }
}
