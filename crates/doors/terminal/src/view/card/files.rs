//! Cards of file tools: Read, Grep, Glob, Edit, Write, NotebookEdit.

use serde_json::Value;

use super::{CHANGE, CallCard, CardState, Parts, RESULT};
use crate::view::{amount, diff};

fn number(value: &Value, name: &str) -> Option<u64> {
    value.get(name).and_then(Value::as_u64)
}

pub(super) fn read(text: &str, value: &Value) -> Parts {
    let file = value.get("file").unwrap_or(&Value::Null);
    match value.get("type").and_then(Value::as_str) {
        Some("text") => {
            let first = number(file, "startLine").unwrap_or(1);
            let (lines, total) = counted(file, first);
            if lines >= total && first <= 1 {
                return Parts::default().fact(amount::count(total, "line"));
            }
            let last = (first + lines).saturating_sub(1);
            Parts::default().fact(format!("lines {first}-{last} of {total}"))
        }
        Some("image") => {
            let size = number(file, "originalSize").map(amount::bytes);
            let sides = file.get("dimensions").and_then(|sides| {
                Some(format!(
                    "{}x{}",
                    number(sides, "originalWidth")?,
                    number(sides, "originalHeight")?
                ))
            });
            let parts = Parts::default().fact(sides.map_or("image".to_owned(), |sides| format!("image {sides}")));
            size.into_iter().fold(parts, Parts::fact)
        }
        Some(other) => Parts::default().fact(other.replace('_', " ")),
        None => Parts::default().fact(amount::count(text.lines().count() as u64, "line")),
    }
}

/// Returns the number of lines that were read and of all lines. The protocol also counts the empty text after the last
/// newline as a line; it is left out where the content shows that it was read.
fn counted(file: &Value, first: u64) -> (u64, u64) {
    let lines = number(file, "numLines").unwrap_or(0);
    let total = number(file, "totalLines").unwrap_or(0);
    let content = file.get("content").and_then(Value::as_str);
    let to_the_end = (first + lines).saturating_sub(1) >= total;
    let empty_end = content.is_some_and(|content| content.is_empty() || content.ends_with('\n'));
    let left_out = u64::from(to_the_end && empty_end);
    (lines.saturating_sub(left_out), total.saturating_sub(left_out))
}

/// All lines of a change.
pub(super) fn changes(value: &Value, call: &CallCard) -> Vec<diff::ChangeLine> {
    let word = |name: &str| call.input.get(name).and_then(Value::as_str);
    match (value.get("structuredPatch"), word("content")) {
        (Some(patch), _) if patch.as_array().is_some_and(|hunks| !hunks.is_empty()) => diff::of_patch(patch),
        (_, Some(content)) => diff::of_texts("", content, 1),
        _ => diff::of_texts(
            word("old_string").unwrap_or_default(),
            word("new_string").unwrap_or_default(),
            1,
        ),
    }
}

pub(super) fn edited(value: &Value, call: &CallCard) -> Parts {
    let lines = changes(value, call);
    Parts::default().fact(diff::summary(&lines)).diff(&lines, CHANGE)
}

pub(super) fn written(value: &Value, call: &CallCard) -> Parts {
    let is_new = value.get("type").and_then(Value::as_str) != Some("update");
    if !is_new {
        return edited(value, call);
    }
    let content = call.input.get("content").and_then(Value::as_str).unwrap_or_default();
    let lines = diff::of_texts("", content, 1);
    Parts::default()
        .fact("new")
        .fact(amount::count(content.lines().count() as u64, "line"))
        .diff(&lines, RESULT)
}

