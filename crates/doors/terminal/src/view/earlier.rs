//! Items of a saved session.

use std::collections::HashMap;

use sluice_host::items::{CardBody, Item, ItemBody, PromptItem, PromptSource, Shell, ShellAction, of_messages};
use sluice_host::sessions::SessionMessage;

/// Returns the items of the last turn, and the number of messages before it.
#[must_use]
pub fn last_turn(messages: &[SessionMessage]) -> (usize, Vec<Item>) {
    let mut items = of_messages(messages);
    let last = items.iter().rposition(|item| prompt(item).is_some());
    let uuid = last.and_then(|at| prompt(items.get(at)?)?.uuid.clone());
    let before = messages
        .iter()
        .position(|message| Some(&*message.uuid) == uuid.as_deref());
    items.drain(..last.unwrap_or(items.len()));
    (before.unwrap_or(messages.len()), items)
}

/// Returns the calls that changed files since a prompt.
#[must_use]
pub fn changes(messages: &[SessionMessage], since: &str) -> Vec<Item> {
    let is_it = |item: &Item| prompt(item).is_some_and(|prompt| prompt.uuid.as_deref() == Some(since));
    let items = of_messages(messages).into_iter().skip_while(|item| !is_it(item));
    items
        .filter(|item| item.call().is_some_and(|call| call.card.changed().is_some()))
        .collect()
}

/// Returns the checkpoints of a conversation: id, preceding message, text, time, and number of commands since.
#[must_use]
pub fn points(messages: &[SessionMessage]) -> Vec<crate::app::Point> {
    let before: HashMap<&str, &str> =
        messages
            .iter()
            .zip(messages.iter().skip(1))
            .fold(HashMap::new(), |mut before, (first, second)| {
                before.insert(&second.uuid, &first.uuid);
                before
            });
    let mut points: Vec<crate::app::Point> = Vec::new();
    for item in of_messages(messages) {
        if let Some(prompt) = prompt(&item) {
            let uuid = prompt.uuid.as_deref().unwrap_or_default();
            points.push(crate::app::Point {
                uuid: uuid.to_owned(),
                before: before.get(uuid).map(|before| (*before).to_owned()),
                text: prompt.text.to_string(),
                at: item.at.0,
                files: None,
                commands: 0,
            });
        } else if item.call().is_some_and(|call| runs(&call.card.body)) {
            for point in &mut points {
                point.commands += 1;
            }
        }
    }
    points
}

/// Returns the prompt if the user entered it.
fn prompt(item: &Item) -> Option<&PromptItem> {
    match &item.body {
        ItemBody::Prompt(prompt) if prompt.source == PromptSource::Host => Some(prompt),
        _ => None,
    }
}

fn runs(body: &CardBody) -> bool {
    matches!(
        body,
        CardBody::Shell(Shell {
            action: ShellAction::Run,
            ..
        })
    )
}
