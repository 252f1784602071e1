//! Compaction: replaces a conversation that fills the model's context window by a summary and its last messages.
//!
//! It runs automatically before a request that would be too long and after one that was, and on the `/compact` command.
//! The transcript keeps all messages; a boundary in it marks where the compacted conversation starts.
//!
//! * `words`: prompts for the model; pure;
//! * `summarise`: the request for the summary;
//! * `command`: `/compact`.

mod command;
mod summarise;
mod words;

use std::time::Instant;

use sluice_model::compaction::Limits;
use sluice_model::measure::{Gauge, tokens};
use sluice_model::models;
use sluice_settings::keys;
use sluice_wire::Number;
use sluice_wire::content::{Block, Content};
use sluice_wire::stdout::system::{
    Activity, CompactBoundary, CompactMetadata, PreservedMessages, PreservedSegment, Status,
};
use sluice_wire::stdout::{self, UserMessage};

use crate::history::Cut;
use crate::messages;
use crate::session::Session;
use crate::session_loop::SessionLoop;

/// What started a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// The person asked for it with `/compact`.
    Manual,
    /// The context window is almost full.
    Auto,
}

impl Trigger {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Auto => "auto",
        }
    }
}

/// A finished compaction whose messages have not been sent yet.
#[derive(Debug, Clone)]
pub(crate) struct Compacted {
    boundary: CompactBoundary,
    summary: stdout::User,
}

/// Why a conversation was not compacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Uncompacted {
    /// The conversation is empty.
    Empty,
    /// There are too few responses of the model.
    TooLittle,
    /// No summary could be created.
    Failed(String),
    /// The turn has to stop.
    Stopped,
}

impl Uncompacted {
    /// The text of `compact_error`.
    fn message(&self, trigger: Trigger) -> String {
        match (self, trigger) {
            (Self::Empty, _) => "No messages to compact".to_owned(),
            (Self::TooLittle, Trigger::Auto) => "too_few_groups".to_owned(),
            (Self::TooLittle, Trigger::Manual) => "Not enough messages to compact.".to_owned(),
            (Self::Failed(why), _) => format!("Error during compaction: {why}"),
            (Self::Stopped, _) => "Compaction was interrupted.".to_owned(),
        }
    }
}

impl SessionLoop {
    /// Compacts before a request that would be too long. Returns false if the turn has to stop.
    pub(crate) async fn compact_if_needed(&mut self) -> bool {
        let limits = self.session.limits();
        if !limits.auto
            || !self.session.conversation.compactions.tries.may_try()
            || self.session.context_tokens() < limits.threshold
        {
            return true;
        }
        !matches!(self.compact_by_itself().await, Err(Uncompacted::Stopped))
    }

    /// Compacts after a request was rejected as too long. Returns true if the request may be repeated.
    pub(crate) async fn compact_after_rejection(&mut self) -> bool {
        let may = self.session.limits().auto && self.session.conversation.compactions.tries.may_try();
        may && self.session.conversation.history.cut().is_some() && self.compact_by_itself().await.is_ok()
    }

    async fn compact_by_itself(&mut self) -> Result<(), Uncompacted> {
        let compacted = self.compact(None, Trigger::Auto).await?;
        self.session.turn.frames += 1;
        self.session.emit_compaction(compacted).await;
        Ok(())
    }

    /// Replaces all but the last messages by a summary. Sends only status messages; [`Session::emit_compaction`] sends
    /// the result.
    pub(crate) async fn compact(
        &mut self,
        instructions: Option<&str>,
        trigger: Trigger,
    ) -> Result<Compacted, Uncompacted> {
        self.session.await_history().await;
        if self.session.conversation.history.is_empty() {
            return Err(Uncompacted::Empty);
        }
        self.session
            .emit(Status {
                status: Some(Activity::Compacting),
                compact_output_chars: (trigger == Trigger::Auto).then_some(0),
                uuid: messages::fresh_id(),
                ..Status::default()
            })
            .await;
        let began = Instant::now();
        let before = self.session.context_tokens();
        let hooks = self.hook_pre_compact(trigger.as_str(), instructions).await;
        let outcome = match (hooks, self.session.conversation.history.cut()) {
            (Err(why), _) => Err(Uncompacted::Failed(why)),
            (Ok(_), None) => Err(Uncompacted::TooLittle),
            (Ok(further), Some(cut)) => {
                let parts: Vec<&str> = instructions.into_iter().chain(further.as_deref()).collect();
                let instructions = Some(parts.join("\n")).filter(|text| !text.is_empty());
                let summary = self.summarise(&cut.head, instructions.as_deref()).await;
                summary.map(|summary| (cut, summary))
            }
        };
        let done = match outcome {
            Ok((cut, summary)) => {
                let compacted = self.session.start_compacted(&cut, &summary, trigger, before, began);
                self.hook_session_start("compact").await;
                self.hook_post_compact(trigger.as_str(), &summary).await;
                Ok(compacted)
            }
            Err(why) => {
                self.session.conversation.compactions.tries.failed();
                Err(why)
            }
        };
        let error = done.as_ref().err().map(|why| why.message(trigger));
        self.session
            .emit(Status {
                compact_result: Some(if error.is_none() { "success" } else { "failed" }.to_owned()),
                compact_error: error,
                uuid: messages::fresh_id(),
                ..Status::default()
            })
            .await;
        done
    }
}

