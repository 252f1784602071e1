//! Loading a session from its stored records.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use sluice_host::conversation::{
    self, ConversationEvent, ConversationState, Exit, Line, ProcessStatus, PromptState, What,
};
use sluice_host::wire::{Frame, MessageType};
use sluice_store::{AskRow, PromptRow, SessionRow};

use super::actor::{Actor, Extra, Greeting, Loaded, is_greeting, time};
use super::records::{Position, Records, kind};
use super::turn_numbers::TurnNumbers;
use crate::api::Problem;
use crate::hub::Shared;

/// How much is read from the store at once.
const CHUNK: usize = 4 * 1024 * 1024;

impl Actor {
    /// Reads what is stored of a session and folds it again.
    pub(crate) async fn load(shared: Arc<Shared>, s: u32, row: SessionRow) -> Result<Self, Problem> {
        let store = &shared.store;
        let mut refold = Refold::default();
        let mut last_n = 0;
        let mut last_seq = 0;
        loop {
            let page = store.all_records(&row.id, row.epoch, last_n, CHUNK).await?;
            for record in &page.records {
                last_n = record.n;
                last_seq = record.seq.unwrap_or(last_seq);
                refold.add(record.at, record.kind, &record.body);
                refold.number(record.kind, record.turn);
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
        let extra: Extra = serde_json::from_str(&row.extra).unwrap_or_default();
        let loaded = Loaded {
            row,
            extra,
            state: refold.state,
            records,
            turn_numbers: refold.turn_numbers,
            queue,
            sent,
            ledger,
            greeting: refold.greeting,
            by_model: refold.by_model,
        };
        Ok(Self::of(Arc::clone(&shared), s, loaded))
    }
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
    turn_numbers: TurnNumbers,
    greeting: Greeting,
    by_model: Option<Value>,
}

impl Default for Refold {
    fn default() -> Self {
        Self {
            state: ConversationState::default(),
            turn_numbers: TurnNumbers::default(),
            greeting: Greeting::Owed,
            by_model: None,
        }
    }
}

impl Refold {
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
            _ => {}
        }
    }

    /// Takes over the number of the turn that a record belongs to.
    fn number(&mut self, of: u8, turn: Option<i64>) {
        if let Some(number) = turn {
            let own = self.state.turns().len();
            self.turn_numbers.restore(number, own, of == kind::SAID);
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
