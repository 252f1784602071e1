//! One model request, with retries, fallbacks and recovery of broken streams.
//!
//! A request is repeated until it is answered, given up or stopped. Each block is sent to the host when it is complete,
//! and a tool call starts as soon as its block is complete. If the stream breaks before the first complete block, the
//! request is repeated; otherwise the model is asked to continue.

use std::pin::pin;
use std::time::Instant;

use serde_json::Value;
use sluice_model::{Accumulator, EventKind, Failure, ModelEvent, Request, Stream};

use crate::messages;
use crate::model_choice::{Answers, Switch};
use crate::retries::{Attempts, RetryOutcome};
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::session_loop::WaitOutcome;
use crate::turn::Stop;

/// The outcome of a model request.
#[derive(Debug)]
pub(crate) enum ModelReply {
    /// The model has responded. `cut`: the response broke off after a complete block.
    Message { cut: bool },
    /// The turn has to stop. Incomplete messages are closed and the notice has been sent.
    Stopped,
    /// The request failed finally.
    Failed(Failure),
}

/// The outcome of one attempt.
enum Attempt {
    Done,
    Cut,
    Stopped,
    Failed(Failure),
}

impl SessionLoop {
    /// Sends a model request, with as many attempts as needed.
    pub(crate) async fn exchange(&mut self) -> ModelReply {
        self.session.turn.requests += 1;
        self.session.turn.last_stop = self
            .session
            .turn
            .stop_reason
            .take()
            .or(self.session.turn.last_stop.take());
        self.session.calls.reset(self.session.line.quit());
        self.await_lists().await;
        self.session.add_hook_contexts().await;
        self.session.emit_requesting().await;
        self.session.await_history().await;
        if !self.compact_if_needed().await {
            self.session.echo_prompt().await;
            self.session.stop_before_speech().await;
            return ModelReply::Stopped;
        }
        self.session.record_sent_messages().await;
        self.session.keep_system().await;
        let mut attempts = Attempts::default();
        loop {
            let request = self.session.request();
            self.session.turn.times.first_request.get_or_insert_with(Instant::now);
            let began = Instant::now();
            let outcome = if attempts.streaming {
                self.try_stream(&request).await
            } else {
                self.try_whole(&request).await
            };
            self.session
                .account
                .add_api_ms(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
            let failure = match outcome {
                Attempt::Done => return ModelReply::Message { cut: false },
                Attempt::Cut => return ModelReply::Message { cut: true },
                Attempt::Stopped => return ModelReply::Stopped,
                Attempt::Failed(failure) => failure,
            };
            match self.retry_or_give_up(&mut attempts, &failure).await {
                RetryOutcome::Try => {}
                RetryOutcome::Stopped => {
                    self.session.stop_before_speech().await;
                    return ModelReply::Stopped;
                }
                RetryOutcome::GiveUp => {
                    let removed = self.remove_cause(&failure).await;
                    if self.session.turn.stop().is_some() {
                        self.session.stop_before_speech().await;
                        return ModelReply::Stopped;
                    }
                    if !removed {
                        return ModelReply::Failed(failure);
                    }
                    attempts = Attempts::default();
                }
            }
        }
    }

    /// Removes the cause of a failure, so that the request can be repeated. Returns false if that is impossible.
    async fn remove_cause(&mut self, failure: &Failure) -> bool {
        if failure.is_prompt_too_long() {
            self.compact_after_rejection().await
        } else if failure.is_media_refused() {
            self.session.drop_media(failure).await
        } else {
            self.session.fall_back(failure).await
        }
    }

    async fn try_stream(&mut self, request: &Request) -> Attempt {
        let client = self.session.model.client.clone();
        let opened = self.wait_for(Some(pin!(client.stream(request)))).await;
        self.session.echo_prompt().await;
        match opened {
            WaitOutcome::Ready(Ok(stream)) => self.read_stream(stream).await,
            WaitOutcome::Ready(Err(failure)) => Attempt::Failed(failure),
            WaitOutcome::CallsDone | WaitOutcome::Stopped => {
                self.session.stop_before_speech().await;
                Attempt::Stopped
            }
        }
    }

    /// Reads a streamed message to its end and forwards it to the host.
    async fn read_stream(&mut self, mut stream: Stream) -> Attempt {
        let request_id = stream.head.request_id.clone();
        let mut draft = Draft {
            message: Accumulator::new(),
            request_id,
            thought: 0,
        };
        loop {
            let outcome = self.wait_for(Some(pin!(stream.next()))).await;
            match outcome {
                WaitOutcome::Ready(Ok(Some(event))) => self.on_model_event(&mut draft, event).await,
                WaitOutcome::Ready(Ok(None)) => {
                    self.session.report_limits(stream.head.limits.as_ref()).await;
                    self.session.settle(&draft);
                    self.session.release().await;
                    self.session.launch().await;
                    return Attempt::Done;
                }
                WaitOutcome::Ready(Err(failure)) => return self.session.broken(&draft, failure).await,
                WaitOutcome::CallsDone | WaitOutcome::Stopped => {
                    self.session.stop_speech(&draft).await;
                    return Attempt::Stopped;
                }
            }
        }
    }

    /// Forwards one event to the host and handles the block that it completes.
    async fn on_model_event(&mut self, draft: &mut Draft, event: ModelEvent) {
        let finished = draft.message.feed(&event);
        let starts = matches!(event.kind, EventKind::MessageStart { .. });
        if starts {
            self.session.turn.times.first_token.get_or_insert_with(Instant::now);
        } else if matches!(event.kind, EventKind::BlockStart { .. }) {
            self.session.turn.times.first_block.get_or_insert_with(Instant::now);
        }
        if let EventKind::Delta {
            delta: sluice_model::Delta::Thinking(text),
            ..
        } = &event.kind
        {
            // The API does not report this number; about four bytes are one token.
            let added = u64::try_from(text.len().div_ceil(4)).unwrap_or(0);
            draft.thought += added;
            self.session.emit(messages::thinking_tokens(draft.thought, added)).await;
        }
        if matches!(event.kind, EventKind::MessageDelta { .. }) {
            self.session.finish_message(Some(&draft.message)).await;
        }
        let mut began_call = false;
        if let Some(finished) = finished {
            let envelope = draft.message.envelope().cloned().unwrap_or_default();
            began_call = self
                .emit_text_or_call(envelope, draft.request_id.clone(), &finished.block)
                .await;
        }
        if self.session.options.host.partial && !matches!(event.kind, EventKind::Ping) {
            let id = draft.message.id();
            self.session
                .emit(messages::stream_event(
                    event.raw,
                    id,
                    starts.then_some(&self.session.turn),
                ))
                .await;
        }
        if began_call {
            self.session.admit_last_call().await;
            self.session.begin_agent().await;
        } else if self.session.calls.launch_at().is_some() {
            self.session.launch().await;
        }
        if !began_call && self.session.calls.has_held_results() {
            self.session.release_launched().await;
        }
    }

    /// Sends a complete block to the host. Returns true if it is a tool call.
    async fn emit_text_or_call(&mut self, envelope: Value, request_id: Option<String>, block: &Value) -> bool {
        if is_empty_text(block) {
            return false;
        }
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
        if kind == "text" {
            self.session.turn.text = block.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        }
        let is_call = kind == "tool_use";
        let shown = if is_call {
            self.session.add_call(block).await
        } else {
            self.displayed(block).await
        };
        let mut assistant = messages::assistant(envelope, shown, request_id, &self.session.turn);
        assistant.tool_use_meta = self.session.call_meta(block);
        self.session.emit_block(assistant, Some(block)).await;
        is_call
    }

    /// Returns a block as displayed, after `MessageDisplay` hooks.
    async fn displayed(&mut self, block: &Value) -> Value {
        let mut shown = block.clone();
        if let Some(text) = self.hook_display(block).await
            && let Some(slot) = shown.get_mut("text")
        {
            self.session.turn.display(&text);
            *slot = text.into();
        }
        shown
    }

    /// Sends the request without streaming.
    async fn try_whole(&mut self, request: &Request) -> Attempt {
        let client = self.session.model.client.clone();
        let answer = self.wait_for(Some(pin!(client.create(request)))).await;
        self.session.echo_prompt().await;
        let (message, head) = match answer {
            WaitOutcome::Ready(Ok(answer)) => answer,
            WaitOutcome::Ready(Err(failure)) => return Attempt::Failed(failure),
            WaitOutcome::CallsDone | WaitOutcome::Stopped => {
                self.session.stop_before_speech().await;
                return Attempt::Stopped;
            }
        };
        let now = Instant::now();
        self.session.turn.times.first_token.get_or_insert(now);
        self.session.turn.times.first_block.get_or_insert(now);
        self.session.turn.stop_reason = message.get("stop_reason").and_then(Value::as_str).map(str::to_owned);
        let model = message.get("model").and_then(Value::as_str);
        let model = model.unwrap_or_else(|| self.session.answering_model()).to_owned();
        let usage = message.get("usage").cloned().unwrap_or_default();
        self.session.charge(&model, usage);
        let blocks = message.get("content").and_then(Value::as_array).cloned();
        let blocks = blocks.unwrap_or_default();
        self.session.turn.text.clear();
        let envelope = messages::whole_envelope(&message);
        for block in &blocks {
            let is_call = self.emit_text_or_call(envelope.clone(), head.request_id.clone(), block);
            if is_call.await {
                self.session.admit_last_call().await;
            }
        }
        self.session.finish_message(None).await;
        self.session.conversation.history.assistant(&blocks);
        self.session.update_gauge();
        self.session.launch().await;
        Attempt::Done
    }
}

impl Session {
    /// Removes images and documents that the server rejects, because they would fail every further request. Returns
    /// false if there are none.
    async fn drop_media(&mut self, failure: &Failure) -> bool {
        if self
            .conversation
            .history
            .drop_media(failure.is_too_large(), messages::MEDIA_REMOVED)
            == 0
        {
            return false;
        }
        let text = format!(
            "{} Go on without them, or send them smaller. ({failure})",
            messages::MEDIA_DROPPED
        );
        self.emit_block(messages::media_removed(&text, failure.is_too_large(), &self.turn), None)
            .await;
        self.record_sent_messages().await;
        true
    }

