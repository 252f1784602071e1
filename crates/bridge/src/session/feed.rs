//! The items of a session as clients get them.
//!
//! A revision of the API is the generation of the session, which increases whenever the session is loaded, above the
//! revision of the conversation. So no revision is ever used twice, whatever was lost when the bridge died. A client that
//! names a revision of an earlier generation gets the last turns as a whole.
//!
//! The generation is stored before the session is served. It is at least the number of seconds since 2026, so that it also
//! increases when the database was lost.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine as _;
use serde_json::Value;
use sluice_host::items::{Blob, Item, ItemBody, ItemChange, ItemCursor, ItemField, ItemId, ItemStatus, Text};

use super::actor::{Actor, now};
use super::requests::Done;
use super::{Level, Listener};
use crate::api::{CaughtUp, ItemPage, Problem, ServerMessage};
use crate::body;
use crate::outbox::{Frame, escaped};

/// A client further behind than this gets the last turns as a whole.
const MAX_CHANGES: usize = 2000;
/// The maximum number of items of a page.
const MAX_ITEMS: u32 = 3000;
/// How many turns a client gets, when it does not say.
pub(crate) const TURNS: usize = 20;
/// The bits of the revision of the conversation. More changes than that take longer than a second, so they do not reach
/// the next generation. All of a revision has 53 bits, which JavaScript can count.
const BITS: u32 = 24;
/// The begin of 2026, in seconds since 1970.
const ZERO: i64 = 1_767_225_600;

/// What clients have of the items.
#[derive(Debug, Default)]
pub(super) struct Feed {
    generation: u64,
    cursor: ItemCursor,
    /// The item that each shown record belongs to, by the number of the record.
    records: Vec<(i64, ItemId)>,
    /// The number of bytes of streamed texts that clients of level 0 have.
    simple: HashMap<ItemId, usize>,
}

impl Feed {
    pub(super) fn new(generation: u64) -> Self {
        Self {
            generation,
            ..Self::default()
        }
    }

    /// Returns the revision of the API for one of the conversation.
    pub(super) fn revision(&self, revision: u64) -> u64 {
        (self.generation << BITS) + revision
    }

    /// Returns the generation after `last`.
    pub(super) fn next_generation(last: u64) -> u64 {
        let seconds = u64::try_from(now() / 1000 - ZERO).unwrap_or(0);
        seconds.max(last + 1)
    }

    /// Returns the revision of the conversation, if it is of this generation.
    fn known(&self, revision: u64, newest: u64) -> Option<u64> {
        let own = revision.checked_sub(self.generation << BITS);
        own.filter(|own| *own <= newest)
    }

    /// A record was added after this item changed.
    pub(super) fn note_record(&mut self, seq: i64, item: Option<ItemId>) {
        if let Some(item) = item {
            self.records.push((seq, item));
        }
    }

    fn of_record(&self, seq: i64) -> Option<ItemId> {
        let after = self.records.partition_point(|(known, _)| *known <= seq);
        let at = after.saturating_sub(1);
        self.records.get(at).map(|(_, item)| *item)
    }
}

impl Actor {
    /// Sends what has changed to the clients.
    pub(super) fn send_items(&mut self) {
        if self.state.item_revision() == self.feed.cursor.revision() {
            return;
        }
        if self.listeners.iter().all(|listener| listener.level == Level::Lines) {
            self.feed.cursor = ItemCursor::at(self.state.item_revision());
            return;
        }
        let changes = self.state.item_changes(&mut self.feed.cursor);
        let (mut items, mut removed) = (Vec::new(), Vec::new());
        for change in changes {
            self.send_simple(&change);
            match change {
                ItemChange::Item(item) => items.push(self.outgoing(item)),
                ItemChange::Removed { item, .. } => removed.push(item),
                ItemChange::Delta { item, field, text, .. } => {
                    self.flush_items(&mut items, &mut removed);
                    self.send_delta(item, field, &text);
                }
            }
        }
        self.flush_items(&mut items, &mut removed);
    }

