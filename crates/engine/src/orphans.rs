//! Background tasks that an earlier process of this session started and that ended with it.
//!
//! They are found in the conversation: it contains the start of each task and the notifications about their ends.

use serde_json::Value;
use sluice_model::Message;
use sluice_wire::stdout::system::{TaskNotification, TaskOutcome};

use crate::messages;
use crate::note::{Note, origin};
use crate::session::Session;

/// A task that was running when the process exited.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Orphan {
    id: String,
    /// The call that started it.
    call_id: String,
    /// The description of a subagent; `None` for a command.
    agent: Option<String>,
    output_file: String,
}

impl Orphan {
    fn summary(&self) -> String {
        let what = match &self.agent {
            Some(description) => format!("Background agent \"{description}\""),
            None => "Background shell command".to_owned(),
        };
        format!("{what} didn't finish before the previous session ended")
    }
}

/// Texts in tool results that report the start of a task.
const STARTED_TEXTS: [&str; 3] = ["agentId: ", "background with ID: ", "background (ID: "];

/// Finds tasks that were started and never reported as ended. Searches bytes first: conversations may be long, and most
/// contain no background tasks.
fn orphans(messages: &[Message]) -> Vec<Orphan> {
    let says = |message: &Message, words: &str| memchr::memmem::find(message.as_bytes(), words.as_bytes()).is_some();
    let begins = |message: &Message| STARTED_TEXTS.iter().any(|words| says(message, words));
    let Some(first) = messages.iter().position(begins) else {
        return Vec::new();
    };
    let mut open: Vec<Orphan> = Vec::new();
    let mut calls: Vec<(String, String)> = Vec::new();
    // The call is in the message before its result.
    let tail = messages.get(first.saturating_sub(1)..).unwrap_or_default();
    for block in tail.iter().flat_map(Message::blocks) {
        let field = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        match field("type") {
            "tool_use" => {
                let description = block.pointer("/input/description").and_then(Value::as_str);
                calls.push((field("id").to_owned(), description.unwrap_or_default().to_owned()));
            }
            "tool_result" => {
                let text = messages::text_of(block.get("content").unwrap_or(&Value::Null));
                let begun = started_task(&text, field("tool_use_id"), &calls);
                match begun {
                    Some(begun) => open.push(begun),
                    None => open.retain(|orphan| !(text.contains("stopped") && text.contains(&orphan.id))),
                }
            }
            _ => {
                let text = field("text");
                if text.contains("<task-notification>") {
                    open.retain(|orphan| !text.contains(&orphan.id));
                }
            }
        }
    }
    open
}

/// Parses the start of a task from a tool result.
fn started_task(text: &str, call_id: &str, calls: &[(String, String)]) -> Option<Orphan> {
    let word = |after: &str| {
        let (_, rest) = text.split_once(after)?;
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric());
        let word = rest.get(..end.unwrap_or(rest.len()))?;
        (!word.is_empty()).then(|| word.to_owned())
    };
    let path = |after: &str| {
        let (_, rest) = text.split_once(after)?;
        rest.split_whitespace().next().map(str::to_owned)
    };
    if let (Some(id), Some(output_file)) = (word("agentId: "), path("output_file: ")) {
        let description = calls
            .iter()
            .rev()
            .find(|(id, _)| id == call_id)
            .map(|(_, description)| description.clone());
        return Some(Orphan {
            id,
            call_id: String::new(),
            agent: Some(description.unwrap_or_default()),
            output_file,
        });
    }
    let id = word("background with ID: ").or_else(|| word("background (ID: "))?;
    Some(Orphan {
        id,
        call_id: call_id.to_owned(),
        agent: None,
        output_file: String::new(),
    })
}

impl Session {
    /// Reports tasks of an earlier process that did not finish. The model reads the notes with the next prompt.
    pub(crate) async fn report_orphans(&mut self) {
        for orphan in orphans(&self.conversation.history.all()) {
            let summary = orphan.summary();
            self.emit(TaskNotification {
                task_id: orphan.id.clone(),
                tool_use_id: Some(orphan.call_id.clone()).filter(|id| !id.is_empty()),
                status: TaskOutcome::from("stopped"),
                output_file: orphan.output_file.clone(),
                summary: summary.clone(),
                uuid: messages::fresh_id(),
                ..TaskNotification::default()
            })
            .await;
            let note = Note::of_orphan(&orphan.id, &summary);
            self.background.queue(note);
        }
    }
}

impl Note {
    fn of_orphan(id: &str, summary: &str) -> Self {
        Self::of_stopped_task(id, summary, origin(), messages::now())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(blocks: &Value) -> Message {
        Message::from(json!({"role": "user", "content": blocks}))
    }

    fn called(id: &str) -> Message {
        message(&json!([{"type": "tool_use", "id": id, "input": {"description": "do it"}}]))
    }

    fn result(id: &str, text: &str) -> Message {
        message(&json!([{"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": text}]}]))
    }

    #[test]
    fn tasks_without_an_end_are_found() {
        let command = "Command running in background with ID: b12. Output is being written to: /t/b12.output.";
        let agent = "It works.\nagentId: a34 (to tell it more)\noutput_file: /t/a34.output (what it does)";
        let begun = [called("c1"), result("c1", command), called("c2"), result("c2", agent)];
        let left = orphans(&begun);
        assert_eq!(left.len(), 2);
        assert_eq!((left[0].id.as_str(), left[0].call_id.as_str()), ("b12", "c1"));
        assert_eq!(left[1].agent.as_deref(), Some("do it"));
        assert_eq!(left[1].output_file, "/t/a34.output");

        let tail = |text: &str| message(&json!([{"type": "text", "text": text}]));
        let mut ended = begun.to_vec();
        ended.push(notification(
            "<task-notification>\n<task-id>b12</task-id>\n</task-notification>",
        ));
        ended.push(result("c3", "{\"message\":\"Successfully stopped task: a34\"}"));
        assert_eq!(orphans(&ended), []);
    }

    #[test]
    fn final_report_of_a_subagent_is_not_a_start() {
        let report = "Done.\nagentId: a34 (to go on with it, use SendMessage to this id)";
        assert_eq!(orphans(&[called("c1"), result("c1", report)]), []);
    }
}
