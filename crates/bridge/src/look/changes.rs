//! Diffs of what tool calls changed or would change.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sluice_render::diff::PatchHunk;

use super::rendering;
use crate::api::{Changes, Code, Diff, Problem};
use crate::body;
use crate::hub::Hub;

/// The largest file a difference is worked out of.
const LARGEST: u64 = 5 * 1024 * 1024;
/// How many files one look at a session shows.
const FILES: usize = 200;
/// How much is read from the store at once.
const CHUNK: usize = 4 * 1024 * 1024;

/// The difference a call made, or would make with `input`.
pub(crate) async fn of_call(hub: &Hub, session: &str, call: &str, input: Option<Value>) -> Result<Diff, Problem> {
    let about = call.to_owned();
    let asked = hub
        .look(session, move |state, _| {
            let ask = state.pending_asks().find(|ask| ask.call.as_deref() == Some(&about))?;
            let line: Value = serde_json::from_str(ask.line.as_ref()?).ok()?;
            Some((ask.name.to_string(), line.pointer("/request/input")?.clone()))
        })
        .await?;
    if let Some((tool, first)) = asked {
        let row = hub.row(session).await?;
        return would_change(hub, Path::new(&row.folder), &tool, &input.unwrap_or(first)).await;
    }
    let made = find(hub, session, call).await?;
    match made {
        Some(result) => did_change(hub, &result).await,
        None => Err(Problem::new(Code::Ask, "there is no such call, or it changed nothing")),
    }
}

/// What a call that waits would do to its file.
async fn would_change(hub: &Hub, folder: &Path, tool: &str, input: &Value) -> Result<Diff, Problem> {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let Some(named) = text("file_path").or_else(|| text("notebook_path")) else {
        return Err(Problem::new(Code::Field, format!("{tool} changes no file")));
    };
    let path = folder.join(named);
    let old = match read(hub, &path).await {
        Ok(old) => old,
        Err(why) => return Ok(rendering::none(named, why)),
    };
    let new = match tool {
        "Write" => text("content").unwrap_or_default().to_owned(),
        "Edit" => match edited(old.as_deref().unwrap_or_default(), std::slice::from_ref(input)) {
            Ok(new) => new,
            Err(why) => return Ok(rendering::none(named, why)),
        },
        "MultiEdit" => {
            let edits = input
                .get("edits")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default();
            match edited(old.as_deref().unwrap_or_default(), &edits) {
                Ok(new) => new,
                Err(why) => return Ok(rendering::none(named, why)),
            }
        }
        "NotebookEdit" => {
            let new = text("new_source").unwrap_or_default().to_owned();
            let cell = old.as_deref().and_then(|old| cell(old, text("cell_id")));
            return rendering::difference(named.to_owned(), cell, Some(new)).await;
        }
        _ => return Err(Problem::new(Code::Field, format!("{tool} changes no file"))),
    };
    rendering::difference(named.to_owned(), old, Some(new)).await
}

/// A file as it stands: nothing when there is none, a reason when it cannot be shown.
async fn read(hub: &Hub, path: &Path) -> Result<Option<String>, String> {
    let roots = hub.shared.roots.clone();
    let path = path.to_owned();
    let read = tokio::task::spawn_blocking(move || {
        let whole = match std::fs::canonicalize(&path) {
            Ok(whole) => whole,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        if !roots.allows(&whole) {
            return Err("this file lies outside the folders that are shown here".to_owned());
        }
        let data = std::fs::metadata(&whole).map_err(|error| error.to_string())?;
        if !data.is_file() {
            return Err("this is no file".to_owned());
        }
        if data.len() > LARGEST {
            return Err("this file is too large to be shown".to_owned());
        }
        let bytes = std::fs::read(&whole).map_err(|error| error.to_string())?;
        String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| "this file is not text".to_owned())
    });
    read.await.unwrap_or_else(|error| Err(error.to_string()))
}

/// A text with edits made.
fn edited(old: &str, edits: &[Value]) -> Result<String, String> {
    let mut text = old.to_owned();
    for edit in edits {
        let field = |key: &str| edit.get(key).and_then(Value::as_str).unwrap_or_default();
        let (from, to) = (field("old_string"), field("new_string"));
        let all = edit.get("replace_all").and_then(Value::as_bool) == Some(true);
        if from.is_empty() {
            text = to.to_owned();
            continue;
        }
        if !text.contains(from) {
            return Err("the text to be replaced is not in the file as it stands".to_owned());
        }
        text = if all {
            text.replace(from, to)
        } else {
            text.replacen(from, to, 1)
        };
    }
    Ok(text)
}

