//! File checkpoints in a transcript: which copies belong to which prompt.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::lines;

/// A file as it was once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// The name of the copy; none: there was no such file.
    pub copy: Option<String>,
    /// Counts its copies.
    pub version: u64,
    /// When it was kept.
    pub time: String,
    /// Where its folder really was.
    pub folder: Option<PathBuf>,
}

/// How the files that are followed stood before a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The prompt's uuid.
    pub message: String,
    /// When that was.
    pub time: String,
    /// By path, relative to the working folder where it is below it.
    pub files: BTreeMap<String, Backup>,
}

/// What every such line begins with.
const MARK: &[u8] = b"{\"type\":\"file-history-";

/// The line of a snapshot; `update`: it takes the place of an earlier one of the same prompt.
#[must_use]
pub fn line(snapshot: &Snapshot, message: &str, update: bool) -> Value {
    let files: Map<String, Value> = snapshot
        .files
        .iter()
        .map(|(name, backup)| (name.clone(), told(backup)))
        .collect();
    json!({
        "type": "file-history-snapshot",
        "messageId": message,
        "snapshot": {"messageId": snapshot.message, "trackedFileBackups": files, "timestamp": snapshot.time},
        "isSnapshotUpdate": update,
    })
}

fn told(backup: &Backup) -> Value {
    let mut told = json!({"backupFileName": backup.copy, "version": backup.version, "backupTime": backup.time});
    if let (Some(folder), Some(map)) = (&backup.folder, told.as_object_mut()) {
        map.insert("realParentDir".to_owned(), folder.display().to_string().into());
    }
    told
}

/// The snapshots of a transcript, in order.
#[must_use]
pub fn read(file: &Path) -> Vec<Snapshot> {
    let Ok(mut file) = File::open(file) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    let told = lines::each(&mut file, |_, line| {
        if line.starts_with(MARK) {
            lines.push(line.to_vec());
        }
    });
    // What was read before the file could be read no further counts.
    drop(told);
    fold(lines.into_iter())
}

/// Later lines about the same prompt count.
fn fold(lines: impl Iterator<Item = Vec<u8>>) -> Vec<Snapshot> {
    let mut snapshots: Vec<Snapshot> = Vec::new();
    for line in lines {
        let Ok(line) = serde_json::from_slice::<Value>(&line) else {
            continue;
        };
        let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
        match text("type").as_deref() {
            Some("file-history-snapshot") => {
                let Some(snapshot) = line.get("snapshot").and_then(snapshot) else {
                    continue;
                };
                match snapshots.iter_mut().find(|known| known.message == snapshot.message) {
                    Some(known) => *known = snapshot,
                    None => snapshots.push(snapshot),
                }
            }
            // A newer reference agent tells only what was added.
            Some("file-history-delta") => {
                let (Some(message), Some(path)) = (text("snapshotMessageId"), text("trackingPath")) else {
                    continue;
                };
                let known = snapshots.iter_mut().find(|known| known.message == message);
                if let (Some(known), Some(backup)) = (known, line.get("backup").and_then(backup)) {
                    known.files.insert(path, backup);
                }
            }
            _ => {}
        }
    }
    snapshots
}

fn snapshot(value: &Value) -> Option<Snapshot> {
    let files = value.get("trackedFileBackups")?.as_object()?;
    let files: BTreeMap<String, Backup> = files
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), backup(value)?)))
        .collect();
    Some(Snapshot {
        message: value.get("messageId")?.as_str()?.to_owned(),
        time: value
            .get("timestamp")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        files,
    })
}

/// A copy is a file beside the others: a name that leads elsewhere is not followed.
fn backup(value: &Value) -> Option<Backup> {
    let copy = value.get("backupFileName").and_then(Value::as_str);
    if copy.is_some_and(|name| name.is_empty() || name.contains('/') || name.starts_with('.')) {
        return None;
    }
    Some(Backup {
        copy: copy.map(str::to_owned),
        version: value.get("version").and_then(Value::as_u64).unwrap_or(1),
        time: value
            .get("backupTime")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        folder: value.get("realParentDir").and_then(Value::as_str).map(PathBuf::from),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;

    fn bytes(lines: &[Value]) -> impl Iterator<Item = Vec<u8>> {
        lines.iter().map(|line| line.to_string().into_bytes())
    }

    #[test]
    fn what_is_written_is_read() {
        let backup = Backup {
            copy: Some("00@v2".into()),
            version: 2,
            time: "t".into(),
            folder: Some("/w".into()),
        };
        let mut first = Snapshot {
            message: "u1".into(),
            time: "t".into(),
            files: BTreeMap::new(),
        };
        let begun = line(&first, "u1", false);
        first.files.insert("a.txt".into(), backup);
        assert_eq!(fold(bytes(&[begun, line(&first, "u1", true)])), [first]);
    }

    #[test]
    fn what_a_newer_agent_adds_is_understood() {
        let snapshots = fold(bytes(&[
            line(
                &Snapshot {
                    message: "u1".into(),
                    ..Snapshot::default()
                },
                "u1",
                false,
            ),
            json!({"type": "file-history-delta", "messageId": "a1", "snapshotMessageId": "u1", "trackingPath": "f.txt",
                "backup": {"backupFileName": null, "version": 1, "backupTime": "t"}}),
        ]));
        assert_eq!(snapshots[0].files["f.txt"].copy, None);
    }

    #[test]
    fn a_copy_is_never_looked_for_elsewhere() {
        for name in ["../x", "/etc/passwd", "", ".."] {
            assert_eq!(backup(&json!({"backupFileName": name})), None, "{name}");
        }
    }
}
