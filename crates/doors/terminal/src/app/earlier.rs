//! Items of a saved session, written to the history again.

use sluice_host::items::{Item, ItemChange, ItemId};

use super::App;
use crate::text::Row;
use crate::view::snapshot::Snapshot;

impl App {
    /// Shows the last turn of a resumed session.
    pub(super) fn show_last_turn(&mut self) {
        let earlier = std::mem::take(&mut self.facts.earlier);
        let (before, turn) = crate::view::earlier::last_turn(&earlier);
        if before > 0 {
            let before = crate::view::amount::count(before as u64, "message");
            self.say(vec![Row::faint(&format!("⋯ {before} before (ctrl+o)"))]);
        }
        self.print_again(turn);
    }

    /// Commits items of a saved session to the history.
    pub(super) fn print_again(&mut self, mut items: Vec<Item>) {
        let first = self.feed.free_id();
        for item in &mut items {
            item.id.0 += first;
            item.parent = item.parent.map(|parent| ItemId(parent.0 + first));
        }
        let snapshot = Snapshot {
            changes: items.into_iter().map(ItemChange::Item).collect(),
            ..Snapshot::default()
        };
        self.feed.take(&snapshot, self.columns);
    }
}
