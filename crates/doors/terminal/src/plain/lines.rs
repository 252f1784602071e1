//! Events as lines.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde_json::Value;
use sluice_host::conversation::{CallState, Entry, EntryKind};
use sluice_wire::content::{Block, Content};
use sluice_wire::stdout::system::System;
use sluice_wire::stdout::{ResultSubtype, TerminalReason, TurnResult};
use sluice_wire::{ToAgent, ToHost};

use super::speech::Speech;
use crate::text::clean::{one_line, output_line};
use crate::view::feed;
use crate::view::picture::{Doing, Picture};
use crate::view::{amount, ask, card, diff};

/// How many lines of a failure are read out.
const LAST: usize = 8;
/// What takes long is told of after so many seconds, and then every so many.
const FIRST: u64 = 10;
const EVERY: u64 = 30;

/// A call that was told of.
#[derive(Debug)]
struct Told {
    number: usize,
    subject: String,
    /// How many seconds it ran when that was said.
    running: Option<u64>,
}

/// Turns entries into lines; knows the numbers of calls.
#[derive(Debug)]
pub(super) struct Lines {
    folder: String,
    /// Times and tokens are told too.
    verbose: bool,
    calls: HashMap<String, Told>,
    count: usize,
    speech: Speech,
    /// Since when the model thinks, and how many seconds that was when it was said.
    thinks: Option<(u64, Option<u64>)>,
    tasks: String,
    /// Calls somebody answered for on another screen.
    answered: HashSet<String>,
}

impl Lines {
    pub(super) fn new(folder: &str, verbose: bool) -> Self {
        Self {
            folder: folder.to_owned(),
            verbose,
            calls: HashMap::new(),
            count: 0,
            speech: Speech::default(),
            thinks: None,
            tasks: String::new(),
            answered: HashSet::new(),
        }
    }

    /// The lines of what is new.
    pub(super) fn of(&mut self, picture: &Picture, now: u64) -> Vec<String> {
        let mut lines = Vec::new();
        for (_, entry) in picture.entries.iter().filter(|(_, entry)| entry.parent.is_none()) {
            self.entry(entry, picture, &mut lines);
        }
        if let Some((message, text)) = picture.draft_text() {
            lines.extend(spoken(self.speech.go_on(message, text, false)));
        }
        self.long(picture, now, &mut lines);
        lines.extend(self.tasks(picture));
        lines
    }

    /// Whether it was said who answered for this call on another screen.
    pub(super) fn was_answered(&self, call: Option<&str>) -> bool {
        call.is_some_and(|call| self.answered.contains(call))
    }

