//! Dialogs for permission requests, questions and forms.

mod call;
mod form;
mod questions;

use crate::text::{Role, Row, Style, width, wrap};

pub(crate) use call::changed_lines;
pub use call::{ChoiceMeaning, Permission, SCOPES, WIDE, permission, scope_word};
pub use form::{Field, Form, Value as FieldValue};
pub use questions::{Question, Questions};

/// A selectable row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    pub label: String,
    /// Dimmed text after the label.
    pub detail: String,
    /// True if left and right change the choice.
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

/// Renders numbered choices with one highlighted; a note typed for it is shown after its label.
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
        // The detail is not split between rows.
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

/// Adds text, with code between backticks highlighted.
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

/// Renders hints below a dialog; only the first and last if there is little room.
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
