//! Loading a session from its stored records.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use sluice_host::conversation::{
    self, ConversationEvent, ConversationState, Exit, Line, ProcessStatus, PromptState, What,
};
use sluice_host::items::ItemId;
use sluice_host::wire::{Frame, MessageType};
use sluice_store::{AskRow, PromptRow, SessionPatch, SessionRow, Store};

use super::actor::{Actor, Extra, Greeting, Loaded, is_greeting, time};
use super::archive;
use super::feed::Feed;
use super::records::{Position, Records, kind};
use crate::api::Problem;
use crate::hub::Shared;

/// How much is read from the store at once.
const CHUNK: usize = 4 * 1024 * 1024;

impl Actor {
    /// Reads what is stored of a session and folds it again.
    pub(crate) async fn load(shared: Arc<Shared>, s: u32, row: SessionRow) -> Result<Self, Problem> {
        let store = &shared.store;
        let (row, extra) = next_generation(store, row).await?;
        let mut refold = Refold::new(extra.generation);
        let mut last_n = 0;
        let mut last_seq = 0;
        loop {
            let page = store.all_records(&row.id, row.epoch, last_n, CHUNK).await?;
            for record in &page.records {
                last_n = record.n;
                last_seq = record.seq.unwrap_or(last_seq);
                refold.add(record.at, record.kind, &record.body);
                if let Some(seq) = record.seq {
                    let item = refold.item_of(record.kind, &record.body);
                    refold.feed.note_record(seq, item);
                }
            }
            if !page.more {
                break;
            }
        }
        let position = Position {
            committed: row.runner_committed,
            safe: row.runner_safe,
        };
        let mut records = Records::new(
            &row.id,
            row.epoch,
            last_n.max(store.last_n(&row.id).await?),
            last_seq,
            position,
        );
        if !matches!(refold.state.process(), ProcessStatus::Up { .. }) {
            records.nothing_is_written();
        }
        let prompts = store.prompts(&row.id).await?;
        let (queue, sent) = sort(prompts, &refold.state);
        let asks = store.asks(&row.id).await?;
        let ledger: HashMap<String, AskRow> = asks.into_iter().map(|ask| (ask.request_id.clone(), ask)).collect();
        let loaded = Loaded {
            row,
            extra,
            state: refold.state,
            records,
            feed: refold.feed,
            queue,
            sent,
            ledger,
            greeting: refold.greeting,
            by_model: refold.by_model,
        };
        Ok(Self::of(Arc::clone(&shared), s, loaded))
    }
}

/// Begins a generation of revisions. It is stored before the session is served.
async fn next_generation(store: &Store, mut row: SessionRow) -> Result<(SessionRow, Extra), Problem> {
    let mut extra: Extra = serde_json::from_str(&row.extra).unwrap_or_default();
    extra.generation = Feed::next_generation(extra.generation);
    row.extra = serde_json::to_string(&extra).unwrap_or_default();
    let patch = SessionPatch {
        extra: Some(row.extra.clone()),
        ..SessionPatch::default()
    };
    store.update_session(&row.id, patch).await?;
    Ok((row, extra))
}

/// Prompts that wait here, and those the machine has.
fn sort(prompts: Vec<PromptRow>, state: &ConversationState) -> (Vec<PromptRow>, HashMap<String, PromptRow>) {
    let mut queue = Vec::new();
    let mut sent = HashMap::new();
    for mut row in prompts {
        match state.prompt(&row.uuid) {
            Some(prompt) => {
                if prompt.state == PromptState::Delivered {
                    row.state = "delivered".to_owned();
                }
                sent.insert(row.uuid.clone(), row);
            }
            // Handed over, and never written: it waits as before.
            None if matches!(row.state.as_str(), "queued" | "sent") => {
                row.state = "queued".to_owned();
                queue.push(row);
            }
            // Delivered, and its record was not stored: the log of the runner has it. The row knows its author.
            None if matches!(row.state.as_str(), "delivered" | "indeterminate") => {
                sent.insert(row.uuid.clone(), row);
            }
            None => {}
        }
    }
    queue.sort_by(|a, b| a.position.total_cmp(&b.position));
    (queue, sent)
}

