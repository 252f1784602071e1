//! The projection into items: what each step adds to the transcript and changes in it.

mod blocks;
mod calls;
mod notices;
mod turns;

pub(super) use calls::Calling;
pub(super) use notices::Compacted;

use serde_json::value::RawValue;
use sluice_wire::Frame;

use super::Fold;
use crate::conversation::Change;
use crate::conversation::index::place;
use crate::items::ItemStatus;
use crate::items::list::{Leaf, Record, RecordBody};
use crate::items::{ItemBody, ItemId};

impl Fold<'_> {
    /// Adds an item to the open turn.
    pub(super) fn add_item(&mut self, status: ItemStatus, body: impl Into<RecordBody>, parent: Option<usize>) -> u32 {
        let record = Record {
            turn: self.state.index.open.filter(|_| parent.is_none()).map(place),
            parent: parent.map(place),
            entry: self
                .state
                .entries
                .len()
                .checked_sub(1)
                .filter(|_| !self.line.as_str().is_empty())
                .map(place),
            ..Record::new(self.state.now, status, body.into())
        };
        let at = self.state.items.add(record);
        self.change(Change::Item(ItemId(at)));
        at
    }

    /// Adds a complete item to the main conversation.
    pub(super) fn done(&mut self, body: ItemBody) -> u32 {
        self.add_item(ItemStatus::Done, body, None)
    }

    /// Gives an item a new revision, after it was changed.
    pub(super) fn item_changed(&mut self, at: u32) {
        if self.state.items.change(at).is_some() {
            self.change(Change::Item(ItemId(at)));
        }
    }

    /// Sets the status of an item.
    pub(super) fn item_status(&mut self, at: u32, status: ItemStatus) {
        self.state.items.set_status(at, status);
        self.item_changed(at);
    }

    pub(super) fn remove_item(&mut self, at: u32) {
        self.state.items.remove(at);
        self.change(Change::Item(ItemId(at)));
    }

    /// Replaces the content of an item with a small body.
    pub(super) fn set_item(&mut self, at: u32, status: ItemStatus, body: ItemBody) {
        if let Some(record) = self.state.items.get_mut(at) {
            record.body = body.into();
        }
        self.item_status(at, status);
    }

    /// Returns the content of an item, if it is a small body.
    pub(super) fn item_body(&mut self, at: Option<u32>) -> Option<&mut ItemBody> {
        match &mut self.state.items.get_mut(at?)?.body {
            RecordBody::Other(body) => Some(body),
            _ => None,
        }
    }

    /// Marks the item of a prompt as changed.
    pub(super) fn prompt_changed(&mut self, prompt: usize) {
        if let Some(at) = self.state.items.of_prompt(prompt) {
            self.item_changed(at);
        }
    }

    /// Adds the item of a prompt that the agent has read.
    pub(super) fn prompt_item(&mut self, prompt: usize, turn: Option<usize>) {
        let spoken = turn.is_some_and(|turn| self.has_spoken(turn));
        if let Some(prompt) = self.state.prompts.get_mut(prompt) {
            prompt.joined = spoken;
        }
        self.add_item(ItemStatus::Done, RecordBody::Prompt(place(prompt)), None);
    }
}

/// Returns the place of a JSON value in the line of an entry.
pub(super) fn leaf(frame: &Frame, entry: usize, value: &RawValue) -> Leaf {
    let (line, text) = (frame.text(), value.get());
    // Where the line was repaired, the value is in another text.
    let start = (text.as_ptr() as usize).checked_sub(line.as_ptr() as usize);
    let found = start.and_then(|start| {
        let range = start..start + text.len();
        let is_it = line
            .get(range.clone())
            .is_some_and(|found| found.as_ptr() == text.as_ptr());
        let (start, end) = (u32::try_from(range.start).ok()?, u32::try_from(range.end).ok()?);
        is_it.then_some((start, end))
    });
    match found {
        Some((start, end)) => Leaf::At {
            entry: place(entry),
            start,
            end,
        },
        None => Leaf::Own(text.into()),
    }
}