pub(super) fn notebook(value: &Value, call: &CallCard) -> Parts {
    let word = |name: &str| value.get(name).or_else(|| call.input.get(name)).and_then(Value::as_str);
    let did = match word("edit_mode") {
        Some("insert") => "added",
        Some("delete") => "removed",
        _ => "replaced",
    };
    let cell = word("cell_id").unwrap_or_default();
    let kind = word("cell_type").unwrap_or("code");
    let source = word("new_source").unwrap_or_default();
    let old = old_source(value, cell).unwrap_or_default();
    let new = if did == "removed" { "" } else { source };
    let lines = diff::of_texts(if did == "added" { "" } else { &old }, new, 1);
    let parts = Parts::default().fact(format!("cell {cell}, {kind}, {did}"));
    let summary = diff::summary(&lines);
    let parts = if summary.is_empty() { parts } else { parts.fact(summary) };
    parts.diff(&lines, CHANGE)
}

/// What a cell held before, by the file as it was.
pub(crate) fn old_source(value: &Value, cell: &str) -> Option<String> {
    let file = value.get("original_file").and_then(Value::as_str)?;
    let file: Value = serde_json::from_str(file).ok()?;
    let mut cells = file.get("cells")?.as_array()?.iter();
    let found = cells.find(|it| it.get("id").and_then(Value::as_str) == Some(cell))?;
    match found.get("source")? {
        Value::String(text) => Some(text.clone()),
        Value::Array(lines) => Some(lines.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

pub(super) fn grep(value: &Value, text: &str) -> Parts {
    let files = number(value, "numFiles").unwrap_or(0);
    let facts = match number(value, "numMatches").or_else(|| number(value, "numLines")) {
        Some(hits) if files > 0 => format!("{} in {}", amount::count(hits, "hit"), amount::count(files, "file")),
        Some(hits) => amount::count(hits, "hit"),
        None => amount::count(files, "file"),
    };
    let said = match value.get("content").and_then(Value::as_str) {
        Some(content) => content.to_owned(),
        None => names(value).unwrap_or_else(|| text.to_owned()),
    };
    let rows: Vec<String> = said.trim_matches('\n').lines().map(hit).collect();
    let mut parts = Parts::default().fact(facts).first(&rows.join("\n"), 1);
    parts.unit = if value.get("content").is_some() { "hit" } else { "file" };
    parts
}

/// `path:18:text` with the text apart.
fn hit(line: &str) -> String {
    let mut parts = line.splitn(3, ':');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(path), Some(number), Some(text)) if number.parse::<u64>().is_ok() => {
            format!("{path}:{number}  {}", text.trim_start())
        }
        _ => line.to_owned(),
    }
}

fn names(value: &Value) -> Option<String> {
    let names = value.get("filenames")?.as_array()?;
    Some(names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"))
}

pub(super) fn glob(value: &Value, text: &str) -> Parts {
    let files = number(value, "numFiles").unwrap_or_else(|| text.lines().count() as u64);
    Parts::default().fact(amount::count(files, "file"))
}

/// What a search found, in two words.
pub(super) fn found(call: &CallCard) -> String {
    let CardState::Done { value, .. } = &call.state else {
        return String::new();
    };
    let pattern = call.input.get("pattern").and_then(Value::as_str).unwrap_or_default();
    let count = number(value, "numMatches")
        .or_else(|| number(value, "numLines"))
        .or_else(|| number(value, "numFiles"))
        .unwrap_or(0);
    match call.tool.as_str() {
        "Grep" => format!("\"{pattern}\" {count}"),
        _ => format!("{pattern} {count}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_after_the_last_newline_counts_only_where_there_is_some() {
        let file =
            |content: &str, lines: u64, total: u64| json!({"content": content, "numLines": lines, "totalLines": total});
        assert_eq!(counted(&file("a\nb\n", 3, 3), 1), (2, 2));
        assert_eq!(counted(&file("a\nb", 2, 2), 1), (2, 2));
        assert_eq!(counted(&file("", 1, 1), 1), (0, 0));
        assert_eq!(counted(&file("a\nb", 2, 9), 1), (2, 9));
        assert_eq!(counted(&file("y\nz\n", 3, 5), 3), (2, 4));
        assert_eq!(counted(&json!({"numLines": 120, "totalLines": 480}), 1), (120, 480));
    }
}
