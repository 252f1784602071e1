//! Renders conversation items as lines.

use std::collections::{HashMap, HashSet};

use sluice_host::conversation::Time;
use sluice_host::items::{
    CardBody, Item, ItemBody, ItemChange, ItemField, ItemId, ItemStatus, NoticeKind, PromptSource, ToolCall, TurnEnd,
    TurnOutcome,
};

use super::speech::Speech;
use crate::text::clean::{one_line, output_line};
use crate::view::feed;
use crate::view::snapshot::{Phase, Snapshot};
use crate::view::{amount, ask, card, diff};

/// Maximum number of lines printed of an error.
const MAX_ERROR_LINES: usize = 8;
/// Seconds after which a long-running call is reported, and the interval of further reports.
const FIRST_REPORT_AFTER: u64 = 10;
const REPORT_INTERVAL: u64 = 30;

/// A call that was reported.
#[derive(Debug)]
struct ReportedCall {
    number: usize,
    subject: String,
    /// Time at which it started.
    started: Time,
    /// Running time at the last report, in seconds.
    running: Option<u64>,
}

/// Renders items as lines and numbers the calls.
#[derive(Debug)]
pub(super) struct Lines {
    folder: String,
    /// Also prints durations and token counts.
    verbose: bool,
    calls: HashMap<ItemId, ReportedCall>,
    count: usize,
    /// Complete items that have been reported.
    told: HashSet<ItemId>,
    /// The answer that is streaming.
    writing: Option<(ItemId, String)>,
    /// The last retry that was reported.
    retry: Option<(ItemId, u64)>,
    speech: Speech,
    /// Start of the current thinking, and its duration at the last report, in seconds.
    thinks: Option<(u64, Option<u64>)>,
    tasks: String,
    /// Calls whose permission request was answered by another client.
    answered: HashSet<String>,
}

impl Lines {
    pub(super) fn new(folder: &str, verbose: bool) -> Self {
        Self {
            folder: folder.to_owned(),
            verbose,
            calls: HashMap::new(),
            count: 0,
            told: HashSet::new(),
            writing: None,
            retry: None,
            speech: Speech::default(),
            thinks: None,
            tasks: String::new(),
            answered: HashSet::new(),
        }
    }

    /// Returns the lines for the changes in a snapshot.
    pub(super) fn of(&mut self, snapshot: &Snapshot) -> Vec<String> {
        let mut lines = Vec::new();
        for change in &snapshot.changes {
            match change {
                ItemChange::Item(item) if item.parent.is_none() => self.item(item, snapshot.now, &mut lines),
                ItemChange::Delta {
                    item,
                    field: ItemField::Text,
                    text,
                    ..
                } => self.grow(*item, text, &mut lines),
                _ => {}
            }
        }
        self.answered.extend(snapshot.answered.iter().cloned());
        self.long(snapshot, &mut lines);
        lines.extend(self.tasks(snapshot));
        lines
    }

    /// True if another client's answer for this call was reported.
    pub(super) fn was_answered(&self, call: Option<&str>) -> bool {
        call.is_some_and(|call| self.answered.contains(call))
    }

    fn grow(&mut self, item: ItemId, more: &str, lines: &mut Vec<String>) {
        if let Some((id, text)) = self.writing.as_mut().filter(|(id, _)| *id == item) {
            text.push_str(more);
            lines.extend(spoken(self.speech.advance(id.0, text, false)));
        }
    }

    fn item(&mut self, item: &Item, now: Time, lines: &mut Vec<String>) {
        match &item.body {
            ItemBody::ToolCall(call) => return self.call(item, call, lines),
            ItemBody::Text { text, .. } if item.status == ItemStatus::Streaming => {
                self.writing = Some((item.id, text.to_string()));
                lines.extend(spoken(self.speech.advance(item.id.0, text, false)));
                return;
            }
            ItemBody::Retry(retry) => {
                let told = Some((item.id, retry.attempt));
                if self.retry != told {
                    self.retry = told;
                    lines.push(format!(
                        "error: {}, trying again in {} seconds, attempt {} of {}",
                        retry.error,
                        retry.next.since(now).as_millis().div_ceil(1000),
                        retry.attempt,
                        retry.max
                    ));
                }
                return;
            }
            _ => {}
        }
        if !item.status.is_open() && self.told.insert(item.id) {
            self.complete(item, lines);
        }
    }

    /// Reports a complete item.
    fn complete(&mut self, item: &Item, lines: &mut Vec<String>) {
        match &item.body {
            ItemBody::Prompt(prompt) if prompt.source == PromptSource::Host => {
                lines.push(format!("you: {}", one_line(&prompt.text)));
            }
            ItemBody::Text { text, .. } if item.status == ItemStatus::Done => {
                lines.extend(spoken(self.speech.advance(item.id.0, text, true)));
            }
            ItemBody::Error(error) => lines.extend(spoken(self.speech.advance(item.id.0, &error.text, true))),
            ItemBody::Command(command) => match &command.output {
                Some(output) => lines.extend(spoken(self.speech.advance(item.id.0, output, true))),
                // Its output follows in a separate item.
                None => {
                    self.told.remove(&item.id);
                }
            },
            ItemBody::TurnEnd(end) => lines.extend(self.ending(end)),
            ItemBody::TaskEnd(end) if end.output.is_some() => lines.push(format!(
                "job {} {}: {}",
                end.task,
                feed::outcome_word(&end.outcome),
                one_line(end.subject.lines().next().unwrap_or_default())
            )),
            ItemBody::Compaction(made) if item.status == ItemStatus::Done => {
                let after = made.after.map(|after| format!(" to {}", amount::tokens(after)));
                let before = amount::tokens(made.before.unwrap_or_default());
                lines.push(format!(
                    "notice: compacted {before}{} tokens",
                    after.unwrap_or_default()
                ));
            }
            ItemBody::Notice(notice) if matches!(notice.kind, NoticeKind::Message | NoticeKind::Answered) => {
                lines.push(format!("notice: {}", one_line(notice.text.trim())));
            }
            _ => {}
        }
    }

