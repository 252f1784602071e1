//! Builds the conversation history for the model from the entries of a transcript, with every call next to its result.
//!
//! A call without a result, because its process ended, gets a result that says so; otherwise the model might
//! repeat it. A result without its call is left out, because the API would reject it. Entries are processed one by one,
//! so that a large conversation is in memory only once.

use serde_json::Value;

use super::block::{self, Block, BlockKind};
use super::entry_content::{EntryContent, ShownPart};

/// Receives a conversation message by message.
pub trait Conversation: Default {
    /// Adds a message of the model or of the user.
    fn say(&mut self, by_model: bool, blocks: &[Block]);

    /// Removes the last messages, because they were sent in another form, which follows.
    fn take_back(&mut self, messages: usize);

    /// Sets the blocks at the start of the next `add_user_blocks` message, which is not complete yet.
    fn open(&mut self, blocks: &[Block]);
}

/// State of building a history from entries.
#[derive(Debug, Default)]
pub(super) struct HistoryBuilder<C> {
    history: C,
    /// The id of the call that stays without a result.
    deferred_call: Option<String>,
    /// The last model message, until the entry after it, which may contain its results.
    before: Option<EntryContent>,
    /// The message that the current entries belong to.
    current: Option<EntryContent>,
    /// The ids of the calls of the last model message that have no result yet.
    called: Vec<String>,
    /// Blocks of the current `add_user_blocks` message.
    open: Vec<Block>,
    /// Blocks of earlier `add_user_blocks` messages since the model's last message, and the number of those messages.
    closed: (Vec<Block>, usize),
}

impl<C: Conversation> HistoryBuilder<C> {
    /// Creates a builder. The call with the id `deferred_call` stays at the end without a result.
    pub(super) fn new(deferred_call: Option<&str>) -> Self {
        Self {
            deferred_call: deferred_call.map(str::to_owned),
            ..Self::default()
        }
    }

    /// Adds the next entry.
    pub(super) fn push(&mut self, entry: EntryContent) {
        if let Some(shown) = entry.shown {
            return self.apply_shown(&shown);
        }
        match &mut self.current {
            // Each block of a message is a separate entry.
            Some(current)
                if current.by_model == entry.by_model
                    && (entry.message.is_none() || current.message == entry.message) =>
            {
                current.blocks.extend(entry.blocks);
                current.message = entry.message;
            }
            _ => self.switch_to(Some(entry)),
        }
    }

    /// Returns the whole history, with the incomplete `add_user_blocks` message at its end.
    pub(super) fn finish(mut self) -> C {
        self.finish_messages();
        self.history.open(&self.open);
        self.history
    }

    /// Adds the messages that are still held back.
    fn finish_messages(&mut self) {
        self.switch_to(None);
        if let Some(before) = self.before.take() {
            self.add_model_message(before, &[]);
        }
    }

    /// Replaces the user messages since the model's last message with those that were actually sent.
    fn apply_shown(&mut self, messages: &[Vec<ShownPart>]) {
        self.finish_messages();
        let (mut blocks, count) = std::mem::take(&mut self.closed);
        blocks.append(&mut self.open);
        self.history.take_back(count);
        for parts in messages {
            let found = parts.iter().filter_map(|part| match part {
                ShownPart::Inline(block) => Some(block.clone()),
                ShownPart::Reference(key, at) => blocks.iter().find(|block| block.from == (*key, *at)).cloned(),
            });
            self.open = found.collect();
            self.close_user_message();
        }
        self.closed = (blocks, messages.len());
    }

    /// Ends the current message and starts the next one.
    fn switch_to(&mut self, next: Option<EntryContent>) {
        let Some(current) = std::mem::replace(&mut self.current, next) else {
            return;
        };
        let before = match current.by_model {
            true => self.before.replace(current),
            false => {
                if let Some(before) = self.before.take() {
                    self.add_model_message(before, &current.blocks);
                }
                return self.add_user_blocks(current.blocks);
            }
        };
        if let Some(before) = before {
            self.add_model_message(before, &[]);
        }
    }

