//! Listeners: what each screen is told, at its level.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use serde_json::{Value, json};
use sluice_host::conversation::Draft;
use sluice_host::wire::{Frame, MessageType};
use sluice_store::PromptRow;

use super::actor::{Actor, now};
use super::records::{New, bare, frame, kind};
use super::{Level, Listener};
use crate::api::{Cursor, CursorVerdict, Own, Problem, ServerMessage};
use crate::level0;
use crate::outbox::Item;

/// A client further behind than this gets a snapshot.
const BEHIND: u64 = 2000;
/// How much a snapshot holds at most.
const SNAPSHOT_BYTES: usize = 1024 * 1024;
/// How many turns a snapshot holds, when a client does not say.
pub(crate) const TURNS: usize = 20;

impl Actor {
    /// Sends a listener the records it missed, and from then on all of them.
    pub(super) async fn subscribe(
        &mut self,
        listener: Listener,
        cursor: Option<Cursor>,
        turns: usize,
    ) -> Result<(), Problem> {
        self.listeners.retain(|it| it.key != listener.key);
        listener.outbox.forget(self.s);
        if listener.level == Level::One {
            self.catch_up(&listener, cursor, turns).await?;
            self.show_drafts(&listener);
            let at = now();
            let state = self.view(at);
            listener
                .outbox
                .answer(self.s, text(&ServerMessage::State(Box::new(state))));
            listener
                .outbox
                .answer(self.s, text(&ServerMessage::Facts(Box::new(self.facts()))));
        }
        self.listeners.push(listener);
        Ok(())
    }

    async fn catch_up(&mut self, listener: &Listener, cursor: Option<Cursor>, turns: usize) -> Result<(), Problem> {
        let here = self.records.cursor();
        let known = cursor.filter(|cursor| cursor.epoch == here.epoch && cursor.seq <= here.seq);
        let missing = match known {
            Some(known) => self.missing(known.seq, here).await?,
            None => None,
        };
        let (verdict, frames) = match missing {
            Some(frames) => (CursorVerdict::Ok, frames),
            None => (CursorVerdict::Gap, Vec::new()),
        };
        let caught_up = ServerMessage::CaughtUp {
            session_id: self.id.clone(),
            s: self.s,
            verdict,
            cursor: here,
        };
        listener.outbox.answer(self.s, text(&caught_up));
        for frame in frames {
            listener.outbox.answer(self.s, frame);
        }
        if verdict == CursorVerdict::Gap {
            if cursor.is_some() {
                self.shared.condition.count_gap();
            }
            let snapshot = self.snapshot(here, turns).await?;
            listener.outbox.answer(self.s, snapshot);
        }
        Ok(())
    }

