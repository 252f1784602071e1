//! The last turn of a resumed session, shown again.

use serde_json::{Value, json};
use sluice_host::conversation::{Entry, EntryKind, Line, Time};
use sluice_host::sessions::{MessageKind, SessionMessage};

/// The entries of the last turn, and how many messages came before it.
#[must_use]
pub fn last_turn(messages: &[SessionMessage]) -> (usize, Vec<Entry>) {
    let from = messages.iter().rposition(is_prompt).unwrap_or(messages.len());
    let turn = messages.iter().skip(from).map(entry);
    (from, turn.collect())
}

/// All of it.
#[must_use]
pub fn entries(messages: &[SessionMessage]) -> Vec<Entry> {
    messages.iter().map(entry).collect()
}

/// The calls that changed files from a prompt on, and what came of them.
#[must_use]
pub fn changes(messages: &[SessionMessage], since: &str) -> Vec<Entry> {
    let mut changing = std::collections::HashSet::new();
    let mut kept = Vec::new();
    for message in messages.iter().skip_while(|message| message.uuid != since).skip(1) {
        let content = message.message.to_value();
        let blocks = content.get("content").and_then(Value::as_array).into_iter().flatten();
        let mut belongs = false;
        for block in blocks {
            let word = |name: &str| block.get(name).and_then(Value::as_str);
            match (word("type"), word("name")) {
                (Some("tool_use"), Some("Edit" | "MultiEdit" | "Write" | "NotebookEdit")) => {
                    changing.extend(word("id").map(str::to_owned));
                    belongs = true;
                }
                (Some("tool_result"), _) => {
                    belongs |= word("tool_use_id").is_some_and(|id| changing.contains(id));
                }
                _ => {}
            }
        }
        if belongs {
            kept.push(entry(message));
        }
    }
    kept
}

/// The prompts of a conversation: id, the message before it, text, when, and how many commands ran since.
#[must_use]
pub fn points(messages: &[SessionMessage]) -> Vec<crate::app::Point> {
    let mut points: Vec<crate::app::Point> = Vec::new();
    let mut before = None;
    for message in messages {
        if is_prompt(message) {
            points.push(crate::app::Point {
                uuid: message.uuid.clone(),
                before: before.clone(),
                text: text(&message.message.to_value()),
                at: message.timestamp.unwrap_or_default(),
                files: None,
                commands: 0,
            });
        }
        let content = message.message.to_value();
        let blocks = content.get("content").and_then(Value::as_array).into_iter().flatten();
        let commands = blocks
            .filter(|block| block.get("name").and_then(Value::as_str) == Some("Bash"))
            .count();
        for point in &mut points {
            point.commands += commands;
        }
        before = Some(message.uuid.clone());
    }
    points
}

fn text(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks
                .iter()
                .filter_map(|block| block.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Whether a person said it: text, and no result of a call.
fn is_prompt(message: &SessionMessage) -> bool {
    message.kind == MessageKind::User && is_said(&message.message.to_value())
}

fn is_said(message: &Value) -> bool {
    // What the agent wrote down for itself: that it was stopped, what a command said.
    let own = |text: &str| text.starts_with('<') || text.starts_with("[Request interrupted");
    match message.get("content") {
        Some(Value::String(text)) => !own(text),
        Some(Value::Array(blocks)) => {
            let kind = |block: &Value| block.get("type").and_then(Value::as_str).map(str::to_owned);
            !own(&text(message))
                && blocks.iter().any(|block| kind(block).as_deref() == Some("text"))
                && !blocks.iter().any(|block| kind(block).as_deref() == Some("tool_result"))
        }
        _ => false,
    }
}

fn entry(message: &SessionMessage) -> Entry {
    let kind = match message.kind {
        MessageKind::User if is_prompt(message) => EntryKind::Prompt(0),
        MessageKind::User => EntryKind::Result,
        _ => EntryKind::Assistant,
    };
    let word = if kind == EntryKind::Assistant {
        "assistant"
    } else {
        "user"
    };
    let mut line = json!({
        "type": word,
        "message": message.message.to_value(),
        "parent_tool_use_id": null,
        "session_id": message.session_id,
        "uuid": message.uuid,
    });
    if let (Some(fields), Some(result)) = (line.as_object_mut(), &message.tool_use_result) {
        fields.insert("tool_use_result".to_owned(), result.to_value());
    }
    Entry {
        at: Time(message.timestamp.unwrap_or_default()),
        turn: None,
        parent: None,
        kind,
        line: Line::from(line.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_something_was_stopped_is_no_prompt() {
        for (content, wanted) in [
            (json!("go on"), true),
            (json!([{"type": "text", "text": "go on"}]), true),
            (json!("[Request interrupted by user]"), false),
            (
                json!([{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
                false,
            ),
            (
                json!([{"type": "tool_result", "tool_use_id": "t", "content": "x"}]),
                false,
            ),
        ] {
            assert_eq!(
                is_said(&json!({"role": "user", "content": content})),
                wanted,
                "{content}"
            );
        }
    }
}
