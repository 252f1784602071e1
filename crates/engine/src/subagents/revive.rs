//! Finds subagents of an earlier process by their files, so that they can be continued.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sluice_permission::PermissionMode;

use super::call::Continued;
use super::message::Finished;
use crate::agents::Brief;
use crate::history::History;

/// The maximum number of files to search for a name.
const MAX_FILES: usize = 1000;

/// The folder for the transcripts of a session's subagents. Nested subagents use the same folder.
pub(super) fn folder(brief: &Brief) -> Option<PathBuf> {
    let dir = brief.options.session.keeping.file.as_deref()?.parent()?;
    Some(match &brief.family.parent {
        Some(_) => dir.to_owned(),
        None => dir.join(&brief.options.session.id).join("subagents"),
    })
}

/// The transcript file of a subagent.
pub(super) fn file(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("agent-{id}.jsonl"))
}

/// Finds a subagent of an earlier process of this session by id or name.
pub(super) fn find(brief: &Brief, wanted: &str) -> Option<Finished> {
    let folder = folder(brief)?;
    match is_id(wanted).then(|| read(&folder, wanted)).flatten() {
        Some(finished) => Some(finished),
        None => named(&folder, wanted),
    }
}

/// True for ids that cannot contain a path.
fn is_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= 64 && text.chars().all(|letter| letter.is_ascii_alphanumeric())
}

fn read(folder: &Path, id: &str) -> Option<Finished> {
    let transcript = file(folder, id);
    if !transcript.is_file() {
        return None;
    }
    // The conversation can be continued without the metadata.
    let meta = std::fs::read_to_string(transcript.with_extension("meta.json")).unwrap_or_default();
    Some(finished(id, &serde_json::from_str(&meta).unwrap_or_default()))
}

fn finished(id: &str, meta: &Value) -> Finished {
    let text = |key: &str| meta.get(key).and_then(Value::as_str).map(str::to_owned);
    Finished {
        kind: text("agentType").unwrap_or_default(),
        description: text("description").unwrap_or_default(),
        name: text("name"),
        mode: text("mode").as_deref().map(PermissionMode::from),
        continued: Continued {
            id: id.to_owned(),
            call_id: text("toolUseId").unwrap_or_default(),
            history: History::default(),
        },
    }
}

/// Returns the newest subagent with this name.
fn named(folder: &Path, name: &str) -> Option<Finished> {
    let mut newest = None;
    for entry in std::fs::read_dir(folder).ok()?.flatten().take(MAX_FILES) {
        let file = entry.file_name();
        let Some(id) = file
            .to_str()
            .and_then(|file| file.strip_prefix("agent-")?.strip_suffix(".jsonl"))
        else {
            continue;
        };
        let Some(found) = read(folder, id).filter(|found| found.name.as_deref() == Some(name)) else {
            continue;
        };
        let at = entry.metadata().and_then(|meta| meta.modified()).ok();
        if newest.as_ref().is_none_or(|(before, _)| *before <= at) {
            newest = Some((at, found));
        }
    }
    newest.map(|(_, found)| found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn subagent_is_found_by_id_and_by_name() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(file(dir.path(), "a1"), "").unwrap();
        let meta =
            json!({"agentType": "Plan", "description": "d", "toolUseId": "toolu_1", "name": "bee", "mode": "plan"});
        std::fs::write(dir.path().join("agent-a1.meta.json"), meta.to_string()).unwrap();
        let found = read(dir.path(), "a1").unwrap();
        assert_eq!((&*found.kind, &*found.continued.call_id), ("Plan", "toolu_1"));
        assert_eq!(found.mode, Some(PermissionMode::Plan));
        assert_eq!(named(dir.path(), "bee").unwrap().continued.id, "a1");
        assert!(named(dir.path(), "wasp").is_none() && read(dir.path(), "a2").is_none());
    }

    #[test]
    fn ids_cannot_leave_the_folder() {
        assert!(is_id("a0123456789abcdef"));
        for bad in ["", "../x", "a/b", "a.b", "a\0"] {
            assert!(!is_id(bad), "{bad:?}");
        }
    }
}
