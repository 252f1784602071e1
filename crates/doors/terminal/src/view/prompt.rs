//! Prompts in the history.

use crate::text::{Role, Row, Style};

/// Renders a prompt after `› `, continued at two spaces, with the name of another sender at the end.
#[must_use]
pub fn rows(text: &str, from: Option<&str>) -> Vec<Row> {
    let mut rows = part(text.trim_end(), true);
    if let (Some(from), Some(last)) = (from, rows.last_mut()) {
        last.push(&format!("  ({from})"), Role::Faint);
    }
    rows
}

/// Renders part of a prompt; the first part starts with the prompt sign.
#[must_use]
pub fn part(text: &str, first: bool) -> Vec<Row> {
    let rows = text.lines().enumerate().map(|(at, line)| {
        let sign = if first && at == 0 { "› " } else { "  " };
        Row::new().add(sign, Role::Accent).add(line, Style::TEXT.bold())
    });
    rows.collect()
}
