//! Listeners: what each screen is told, at its level.

use axum::extract::ws::Utf8Bytes;
use serde_json::{Value, json};
use sluice_host::conversation::{DraftKind, What};
use sluice_host::wire::{self, MessageType};
use sluice_store::PromptRow;

use super::actor::{Actor, now};
use super::archive::Own;
use super::records::{New, kind};
use super::{Level, Listener};
use crate::api::{LineCursor, Problem, ServerMessage};
use crate::level0;
use crate::outbox::Frame;

/// A client of lines that is further behind than this gets those of the last turns.
const MAX_LINES: usize = 2000;
/// How much of the lines a client gets at most.
const MAX_BYTES: usize = 1024 * 1024;

impl Actor {
    /// Sends a listener the items that it lacks, and from then on all changes.
    pub(super) fn subscribe(&mut self, listener: Listener, revision: Option<u64>, turns: usize) {
        self.forget_listener(&listener);
        if listener.level == Level::One {
            self.catch_up(&listener, revision, turns);
            self.show_state(&listener);
        }
        self.listeners.push(listener);
    }

    /// Sends a listener the lines that it lacks, and from then on all of them.
    pub(super) async fn follow_lines(
        &mut self,
        listener: Listener,
        after: Option<LineCursor>,
        turns: usize,
    ) -> Result<(), Problem> {
        self.forget_listener(&listener);
        self.settle_records().await;
        let here = self.records.cursor();
        let known = after.filter(|after| after.epoch == here.epoch && after.seq <= here.seq);
        let known = known.filter(|after| here.seq - after.seq <= MAX_LINES as i64);
        let store = &self.shared.store;
        let records = match known {
            Some(after) => {
                let page = store.records_after(&self.id, here.epoch, after.seq, MAX_LINES, MAX_BYTES * 4);
                page.await?.records
            }
            None => store.last_turns(&self.id, here.epoch, turns, MAX_BYTES).await?,
        };
        for record in records {
            if let Some(seq) = record.seq {
                listener
                    .outbox
                    .answer(self.s, line(&self.id, here.epoch, Some(seq), &record.body));
            }
        }
        for event in self.streamed_so_far() {
            listener
                .outbox
                .answer(self.s, line(&self.id, here.epoch, None, &event.to_string()));
        }
        self.show_state(&listener);
        self.listeners.push(listener);
        Ok(())
    }

    /// The messages that are being written, as the stream events that lead to them.
    fn streamed_so_far(&self) -> Vec<Value> {
        let mut events = Vec::new();
        for draft in self.state.drafts() {
            let parent = draft
                .parent
                .and_then(|at| self.state.calls().get(at))
                .map(|call| call.id.to_string());
            let mut add = |event: Value| {
                events.push(json!({
                    "type": MessageType::StreamEvent, "event": event, "session_id": self.id,
                    "parent_tool_use_id": parent, "uuid": uuid::Uuid::new_v4().to_string(),
                }));
            };
            add(
                json!({"type": "message_start", "message": {"id": draft.message, "type": "message",
                "role": "assistant", "model": "", "content": [], "stop_reason": null, "stop_sequence": null,
                "usage": {"input_tokens": 0, "output_tokens": 0}}}),
            );
            for block in &draft.blocks {
                let (content, delta) = match &block.kind {
                    DraftKind::Text => (
                        json!({"type": "text", "text": ""}),
                        json!({"type": "text_delta", "text": block.text}),
                    ),
                    DraftKind::Thinking => (
                        json!({"type": "thinking", "thinking": "", "signature": ""}),
                        json!({"type": "thinking_delta", "thinking": block.text}),
                    ),
                    DraftKind::Call { id, name } => (
                        json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
                        json!({"type": "input_json_delta", "partial_json": block.text}),
                    ),
                    DraftKind::Other(_) => continue,
                };
                add(json!({"type": "content_block_start", "index": block.index, "content_block": content}));
                add(json!({"type": "content_block_delta", "index": block.index, "delta": delta}));
            }
        }
        events
    }

    fn forget_listener(&mut self, listener: &Listener) {
        self.listeners.retain(|it| it.key != listener.key);
        listener.outbox.forget(self.s);
    }

    fn show_state(&mut self, listener: &Listener) {
        let state = ServerMessage::State(Box::new(self.view(now())));
        listener.outbox.answer(self.s, text(&state));
        let facts = ServerMessage::Facts(Box::new(self.facts()));
        listener.outbox.answer(self.s, text(&facts));
    }

    /// Waits until everything is stored, so that what is read is whole.
    pub(super) async fn settle_records(&mut self) {
        for _ in 0..4 {
            self.records.store(&self.shared.store);
            if self.records.is_settled() {
                return;
            }
            let stored = self.records.stored_now().await;
            let failed = stored.is_err();
            self.records.take_stored(&stored);
            if failed {
                return;
            }
        }
    }

    // Keeping and telling.

    /// Keeps a record.
    pub(super) fn keep(&mut self, new: New) {
        let body = new.shown.then(|| new.body.clone()).filter(|_| self.follows_lines());
        if let Some(seq) = self.records.add(new) {
            self.feed.note_record(seq, self.state.last_changed_item());
            if let Some(body) = body {
                let frame = line(&self.id, self.records.cursor().epoch, Some(seq), &body);
                self.push_to(Level::Lines, &Frame::Whole(frame.into()));
            }
        }
    }

