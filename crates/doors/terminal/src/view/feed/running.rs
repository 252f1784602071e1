//! Calls that are not committed: their cards in the live region, and the progress of running calls.

use sluice_host::items::ItemId;

use super::{Feed, Pending};
use crate::text::Row;
use crate::view::card::{self, CallCard};
use crate::view::markdown;

impl Feed {
    /// Renders the cards of calls that are not committed.
    #[must_use]
    pub fn live(&self, width: usize, spinner: &str) -> Vec<Row> {
        const MAX_CARD_ROWS: usize = 8;
        // More than enough for the rows that are shown; laying out a long text with every frame would block the terminal.
        const MAX_TEXT: usize = 32 << 10;
        let mut rows = Vec::new();
        let mut more = 0;
        for item in &self.items {
            let shown = match item {
                Pending::Call(id) => match self.calls.get(id) {
                    Some(call) => card::rows(&self.with_inside(*id, call), width, spinner),
                    None => continue,
                },
                Pending::Rows(_, rows) => rows.iter().take(MAX_CARD_ROWS + 1).cloned().collect(),
                Pending::Text(text) => {
                    let begin = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or(text);
                    markdown::rows(begin, self.measure(width))
                }
                Pending::End => continue,
            };
            if rows.len() + shown.len() > MAX_CARD_ROWS && !rows.is_empty() {
                more += 1;
            } else {
                rows.extend(shown.into_iter().take(MAX_CARD_ROWS).map(|row| row.cut(width)));
            }
        }
        if more > 0 {
            rows.push(Row::faint(&format!("⋯ {more} more running")));
        }
        rows
    }

    fn with_inside(&self, id: ItemId, call: &CallCard) -> CallCard {
        let mut call = call.clone();
        call.moves.clone_from(&self.moves);
        let ids = self.inside.get(&id).map(Vec::as_slice).unwrap_or_default();
        let known = ids.iter().filter_map(|id| Some((*id, self.calls.get(id)?)));
        let known = known.map(|(id, inner)| self.innermost(id, inner));
        call.inside = known.rev_last(2);
        call
    }

    /// Returns the innermost running call of a subagent's call.
    fn innermost<'a>(&'a self, mut id: ItemId, call: &'a CallCard) -> &'a CallCard {
        let mut found = call;
        // Bounded by the number of calls, so that a cycle of parents ends the search.
        for _ in 0..self.calls.len() {
            let inside = self.inside.get(&id).into_iter().flatten();
            let running = inside
                .filter_map(|id| Some((*id, self.calls.get(id)?)))
                .rfind(|(_, call)| call.is_running());
            match running.filter(|_| found.is_running()) {
                Some(inner) => (id, found) = inner,
                None => break,
            }
        }
        found
    }

    /// Returns the running calls of the main conversation.
    fn running(&self) -> impl Iterator<Item = &CallCard> {
        let calls = self.items.iter().filter_map(|item| match item {
            Pending::Call(id) => self.calls.get(id),
            _ => None,
        });
        calls.filter(|call| call.is_running())
    }

    /// Returns the title of the running call, for the activity row.
    #[must_use]
    pub fn running_tool(&self) -> Option<String> {
        Some(self.running().next()?.call.card.title.to_string())
    }

    /// Returns the running commands of the main conversation.
    pub fn running_commands(&self) -> impl Iterator<Item = &CallCard> {
        self.running().filter(|call| call.runs_command())
    }

    /// Sets the displayed output of a running call.
    pub fn prints(&mut self, call: &str, tail: String) {
        if let Some(call) = self.calls.values_mut().find(|known| *known.call.id == *call) {
            call.output = Some(tail).filter(|tail| !tail.trim().is_empty());
        }
    }
}

/// Returns the last elements of a list in order.
trait RevLast<'a> {
    fn rev_last(self, count: usize) -> Vec<CallCard>;
}

impl<'a, I: Iterator<Item = &'a CallCard>> RevLast<'a> for I {
    fn rev_last(self, count: usize) -> Vec<CallCard> {
        let all: Vec<&CallCard> = self.collect();
        all.iter()
            .skip(all.len().saturating_sub(count))
            .map(|call| (*call).clone())
            .collect()
    }
}