    /// Switches to the next fallback model, if there is one and the current model is busy or unavailable.
    async fn fall_back(&mut self, failure: &sluice_model::Failure) -> bool {
        let why = match failure.category() {
            "model_not_found" => messages::Fallback::NotFound,
            _ if failure.is_overloaded() => messages::Fallback::Overloaded,
            _ if failure.is_unavailable() => messages::Fallback::Unavailable,
            _ => return false,
        };
        if self.options.model.fallbacks.is_empty() {
            return false;
        }
        let fallback = self.options.model.fallbacks.remove(0);
        let fallback = self.model.resolve(Some(&fallback));
        self.emit(messages::model_fallback(self.answering_model(), &fallback, why))
            .await;
        let switch = Switch {
            requested: Some(fallback.clone()),
            to: fallback,
            source: "auto",
            answers: Answers::default(),
        };
        let from = self.change_model(&switch);
        self.hook_switched(from, switch).await;
        true
    }

    /// Adds a complete message to the conversation and the ledger.
    fn settle(&mut self, draft: &Draft) {
        let blocks = draft.blocks();
        if !blocks
            .iter()
            .any(|block| block.get("type").and_then(Value::as_str) == Some("text"))
        {
            self.turn.text.clear();
        }
        self.turn.stop_reason = draft.message.stop_reason().map(str::to_owned);
        self.charge_draft(draft);
        self.conversation.history.assistant(&blocks);
        self.update_gauge();
    }