    fn flush_items(&self, items: &mut Vec<Item>, removed: &mut Vec<ItemId>) {
        if items.is_empty() && removed.is_empty() {
            return;
        }
        let message = ServerMessage::Items {
            s: self.s,
            revision: self.feed.revision(self.feed.cursor.revision()),
            items: std::mem::take(items),
            removed: std::mem::take(removed),
        };
        self.push_to(Level::One, &Frame::Whole(text(&message).into()));
    }

    fn send_delta(&self, item: ItemId, field: ItemField, more: &str) {
        let field = match field {
            ItemField::Text => "text",
            ItemField::Thinking => "thinking",
            ItemField::Input => "input",
        };
        let (s, id) = (self.s, item.0);
        let open = format!("{{\"type\":\"item_delta\",\"s\":{s},\"item\":{id},\"field\":\"{field}\",\"text\":\"");
        self.push_to(Level::One, &self.growth(item, &open, more));
    }

    fn growth(&self, item: ItemId, open: &str, more: &str) -> Frame {
        Frame::Delta {
            key: (u64::from(self.s) << 32) | u64::from(item.0),
            open: Arc::from(open),
            escaped: Arc::from(escaped(more)),
        }
    }

    /// Streamed text for clients of level 0.
    fn send_simple(&mut self, change: &ItemChange) {
        if !self.has_zero() {
            return;
        }
        let (item, field, more) = match change {
            ItemChange::Delta { item, field, text, .. } => (*item, *field, text.as_str()),
            ItemChange::Item(item) if item.status == ItemStatus::Streaming => {
                let (field, text) = match &item.body {
                    ItemBody::Text { text, .. } => (ItemField::Text, &**text),
                    ItemBody::Thinking(thinking) => (ItemField::Thinking, &*thinking.text),
                    _ => return,
                };
                let sent = self.feed.simple.get(&item.id).copied().unwrap_or(0);
                (item.id, field, text.get(sent..).unwrap_or_default())
            }
            ItemChange::Item(Item { id, .. }) | ItemChange::Removed { item: id, .. } => {
                self.feed.simple.remove(id);
                return;
            }
        };
        *self.feed.simple.entry(item).or_default() += more.len();
        let kind = match field {
            ItemField::Text => "stream_delta",
            ItemField::Thinking => "thinking_delta",
            ItemField::Input => return,
        };
        if more.is_empty() {
            return;
        }
        let parent = self.state.parent_call(item).unwrap_or_default();
        let parent = serde_json::to_string(&Some(parent).filter(|id| !id.is_empty())).unwrap_or_default();
        let (session, id) = (&self.id, item.0);
        let open = format!(
            "{{\"type\":\"{kind}\",\"sessionId\":\"{session}\",\"itemId\":{id},\"parentToolUseId\":{parent},\"text\":\""
        );
        self.push_to(Level::Zero, &self.growth(item, &open, more));
    }

    /// Sends a listener what it lacks.
    pub(super) fn catch_up(&mut self, listener: &Listener, revision: Option<u64>, turns: usize) {
        self.send_items();
        let newest = self.state.item_revision();
        let known = revision.and_then(|revision| self.feed.known(revision, newest));
        let changes = known.map(|known| self.state.item_changes(&mut ItemCursor::at(known)));
        let (reset, more, items, removed) = match changes.filter(|changes| changes.len() <= MAX_CHANGES) {
            Some(changes) => {
                let (mut items, mut removed) = (Vec::new(), Vec::new());
                for change in changes {
                    match change {
                        ItemChange::Item(item) => items.push(item),
                        ItemChange::Removed { item, .. } => removed.push(item),
                        ItemChange::Delta { .. } => {}
                    }
                }
                items.sort_by_key(|item| item.id);
                (false, false, items, removed)
            }
            None => {
                if revision.is_some() {
                    self.shared.condition.count_gap();
                }
                let (items, more) = self.last_items(None, turns);
                (true, more, items, Vec::new())
            }
        };
        let message = ServerMessage::CaughtUp(Box::new(CaughtUp {
            session_id: self.id.clone(),
            s: self.s,
            reset,
            more,
            revision: self.feed.revision(newest),
            items: items.into_iter().map(|item| self.outgoing(item)).collect(),
            removed,
        }));
        listener.outbox.answer(self.s, text(&message));
    }

