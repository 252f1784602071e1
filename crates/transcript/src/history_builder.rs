//! The conversation history for the model, built from the entries of a transcript, with every call next to its result.
//!
//! A call without a result, because its process was ended, gets a result that says so: otherwise the model might
//! repeat it. A result without its call is left out, because the API would refuse it. Entries pass through one by one,
//! so that a large conversation is in memory once.

use serde_json::Value;

use super::block::{self, Block, Kind};
use super::entry_content::{EntryContent, Part};

/// Takes a conversation that is read, message by message.
pub trait Conversation: Default {
    /// One side has said this, in a message of its own.
    fn say(&mut self, by_model: bool, blocks: &[Block]);

    /// The last messages were not said so, and are told anew.
    fn take_back(&mut self, messages: usize);

    /// The user's side is about to say this: it is the beginning of what it says next.
    fn open(&mut self, blocks: &[Block]);
}

/// The history of a conversation while it is built from its entries.
#[derive(Debug, Default)]
pub(super) struct HistoryBuilder<C> {
    history: C,
    /// A call that is answered later.
    deferred_call: Option<String>,
    /// What the model said, as long as its results are still to come.
    before: Option<EntryContent>,
    /// Who speaks now.
    current: Option<EntryContent>,
    /// The calls that were told last.
    called: Vec<String>,
    /// What the user's side says until the model speaks again.
    open: Vec<Block>,
    /// What it said before that since the model last spoke, and how many messages that was.
    closed: (Vec<Block>, usize),
}

impl<C: Conversation> HistoryBuilder<C> {
    /// A call of this id stays at the end without a result.
    pub(super) fn new(deferred_call: Option<&str>) -> Self {
        Self {
            deferred_call: deferred_call.map(str::to_owned),
            ..Self::default()
        }
    }

    /// The next entry.
    pub(super) fn take(&mut self, said: EntryContent) {
        if let Some(shown) = said.shown {
            return self.as_shown(&shown);
        }
        match &mut self.current {
            // The blocks of a message are entries of their own.
            Some(current)
                if current.by_model == said.by_model && (said.message.is_none() || current.message == said.message) =>
            {
                current.blocks.extend(said.blocks);
                current.message = said.message;
            }
            _ => self.turn_to(Some(said)),
        }
    }

    /// The whole history, with the open `user` message.
    pub(super) fn done(mut self) -> C {
        self.rest();
        self.history.open(&self.open);
        self.history
    }

    /// Nobody speaks.
    fn rest(&mut self) {
        self.turn_to(None);
        if let Some(before) = self.before.take() {
            self.model(before, &[]);
        }
    }

    /// The user's side was not shown as its entries have it, but so.
    fn as_shown(&mut self, messages: &[Vec<Part>]) {
        self.rest();
        let (mut blocks, count) = std::mem::take(&mut self.closed);
        blocks.append(&mut self.open);
        self.history.take_back(count);
        for parts in messages {
            let found = parts.iter().filter_map(|part| match part {
                Part::Said(block) => Some(block.clone()),
                Part::Kept(key, at) => blocks.iter().find(|block| block.from == (*key, *at)).cloned(),
            });
            self.open = found.collect();
            self.close();
        }
        self.closed = (blocks, messages.len());
    }

    /// Somebody else speaks.
    fn turn_to(&mut self, next: Option<EntryContent>) {
        let Some(current) = std::mem::replace(&mut self.current, next) else {
            return;
        };
        let before = match current.by_model {
            true => self.before.replace(current),
            false => {
                if let Some(before) = self.before.take() {
                    self.model(before, &current.blocks);
                }
                return self.user(current.blocks);
            }
        };
        if let Some(before) = before {
            self.model(before, &[]);
        }
    }