    fn entry(&mut self, entry: &Entry, picture: &Picture, lines: &mut Vec<String>) {
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
                            lines.extend(spoken(self.speech.go_on(&said.message.id, &text.text, true)));
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
                        let time = picture.calls.iter().find(|call| call.id == result.tool_use_id);
                        let time = time.map(|call| call.time).filter(|_| self.verbose);
                        self.result(&result.tool_use_id, &text, result.is_error == Some(true), time, lines);
                    }
                }
            }
            Ok(ToHost::Result(result)) => lines.push(self.ending(&result, entry, picture)),
            Ok(ToHost::System(system)) => {
                if let System::Informational(note) = &*system
                    && note.tag.as_deref() == Some("answered")
                {
                    self.answered.extend(note.tool_use_id.clone());
                }
                lines.extend(of_system(&system, picture));
            }
            _ => {}
        }
    }

    fn call(&mut self, id: &str, tool: &str, input: &Value) -> String {
        self.count += 1;
        let subject = card::subject(tool, input);
        let near = subject.strip_prefix(&format!("{}/", self.folder)).unwrap_or(&subject);
        let mut subject = format!("{} {}", card::name(tool), one_line(near)).trim_end().to_owned();
        if let Some(lines) = ask::changed_lines(tool, input, None) {
            let (added, removed) = diff::counts(&lines);
            let added = (added > 0).then(|| format!("{} added", amount::count(added, "line")));
            let removed = (removed > 0).then(|| match added {
                Some(_) => format!("{removed} removed"),
                None => format!("{} removed", amount::count(removed, "line")),
            });
            for part in [added, removed].into_iter().flatten() {
                subject.push_str(", ");
                subject.push_str(&part);
            }
        }
        let told = Told {
            number: self.count,
            subject: subject.clone(),
            running: None,
        };
        self.calls.insert(id.to_owned(), told);
        format!("call {}: {subject}", self.count)
    }

    fn result(&mut self, id: &str, text: &str, failed: bool, time: Option<Duration>, lines: &mut Vec<String>) {
        let Some(told) = self.calls.remove(id) else { return };
        let number = told.number;
        let took = time
            .map(|time| format!(", {}", seconds(time.as_secs())))
            .unwrap_or_default();
        if !failed {
            lines.push(format!("call {number} done{took}"));
            return;
        }
        let text = text.strip_prefix("Error: ").unwrap_or(text);
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let (code, said) = match first.strip_prefix("Exit code ") {
            Some(code) => (format!(", exit {}", code.trim()), rest),
            None => (String::new(), text),
        };
        let said: Vec<&str> = said.lines().collect();
        if said.is_empty() {
            lines.push(format!("call {number} failed{code}{took}"));
            return;
        }
        lines.push(format!("call {number} failed{code}{took}, last lines:"));
        let from = said.len().saturating_sub(LAST);
        let last = said.iter().skip(from);
        lines.extend(last.map(|line| format!("  {}", one_line(&output_line(line)))));
    }

    /// What takes long: calls, and thoughts.
    fn long(&mut self, picture: &Picture, now: u64, lines: &mut Vec<String>) {
        let is_due = |passed: u64, told: Option<u64>| match told {
            None => passed >= FIRST,
            Some(told) => passed >= told + EVERY,
        };
        for call in picture.calls.iter().filter(|call| call.state == CallState::Running) {
            let passed = call.time.as_secs();
            if let Some(told) = self.calls.get_mut(&call.id)
                && is_due(passed, told.running)
            {
                told.running = Some(passed);
                lines.push(format!(
                    "call {} running, {}: {}",
                    told.number,
                    seconds(passed),
                    told.subject
                ));
            }
        }
        self.thinks = match (picture.doing, self.thinks) {
            (Doing::Thinking, None) => Some((now, None)),
            (Doing::Thinking, Some((since, told))) => {
                let passed = now.saturating_sub(since) / 1000;
                let due = is_due(passed, told);
                if due {
                    lines.push(format!("thinking, {}", seconds(passed)));
                }
                Some((since, if due { Some(passed) } else { told }))
            }
            _ => None,
        };
    }

    fn tasks(&mut self, picture: &Picture) -> Option<String> {
        let done = picture.todos.iter().filter(|todo| &*todo.status == "completed").count();
        let now = picture.todos.iter().find(|todo| &*todo.status == "in_progress");
        let now = now.map(|todo| format!(", now: {}", one_line(todo.active.as_deref().unwrap_or(&todo.subject))));
        let line = format!(
            "tasks: {done} of {} done{}",
            picture.todos.len(),
            now.unwrap_or_default()
        );
        let is_new = !picture.todos.is_empty() && line != self.tasks;
        is_new.then(|| {
            self.tasks.clone_from(&line);
            line
        })
    }

    fn ending(&self, result: &TurnResult, entry: &Entry, picture: &Picture) -> String {
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
        let turn = entry.turn.filter(|_| self.verbose);
        let turn = turn.and_then(|at| picture.turns.iter().find(|(place, ..)| *place == at as usize));
        let Some((_, turn, _)) = turn else {
            return "done".to_owned();
        };
        let time = turn.ended.unwrap_or(entry.at).since(turn.began);
        let tokens = turn.usage.map_or(0, |usage| usage.output);
        format!("done, {}, {tokens} tokens", seconds(time.as_secs()))
    }
}

fn spoken(sentences: Vec<String>) -> impl Iterator<Item = String> {
    sentences.into_iter().map(|said| format!("agent: {}", one_line(&said)))
}

fn seconds(count: u64) -> String {
    amount::count(count, "second")
}

fn of_system(system: &System, picture: &Picture) -> Option<String> {
    match system {
        System::ApiRetry(retry) => Some(format!(
            "error: {}, trying again in {} seconds, attempt {} of {}",
            retry.error,
            (retry.retry_delay_ms.get() / 1000.0).ceil(),
            retry.attempt,
            retry.max_retries
        )),
        System::TaskNotification(task) if !task.output_file.is_empty() => {
            let known = picture.ended_jobs.iter().find(|known| *known.id == task.task_id);
            let text = feed::job_text(&task.summary, known);
            Some(format!(
                "job {} {}: {text}",
                task.task_id,
                feed::outcome_word(&task.status)
            ))
        }
        System::CompactBoundary(boundary) => {
            let made = &boundary.compact_metadata;
            let after = made.post_tokens.map(|after| format!(" to {}", amount::tokens(after)));
            let before = amount::tokens(made.pre_tokens);
            Some(format!(
                "notice: compacted {before}{} tokens",
                after.unwrap_or_default()
            ))
        }
        System::Informational(note) if note.is_meta != Some(true) => {
            Some(format!("notice: {}", one_line(note.content.trim())))
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