impl Session {
    /// The limits at which this conversation is compacted.
    pub(crate) fn limits(&self) -> Limits {
        let settings = &self.options.settings;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let window = settings
            .number(&keys::AUTO_COMPACT_WINDOW)
            .map(|window| window.max(0.0) as u64);
        Limits::of(
            models::facts(self.answering_model()).window,
            &self.options.limits.compaction,
            settings.bool(&keys::AUTO_COMPACT_ENABLED),
            window,
        )
    }

    /// Stores the token count of the latest response. It covers the conversation so far.
    pub(crate) fn update_gauge(&mut self) {
        let usage = self.account.last_usage().cloned().unwrap_or_default();
        self.conversation.compactions.gauge = Gauge::read(&usage, self.conversation.history.len());
        let full = self.context_tokens() >= self.limits().threshold;
        self.conversation.compactions.tries.answered(full);
    }

    /// The estimated number of tokens of the next request.
    pub(crate) fn context_tokens(&mut self) -> u64 {
        match self.conversation.compactions.gauge.counted() {
            Some((counted, messages)) => counted + self.conversation.history.tokens_since(messages),
            None => {
                let request = self.request_of(Vec::new());
                let before: u64 = request.system.iter().chain(&request.tools).map(tokens).sum();
                before + self.conversation.history.tokens_since(0)
            }
        }
    }

    /// Starts the compacted conversation with the summary.
    fn start_compacted(
        &mut self,
        cut: &Cut,
        summary: &str,
        trigger: Trigger,
        before: u64,
        began: Instant,
    ) -> Compacted {
        let kept = self.conversation.transcript.kept(cut.with_reply);
        let kept = if cut.tail.is_empty() { Vec::new() } else { kept };
        let text = words::continuation(summary, self.conversation.transcript.path(), !kept.is_empty());
        self.conversation.clear();
        if self.options.prompt.words.keep {
            self.conversation.forget_system();
        }
        self.commands.forget_received_skills();
        self.commands.forget_listed_skills();
        self.conversation.history.user_text(&text);
        self.conversation.history.append_kept(&cut.tail);
        self.remind();
        self.conversation.compactions.gauge = Gauge::default();
        self.account.forget_usage();
        let after = self.context_tokens();
        let compactions = &mut self.conversation.compactions;
        compactions.dropped += before.saturating_sub(after);
        compactions.tries.succeeded();

        let content = match trigger {
            Trigger::Manual => Content::Text(text),
            Trigger::Auto => Content::Blocks(vec![Block::text(text)]),
        };
        let summary = stdout::User {
            message: UserMessage::new(content),
            uuid: Some(messages::fresh_id()),
            timestamp: Some(messages::now()),
            is_replay: (trigger == Trigger::Manual).then_some(false),
            is_synthetic: Some(true),
            ..stdout::User::default()
        };
        let anchor = summary.uuid.clone().unwrap_or_default();
        let segment = kept.first().zip(kept.last()).map(|(head, tail)| PreservedSegment {
            head_uuid: head.clone(),
            anchor_uuid: anchor.clone(),
            tail_uuid: tail.clone(),
            ..PreservedSegment::default()
        });
        let messages = (!kept.is_empty()).then(|| PreservedMessages {
            anchor_uuid: anchor,
            all_uuids: Some(kept.clone()),
            uuids: kept,
            ..PreservedMessages::default()
        });
        let boundary = CompactBoundary {
            uuid: messages::fresh_id(),
            compact_metadata: CompactMetadata {
                trigger: trigger.as_str().to_owned(),
                pre_tokens: before,
                post_tokens: Some(after),
                duration_ms: Some(Number::from(millis(began))),
                cumulative_dropped_tokens: Some(Number::from(compactions.dropped)),
                preserved_segment: segment,
                preserved_messages: messages,
                ..CompactMetadata::default()
            },
            logical_parent_uuid: self.conversation.transcript.leaf().map(str::to_owned),
            ..CompactBoundary::default()
        };
        Compacted { boundary, summary }
    }

    /// Stores and sends the boundary and the summary.
    pub(crate) async fn emit_compaction(&mut self, compacted: Compacted) {
        let Compacted { boundary, summary } = compacted;
        self.keep_compaction(&boundary, &summary).await;
        self.emit(boundary).await;
        self.emit(summary).await;
    }
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
