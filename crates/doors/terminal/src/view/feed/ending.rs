//! The rows at the end of a turn.

use std::time::Duration;

use sluice_host::items::{TaskEnd, TurnEnd, TurnOutcome};
use sluice_wire::stdout::system::TaskOutcome;

use super::{Feed, Kind, Pending};
use crate::text::clean::one_line;
use crate::text::{Role, Row, Style};
use crate::view::amount;

/// Minimum duration of a turn whose duration is shown.
const MIN_REPORTED_DURATION: Duration = Duration::from_secs(30);

impl Feed {
    pub(super) fn end(&mut self, end: &TurnEnd) {
        self.retry = None;
        self.api_ms += u64::try_from(end.api.as_millis()).unwrap_or(u64::MAX);
        if let Some(mut streaming) = self.streaming.take() {
            let measure = self.measure(self.width);
            let rest = streaming.text.get(streaming.given..).unwrap_or_default();
            let mut rows = streaming.markdown.push(rest, measure);
            rows.extend(streaming.markdown.finish(measure));
            self.say(Kind::Text, rows);
        }
        // The agent reports each lost write. A turn without a report means the transcript is written again.
        self.transcript_failing = std::mem::take(&mut self.write_failed);
        self.failed = matches!(
            end.outcome,
            TurnOutcome::Failed { .. } | TurnOutcome::MaxTurns | TurnOutcome::MaxBudget
        );
        match end.outcome {
            TurnOutcome::Unreported | TurnOutcome::Died { .. } => return,
            TurnOutcome::Stopped => {
                let text = format!("stopped after {}", amount::running(end.duration));
                let row = Row::new().add("✗ ", Role::Bad).add(&text, Style::FAINT);
                self.say(Kind::End, vec![row]);
            }
            TurnOutcome::Completed if end.duration >= MIN_REPORTED_DURATION && self.durations => {
                let mut facts = vec![amount::time(end.duration)];
                if end.calls > 0 {
                    facts.push(amount::count(end.calls, "call"));
                }
                let out = end.tokens.map_or(0, |tokens| tokens.output);
                facts.push(format!("{} tokens out", amount::tokens(out)));
                facts.extend(end.cost.filter(|cost| *cost >= 0.005).map(amount::dollars));
                let row = Row::new().add("~ ", Role::Note).add(&facts.join(" ∙ "), Style::FAINT);
                self.say(Kind::Card, vec![row]);
            }
            TurnOutcome::Completed => {}
            TurnOutcome::MaxTurns => self.failure("the turn limit is reached"),
            TurnOutcome::MaxBudget => self.failure("the cost limit is reached"),
            TurnOutcome::Failed { .. } => {
                let shown = self.shown_error.trim();
                let mut errors = end.errors.iter().map(|text| text.trim());
                if let Some(error) = errors.find(|text| *text != shown) {
                    self.failure(error);
                }
            }
        }
        self.items.push_back(Pending::End);
    }

    fn failure(&mut self, text: &str) {
        self.say(Kind::End, vec![Row::new().add("✗ ", Role::Bad).add(text, Style::TEXT)]);
    }
}

/// Renders the end of a background task in one row.
pub(super) fn job(end: &TaskEnd, width: usize) -> Vec<Row> {
    if end.output.is_none() {
        return Vec::new();
    }
    let row = Row::new().add("& ", Role::Note).add(
        &format!("job {} {}", end.task, outcome_word(&end.outcome)),
        Style::TEXT.bold(),
    );
    let text = one_line(end.subject.lines().next().unwrap_or_default());
    vec![row.add("  ", Style::TEXT).add(&text, Style::FAINT).cut(width)]
}

/// Returns one word for the outcome of a background task.
pub(crate) fn outcome_word(outcome: &TaskOutcome) -> &'static str {
    match outcome {
        TaskOutcome::Failed => "failed",
        TaskOutcome::Stopped => "stopped",
        _ => "ended",
    }
}