    /// The frames after `seq`, unless there are too many.
    async fn missing(&mut self, seq: i64, here: Cursor) -> Result<Option<Vec<Utf8Bytes>>, Problem> {
        if let Some(young) = self.records.young_after(seq) {
            return Ok(Some(young));
        }
        let behind = u64::try_from(here.seq - seq).unwrap_or(u64::MAX);
        if behind > BEHIND {
            return Ok(None);
        }
        self.settle_records().await;
        let rows = usize::try_from(BEHIND).unwrap_or(usize::MAX);
        let page = self
            .shared
            .store
            .records_after(&self.id, here.epoch, seq, rows, SNAPSHOT_BYTES * 4)
            .await?;
        if page.more {
            return Ok(None);
        }
        let frames = page.records.iter().filter_map(|record| {
            let seq = record.seq?;
            Some(frame(&self.id, here.epoch, seq, record.at, record.turn, &record.body))
        });
        Ok(Some(frames.collect()))
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

    async fn snapshot(&mut self, here: Cursor, turns: usize) -> Result<String, Problem> {
        self.settle_records().await;
        let records = self
            .shared
            .store
            .last_turns(&self.id, here.epoch, turns, SNAPSHOT_BYTES)
            .await?;
        let first = records.iter().find_map(|record| record.seq);
        let mut whole = format!(
            "{{\"type\":\"snapshot\",\"sessionId\":\"{}\",\"s\":{},\"cursor\":{{\"epoch\":{},\"seq\":{}}},\"more\":{},\"records\":[",
            self.id,
            self.s,
            here.epoch,
            here.seq,
            first.is_some_and(|seq| seq > 1)
        );
        let mut between = "";
        for record in &records {
            let Some(seq) = record.seq else { continue };
            whole.push_str(between);
            whole.push_str(&bare(&self.id, here.epoch, seq, record.at, record.turn, &record.body));
            between = ",";
        }
        whole.push_str("]}");
        Ok(whole)
    }

    fn show_drafts(&self, listener: &Listener) {
        let held = |parent: Option<&str>, index: u64| {
            let draft = self.state.drafts().iter().find(|draft| self.is_of(draft, parent))?;
            let block = draft.blocks.iter().find(|block| block.index == index)?;
            let (id, name) = match &block.kind {
                sluice_host::conversation::DraftKind::Call { id, name } => {
                    (Some(id.to_string()), Some(name.to_string()))
                }
                _ => (None, None),
            };
            Some((block.text.clone(), id, name))
        };
        for block in self.drafts.blocks(self.s, held) {
            listener.outbox.answer(self.s, block);
        }
    }

    fn is_of(&self, draft: &Draft, parent: Option<&str>) -> bool {
        let call = draft.parent.and_then(|at| self.state.calls().get(at));
        call.map(|call| &*call.id) == parent
    }

    // Keeping and telling.

    /// Keeps a record and tells everybody.
    pub(super) fn keep(&mut self, new: New) {
        let Some((_, frame)) = self.records.add(new) else {
            return;
        };
        self.push_one(&Item::Frame(frame));
    }

    /// Keeps a record of the bridge's own.
    pub(super) fn keep_own(&mut self, at: i64, turn: Option<i64>, own: &Own, found: Option<String>) {
        let body = serde_json::to_string(own).unwrap_or_default();
        let turn = turn.or_else(|| self.open_turn_number());
        self.keep(New {
            at,
            kind: kind::OWN,
            turn,
            body,
            shown: true,
            role: found.is_some().then_some("user"),
            text: found,
        });
        if let Own::SluiceProcess { state, reason, .. } = own {
            self.tell_zero_end(state, reason.as_deref());
        }
    }

    pub(super) fn push_one(&self, item: &Item) {
        let s = self.s;
        for listener in self.listeners.iter().filter(|it| it.level == Level::One) {
            listener.outbox.push(s, item.clone());
        }
    }

    pub(super) fn push_delta(&mut self, key: u64, one: &Arc<str>, zero: Option<&Arc<str>>, escaped: &Arc<str>) {
        let s = self.s;
        for listener in &self.listeners {
            let open = match (listener.level, zero) {
                (Level::One, _) => one,
                (Level::Zero, Some(zero)) => zero,
                (Level::Zero, None) => continue,
            };
            let item = Item::Delta {
                key,
                open: Arc::clone(open),
                escaped: Arc::clone(escaped),
            };
            listener.outbox.push(s, item);
        }
    }

    pub(super) fn tell_state(&mut self, at: i64) {
        if self.listeners.iter().any(|it| it.level == Level::One) {
            let state = self.view(at);
            self.push_one(&Item::Frame(text(&ServerMessage::State(Box::new(state))).into()));
        }
        self.tell_zero_status();
    }

    pub(super) fn tell_facts(&mut self) {
        if self.listeners.iter().any(|it| it.level == Level::One) {
            let facts = text(&ServerMessage::Facts(Box::new(self.facts())));
            self.push_one(&Item::Frame(facts.into()));
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

    fn has_zero(&self) -> bool {
        self.listeners.iter().any(|it| it.level == Level::Zero)
    }

    fn push_zero(&self, message: &Value, except: Option<u64>) {
        let text: Utf8Bytes = message.to_string().into();
        for listener in &self.listeners {
            if listener.level == Level::Zero && Some(listener.key) != except {
                listener.outbox.push(self.s, Item::Frame(text.clone()));
            }
        }
    }

    pub(super) fn tell_zero_said(&mut self, frame: &Frame) {
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
                self.push_zero(&level0::status(&self.id, status), None);
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

fn text(message: &ServerMessage) -> String {
    serde_json::to_string(message).unwrap_or_default()
}