    fn charge_draft(&mut self, draft: &Draft) {
        if let Some(model) = draft.message.model() {
            self.charge(model, draft.message.usage());
        }
    }

    /// Adds the usage of a message to the ledger, under the name of the requested model: that name may select a larger
    /// context window (`[1m]`) than the name in the message.
    fn charge(&mut self, model: &str, usage: Value) {
        self.turn.spend(&usage);
        let asked = self.answering_model();
        let same = sluice_model::models::canonical(asked) == sluice_model::models::canonical(model);
        let model = if same { asked } else { model }.to_owned();
        self.account.ledger().add(&model, &usage);
        self.account.set_last_usage(usage);
    }

    /// Handles a broken stream: closes what the host has received so far.
    async fn broken(&mut self, draft: &Draft, failure: Failure) -> Attempt {
        if draft.message.envelope().is_none() {
            return Attempt::Failed(failure);
        }
        let kept = draft.message.finished().len();
        if kept == 0 {
            self.close_block(draft).await;
        }
        self.close_message(draft, kept).await;
        self.finish_message(Some(&draft.message)).await;
        if matches!(failure, Failure::Lost { .. }) {
            self.charge_draft(draft);
        }
        if kept == 0 {
            return Attempt::Failed(failure);
        }
        let blocks = draft.blocks();
        self.conversation.history.assistant(&blocks);
        if matches!(failure, Failure::Excess(_)) {
            // Asked to continue, the model would exceed the limit again. Its calls are rejected.
            self.reject_calls().await;
            self.keep_results();
            return Attempt::Failed(failure);
        }
        self.release().await;
        self.launch().await;
        Attempt::Cut
    }

