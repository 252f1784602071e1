//! File checkpoints in a transcript: the copies of files that belong to each prompt.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::lines;

/// A saved version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// The name of the copy; `None` if the file did not exist.
    pub copy: Option<String>,
    /// The number of this version of the file, counted from 1.
    pub version: u64,
    /// When the copy was made.
    pub time: String,
    /// The folder of the file after links are resolved.
    pub folder: Option<PathBuf>,
}

/// The state of the tracked files before a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The prompt's uuid.
    pub message: String,
    /// When the snapshot was taken.
    pub time: String,
    /// The files by path. Paths below the working folder are relative to it.
    pub files: BTreeMap<String, Backup>,
}

/// All lines about file checkpoints start with this text.
const LINE_PREFIX: &[u8] = b"{\"type\":\"file-history-";

/// Returns the line of a snapshot. With `update` it replaces an earlier snapshot of the same prompt.
#[must_use]
pub fn line(snapshot: &Snapshot, message: &str, update: bool) -> Value {
    let files: Map<String, Value> = snapshot
        .files
        .iter()
        .map(|(name, backup)| (name.clone(), backup_json(backup)))
        .collect();
    json!({
        "type": "file-history-snapshot",
        "messageId": message,
        "snapshot": {"messageId": snapshot.message, "trackedFileBackups": files, "timestamp": snapshot.time},
        "isSnapshotUpdate": update,
    })
}

fn backup_json(backup: &Backup) -> Value {
    let mut json = json!({"backupFileName": backup.copy, "version": backup.version, "backupTime": backup.time});
    if let (Some(folder), Some(map)) = (&backup.folder, json.as_object_mut()) {
        map.insert("realParentDir".to_owned(), folder.display().to_string().into());
    }
    json
}

/// Returns the snapshots of a transcript, in order.
#[must_use]
pub fn read(file: &Path) -> Vec<Snapshot> {
    let Ok(mut file) = File::open(file) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    let read = lines::each(&mut file, |_, line| {
        if line.starts_with(LINE_PREFIX) {
            lines.push(line.to_vec());
        }
    });
    // After a read error, the lines read so far are used.
    drop(read);
    fold(lines.into_iter())
}

/// Builds the snapshots from their lines. Later lines about the same prompt replace earlier ones.
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
            // Newer versions of the reference CLI only write the added file.
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

/// Parses a backup. A name that leads out of the folder of the copies is rejected.
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
    fn snapshots_survive_a_round_trip() {
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
    fn delta_lines_of_newer_cli_versions_are_applied() {
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
    fn names_that_lead_out_of_the_copies_folder_are_rejected() {
        for name in ["../x", "/etc/passwd", "", ".."] {
            assert_eq!(backup(&json!({"backupFileName": name})), None, "{name}");
        }
    }
}