    /// Keeps a record of the bridge, and adds to the conversation what it says.
    pub(super) fn keep_own(&mut self, at: i64, turn: Option<i64>, own: &Own, found: Option<String>) {
        let record = serde_json::to_value(own).unwrap_or_default();
        // The conversation has these texts itself.
        if !matches!(own, Own::Unfinished { .. }) {
            for note in super::archive::notes(&record, &self.state) {
                self.step(at, What::Noted(note));
            }
        }
        let turn = turn.or_else(|| self.open_turn_number());
        self.keep(New {
            at,
            kind: kind::OWN,
            turn,
            body: record.to_string(),
            shown: true,
            role: found.is_some().then_some("user"),
            text: found,
        });
        if let Own::Process { state, reason, .. } = own {
            self.tell_zero_end(state, reason.as_deref());
        }
    }

    fn follows_lines(&self) -> bool {
        self.listeners.iter().any(|it| it.level == Level::Lines)
    }

    /// Sends a line that is not kept to the clients of lines.
    pub(super) fn push_line(&self, body: &str) {
        if self.follows_lines() {
            let frame = line(&self.id, self.records.cursor().epoch, None, body);
            self.push_to(Level::Lines, &Frame::Whole(frame.into()));
        }
    }

    pub(super) fn push_to(&self, level: Level, frame: &Frame) {
        for listener in self.listeners.iter().filter(|it| it.level == level) {
            listener.outbox.push(self.s, frame.clone());
        }
    }

    /// Sends a message to the clients of level 1, and to those of lines.
    fn push_message(&self, message: &ServerMessage) {
        let frame = Frame::Whole(text(message).into());
        self.push_to(Level::One, &frame);
        self.push_to(Level::Lines, &frame);
    }

    fn has_one(&self) -> bool {
        self.listeners.iter().any(|it| it.level != Level::Zero)
    }

    pub(super) fn tell_state(&mut self, at: i64) {
        if self.has_one() {
            let state = self.view(at);
            self.push_message(&ServerMessage::State(Box::new(state)));
        }
        self.tell_zero_status();
    }

    pub(super) fn tell_facts(&mut self) {
        if self.has_one() {
            let facts = ServerMessage::Facts(Box::new(self.facts()));
            self.push_message(&facts);
        }
    }

    pub(super) fn tell_info(&mut self, at: i64) {
        let info = self.info(at);
        if self.told_info.as_ref() != Some(&info) {
            self.told_info = Some(info.clone());
            self.shared.list.publish(info);
        }
    }

    // Level 0.

    pub(super) fn has_zero(&self) -> bool {
        self.listeners.iter().any(|it| it.level == Level::Zero)
    }

    fn push_zero(&self, message: &Value, except: Option<u64>) {
        let text: Utf8Bytes = message.to_string().into();
        for listener in &self.listeners {
            if listener.level == Level::Zero && Some(listener.key) != except {
                listener.outbox.push(self.s, Frame::Whole(text.clone()));
            }
        }
    }

    pub(super) fn tell_zero_said(&mut self, frame: &wire::Frame) {
        if !self.has_zero() {
            return;
        }
        for message in level0::said(&self.id, frame, &self.state, self.interrupted_turn) {
            self.push_zero(&message, None);
        }
        if frame.message_type() == MessageType::Result {
            self.tell_zero_status();
        }
    }

    pub(super) fn tell_zero_input(&self, row: &PromptRow, from: u64) {
        if self.has_zero() {
            self.push_zero(&level0::input(&self.id, row), Some(from));
        }
    }

    pub(super) fn tell_zero_queue(&self) {
        if self.has_zero() {
            let queue = json!({"type": "queue", "sessionId": self.id, "prompts": self.queued()});
            self.push_zero(&queue, None);
        }
    }

    pub(super) fn tell_zero_ask(&mut self, at: usize) {
        if let Some(ask) = self.state.asks().get(at).filter(|_| self.has_zero()) {
            let message = level0::ask(&self.id, ask, None);
            // A client that shows requests only while the session waits needs the status first.
            self.tell_zero_status();
            self.push_zero(&message, None);
        }
    }

    pub(super) fn tell_zero_init(&mut self) {
        if self.has_zero() {
            self.push_zero(&level0::init(&self.id, self.state.session()), None);
        }
    }

    pub(super) fn tell_zero_status(&mut self) {
        let status = self.status();
        if self.told_status != Some(status) {
            self.told_status = Some(status);
            if self.has_zero() {
                self.push_zero(&level0::status(&self.id, status.as_str()), None);
            }
        }
    }

    fn tell_zero_end(&self, state: &str, reason: Option<&str>) {
        if self.has_zero()
            && let Some(message) = level0::end(&self.id, state, &self.row.status, reason)
        {
            self.push_zero(&message, None);
        }
    }
}

/// A line as it is sent. The body is JSON already.
fn line(session: &str, epoch: i64, seq: Option<i64>, body: &str) -> String {
    let seq = seq.map_or_else(|| "null".to_owned(), |seq| seq.to_string());
    format!("{{\"type\":\"line\",\"sessionId\":\"{session}\",\"epoch\":{epoch},\"seq\":{seq},\"what\":{body}}}")
}

fn text(message: &ServerMessage) -> String {
    serde_json::to_string(message).unwrap_or_default()
}
