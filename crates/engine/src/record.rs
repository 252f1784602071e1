//! Writes messages to the transcript and sends them to the host. A message is written before it is sent, with the same
//! UUID.

use std::io;

use serde_json::Value;
use sluice_model::{Accumulator, Message};
use sluice_transcript as kept;
use sluice_transcript::{Cost, Entry, MessageEnd};
use sluice_wire::Raw;
use sluice_wire::stdout::system::{CompactBoundary, SessionTitleChanged};
use sluice_wire::stdout::{self, TranscriptMirror};

use crate::commands::Attached;
use crate::messages;
use crate::queue::Prompt;
use crate::session::Session;
use crate::session_loop::SessionLoop;
use crate::shown;

/// A change of a queued prompt.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Queued<'a> {
    /// It was queued.
    Enqueue(&'a Prompt),
    /// Its turn starts.
    Dequeue,
    /// It joins the running turn.
    Absorbed(&'a Prompt),
}

impl Session {
    /// Stores an attachment of a prompt.
    pub(crate) async fn keep_attachment(&mut self, attached: &Attached) {
        let entry = Entry::attachment(&attached.what, &attached.blocks, &messages::now());
        self.keep(entry).await;
    }

    /// Stores a change of the queue. A session without messages has no file yet; the change is written with the first
    /// message.
    pub(crate) async fn keep_queued(&mut self, what: Queued<'_>) {
        if self.agents.id().is_some() {
            return;
        }
        let what_is_kept = match what {
            Queued::Enqueue(prompt) => kept::Queued::Enqueue(&prompt.content),
            Queued::Dequeue => kept::Queued::Dequeue,
            Queued::Absorbed(prompt) => kept::Queued::Absorbed(&prompt.id, &prompt.content),
        };
        // A prompt that hooks may block must not be stored.
        let secret = matches!(what, Queued::Enqueue(_)) && self.hooks_judge_prompts();
        self.conversation
            .transcript
            .queue(what_is_kept, &messages::now(), secret);
        if self.conversation.transcript.begun() {
            let written = self.conversation.transcript.flush();
            self.mirror(written).await;
        }
    }

    /// Stores a generated title. A session without messages has no file yet; the title is written with the first
    /// message.
    pub(crate) async fn keep_ai_title(&mut self, title: &str) {
        self.conversation.transcript.entitle_by_model(title);
        if self.conversation.transcript.there() {
            let written = self.conversation.transcript.flush();
            self.mirror(written).await;
        }
    }

    /// Stores a note for the model.
    pub(crate) async fn keep_note(&mut self, text: &str, origin: &Value) {
        self.keep(Entry::note(&messages::fresh_id(), text, origin, &messages::now()))
            .await;
    }

    /// Stores a message for the model that the host does not see.
    pub(crate) async fn keep_meta(&mut self, text: &str) {
        self.keep(Entry::aside(&messages::nudge(text))).await;
    }

    /// Stores a deferred call.
    pub(crate) async fn keep_deferred_call(&mut self, attachment: &Value) {
        self.keep(Entry::deferred_call(
            &messages::fresh_id(),
            attachment,
            &messages::now(),
        ))
        .await;
    }

    /// Stores and sends a message of the user side.
    pub(crate) async fn emit_user_message(&mut self, frame: stdout::User) {
        self.keep(Entry::aside(&frame)).await;
        self.emit(frame).await;
    }

    /// Stores and sends a tool result.
    pub(crate) async fn emit_result(&mut self, call_id: &str, frame: stdout::User, block: Value) {
        let entry = Entry::tool_result(&frame, block, self.conversation.transcript.holder(call_id));
        self.keep(entry).await;
        self.emit(frame).await;
    }

    /// Stores and sends a block of the model. The unmodified block is stored.
    pub(crate) async fn emit_block(&mut self, frame: stdout::Assistant, block: Option<&Value>) {
        let entry = self.conversation.transcript.block(&frame, block, &self.model.name);
        self.keep(entry).await;
        self.emit(frame).await;
    }

    /// Gives the entries of a model message their final usage and stop reason. Without a message, or without a stop
    /// reason, the entries stay as they are.
    pub(crate) async fn finish_message(&mut self, message: Option<&Accumulator>) {
        let message = message.filter(|message| message.stop_reason().is_some());
        let held = match message.and_then(|message| Some((message, message.id()?))) {
            Some((message, id)) => self.conversation.transcript.finish_message(MessageEnd {
                id,
                ending: message.ending(),
                usage: &message.usage(),
            }),
            None => self.conversation.transcript.abandon_message(),
        };
        self.mirror(Ok(held)).await;
    }

    /// Stores the boundary and the summary of a compaction.
    pub(crate) async fn keep_compaction(&mut self, boundary: &CompactBoundary, summary: &stdout::User) {
        for written in self.conversation.transcript.compact(boundary, summary, shown::look) {
            self.mirror(written).await;
        }
    }

    /// Stores a local command or its output.
    pub(crate) async fn keep_local(&mut self, uuid: &str, text: &str) {
        self.keep(Entry::local(uuid, text, &messages::now())).await;
    }

    /// Stores the data for session lists, at the end of a turn.
    pub(crate) async fn keep_turn_end(&mut self) {
        let cost = Cost {
            total: self.account.ledger().total_cost_value(),
            api_ms: self.account.api_ms(),
            model_usage: self.account.ledger().model_usage(),
            unpriced: !self.account.ledger().unpriced().is_empty(),
            elapsed_ms: self.conversation.transcript.elapsed_ms(),
        };
        let written = self.conversation.transcript.end_turn(&cost);
        self.mirror(written).await;
    }

    /// Stores the user messages as sent to the model, if they differ from those derived from the transcript's entries.
    pub(crate) async fn record_sent_messages(&mut self) {
        let messages = self.conversation.history.since_reply();
        let messages: Vec<&[u8]> = messages.iter().map(Message::as_bytes).collect();
        let written = self.conversation.transcript.keep_shown(&messages, shown::look);
        self.mirror(written).await;
    }

    /// Stores the system prompt, once.
    pub(crate) async fn keep_system(&mut self) {
        if !self.options.prompt.words.keep || self.conversation.system_is_recorded() {
            return;
        }
        let blocks = self.system().clone();
        let text = |block: &Value| block.get("text").and_then(Value::as_str).map(str::to_owned);
        let texts: Vec<String> = blocks.iter().filter_map(text).collect();
        let written = self.conversation.transcript.keep_system_prompt(&texts);
        self.conversation.record_system(blocks, true);
        self.mirror(written).await;
    }

    async fn keep(&mut self, entry: Entry) {
        let written = self.conversation.transcript.append(entry, shown::look);
        self.mirror(written).await;
    }

    /// Sends written entries to a host that mirrors the transcript, or reports a write error once.
    async fn mirror(&mut self, written: io::Result<Vec<Value>>) {
        match written {
            Ok(lines) if self.conversation.transcript.is_mirrored() && !lines.is_empty() => {
                let file_path = self
                    .conversation
                    .transcript
                    .path()
                    .map(|path| path.display().to_string());
                self.emit(TranscriptMirror {
                    file_path: file_path.unwrap_or_default(),
                    entries: lines.iter().map(Raw::of).collect(),
                    ..TranscriptMirror::default()
                })
                .await;
            }
            Ok(_) => {}
            Err(error) if !self.conversation.transcript.was_told_of_failure() => {
                let text = format!("The conversation cannot be saved: {error}. The session continues without saving.");
                self.emit(messages::informational(&text, "warning")).await;
            }
            Err(_) => {}
        }
    }

    /// Sends the title, if the session has one from the start.
    pub(crate) async fn emit_title(&self) {
        if let Some(title) = self.conversation.transcript.title() {
            self.emit(title_changed(title)).await;
        }
    }

    /// Sets the title of this session or of another one.
    pub(crate) async fn rename(&mut self, title: &str, other: Option<&str>) -> Result<(), String> {
        let title = title.trim();
        if title.is_empty() {
            return Err("rename_session: a title needs at least one visible character".to_owned());
        }
        if let Some(other) = other.filter(|other| *other != self.options.session.id) {
            let projects = &self.options.session.keeping.projects;
            let renamed = projects.rename(&self.options.cwd, other, title);
            return renamed.map_err(|error| format!("rename_session: {error}"));
        }
        self.conversation.transcript.entitle(title);
        // A session without messages has no file yet; the title is written with the first message.
        if self.conversation.transcript.there() {
            let written = self.conversation.transcript.flush();
            self.mirror(written).await;
        }
        self.emit(title_changed(title)).await;
        Ok(())
    }
}

impl SessionLoop {
    /// Stores a prompt.
    pub(crate) async fn keep_prompt(&mut self, prompt: &Prompt) {
        if !prompt.synthetic {
            self.session.conversation.transcript.asked(&prompt.content);
        }
        let entry = Entry::prompt(&kept::Prompt {
            uuid: &prompt.id,
            content: &prompt.content,
            timestamp: &prompt.timestamp,
            mode: self.session.policy.mode.as_str(),
            synthetic: prompt.synthetic,
            origin: prompt.origin.as_ref(),
        });
        self.session.keep(entry).await;
        self.checkpoint_prompt(&prompt.id).await;
    }
}

fn title_changed(title: &str) -> SessionTitleChanged {
    SessionTitleChanged {
        title: Some(title.to_owned()),
        uuid: Some(messages::fresh_id()),
        ..SessionTitleChanged::default()
    }
}
