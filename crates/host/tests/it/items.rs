//! The projection into items: each kind of item, the faults that it must not have, and its laws.

mod bodies;
mod calls;
mod faults;
mod laws;
mod notes;
mod notices;
mod recordings;

use sluice_host::items::{Decider, Item, ItemBody, ItemStatus, Sender, ToolCall, TurnEnd};

use crate::conversation::play::Play;

/// The items of a conversation without those of its process.
pub(crate) fn items(play: &Play) -> Vec<Item> {
    let items = play.state.items();
    items
        .filter(|item| !matches!(item.body, ItemBody::Process(_)))
        .collect()
}

/// The last item.
pub(crate) fn last(play: &Play) -> Item {
    items(play).pop().unwrap()
}

/// The bodies and statuses of all items but those of the process.
pub(crate) fn shown(play: &Play) -> Vec<(ItemStatus, ItemBody)> {
    items(play).into_iter().map(|item| (item.status, item.body)).collect()
}

/// Text of the model.
pub(crate) fn spoken(text: &str) -> ItemBody {
    ItemBody::Text {
        text: text.into(),
        synthetic: false,
    }
}

/// A person of whom only the name is known.
pub(crate) fn person(name: &str) -> Decider {
    Decider::Person {
        sender: Some(Sender {
            name: name.into(),
            device: None,
        }),
    }
}

/// A tool call and its status.
pub(crate) fn call(play: &Play, id: &str) -> (ItemStatus, ToolCall) {
    let item = play.state.item_of_call(id).unwrap();
    (item.status, item.call().unwrap().clone())
}

/// The end of the last turn.
pub(crate) fn turn_end(play: &Play) -> TurnEnd {
    let ends = items(play).into_iter().rev().find_map(|item| match item.body {
        ItemBody::TurnEnd(end) => Some(*end),
        _ => None,
    });
    ends.unwrap()
}