    /// Stops before the model has responded.
    async fn stop_before_speech(&mut self) {
        if self.turn.stop() == Some(Stop::Interrupt) {
            self.notice(messages::INTERRUPTED).await;
        }
    }

    /// Stops during a response. The part received so far is kept.
    async fn stop_speech(&mut self, draft: &Draft) {
        if self.turn.stop() == Some(Stop::Leave) {
            return self.finish_message(Some(&draft.message)).await;
        }
        if draft.message.envelope().is_none() {
            return self.stop_before_speech().await;
        }
        let mut blocks = draft.blocks();
        let mut kept = blocks.len();
        if let Some(partial) = draft.message.partial().filter(|partial| has_text(&partial.block)) {
            self.turn.text = partial
                .block
                .get("text")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            let envelope = draft.message.envelope().cloned().unwrap_or_default();
            let mut assistant =
                messages::assistant(envelope, partial.block.clone(), draft.request_id.clone(), &self.turn);
            assistant.aborted = Some(true);
            self.emit_block(assistant, Some(&partial.block)).await;
            blocks.push(partial.block);
            kept += 1;
        }
        self.finish_message(Some(&draft.message)).await;
        // As in 2.1.326, the cost includes a request that was cut, and the usage of the turn does not.
        if let Some(model) = draft.message.model() {
            self.account.ledger().add(model, &draft.message.usage());
        }
        self.conversation.history.assistant(&blocks);
        // While calls are running, the notice follows their results instead.
        if self.turn.stop() == Some(Stop::Interrupt) && self.calls.all_done() {
            self.keep_results();
            self.notice(messages::INTERRUPTED).await;
        }
        self.close_block(draft).await;
        if self.options.host.partial {
            self.emit(messages::aborted_delta(draft.message.id(), draft.message.start_usage()))
                .await;
        }
        self.close_message(draft, kept).await;
    }

    /// Sends `content_block_stop` for an incomplete block. Incomplete tool input is dropped, so it gets none.
    async fn close_block(&self, draft: &Draft) {
        let Some((index, kind)) = draft.message.open() else {
            return;
        };
        if self.options.host.partial && kind != "tool_use" {
            self.emit(messages::block_stop(index, draft.message.id())).await;
        }
    }

    /// Sends `message_stop` for an incomplete message.
    async fn close_message(&self, draft: &Draft, kept: usize) {
        if self.options.host.partial {
            self.emit(messages::message_stop(draft.message.id(), kept)).await;
        }
    }

    /// Echoes the prompt after the request was sent and before its first result.
    async fn echo_prompt(&mut self) {
        if let Some(replay) = self.turn.prompts.replay.take() {
            self.emit(replay).await;
        }
    }

    async fn emit_requesting(&self) {
        if self.options.host.partial {
            self.emit(messages::requesting(&self.turn)).await;
        }
    }
}

/// A message that is being received.
struct Draft {
    message: Accumulator,
    request_id: Option<String>,
    /// Estimated tokens of thinking.
    thought: u64,
}

impl Draft {
    /// The complete blocks, without empty texts.
    fn blocks(&self) -> Vec<Value> {
        let finished = self.message.finished().iter().map(|finished| &finished.block);
        finished.filter(|block| !is_empty_text(block)).cloned().collect()
    }
}

/// True for an empty text block. Such blocks are neither sent to the host nor back to the server.
fn is_empty_text(block: &Value) -> bool {
    block.get("type").and_then(Value::as_str) == Some("text")
        && block.get("text").and_then(Value::as_str).is_none_or(str::is_empty)
}

/// True for a text block that is not empty.
fn has_text(block: &Value) -> bool {
    block.get("type").and_then(Value::as_str) == Some("text")
        && block
            .get("text")
            .and_then(Value::as_str)
            .is_some_and(|text| !text.is_empty())
}
