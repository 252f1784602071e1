//! The items of a session on disk.

use sluice_transcript::{MessageKind, SessionMessage};
use sluice_wire::{Frame, Raw};

use super::{Item, ItemBody, ItemStatus, PromptSource};
use crate::conversation::{ConversationEvent, ConversationState, step};

/// Returns the items of a session on disk, in order. Tool calls without a result are [interrupted](ItemStatus::Interrupted):
/// nothing of a saved session runs.
#[must_use]
pub fn of_messages(messages: &[SessionMessage]) -> Vec<Item> {
    let mut state = ConversationState::default();
    for message in messages {
        if let Some(frame) = frame(message) {
            let at = message.timestamp.unwrap_or_default();
            step(&mut state, ConversationEvent::said(at, frame));
        }
    }
    let items = state.items().map(|mut item| {
        if item.status.is_open() {
            item.status = ItemStatus::Interrupted;
        }
        if let ItemBody::Prompt(prompt) = &mut item.body
            && prompt.source == PromptSource::Other
        {
            prompt.source = PromptSource::Host;
        }
        item.turn = None;
        item
    });
    items.collect()
}

/// The message as the agent's line.
fn frame(message: &SessionMessage) -> Option<Frame> {
    let ty = match message.kind {
        MessageKind::User => "user",
        MessageKind::Assistant => "assistant",
    };
    let result = message.tool_use_result.as_ref().map(Raw::get).unwrap_or("null");
    let line = format!(
        r#"{{"type":"{ty}","uuid":{},"message":{},"tool_use_result":{result}}}"#,
        serde_json::Value::from(message.uuid.as_str()),
        message.message.get(),
    );
    Frame::parse(&line).ok()
}