/// The source of a cell of a notebook.
fn cell(notebook: &str, id: Option<&str>) -> Option<String> {
    let notebook: Value = serde_json::from_str(notebook).ok()?;
    let cells = notebook.get("cells")?.as_array()?;
    let cell = cells.iter().find(|cell| cell.get("id").and_then(Value::as_str) == id)?;
    match cell.get("source")? {
        Value::String(text) => Some(text.clone()),
        Value::Array(lines) => Some(lines.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// The result of a call, as the agent told it.
async fn find(hub: &Hub, session: &str, call: &str) -> Result<Option<Value>, Problem> {
    let row = hub.row(session).await?;
    let mut before = i64::MAX;
    loop {
        let page = hub
            .shared
            .store
            .records_before(session, row.epoch, before, 2000, CHUNK)
            .await?;
        for record in page.records.iter().rev() {
            if record.body.contains(call) && record.body.contains("\"tool_use_result\"") {
                let value: Value = serde_json::from_str(&record.body).unwrap_or_default();
                return Ok(value.get("tool_use_result").cloned());
            }
        }
        before = page.records.iter().find_map(|record| record.seq).unwrap_or(0);
        if !page.more || before <= 1 {
            return Ok(None);
        }
    }
}

async fn did_change(hub: &Hub, result: &Value) -> Result<Diff, Problem> {
    let path = result
        .get("filePath")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let hunks = hunks(result);
    if !hunks.is_empty() {
        return rendering::patched(path, hunks).await;
    }
    let new = whole(hub, result.get("content")).await;
    match new {
        Some(new) => {
            let old = whole(hub, result.get("originalFile")).await;
            rendering::difference(path, old, Some(new)).await
        }
        None => Ok(rendering::none(&path, "the agent did not say what it changed")),
    }
}

fn hunks(result: &Value) -> Vec<PatchHunk> {
    let hunks = result.get("structuredPatch").and_then(Value::as_array);
    let hunks = hunks.into_iter().flatten();
    hunks
        .map(|hunk| {
            let number = |key: &str| {
                let number = hunk.get(key).and_then(Value::as_u64).unwrap_or(0);
                u32::try_from(number).unwrap_or(u32::MAX)
            };
            let lines = hunk.get("lines").and_then(Value::as_array);
            PatchHunk {
                old_start: number("oldStart"),
                old_lines: number("oldLines"),
                new_start: number("newStart"),
                new_lines: number("newLines"),
                lines: lines
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect(),
            }
        })
        .collect()
}

/// A text, also when it is kept aside.
async fn whole(hub: &Hub, value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        other => {
            let hash = body::reference(other)?;
            tokio::fs::read_to_string(hub.shared.config.blob_path(hash)).await.ok()
        }
    }
}

/// Every file a session changed: as it was before its first change, against as it stands.
pub(crate) async fn of_session(hub: &Hub, session: &str, turn: Option<i64>) -> Result<Changes, Problem> {
    let row = hub.row(session).await?;
    let mut files: Vec<(String, Option<Value>)> = Vec::new();
    let mut after = 0;
    loop {
        let page = hub
            .shared
            .store
            .records_after(session, row.epoch, after, 4000, CHUNK)
            .await?;
        for record in &page.records {
            after = record.seq.unwrap_or(after);
            if turn.is_some() && record.turn != turn.map(|turn| turn + 1) || !record.body.contains("\"filePath\"") {
                continue;
            }
            let value: Value = serde_json::from_str(&record.body).unwrap_or_default();
            let Some(result) = value.get("tool_use_result") else {
                continue;
            };
            let changed = result.get("structuredPatch").is_some() || result.get("originalFile").is_some();
            let Some(path) = result.get("filePath").and_then(Value::as_str).filter(|_| changed) else {
                continue;
            };
            if files.len() < FILES && !files.iter().any(|(known, _)| known == path) {
                files.push((
                    path.to_owned(),
                    result.get("originalFile").cloned().filter(|it| !it.is_null()),
                ));
            }
        }
        if !page.more {
            break;
        }
    }
    let mut changes = Vec::with_capacity(files.len());
    for (path, original) in files {
        let old = whole(hub, original.as_ref()).await;
        let diff = match read(hub, &PathBuf::from(&path)).await {
            Ok(new) => rendering::difference(path, old, new).await?,
            Err(why) => rendering::none(&path, why),
        };
        changes.push(diff);
    }
    Ok(Changes { files: changes })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::edited;

    #[test]
    fn edits_are_made_in_order_and_a_text_that_is_not_there_is_told() {
        let edits = [
            json!({"old_string": "a", "new_string": "b"}),
            json!({"old_string": "b", "new_string": "c", "replace_all": true}),
        ];
        assert_eq!(edited("a b a", &edits).unwrap(), "c c a");
        assert!(edited("x", &edits).is_err());
    }
}
