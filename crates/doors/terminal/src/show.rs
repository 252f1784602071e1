//! What is heard, as text for a terminal. Pure: messages in, text out.

use serde_json::Value;
use sluice_wire::content::{Block, Content};
use sluice_wire::control::CanUseTool;
use sluice_wire::stdout::system::System;
use sluice_wire::stdout::{self, ResultSubtype};
use sluice_wire::{Raw, ToHost};

/// How many lines of a result are shown.
const RESULT_LINES: usize = 6;

/// Colours, or none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paint(pub bool);

impl Paint {
    fn wrap(self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// Less important.
    #[must_use]
    pub fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// More important.
    #[must_use]
    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// Something to decide.
    #[must_use]
    pub fn ask(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// Something wrong.
    #[must_use]
    pub fn wrong(self, text: &str) -> String {
        self.wrap("31", text)
    }
}

/// What the screen looks like so far, as far as the next message depends on it.
#[derive(Debug)]
pub struct Show {
    paint: Paint,
    /// The line that is being written is not finished.
    open: bool,
}

impl Show {
    /// An empty screen.
    #[must_use]
    pub fn new(paint: Paint) -> Self {
        Self { paint, open: false }
    }

    /// The text a message adds to the screen.
    pub fn message(&mut self, message: &ToHost) -> String {
        match message {
            ToHost::StreamEvent(event) => self.delta(&event.event),
            ToHost::Assistant(assistant) => self.blocks(assistant),
            ToHost::User(user) => self.results(user),
            ToHost::Result(result) => self.ending(result),
            ToHost::System(system) => self.system(system),
            _ => String::new(),
        }
    }

    /// The question about a call.
    pub fn ask(&mut self, ask: &CanUseTool) -> String {
        let call = call(&ask.tool_name, &ask.input.to_value());
        let mut text = self.line(&self.paint.ask(&format!("? May it run {call}")));
        if let Some(reason) = &ask.decision_reason {
            text += &self.line(&self.paint.faint(&format!("  {reason}")));
        }
        text
    }

    fn delta(&mut self, event: &Raw) -> String {
        let event = event.to_value();
        let text = event.pointer("/delta/text").and_then(Value::as_str).unwrap_or_default();
        if text.is_empty() {
            return String::new();
        }
        self.open = !text.ends_with('\n');
        clean(text)
    }

    /// Text was streamed already; calls and errors were not.
    fn blocks(&mut self, assistant: &stdout::Assistant) -> String {
        let mut text = String::new();
        for block in &assistant.message.content {
            match block {
                Block::ToolUse(used) => {
                    text += &self.line(
                        &self
                            .paint
                            .bold(&format!("● {}", call(&used.name, &used.input.to_value()))),
                    );
                }
                Block::Text(said) if assistant.message.model == "<synthetic>" => {
                    text += &self.line(&self.paint.wrong(&clean(&said.text)));
                }
                _ => {}
            }
        }
        text
    }

    fn results(&mut self, user: &stdout::User) -> String {
        if user.is_replay == Some(true) {
            return String::new();
        }
        let mut text = String::new();
        for block in user.message.content.clone().into_blocks() {
            match block {
                Block::ToolResult(_) if stopped(user) => text += &self.line(&self.paint.faint("  │ (stopped)")),
                Block::ToolResult(result) => {
                    let shown = summary(result.content.as_ref());
                    let shown = if result.is_error == Some(true) {
                        self.paint.wrong(&shown)
                    } else {
                        self.paint.faint(&shown)
                    };
                    text += &self.line(&shown);
                }
                Block::Text(said) if user.is_synthetic != Some(true) => {
                    text += &self.line(&self.paint.faint(&clean(&said.text)));
                }
                _ => {}
            }
        }
        text
    }

    fn ending(&mut self, result: &stdout::TurnResult) -> String {
        let mut text = self.end_line();
        if result.subtype != ResultSubtype::Success {
            for error in result.errors.iter().flatten() {
                text += &self.line(&self.paint.wrong(&clean(error)));
            }
        }
        text
    }

    fn system(&mut self, system: &System) -> String {
        match system {
            System::ApiRetry(retry) => {
                let text = format!(
                    "… no answer ({}), trying again ({}/{})",
                    retry.error, retry.attempt, retry.max_retries
                );
                self.line(&self.paint.faint(&text))
            }
            System::ModelFallback(fallback) => self.line(&self.paint.faint(&clean(&fallback.content))),
            System::Informational(note) => self.line(&self.paint.faint(&clean(&note.content))),
            // A command the call itself waited for ends with the call's own result.
            System::TaskNotification(task) if !task.output_file.is_empty() => {
                self.line(&self.paint.faint(&clean(&task.summary)))
            }
            _ => String::new(),
        }
    }

    fn line(&mut self, text: &str) -> String {
        let start = self.end_line();
        format!("{start}{text}\n")
    }

    fn end_line(&mut self) -> String {
        if std::mem::replace(&mut self.open, false) {
            "\n".to_owned()
        } else {
            String::new()
        }
    }
}

/// Whether a person ended the call: what the model is told about it is not meant for them.
fn stopped(user: &stdout::User) -> bool {
    user.tool_use_result.as_ref().and_then(Value::as_str) == Some("User rejected tool use")
}

/// A call in one line: the tool and what it is about.
fn call(name: &str, input: &Value) -> String {
    let about = ["command", "file_path", "pattern", "url", "query", "description"]
        .iter()
        .find_map(|key| input.get(*key).and_then(Value::as_str));
    match about {
        Some(about) => format!("{name}({})", clean(about).replace('\n', "⏎")),
        None => name.to_owned(),
    }
}

/// The first lines of a result.
fn summary(content: Option<&Content>) -> String {
    let text = content.map(Content::text).unwrap_or_default();
    let mut lines: Vec<String> = text
        .lines()
        .take(RESULT_LINES)
        .map(|line| format!("  │ {}", clean(line)))
        .collect();
    let more = text.lines().count().saturating_sub(RESULT_LINES);
    if more > 0 {
        lines.push(format!("  │ … {more} more lines"));
    }
    if lines.is_empty() {
        "  │ (nothing)".to_owned()
    } else {
        lines.join("\n")
    }
}

/// Text from elsewhere must not move the cursor, change colours or turn the reading direction: what stands on
/// the screen would not be what was said.
fn clean(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '\n' | '\t' => letter,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => '\u{fffd}',
            letter if letter.is_control() => '\u{fffd}',
            letter => letter,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn show(lines: &[&str]) -> String {
        let mut show = Show::new(Paint(false));
        let heard = lines
            .iter()
            .map(|line| sluice_wire::Frame::parse(line).unwrap().to_host().unwrap());
        heard.map(|message| show.message(&message)).collect()
    }

    #[test]
    fn streamed_text_is_shown_once_and_its_line_is_ended() {
        let text = show(&[
            r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}},"session_id":"s","parent_tool_use_id":null,"uuid":"u"}"#,
            r#"{"type":"assistant","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"Hello"}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}},"parent_tool_use_id":null,"session_id":"s","uuid":"u"}"#,
            r#"{"type":"result","subtype":"success","duration_ms":1,"duration_api_ms":1,"is_error":false,"num_turns":1,"result":"Hello","stop_reason":null,"session_id":"s","total_cost_usd":0,"usage":{"input_tokens":1,"output_tokens":1},"modelUsage":{},"permission_denials":[],"uuid":"u"}"#,
        ]);
        assert_eq!(text, "Hello\n");
    }

    #[test]
    fn a_result_is_shown_by_its_first_lines() {
        let content = Content::Text((1..=9).map(|n| format!("line {n}\n")).collect());
        let shown = summary(Some(&content));
        assert!(shown.starts_with("  │ line 1\n"));
        assert!(shown.ends_with("… 3 more lines"));
    }

    #[test]
    fn text_from_elsewhere_cannot_drive_the_terminal() {
        assert_eq!(clean("a\x1b[2Jb\u{202e}c\rd"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d");
        assert_eq!(
            call("Bash", &serde_json::json!({"command": "ls\nrm x"})),
            "Bash(ls⏎rm x)"
        );
    }
}
