//! Cards of file tools: read, search, change.

use sluice_host::items::{
    CardBody, CellEdit, CellKind, FileChange, FileRead, Notebook, ReadContent, Search, SearchKind,
};

use super::{CallCard, MAX_DIFF_ROWS, MAX_RESULT_ROWS, Parts};
use crate::view::{amount, diff};

pub(super) fn read(read: &FileRead) -> Parts {
    match &read.content {
        None => Parts::default(),
        Some(ReadContent::Lines {
            first, count, total, ..
        }) => {
            if count >= total && *first <= 1 {
                return Parts::default().fact(amount::count(*total, "line"));
            }
            let last = (first + count).saturating_sub(1);
            Parts::default().fact(format!("lines {first}-{last} of {total}"))
        }
        Some(ReadContent::Image { size, bytes }) => {
            let image = match size {
                Some((width, height)) => format!("image {width}x{height}"),
                None => "image".to_owned(),
            };
            let parts = Parts::default().fact(image);
            bytes.map(amount::bytes).into_iter().fold(parts, Parts::fact)
        }
        Some(ReadContent::Notebook { .. }) => Parts::default().fact("notebook"),
        Some(ReadContent::Other { kind, .. }) => Parts::default().fact(kind.replace('_', " ")),
    }
}

/// Returns all lines of a change.
pub(super) fn changes(change: &FileChange) -> Vec<diff::ChangeLine> {
    match &change.content {
        _ if !change.hunks.is_empty() => diff::of_hunks(&change.hunks),
        Some(content) => diff::of_texts("", content, 1),
        None => {
            let edits = change.edits.iter();
            edits.flat_map(|edit| diff::of_texts(&edit.old, &edit.new, 1)).collect()
        }
    }
}

pub(super) fn changed(change: &FileChange) -> Parts {
    if let (Some(content), true) = (&change.content, change.created) {
        let lines = diff::of_texts("", content, 1);
        return Parts::default()
            .fact("new")
            .fact(amount::count(content.lines().count() as u64, "line"))
            .diff(&lines, MAX_RESULT_ROWS);
    }
    let lines = changes(change);
    Parts::default().fact(diff::summary(&lines)).diff(&lines, MAX_DIFF_ROWS)
}

pub(super) fn notebook(notebook: &Notebook) -> Parts {
    let old = notebook.old.as_deref().unwrap_or_default();
    let new = &*notebook.source;
    let (did, old, new) = match notebook.edit {
        CellEdit::Insert => ("added", "", new),
        CellEdit::Delete => ("removed", old, ""),
        CellEdit::Replace => ("replaced", old, new),
    };
    let lines = diff::of_texts(old, new, 1);
    let kind = match notebook.kind {
        CellKind::Code => "code",
        CellKind::Markdown => "markdown",
    };
    let parts = Parts::default().fact(format!("cell {}, {kind}, {did}", notebook.cell));
    let summary = diff::summary(&lines);
    let parts = if summary.is_empty() { parts } else { parts.fact(summary) };
    parts.diff(&lines, MAX_DIFF_ROWS)
}

/// Renders a search in file contents.
pub(super) fn matches(search: &Search, text: &str) -> Parts {
    let files = search.files.unwrap_or(0);
    let facts = match search.hits {
        Some(hits) if files > 0 => format!("{} in {}", amount::count(hits, "hit"), amount::count(files, "file")),
        Some(hits) => amount::count(hits, "hit"),
        None => amount::count(files, "file"),
    };
    let said = match (&search.lines, &search.names) {
        (Some(lines), _) => lines.to_string(),
        (None, Some(names)) => names.join("\n"),
        (None, None) => text.to_owned(),
    };
    let rows: Vec<String> = said.trim_matches('\n').lines().map(hit).collect();
    let mut parts = Parts::default().fact(facts).first(&rows.join("\n"), 1);
    parts.unit = if search.lines.is_some() { "hit" } else { "file" };
    parts
}

/// Separates the text of `path:18:text`.
fn hit(line: &str) -> String {
    let mut parts = line.splitn(3, ':');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(path), Some(number), Some(text)) if number.parse::<u64>().is_ok() => {
            format!("{path}:{number}  {}", text.trim_start())
        }
        _ => line.to_owned(),
    }
}

/// Renders a search for file names.
pub(super) fn names(search: &Search, text: &str) -> Parts {
    let files = search.files.unwrap_or_else(|| text.lines().count() as u64);
    Parts::default().fact(amount::count(files, "file"))
}

/// Summarizes the result of a search.
pub(super) fn found(call: &CallCard) -> String {
    let CardBody::Search(search) = &call.call.card.body else {
        return String::new();
    };
    let count = search.hits.or(search.files).unwrap_or(0);
    match search.kind {
        SearchKind::Text => format!("\"{}\" {count}", search.pattern),
        SearchKind::Names | SearchKind::Tools => format!("{} {count}", search.pattern),
    }
}