    fn model(&mut self, said: EntryContent, answers: &[Block]) {
        let answered = |id: &String| {
            let answer = |block: &Block| matches!(&block.kind, Kind::Result(of) if of == id);
            answers.iter().any(answer) || self.deferred_call.as_ref() == Some(id)
        };
        let mut blocks = said.blocks;
        blocks.retain(|block| !block::is_blank(block));
        let lost: Vec<Block> = blocks
            .iter()
            .filter_map(|block| match &block.kind {
                Kind::Call(id) if !answered(id) => block::lost(id, block.from),
                _ => None,
            })
            .collect();
        self.called = blocks
            .iter()
            .filter_map(|block| match &block.kind {
                Kind::Call(id) => Some(id.clone()),
                _ => None,
            })
            .collect();
        // The API does not take bare thinking back. The model was asked all the same.
        if blocks.iter().all(|block| block.kind == Kind::Thinking) {
            self.closed.1 += usize::from(!self.open.is_empty());
            self.closed.0.extend_from_slice(&self.open);
            return self.close();
        }
        self.close();
        self.closed = Default::default();
        self.history.say(true, &blocks);
        self.called
            .retain(|id| !lost.iter().any(|block| block.kind == Kind::Result(id.clone())));
        self.open = lost;
    }

    fn user(&mut self, blocks: Vec<Block>) {
        // Results stand first, or the model's server refuses them, and in the order of the calls, as they once were sent.
        let mut results: Vec<Option<Block>> = self.called.iter().map(|_| None).collect();
        let mut words = Vec::new();
        for block in blocks {
            let Kind::Result(id) = &block.kind else {
                words.push(block);
                continue;
            };
            let mut calls = self.called.iter().zip(&mut results);
            if let Some((_, place)) = calls.find(|(call, place)| *call == id && place.is_none()) {
                *place = Some(block);
            }
        }
        let called = std::mem::take(&mut self.called);
        let unanswered = called.into_iter().zip(&results).filter(|(_, result)| result.is_none());
        self.called = unanswered.map(|(call, _)| call).collect();
        self.open.extend(results.into_iter().flatten().chain(words));
    }

    /// What the user's side says is a message.
    fn close(&mut self) {
        if !self.open.is_empty() {
            self.history.say(false, &self.open);
            self.open.clear();
        }
    }
}

/// Messages, in the bytes in which they are sent.
#[derive(Debug, Default)]
pub(super) struct Spelled(Vec<Vec<u8>>);

impl Conversation for Spelled {
    fn say(&mut self, by_model: bool, blocks: &[Block]) {
        // Nobody asks for what the model said.
        self.0.push(match by_model {
            true => Vec::new(),
            false => spelled(blocks.iter().map(|block| &*block.spelled)),
        });
    }

    fn take_back(&mut self, messages: usize) {
        self.0.truncate(self.0.len().saturating_sub(messages));
    }

    fn open(&mut self, blocks: &[Block]) {
        // What is said next is put together from values, so that it is written anew.
        let written = blocks.iter().filter_map(|block| {
            let block: Value = serde_json::from_slice(&block.spelled).ok()?;
            serde_json::to_vec(&block).ok()
        });
        let written: Vec<Vec<u8>> = written.collect();
        if !written.is_empty() {
            self.0.push(spelled(written.iter().map(Vec::as_slice)));
        }
    }
}

/// A message of the user's side.
fn spelled<'a>(blocks: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut text = br#"{"role":"user","content":["#.to_vec();
    for (at, block) in blocks.enumerate() {
        if at > 0 {
            text.push(b',');
        }
        text.extend_from_slice(block);
    }
    text.extend_from_slice(b"]}");
    text
}

impl HistoryBuilder<Spelled> {
    /// What the user's side has said since the model last spoke: the messages, and the blocks of all entries.
    pub(super) fn since_reply(mut self) -> (Vec<Vec<u8>>, Vec<Block>) {
        self.rest();
        let (mut blocks, messages) = std::mem::take(&mut self.closed);
        self.history.open(&self.open);
        let sent = messages + usize::from(!self.open.is_empty());
        blocks.append(&mut self.open);
        let mut all = self.history.0;
        let since = all.len().checked_sub(sent).map(|from| all.split_off(from));
        (since.unwrap_or_default(), blocks)
    }
}
