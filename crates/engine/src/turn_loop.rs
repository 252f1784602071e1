//! The loop of a turn: a model request, its tool calls, the next request, until the model stops.

use std::future::Ready;
use std::pin::Pin;

use sluice_model::{Failure, Message, Request, models};
use sluice_wire::mode::PermissionMode;

use crate::catalogue;
use crate::hook_events::TurnEnd;
use crate::limits;
use crate::messages;
use crate::model_request::ModelReply;
use crate::options::Thinking;
use crate::prompt;
use crate::queue::blocks_of;
use crate::record::Queued;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::session_loop::WaitOutcome;
use crate::turn::{ApiEnding, Ending, Stop};

/// The maximum number of times per reason that a turn prompts the model to continue.
const MAX_NUDGES: u32 = 3;

impl SessionLoop {
    /// Runs the conversation of a turn to its end.
    pub(crate) async fn run_turn(&mut self, query: bool) -> Ending {
        self.session.hooks.begin_turn();
        if !query {
            return Ending::Recorded;
        }
        loop {
            // Subagents use the same budget while their calls run.
            if let Some(limit) = self.session.over_budget() {
                return Ending::Budget(limit);
            }
            if let Some(limit) = self.session.options.limits.max_turns.filter(|limit| *limit > 0)
                && self.session.turn.requests >= limit
            {
                return Ending::MaxTurns(limit);
            }
            let cut = match self.exchange().await {
                ModelReply::Message { cut } => cut,
                ModelReply::Stopped => return self.session.stopped().await,
                ModelReply::Failed(failure) => return self.session.failed(&failure).await,
            };
            if let Some(limit) = self.session.over_budget() {
                return Ending::Budget(limit);
            }
            let called = !self.session.calls.is_empty();
            if called {
                self.session.decide_deferred_call().await;
                self.session.launch().await;
                if let WaitOutcome::Stopped = self.wait_for(None::<Pin<&mut Ready<()>>>).await {
                    return self.session.stopped().await;
                }
                if let Some(ending) = self.session.deferred_ending().await {
                    return ending;
                }
                if self.hook_batch().await.is_err() {
                    return self.session.stopped().await;
                }
                self.session.keep_results();
                if let Some(ending) = self.session.hook_halt() {
                    return ending;
                }
                self.give_skills().await;
                if let Some(ending) = self.session.structured_ending() {
                    return ending;
                }
            }
            if cut && self.session.turn.nudges.cut < MAX_NUDGES {
                self.session.turn.nudges.cut += 1;
                self.session.nudge(messages::CUT_OFF).await;
            } else if called {
                self.fold().await;
            } else if !self.session.prompt_to_continue().await {
                let at_end = match self.hook_stop().await {
                    TurnEnd::End => self.check_goal().await,
                    at_end => at_end,
                };
                match at_end {
                    TurnEnd::End => return Ending::Completed,
                    TurnEnd::Continue => {}
                    TurnEnd::EndWith(ending) => return ending,
                    // Only hooks were interrupted; the response was complete.
                    TurnEnd::Stopped
                        if self.session.turn.stop() == Some(Stop::Interrupt) && self.session.agents.id().is_none() =>
                    {
                        return Ending::Completed;
                    }
                    TurnEnd::Stopped => return self.session.stopped().await,
                }
            }
        }
    }

    /// Adds prompts and notes that arrived while tools ran to the turn.
    async fn fold(&mut self) {
        for note in self.session.background.take_joining() {
            self.session.keep_note(&note.text, &note.origin).await;
            self.session.conversation.history.user_text(&note.text);
        }
        for prompt in self.session.queue.fold() {
            if !self.hook_joining(&prompt).await {
                continue;
            }
            self.session.keep_queued(Queued::Absorbed(&prompt)).await;
            self.keep_prompt(&prompt).await;
            if self.session.options.host.replay && prompt.is_replayed() {
                self.session
                    .emit(messages::replay(&prompt.id, &prompt.content, Some(&prompt.timestamp)))
                    .await;
            }
            if let Some(uuid) = &prompt.uuid {
                self.session.emit(messages::lifecycle(uuid, "started")).await;
                self.session.turn.prompts.folded.push(uuid.clone());
            }
            self.session
                .conversation
                .history
                .user(blocks_of(&messages::sanitized(&prompt.content)));
            if !prompt.verbatim {
                self.attach_prompt(&prompt).await;
            }
        }
    }
}

impl Session {
    /// Prompts the model to continue if it stopped without an answer. Returns false if it did answer.
    async fn prompt_to_continue(&mut self) -> bool {
        match self.turn.stop_reason.as_deref() {
            Some("pause_turn") => true,
            Some("max_tokens" | "model_context_window_exceeded") if self.turn.nudges.truncated < MAX_NUDGES => {
                self.turn.nudges.truncated += 1;
                self.nudge(messages::TRUNCATED).await;
                true
            }
            Some("refusal") if self.turn.nudges.refused == 0 => {
                self.turn.nudges.refused += 1;
                self.emit(messages::informational(messages::REFUSED_NOTICE, "notice"))
                    .await;
                self.nudge(messages::REFUSED).await;
                true
            }
            Some("tool_use") if self.turn.nudges.silent == 0 => {
                self.turn.nudges.silent += 1;
                self.nudge(messages::NO_CALL).await;
                true
            }
            Some("end_turn" | "stop_sequence") | None if self.lacks_structured() => {
                self.enforce_structured().await;
                true
            }
            Some("end_turn" | "stop_sequence") | None if self.turn.text.is_empty() && self.turn.nudges.silent == 0 => {
                self.turn.nudges.silent += 1;
                self.nudge(messages::SILENT).await;
                true
            }
            _ => false,
        }
    }

