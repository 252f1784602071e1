//! Resuming an earlier conversation.

use std::io;

use serde_json::Value;
use sluice_call::Deferred;
use sluice_model::measure::Gauge;
use sluice_transcript::Since;
use sluice_wire::stdin::User;

use crate::history::History;
use crate::messages;
use crate::prompt;
use crate::recall::EarlierConversation;
use crate::record::Queued;
use crate::session::Session;
use crate::shown;

/// The prompt that continues an unfinished turn.
const CONTINUE: &str = "Continue from where you left off.";

impl Session {
    /// Restores the state of the earlier session. A long conversation is loaded concurrently.
    pub(crate) async fn restore_session(&mut self) {
        let Some(mut earlier) = self.options.session.earlier.take() else {
            return;
        };
        self.queue.remember(std::mem::take(&mut earlier.known));
        if let Some(cost) = earlier.cost.take() {
            self.account
                .ledger()
                .restore(cost.get("modelUsage").unwrap_or(&Value::Null));
            self.account
                .resume_api_ms(cost.get("totalAPIDuration").and_then(Value::as_u64).unwrap_or(0));
        }
        if let Some(texts) = earlier.system_prompt.take() {
            self.conversation
                .record_system(prompt::blocks(texts), !earlier.is_fork());
        }
        let deferred_call = earlier.deferred_call.as_ref();
        let deferred_call = deferred_call.and_then(|call| Deferred::read(&call.attachment));
        self.hooks.resume(earlier.is_fork(), deferred_call);
        let usage = earlier.usage().unwrap_or_default();
        if earlier.is_long() {
            let reading = tokio::task::spawn_blocking(move || earlier.tell(shown::look));
            self.conversation
                .set_loading(Some(EarlierConversation { reading, usage }));
        } else {
            let history = earlier.tell(shown::look);
            self.set_earlier_conversation(history, &usage).await;
        }
    }

    /// Waits until the earlier conversation is loaded. Must be called before the conversation is used.
    pub(crate) async fn await_history(&mut self) {
        if let Some(EarlierConversation { reading, usage }) = self.conversation.take_recall() {
            let history = reading.await.unwrap_or_else(|error| Err(io::Error::other(error)));
            self.set_earlier_conversation(history, &usage).await;
            if self.agents.id().is_none() {
                self.report_orphans().await;
            }
        }
    }

    /// Continues a turn that an earlier process did not finish: the conversation ends with a user message that the
    /// model has not answered, and no interrupt ended it.
    pub(crate) async fn resume_interrupted(&mut self) {
        if !self.options.session.resume_interrupted || self.options.session.refusal.is_some() {
            return;
        }
        self.await_history().await;
        let open = self.conversation.history.all().pop().filter(|last| last.is_user());
        let Some(last) = open.map(|last| last.value().to_string()) else {
            return;
        };
        if last.contains(messages::INTERRUPTED) || last.contains(messages::INTERRUPTED_TOOLS) {
            return;
        }
        let mut prompt = messages::prompt(User {
            uuid: Some(messages::fresh_id()),
            is_synthetic: Some(true),
            client_composed: Some(true),
            ..User::new(CONTINUE)
        });
        prompt.origin = None;
        prompt.resumes = true;
        self.keep_queued(Queued::Enqueue(&prompt)).await;
        self.queue.push(prompt);
        self.enter(messages::State::Running).await;
    }

    async fn set_earlier_conversation(&mut self, history: io::Result<(History, Since)>, usage: &Value) {
        match history {
            Ok((earlier, since)) => {
                self.conversation.transcript.preceded_by(since);
                self.conversation.compactions.gauge = Gauge::read(usage, earlier.len());
                self.conversation.history.preceded_by(earlier);
            }
            Err(error) => {
                let text =
                    format!("The earlier conversation cannot be read: {error}. The model does not know its content.");
                self.emit(messages::informational(&text, "warning")).await;
            }
        }
    }
}
