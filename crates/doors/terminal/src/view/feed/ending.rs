//! The rows at the end of a turn.

use std::time::Duration;

use sluice_host::conversation::Entry;
use sluice_wire::stdout::{ResultSubtype, TerminalReason, TurnResult};

use super::{Feed, Item, Kind};
use crate::text::{Role, Row, Style};
use crate::view::amount;
use crate::view::picture::Picture;

/// A turn that took longer says what it took.
const LONG: Duration = Duration::from_secs(30);

impl Feed {
    pub(super) fn end(&mut self, result: &TurnResult, entry: &Entry, picture: &Picture) {
        self.retry = None;
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
