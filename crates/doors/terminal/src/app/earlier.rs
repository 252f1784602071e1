//! Items of a saved session, written to the history again.

use sluice_host::items::{Item, ItemBody, ItemChange, ItemId};

use super::App;
use crate::text::Row;
use crate::view::snapshot::Snapshot;
use crate::view::{amount, pager_text};

/// The maximum size of a text that is printed again, in bytes. Of a longer one the end is printed: printing all of it
/// blocks the terminal for seconds, and the pager has the whole text.
const MAX_TEXT: usize = 128 << 10;

impl App {
    /// Shows the last turn of a resumed session.
    pub(super) fn show_last_turn(&mut self) {
        let earlier = std::mem::take(&mut self.facts.earlier);
        let (before, turn) = crate::view::earlier::last_turn(&earlier);
        if before > 0 {
            let before = amount::count(before as u64, "message");
            self.say(vec![Row::faint(&format!("⋯ {before} before (ctrl+o)"))]);
        }
        self.print_again(turn);
    }

    /// Commits items of a saved session to the history.
    pub(super) fn print_again(&mut self, mut items: Vec<Item>) {
        let first = self.feed.free_id();
        let mut answer = None;
        for item in &mut items {
            item.id.0 += first;
            item.parent = item.parent.map(|parent| ItemId(parent.0 + first));
            let is_answer = matches!(item.body, ItemBody::Text { .. } | ItemBody::Command(_));
            let text = match &mut item.body {
                ItemBody::Text { text, .. } => Some(text),
                ItemBody::Command(command) => command.output.as_mut(),
                ItemBody::Prompt(prompt) => Some(&mut prompt.text),
                _ => None,
            };
            let short = text.as_ref().and_then(|text| shortened(text));
            let whole = text.map(|text| short.map(|short| std::mem::replace(text, short.into())));
            if is_answer {
                // A text that is printed whole becomes the answer by itself.
                answer = whole.flatten();
            }
        }
        let snapshot = Snapshot {
            changes: items.into_iter().map(ItemChange::Item).collect(),
            ..Snapshot::default()
        };
        self.feed.take(&snapshot, self.columns);
        if let Some(answer) = answer {
            self.feed.answer = answer.to_string();
        }
    }
}

/// The end of a text that is too long to be printed again, below a line about what was left out.
fn shortened(text: &str) -> Option<String> {
    let end = (text.len() > MAX_TEXT).then(|| pager_text::ending(text, MAX_TEXT))?;
    let before = amount::bytes(text.len().saturating_sub(end.len()) as u64);
    Some(format!("⋯ {before} before (ctrl+o)\n\n{end}"))
}
