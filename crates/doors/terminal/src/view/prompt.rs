//! Prompts, as they stand in the history.

use crate::text::{Role, Row, Style};

/// `› ` and the prompt, continued at two spaces; who else sent it stands behind.
#[must_use]
pub fn rows(text: &str, from: Option<&str>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for line in text.trim_end().lines() {
        let sign = if rows.is_empty() { "› " } else { "  " };
        rows.push(Row::new().add(sign, Role::Accent).add(line, Style::TEXT.bold()));
    }
    if let (Some(from), Some(last)) = (from, rows.last_mut()) {
        last.push(&format!("  ({from})"), Role::Faint);
    }
    rows
}
