//! Asks as dialogs: what is asked, and what can be chosen.

mod call;
mod form;
mod questions;

use crate::text::{Role, Row, Style, width, wrap};

pub(crate) use call::changed_lines;
pub use call::{ChoiceMeaning, Permission, SCOPES, WIDE, permission, scope_word};
pub use form::{Field, Form, Value as FieldValue};
pub use questions::{Question, Questions};

/// One row that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    pub label: String,
    /// What stands behind it, faint.
    pub detail: String,
    /// The same where left and right turn it.
    pub turns: bool,
}

impl Choice {
    #[must_use]
    pub fn new(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            ..Self::default()
        }
    }

    #[must_use]
    pub fn with(label: &str, detail: &str) -> Self {
        Self {
            detail: detail.to_owned(),
            ..Self::new(label)
        }
    }
}

/// Numbered choices, one of them highlighted; words typed into that one stand behind it.
#[must_use]
pub fn choices(choices: &[Choice], selected: usize, columns: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, choice) in choices.iter().enumerate() {
        let chosen = at == selected;
        let mut row = Row::new().add(if chosen { "› " } else { "  " }, Role::Accent);
        let style = if chosen { Style::TEXT.bold() } else { Style::TEXT };
        row.push(&format!("{}  ", at + 1), style);
        push_marked(&mut row, &choice.label, style);
        let detail = if choice.turns {
            format!("‹ {} ›", choice.detail)
        } else {
            choice.detail.clone()
        };
        // What stands behind it stays together.
        let fits = row.width() + 2 + width::of(&detail) <= columns;
        if fits && !detail.is_empty() {
            row.push("  ", Style::TEXT);
            row.push(&detail, Role::Faint);
        }
        rows.extend(wrap::words(&row, columns, 5));
        if !fits {
            rows.extend(wrap::words(&Row::faint(&detail).indented(5), columns, 5));
        }
    }
    rows
}

/// Code between backticks stands out.
fn push_marked(row: &mut Row, text: &str, style: Style) {
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 1 {
            row.push(
                &format!("`{part}`"),
                Style {
                    role: Role::Accent,
                    ..style
                },
            );
        } else {
            row.push(part, style);
        }
    }
}

/// Hints below a dialog; where there is little room, the first and the last.
#[must_use]
pub fn hints(hints: &[&str], columns: usize) -> Row {
    let whole = format!("  {}", hints.join(" ∙ "));
    if width::of(&whole) <= columns {
        return Row::faint(&whole);
    }
    let [first, between @ .., last] = hints else {
        return Row::faint(&whole).cut(columns);
    };
    let mut said = vec![*first];
    let mut taken = width::of(first) + width::of(last) + 5;
    for hint in between.iter().filter(|_| columns >= 60) {
        taken += width::of(hint) + 3;
        if taken > columns {
            break;
        }
        said.push(hint);
    }
    said.push(last);
    Row::faint(&format!("  {}", said.join(" ∙ "))).cut(columns)
}