    /// The items of the last turns before an item, and whether there are older ones.
    fn last_items(&self, before: Option<ItemId>, turns: usize) -> (Vec<Item>, bool) {
        let end = before.unwrap_or(ItemId(u32::MAX));
        let first = self.state.first_of_turns(end, turns);
        let last = self.state.last_item().map_or(0, |last| last.0 + 1).min(end.0);
        let first = ItemId(first.0.max(last.saturating_sub(MAX_ITEMS)));
        let items = self.state.items_between(first, end).collect();
        let more = self.state.items_between(ItemId(0), first).next().is_some();
        (items, more)
    }

    /// The items of the turns before an item.
    pub(super) fn items_before(&mut self, before: ItemId, turns: usize) -> ItemPage {
        let (items, more) = self.last_items(Some(before), turns);
        ItemPage {
            items: items.into_iter().map(|item| self.outgoing(item)).collect(),
            more,
        }
    }

    /// The item that a record belongs to.
    pub(super) fn item_of_record(&self, record: i64) -> Result<ItemId, Problem> {
        let found = self.feed.of_record(record).or_else(|| self.state.last_item());
        found.ok_or_else(|| Problem::new(crate::api::Code::Field, "this session has no items"))
    }

    /// The item as it is sent: with the revision of the API, and large bodies stored apart.
    fn outgoing(&mut self, mut item: Item) -> Item {
        item.revision = self.feed.revision(item.revision);
        if let ItemBody::Prompt(prompt) = &mut item.body {
            for image in &mut prompt.images {
                let mime = image.mime_type.to_string();
                let data = match &image.data {
                    Text::Here(data) => base64::engine::general_purpose::STANDARD.decode(data).ok(),
                    Text::Stored { .. } => None,
                };
                if let Some(bytes) = data {
                    image.data = self.store_apart(bytes, &mime, None);
                }
            }
            if let Text::Here(long) = &prompt.text
                && long.len() > body::HEAVY
            {
                let (bytes, ends) = (long.as_bytes().to_vec(), body::ends(long));
                prompt.text = self.store_apart(bytes, "text/plain; charset=utf-8", Some(ends));
            }
        }
        item
    }

    fn store_apart(&mut self, bytes: Vec<u8>, mime: &str, ends: Option<(String, String, u64)>) -> Text {
        let (head, tail, lines) = match ends {
            Some((head, tail, lines)) => (Some(head), Some(tail), Some(lines)),
            None => (None, None, None),
        };
        let blob = Blob {
            hash: body::hash(&bytes),
            bytes: bytes.len() as u64,
            mime: mime.to_owned(),
            head,
            tail,
            lines,
        };
        let (store, session, mime) = (self.shared.store.clone(), self.id.clone(), mime.to_owned());
        self.jobs.spawn(async move {
            if let Err(error) = store.put_blob(&session, bytes, &mime, now()).await {
                tracing::error!(%session, %error, "a body could not be stored");
            }
            Done::Nothing
        });
        Text::Stored { blob: Box::new(blob) }
    }

    /// The lines that an item was made from.
    pub(super) fn raw_lines(&self, item: ItemId) -> Vec<Value> {
        let lines = self.state.lines_of(item);
        let value = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| Value::String(line.to_owned()));
        lines.into_iter().map(value).collect()
    }
}

fn text(message: &ServerMessage) -> String {
    serde_json::to_string(message).unwrap_or_default()
}
