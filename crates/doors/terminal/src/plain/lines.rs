//! What happened, as lines.

use std::collections::HashMap;

use serde_json::Value;
use sluice_host::conversation::{Entry, EntryKind};
use sluice_wire::content::{Block, Content};
use sluice_wire::stdout::system::System;
use sluice_wire::stdout::{ResultSubtype, TerminalReason, TurnResult};
use sluice_wire::{ToAgent, ToHost};

use crate::text::clean::{one_line, output_line};
use crate::view::card;
use crate::view::picture::Picture;

/// How many lines of a failure are read out.
const LAST: usize = 8;

/// Turns entries into lines; knows the numbers of calls.
#[derive(Debug)]
pub(super) struct Lines {
    folder: String,
    calls: HashMap<String, usize>,
    count: usize,
}

impl Lines {
    pub(super) fn new(folder: &str) -> Self {
        Self {
            folder: folder.to_owned(),
            calls: HashMap::new(),
            count: 0,
        }
    }

    /// The lines of what is new.
    pub(super) fn of(&mut self, picture: &Picture) -> Vec<String> {
        let mut lines = Vec::new();
        for (_, entry) in picture.entries.iter().filter(|(_, entry)| entry.parent.is_none()) {
            self.entry(entry, &mut lines);
        }
        lines
    }

    fn entry(&mut self, entry: &Entry, lines: &mut Vec<String>) {
        if let EntryKind::Prompt(_) = entry.kind {
            if let Ok(ToAgent::User(user)) = entry.line.to_agent() {
                lines.push(format!("you: {}", one_line(&user.message.content.text())));
            }
            return;
        }
        match entry.line.to_host() {
            Ok(ToHost::Assistant(said)) => {
                for block in &said.message.content {
                    match block {
                        Block::Text(text) => {
                            let said = text.text.lines().filter(|line| !line.trim().is_empty());
                            lines.extend(said.map(|line| format!("agent: {}", one_line(line))));
                        }
                        Block::ToolUse(used) => lines.push(self.call(&used.id, &used.name, &used.input.to_value())),
                        _ => {}
                    }
                }
            }
            Ok(ToHost::User(user)) if user.is_replay != Some(true) => {
                for block in user.message.content.into_blocks() {
                    if let Block::ToolResult(result) = block {
                        let text = result.content.as_ref().map(Content::text).unwrap_or_default();
                        self.result(&result.tool_use_id, &text, result.is_error == Some(true), lines);
                    }
                }
            }
            Ok(ToHost::Result(result)) => lines.push(ending(&result)),
            Ok(ToHost::System(system)) => lines.extend(of_system(&system)),
            _ => {}
        }
    }

    fn call(&mut self, id: &str, tool: &str, input: &Value) -> String {
        self.count += 1;
        self.calls.insert(id.to_owned(), self.count);
        let subject = card::subject(tool, input);
        let subject = subject
            .strip_prefix(&format!("{}/", self.folder))
            .unwrap_or(&subject)
            .to_owned();
        format!("call {}: {} {}", self.count, card::name(tool), one_line(&subject))
            .trim_end()
            .to_owned()
    }

    fn result(&mut self, id: &str, text: &str, failed: bool, lines: &mut Vec<String>) {
        let Some(number) = self.calls.remove(id) else { return };
        if !failed {
            lines.push(format!("call {number} done"));
            return;
        }
        lines.push(format!("call {number} failed, last lines:"));
        let said: Vec<&str> = text.lines().collect();
        let from = said.len().saturating_sub(LAST);
        lines.extend(
            said.iter()
                .skip(from)
                .map(|line| format!("  {}", one_line(&output_line(line)))),
        );
    }
}

fn of_system(system: &System) -> Option<String> {
    match system {
        System::ApiRetry(retry) => Some(format!(
            "error: {}, trying again in {} seconds, attempt {} of {}",
            retry.error,
            (retry.retry_delay_ms.get() / 1000.0).ceil(),
            retry.attempt,
            retry.max_retries
        )),
        System::TaskNotification(task) if !task.output_file.is_empty() => {
            Some(format!("job {} ended: {}", task.task_id, one_line(&task.summary)))
        }
        System::CompactBoundary(_) => Some("notice: compacted".to_owned()),
        _ => None,
    }
}

fn ending(result: &TurnResult) -> String {
    let stopped = matches!(
        result.terminal_reason,
        Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools)
    );
    if stopped {
        return "stopped".to_owned();
    }
    if result.is_error || result.subtype != ResultSubtype::Success {
        let told = result.errors.iter().flatten().next().or(result.result.as_ref());
        return format!("error: {}", one_line(told.map_or("the turn failed", String::as_str)));
    }
    "done".to_owned()
}