/// A conversation folded from rows.
struct Refold {
    state: ConversationState,
    feed: Feed,
    greeting: Greeting,
    by_model: Option<Value>,
}

impl Refold {
    fn new(generation: u64) -> Self {
        Self {
            state: ConversationState::default(),
            feed: Feed::new(generation),
            greeting: Greeting::Owed,
            by_model: None,
        }
    }

    fn step(&mut self, at: i64, what: What) {
        // What had to be done was done when it happened first.
        conversation::step(&mut self.state, ConversationEvent::new(time(at), what));
    }

    fn add(&mut self, at: i64, of: u8, body: &str) {
        match of {
            kind::SAID => {
                if let Ok(frame) = Frame::parse(body) {
                    if frame.message_type() == MessageType::Result {
                        self.note_models(body);
                    }
                    let answered = frame.message_type() == MessageType::ControlResponse
                        && self.greeting == Greeting::Sent(frame.request_id());
                    self.step(at, What::Said(frame));
                    if answered {
                        self.greeting = Greeting::Done;
                    }
                }
            }
            kind::WROTE => {
                if let Ok(frame) = Frame::parse(body) {
                    if is_greeting(&frame) {
                        self.greeting = Greeting::Sent(frame.request_id());
                    }
                    self.step(at, What::Wrote(frame));
                }
            }
            kind::PROCESS => self.process(at, body),
            kind::GARBLED => {
                let own: Value = serde_json::from_str(body).unwrap_or_default();
                let line = own.get("line").and_then(Value::as_str).unwrap_or_default();
                self.step(at, What::Garbled(Line::from(line)));
            }
            kind::OWN => {
                let record: Value = serde_json::from_str(body).unwrap_or_default();
                for note in archive::notes(&record, &self.state) {
                    self.step(at, What::Noted(note));
                }
            }
            _ => {}
        }
    }

    /// The item of a record that was just added.
    fn item_of(&self, of: u8, body: &str) -> Option<ItemId> {
        let last = self.state.last_changed_item();
        if of != kind::OWN || !body.contains("\"sluice_prompt\"") {
            return last;
        }
        // The record of a prompt comes before the line with which the agent read it.
        let record: Value = serde_json::from_str(body).unwrap_or_default();
        let prompt = record
            .get("uuid")
            .and_then(Value::as_str)
            .and_then(|uuid| self.state.prompt(uuid));
        match prompt {
            Some(prompt) if prompt.state != PromptState::Delivered => {
                Some(ItemId(self.state.last_item().map_or(0, |last| last.0 + 1)))
            }
            _ => last,
        }
    }

    fn process(&mut self, at: i64, body: &str) {
        let news: Value = serde_json::from_str(body).unwrap_or_default();
        if let Some(starting) = news.get("starting") {
            let resumed = starting.get("resumed").and_then(Value::as_bool).unwrap_or(false);
            self.greeting = Greeting::Owed;
            self.step(at, What::Starting { resumed });
        } else if news.get("up").is_some() {
            // Only records show what was written to this process: what they do not show is written once it is reached.
            self.step(at, What::CatchingUp);
            self.step(at, What::Up);
        } else if let Some(exit) = news.get("exited") {
            let exit: Exit = serde_json::from_value(exit.clone()).unwrap_or_default();
            self.step(at, What::Exited(exit));
            self.step(at, What::Connected);
        }
    }

    fn note_models(&mut self, body: &str) {
        let value: Value = serde_json::from_str(body).unwrap_or_default();
        if let Some(by_model) = value.get("modelUsage").filter(|it| it.is_object()) {
            self.by_model = Some(by_model.clone());
        }
    }
}