    fn call(&mut self, item: &Item, call: &ToolCall, lines: &mut Vec<String>) {
        if item.status == ItemStatus::Streaming || self.told.contains(&item.id) {
            return;
        }
        if !self.calls.contains_key(&item.id) {
            self.count += 1;
            let told = ReportedCall {
                number: self.count,
                subject: self.subject(call),
                started: call.started,
                running: None,
            };
            lines.push(format!("call {}: {}", told.number, told.subject));
            self.calls.insert(item.id, told);
        }
        if let Some(told) = self.calls.get_mut(&item.id) {
            told.started = call.started;
        }
        if call.ended.is_some() && self.told.insert(item.id) {
            self.result(item, call, lines);
        }
    }

    fn subject(&self, call: &ToolCall) -> String {
        let near = one_line(&card::subject(&call.card, &self.folder));
        let mut subject = format!("{} {near}", call.card.title).trim_end().to_owned();
        if let Some(lines) = ask::changed_lines(&call.card, None) {
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
        subject
    }

    fn result(&mut self, item: &Item, call: &ToolCall, lines: &mut Vec<String>) {
        let Some(told) = self.calls.remove(&item.id) else {
            return;
        };
        let Some(result) = &call.result else { return };
        let number = told.number;
        let took = match (self.verbose, call.ended) {
            (true, Some(ended)) => format!(", {}", seconds(ended.since(call.started).as_secs())),
            _ => String::new(),
        };
        if matches!(item.status, ItemStatus::Done | ItemStatus::Background) {
            lines.push(format!("call {number} done{took}"));
            return;
        }
        let (code, said) = match &call.card.body {
            CardBody::Shell(shell) => {
                let code = shell.exit_code.map(|code| format!(", exit {code}"));
                (code.unwrap_or_default(), shell.output.as_deref().unwrap_or_default())
            }
            _ => {
                let text = &*result.text;
                (String::new(), text.strip_prefix("Error: ").unwrap_or(text))
            }
        };
        let said: Vec<&str> = said.lines().collect();
        if said.is_empty() {
            lines.push(format!("call {number} failed{code}{took}"));
            return;
        }
        lines.push(format!("call {number} failed{code}{took}, last lines:"));
        let from = said.len().saturating_sub(MAX_ERROR_LINES);
        let last = said.iter().skip(from);
        lines.extend(last.map(|line| format!("  {}", one_line(&output_line(line)))));
    }

    /// Reports long-running calls and thinking.
    fn long(&mut self, snapshot: &Snapshot, lines: &mut Vec<String>) {
        let is_due = |passed: u64, told: Option<u64>| match told {
            None => passed >= FIRST_REPORT_AFTER,
            Some(told) => passed >= told + REPORT_INTERVAL,
        };
        let mut running: Vec<&mut ReportedCall> = self.calls.values_mut().collect();
        running.sort_by_key(|told| told.number);
        for told in running {
            let passed = snapshot.now.since(told.started).as_secs();
            if is_due(passed, told.running) {
                told.running = Some(passed);
                lines.push(format!(
                    "call {} running, {}: {}",
                    told.number,
                    seconds(passed),
                    told.subject
                ));
            }
        }
        let now = snapshot.now.0;
        self.thinks = match (snapshot.phase, self.thinks) {
            (Phase::Thinking, None) => Some((now, None)),
            (Phase::Thinking, Some((since, told))) => {
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

    fn tasks(&mut self, snapshot: &Snapshot) -> Option<String> {
        let done = snapshot
            .todos
            .iter()
            .filter(|todo| &*todo.status == "completed")
            .count();
        let now = snapshot.todos.iter().find(|todo| &*todo.status == "in_progress");
        let now = now.map(|todo| format!(", now: {}", one_line(todo.active.as_deref().unwrap_or(&todo.subject))));
        let line = format!(
            "tasks: {done} of {} done{}",
            snapshot.todos.len(),
            now.unwrap_or_default()
        );
        let is_new = !snapshot.todos.is_empty() && line != self.tasks;
        is_new.then(|| {
            self.tasks.clone_from(&line);
            line
        })
    }

    fn ending(&self, end: &TurnEnd) -> Option<String> {
        match end.outcome {
            TurnOutcome::Stopped => Some("stopped".to_owned()),
            TurnOutcome::Unreported | TurnOutcome::Died { .. } => None,
            TurnOutcome::Completed if self.verbose => {
                let tokens = end.tokens.map_or(0, |tokens| tokens.output);
                Some(format!("done, {}, {tokens} tokens", seconds(end.duration.as_secs())))
            }
            TurnOutcome::Completed => Some("done".to_owned()),
            TurnOutcome::Failed { .. } | TurnOutcome::MaxTurns | TurnOutcome::MaxBudget => {
                let error = end.errors.first().map_or("the turn failed", String::as_str);
                Some(format!("error: {}", one_line(error)))
            }
        }
    }
}

fn spoken(sentences: Vec<String>) -> impl Iterator<Item = String> {
    sentences.into_iter().map(|said| format!("agent: {}", one_line(&said)))
}

fn seconds(count: u64) -> String {
    amount::count(count, "second")
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
