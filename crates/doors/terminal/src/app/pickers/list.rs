//! Renders a picker as rows. The highlighted row is shown in full on any width; the others are cut.

use super::{Picker, PickerKind};
use crate::text::{Role, Row, Style, clean, width, wrap};
use crate::view::{ask, card};

impl Picker {
    /// Returns the rows and the cursor position.
    pub(crate) fn rows(&self, columns: usize, room: usize) -> (Vec<Row>, Option<(usize, usize)>) {
        let fitting = self.fitting();
        let (mut rows, mut cursor) = self.title_rows(fitting.len(), columns);
        rows.extend(self.head.iter().cloned());
        let widest = fitting.iter().filter_map(|at| self.rows.get(*at));
        let widest = widest
            .map(|(name, _)| width::of(name))
            .max()
            .unwrap_or(0)
            .min(columns / 2);
        let chosen = fitting
            .get(self.selected)
            .map(|at| self.whole_row(*at, widest, columns));
        let chosen = chosen.unwrap_or_default();
        let below = self.foot.len() + 1;
        let most = room.saturating_sub(rows.len() + below).max(1);
        // A highlighted entry of several rows leaves fewer for the others.
        let others = most.saturating_sub(chosen.len().saturating_sub(1)).max(1);
        let from = (self.selected + 1).saturating_sub(others);
        for (place, at) in fitting.iter().enumerate().skip(from).take(others) {
            if place == self.selected {
                rows.extend(chosen.iter().take(most).cloned());
            } else {
                rows.push(self.short_row(*at, widest, columns));
            }
        }
        if fitting.is_empty() {
            let typed = self.filter.as_ref().is_some_and(|filter| !filter.is_empty());
            rows.push(Row::faint(if typed { "  nothing fits" } else { "  none" }));
        }
        rows.extend(self.foot.iter().map(|row| row.clone().cut(columns)));
        if let Some(entry) = &self.entry {
            let laid = crate::view::composer::lay_out(entry, "› ", columns, 2, Style::TEXT);
            cursor = Some((laid.cursor.0 + rows.len(), laid.cursor.1));
            rows.extend(laid.rows);
        }
        rows.push(ask::hints(&self.hints, columns));
        (rows, cursor)
    }

    /// Returns the title with the filter text.
    fn title_rows(&self, fitting: usize, columns: usize) -> (Vec<Row>, Option<(usize, usize)>) {
        let mut title = Row::new().add(&self.title, Style::TEXT.bold());
        if !self.tabs.is_blank() {
            title.push("  ", Style::TEXT);
            title.append(&self.tabs);
        }
        let Some(filter) = &self.filter else {
            return (wrap::whole(&title, columns, 2), None);
        };
        title.push("  ", Style::TEXT);
        title.push(filter.text(), Style::TEXT);
        let cursor = Some((0, title.width().min(columns.saturating_sub(1))));
        let place = match &self.picks {
            PickerKind::Session(found) => found.place(),
            _ => "",
        };
        if filter.is_empty() && matches!(self.picks, PickerKind::Setting(_)) {
            title.push("type to find", Role::Faint);
        }
        let count = format!("   {fitting} of {}{place}", self.rows.len());
        title.push(&count, Role::Faint);
        (vec![title.cut(columns)], cursor)
    }

    fn begin(&self, at: usize, chosen: bool) -> Row {
        let mut row = Row::new().add(if chosen { "› " } else { "  " }, Role::Accent);
        if self.numbered {
            row.push(&format!("{}  ", at + 1), Style::TEXT);
        }
        row
    }

    /// Renders an entry that is not highlighted, in one row.
    fn short_row(&self, at: usize, widest: usize, columns: usize) -> Row {
        let Some((name, about)) = self.rows.get(at) else {
            return Row::new();
        };
        let mut row = self.begin(at, false);
        if about.is_empty() {
            row.push(&clean::one_line(name), Style::TEXT);
            return row.cut(columns);
        }
        let shown = card::middle(&clean::one_line(name), columns / 2);
        row.push(&shown, Style::TEXT);
        row.push(&" ".repeat(widest.saturating_sub(width::of(&shown)) + 2), Style::TEXT);
        let about = clean::one_line(about);
        // A narrow screen has no columns; the words follow each other.
        let words = if columns < 60 { closer(&about) } else { about };
        row.push(&words, Role::Faint);
        row.cut(columns)
    }

    /// Renders the highlighted entry in as many rows as needed.
    fn whole_row(&self, at: usize, widest: usize, columns: usize) -> Vec<Row> {
        let Some((name, about)) = self.rows.get(at) else {
            return Vec::new();
        };
        let about = self.longer.get(&at).unwrap_or(about);
        let (name, about) = (clean::one_line(name), clean::one_line(about));
        let mut row = self.begin(at, true);
        let hang = row.width() + 2;
        row.push(&name, Style::TEXT.bold());
        if about.is_empty() {
            return wrap::whole(&row, columns, hang);
        }
        let gap = widest.saturating_sub(width::of(&name)) + 2;
        if row.width() + gap + width::of(&about) <= columns {
            row.push(&" ".repeat(gap), Style::TEXT);
            row.push(&about, Role::Faint);
            return vec![row];
        }
        let (beside, deep) = (row.width() + gap, columns / 2);
        if width::of(&name) <= widest && beside <= deep {
            // The description wraps below itself.
            row.push(&" ".repeat(gap), Style::TEXT);
            row.push(&about, Role::Faint);
            return wrap::whole(&row, columns, beside);
        }
        let mut rows = wrap::whole(&row, columns, hang);
        // Columns of a wide list become plain text here.
        rows.extend(wrap::whole(&Row::faint(&closer(&about)).indented(hang), columns, hang));
        rows
    }
}

/// Collapses column padding to two spaces.
fn closer(text: &str) -> String {
    let parts = text.split("  ").map(str::trim).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("  ")
}