    /// Ends a stopped turn: every open call gets its result, then the notice is added.
    pub(crate) async fn stopped(&mut self) -> Ending {
        let called = !self.calls.is_empty();
        let tools = called && !self.calls.all_done();
        match self.turn.stop() {
            Some(Stop::Leave) | None => {
                self.abandon_calls().await;
                Ending::Interrupted { tools }
            }
            Some(stop) => {
                if tools {
                    self.reject_calls().await;
                }
                self.stop_agents().await;
                self.keep_results();
                if tools && stop == Stop::Interrupt {
                    self.notice(messages::INTERRUPTED_TOOLS).await;
                }
                match stop {
                    Stop::Supersede => Ending::Superseded { tools: called },
                    _ => Ending::Interrupted { tools },
                }
            }
        }
    }

    /// Adds the results of the calls to the conversation. They must directly follow the calls, as the API requires.
    pub(crate) fn keep_results(&mut self) {
        let results = self.calls.take_results();
        self.conversation.history.user(results);
    }

    /// Ends the turn after a failed model request.
    async fn failed(&mut self, failure: &Failure) -> Ending {
        let ending = ApiEnding {
            text: limits::with_reset_time(self.model.client.explain(failure, self.answering_model()), failure),
            reason: failure.terminal_reason(),
            status: failure.status(),
            kind: failure.api_error_type().map(str::to_owned),
            error: failure.api_error(),
        };
        let message = messages::api_error(failure, &ending.text, &self.turn);
        let error = message.error.clone().unwrap_or_default();
        self.emit_block(message, None).await;
        self.hook_stop_failure(error, &ending.text).await;
        self.turn.stop_reason = Some("stop_sequence".to_owned());
        Ending::Api(ending)
    }

    /// Adds a notice that no person wrote.
    pub(crate) async fn notice(&mut self, text: &str) {
        self.turn.frames += 1;
        self.conversation.history.user_text(text);
        self.emit_user_message(messages::notice(text)).await;
    }

    /// Adds a prompt that makes the model continue.
    pub(crate) async fn nudge(&mut self, text: &str) {
        self.turn.frames += 1;
        self.conversation.history.user_text(text);
        self.emit_user_message(messages::nudge(text)).await;
    }

    pub(crate) fn over_budget(&self) -> Option<f64> {
        self.options
            .limits
            .max_budget_usd
            .filter(|limit| self.account.ledger().total_cost_usd() >= *limit)
    }

    /// Builds the next request from the whole conversation.
    pub(crate) fn request(&mut self) -> Request {
        let messages = self.conversation.history.messages();
        self.request_of(messages)
    }

    /// Builds a request from these messages and the current system prompt, tools and model options.
    pub(crate) fn request_of(&mut self, messages: Vec<Message>) -> Request {
        let mut request = Request::new(self.answering_model().to_owned(), messages);
        request.system = self.system().clone();
        request.tools = self
            .offered()
            .filter(|tool| !self.defers(tool))
            .map(|tool| self.described(&tool))
            .chain(self.structured_tool())
            .collect();
        if self.options.agents.never_in_background {
            request.tools.iter_mut().for_each(forget_background);
        }
        request.thinking = self.thinking();
        request.effort = self.options.model.effort.clone();
        if let Some(most) = self.options.conversation.max_output {
            request.max_tokens = request.max_tokens.min(most);
        }
        request.task_budget = self.options.conversation.task_budget;
        request
            .thinking_display
            .clone_from(&self.options.conversation.thinking_display);
        request
    }

    /// The system prompt.
    pub(crate) fn system(&mut self) -> &Vec<serde_json::Value> {
        let style = catalogue::styles::find(&self.commands.catalogue().styles, &self.style_name());
        let (options, notes) = (&self.options, self.policy.notes.as_deref());
        let words = &options.prompt.words;
        self.conversation.system(words.keep, || {
            prompt::system(words, &options.place(notes), style.as_ref())
        })
    }

    /// The model for the next request, which differs in plan mode.
    pub(crate) fn answering_model(&self) -> &str {
        match &self.model.planner {
            Some(planner) if self.policy.mode == PermissionMode::Plan => planner,
            _ => &self.model.name,
        }
    }

    fn thinking(&self) -> sluice_model::Thinking {
        let able = models::facts(self.answering_model()).thinking;
        match self.options.model.thinking {
            Thinking::Off => able.off(),
            Thinking::Default | Thinking::Adaptive => able.default(),
            Thinking::Budget(0) => able.off(),
            Thinking::Budget(tokens) => able.budget(tokens),
        }
    }
}

/// Removes the background parameter from a tool definition.
fn forget_background(tool: &mut serde_json::Value) {
    let properties = tool.pointer_mut("/input_schema/properties");
    if let Some(properties) = properties.and_then(serde_json::Value::as_object_mut) {
        properties.shift_remove("run_in_background");
    }
}
