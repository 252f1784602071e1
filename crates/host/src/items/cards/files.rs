//! Files: read, searched, changed.

use serde_json::Value;

use super::{Call, CardBody, Fields as _, Subject};
use crate::items::Text;
use crate::items::{
    CellEdit, CellKind, FileChange, FileRead, Hunk, Notebook, NotebookCell, ReadContent, Replacement, Search,
    SearchKind,
};

pub(super) fn read(call: &Call<'_>) -> (Subject, CardBody) {
    let path = call.word("file_path");
    let content = call.outcome.filter(|outcome| !outcome.failed).map(|outcome| {
        let total = outcome.text.lines().count() as u64;
        content(outcome.value).unwrap_or(ReadContent::Lines {
            first: 1,
            count: total,
            total,
            text: None,
        })
    });
    let read = FileRead {
        path: path.clone(),
        content,
    };
    (Subject::Path(path), CardBody::FileRead(read))
}

fn content(value: &Value) -> Option<ReadContent> {
    let file = value.get("file").unwrap_or(&Value::Null);
    Some(match value.word("type")? {
        "text" => {
            let first = file.count("startLine").unwrap_or(1);
            let (count, total) = counted(file, first);
            ReadContent::Lines {
                first,
                count,
                total,
                text: file.text("content"),
            }
        }
        "image" => ReadContent::Image {
            size: file
                .get("dimensions")
                .and_then(|size| Some((size.count("originalWidth")?, size.count("originalHeight")?))),
            bytes: file.count("originalSize"),
        },
        "notebook" => ReadContent::Notebook {
            cells: file.list("cells").unwrap_or_default().iter().map(cell).collect(),
        },
        kind => ReadContent::Other {
            kind: kind.to_owned(),
            bytes: file.count("originalSize"),
        },
    })
}

fn cell(value: &Value) -> NotebookCell {
    let kind = value.word("cellType").or_else(|| value.word("cell_type"));
    NotebookCell {
        kind: cell_kind(kind.unwrap_or_default()),
        run: value.count("execution_count"),
        source: value.get("source").and_then(source).unwrap_or_default(),
    }
}

fn cell_kind(kind: &str) -> CellKind {
    match kind {
        "markdown" => CellKind::Markdown,
        _ => CellKind::Code,
    }
}

/// The source of a cell: one text or its lines.
fn source(value: &Value) -> Option<Text> {
    match value {
        Value::Array(lines) => Some(lines.iter().filter_map(Value::as_str).collect::<String>().into()),
        other => Text::of(other),
    }
}

/// Returns the number of lines that were read and of all lines. The protocol also counts the empty text after the last
/// newline as a line; it is left out where the content shows that it was read.
fn counted(file: &Value, first: u64) -> (u64, u64) {
    let lines = file.count("numLines").unwrap_or(0);
    let total = file.count("totalLines").unwrap_or(0);
    let content = file.word("content");
    let to_the_end = (first + lines).saturating_sub(1) >= total;
    let empty_end = content.is_some_and(|content| content.is_empty() || content.ends_with('\n'));
    let left_out = u64::from(to_the_end && empty_end);
    (lines.saturating_sub(left_out), total.saturating_sub(left_out))
}

pub(super) fn change(call: &Call<'_>) -> (Subject, CardBody) {
    let path = call.word("file_path");
    let many = call.input.list("edits").unwrap_or_default().iter();
    let edits = many.chain(std::iter::once(call.input)).filter_map(|edit| {
        Some(Replacement {
            old: edit.text("old_string")?,
            new: edit.text("new_string")?,
            all: edit.is("replace_all"),
        })
    });
    let value = call.value();
    let content = call.input.text("content");
    let hunks: Vec<Hunk> = value.map(hunks).unwrap_or_default();
    let written = content.is_some() && call.outcome.is_some_and(|outcome| !outcome.failed);
    let change = FileChange {
        path: value
            .and_then(|value| value.word("filePath"))
            .unwrap_or(&path)
            .to_owned(),
        created: written && value.is_none_or(|value| value.word("type") != Some("update")),
        content,
        edits: edits.collect(),
        hunks,
    };
    (Subject::Path(path), CardBody::FileChange(change))
}

fn hunks(value: &Value) -> Vec<Hunk> {
    let hunks = value.list("structuredPatch").unwrap_or_default().iter();
    let hunks = hunks.map(|hunk| {
        let lines = hunk.list("lines").unwrap_or_default().iter();
        Hunk {
            old_start: hunk.count("oldStart").unwrap_or(1),
            new_start: hunk.count("newStart").unwrap_or(1),
            lines: lines.filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    });
    hunks.collect()
}

pub(super) fn notebook(call: &Call<'_>) -> (Subject, CardBody) {
    let path = call.word("notebook_path");
    let value = call.value();
    let word = |name: &str| {
        value
            .and_then(|value| value.word(name))
            .or_else(|| call.input.word(name))
    };
    let cell = word("cell_id").unwrap_or_default();
    let notebook = Notebook {
        cell: cell.to_owned(),
        kind: cell_kind(word("cell_type").unwrap_or_default()),
        edit: match word("edit_mode") {
            Some("insert") => CellEdit::Insert,
            Some("delete") => CellEdit::Delete,
            _ => CellEdit::Replace,
        },
        source: value
            .and_then(|value| value.text("new_source"))
            .unwrap_or_else(|| call.text("new_source")),
        old: value.and_then(|value| value.text("old_source").or_else(|| old_source(value, cell))),
        path: word("notebook_path").unwrap_or(&path).to_owned(),
    };
    (Subject::Path(path), CardBody::Notebook(notebook))
}

/// Returns the source of a cell before the change, from the file as it was.
fn old_source(value: &Value, cell: &str) -> Option<Text> {
    let file: Value = serde_json::from_str(value.word("original_file")?).ok()?;
    let found = file.list("cells")?.iter().find(|it| it.word("id") == Some(cell))?;
    source(found.get("source")?)
}

pub(super) fn grep(call: &Call<'_>) -> (Subject, CardBody) {
    let pattern = call.word("pattern");
    let subject = Subject::Text {
        pattern: pattern.clone(),
        within: call.optional("path"),
    };
    (subject, found(call, SearchKind::Text, pattern))
}

pub(super) fn glob(call: &Call<'_>) -> (Subject, CardBody) {
    let pattern = call.word("pattern");
    let subject = Subject::Names {
        pattern: pattern.clone(),
        within: call.optional("path"),
    };
    (subject, found(call, SearchKind::Names, pattern))
}

pub(super) fn folder(call: &Call<'_>) -> (Subject, CardBody) {
    let path = call.word("path");
    (Subject::Path(path.clone()), found(call, SearchKind::Names, path))
}

pub(super) fn tools(call: &Call<'_>) -> (Subject, CardBody) {
    let query = call.word("query");
    (Subject::Query(query.clone()), found(call, SearchKind::Tools, query))
}

fn found(call: &Call<'_>, kind: SearchKind, pattern: String) -> CardBody {
    let value = call.value();
    let count = |name: &str| value.and_then(|value| value.count(name));
    let names = |name: &str| {
        let names = value?.list(name)?.iter().filter_map(Value::as_str);
        Some(names.map(str::to_owned).collect::<Vec<_>>())
    };
    let lines = value.and_then(|value| value.text("content"));
    CardBody::Search(Search {
        kind,
        pattern,
        hits: count("numMatches").or_else(|| count("numLines")),
        files: count("numFiles"),
        ignore_case: call.input.is("-i"),
        names: names("filenames").or_else(|| names("matches")),
        lines,
    })
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
