//! The rows at the end of a turn.

use std::time::Duration;

use sluice_host::conversation::{Entry, Task};
use sluice_wire::stdout::system::{TaskNotification, TaskOutcome};
use sluice_wire::stdout::{ResultSubtype, TerminalReason, TurnResult};

use super::{Feed, Item, Kind};
use crate::text::clean::one_line;
use crate::text::{Role, Row, Style};
use crate::view::amount;
use crate::view::picture::Picture;

/// A turn that took longer says what it took.
const LONG: Duration = Duration::from_secs(30);

impl Feed {
    pub(super) fn end(&mut self, result: &TurnResult, entry: &Entry, picture: &Picture) {
        self.retry = None;
        self.api_ms += result.duration_api_ms;
        let turn = entry
            .turn
            .and_then(|at| picture.turns.iter().find(|(place, ..)| *place == at as usize));
        let time = turn
            .map(|(_, turn, _)| turn.ended.unwrap_or(entry.at).since(turn.began))
            .unwrap_or_default();
        if let Some(mut streaming) = self.streaming.take() {
            let rows = streaming.markdown.finish(self.measure(self.width));
            self.say(Kind::Text, rows);
        }
        let stopped = matches!(
            result.terminal_reason,
            Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools)
        );
        self.failed = !stopped && (result.is_error || result.subtype != ResultSubtype::Success);
        if stopped {
            let text = format!("stopped after {}", amount::running(time));
            self.say(
                Kind::End,
                vec![Row::new().add("✗ ", Role::Bad).add(&text, Style::FAINT)],
            );
        } else if self.failed {
            self.failure(result);
        } else if time >= LONG && self.durations {
            let (calls, cost, out) = turn.map_or((0, None, 0), |(_, turn, calls)| {
                (*calls, turn.cost, turn.usage.map_or(0, |usage| usage.output))
            });
            let mut facts = vec![amount::time(time)];
            if calls > 0 {
                facts.push(amount::count(calls, "call"));
            }
            facts.push(format!("{} tokens out", amount::tokens(out)));
            facts.extend(cost.filter(|cost| *cost >= 0.005).map(amount::dollars));
            let row = Row::new().add("~ ", Role::Note).add(&facts.join(" ∙ "), Style::FAINT);
            self.say(Kind::Card, vec![row]);
        }
        self.items.push_back(Item::End);
    }

    fn failure(&mut self, result: &TurnResult) {
        let told = result.errors.iter().flatten().cloned().chain(result.result.clone());
        let limit = match result.subtype {
            ResultSubtype::ErrorMaxTurns => Some("the limit of turns is reached".to_owned()),
            ResultSubtype::ErrorMaxBudgetUsd => Some("the limit of money is reached".to_owned()),
            _ => None,
        };
        for text in limit.into_iter().chain(told) {
            let text = text.trim();
            if !text.is_empty() && text != self.shown_error.trim() {
                self.say(Kind::End, vec![Row::new().add("✗ ", Role::Bad).add(text, Style::TEXT)]);
                return;
            }
        }
    }
}

/// The end of a background task, in one row.
pub(super) fn job(task: &TaskNotification, known: Option<&Task>, width: usize) -> Vec<Row> {
    if task.output_file.is_empty() {
        return Vec::new();
    }
    let row = Row::new().add("& ", Role::Note).add(
        &format!("job {} {}", task.task_id, outcome_word(&task.status)),
        Style::TEXT.bold(),
    );
    let text = job_text(&task.summary, known);
    vec![row.add("  ", Style::TEXT).add(&text, Style::FAINT).cut(width)]
}

/// How a background task ended, in one word.
pub(crate) fn outcome_word(outcome: &TaskOutcome) -> &'static str {
    match outcome {
        TaskOutcome::Failed => "failed",
        TaskOutcome::Stopped => "stopped",
        _ => "ended",
    }
}

/// What a background task was about. The summary of an agent is its report, which is written for the model.
pub(crate) fn job_text(summary: &str, known: Option<&Task>) -> String {
    match known {
        Some(task) if &*task.kind == "local_agent" => one_line(&task.description),
        _ => one_line(summary.trim().lines().next().unwrap_or_default()),
    }
}