    fn add_model_message(&mut self, entry: EntryContent, answers: &[Block]) {
        let answered = |id: &String| {
            let answer = |block: &Block| matches!(&block.kind, BlockKind::Result(of) if of == id);
            answers.iter().any(answer) || self.deferred_call.as_ref() == Some(id)
        };
        let mut blocks = entry.blocks;
        blocks.retain(|block| !block::is_blank(block));
        let missing_results: Vec<Block> = blocks
            .iter()
            .filter_map(|block| match &block.kind {
                BlockKind::Call(id) if !answered(id) => block::missing_result(id, block.from),
                _ => None,
            })
            .collect();
        self.called = blocks
            .iter()
            .filter_map(|block| match &block.kind {
                BlockKind::Call(id) => Some(id.clone()),
                _ => None,
            })
            .collect();
        // The API rejects a message of thinking alone, so it is left out. The user message before it was sent
        // nevertheless.
        if blocks.iter().all(|block| block.kind == BlockKind::Thinking) {
            self.closed.1 += usize::from(!self.open.is_empty());
            self.closed.0.extend_from_slice(&self.open);
            return self.close_user_message();
        }
        self.close_user_message();
        self.closed = Default::default();
        self.history.say(true, &blocks);
        self.called.retain(|id| {
            !missing_results
                .iter()
                .any(|block| block.kind == BlockKind::Result(id.clone()))
        });
        self.open = missing_results;
    }

    fn add_user_blocks(&mut self, blocks: Vec<Block>) {
        // The API requires results before other blocks. They are in the order of the calls, as they were sent before.
        let mut results: Vec<Option<Block>> = self.called.iter().map(|_| None).collect();
        let mut others = Vec::new();
        for block in blocks {
            let BlockKind::Result(id) = &block.kind else {
                others.push(block);
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
        self.open.extend(results.into_iter().flatten().chain(others));
    }

    /// Completes the current `add_user_blocks` message.
    fn close_user_message(&mut self) {
        if !self.open.is_empty() {
            self.history.say(false, &self.open);
            self.open.clear();
        }
    }
}

/// The messages as the bytes that are sent.
#[derive(Debug, Default)]
pub(super) struct SerializedMessages(Vec<Vec<u8>>);

impl Conversation for SerializedMessages {
    fn say(&mut self, by_model: bool, blocks: &[Block]) {
        // The messages of the model are not needed.
        self.0.push(match by_model {
            true => Vec::new(),
            false => user_message(blocks.iter().map(|block| &*block.spelled)),
        });
    }

    fn take_back(&mut self, messages: usize) {
        self.0.truncate(self.0.len().saturating_sub(messages));
    }

    fn open(&mut self, blocks: &[Block]) {
        // The next message will be built from values, so its blocks are serialised again.
        let written = blocks.iter().filter_map(|block| {
            let block: Value = serde_json::from_slice(&block.spelled).ok()?;
            serde_json::to_vec(&block).ok()
        });
        let written: Vec<Vec<u8>> = written.collect();
        if !written.is_empty() {
            self.0.push(user_message(written.iter().map(Vec::as_slice)));
        }
    }
}

/// Serialises a `add_user_blocks` message.
fn user_message<'a>(blocks: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
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

impl HistoryBuilder<SerializedMessages> {
    /// Returns the user messages since the model's last message, and the blocks of all their entries.
    pub(super) fn since_reply(mut self) -> (Vec<Vec<u8>>, Vec<Block>) {
        self.finish_messages();
        let (mut blocks, messages) = std::mem::take(&mut self.closed);
        self.history.open(&self.open);
        let sent = messages + usize::from(!self.open.is_empty());
        blocks.append(&mut self.open);
        let mut all = self.history.0;
        let since = all.len().checked_sub(sent).map(|from| all.split_off(from));
        (since.unwrap_or_default(), blocks)
    }
}
