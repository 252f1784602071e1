//! Backup and restore of a state folder.
//!
//! A backup is taken while the bridge runs. The logs of the runners are opened before and after the database snapshot:
//! files that the bridge trims in between are still open from before. So each log reaches back at least to the last
//! line in the database.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use sluice_store::{Snapshot, StoreError};
use tar::Builder;

use crate::archive;
use crate::private;
use crate::state::{StateError, StateFolder};

/// Why a backup could not be written or restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("there is no database in {}\nhint: --state names the state folder of the bridge", .0.display())]
    NoState(PathBuf),
    #[error("{} already exists\nhint: name a new file", .0.display())]
    Exists(PathBuf),
    #[error("{} is not a backup of a state folder", .0.display())]
    NotABackup(PathBuf),
    #[error("the backup is of a newer version ({found})\nhint: restore it with that version of sluice")]
    Newer { found: u32 },
    #[error("the state folder {} is not empty\nhint: name a new folder with --state", .0.display())]
    NotEmpty(PathBuf),
    #[error("the logs of the sessions changed too fast for a backup\nhint: try again")]
    Moving,
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{}: {error}", .path.display())]
    Io { path: PathBuf, error: io::Error },
}

/// What a backup contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupSummary {
    pub files: usize,
    pub sessions: usize,
}

/// The first file of a backup.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    format: u32,
    /// Milliseconds since 1970.
    created_at: i64,
    sessions: usize,
}

const FORMAT: u32 = 1;
const MANIFEST: &str = "sluice-backup.json";
const DATABASE: &str = "bridge.db";
/// Maximum number of attempts to get logs that match the database.
const MAX_ATTEMPTS: u32 = 5;

/// Open files of runner logs, by their path in the state folder.
type Logs = BTreeMap<String, File>;

/// Writes a backup of the state folder to a new file. The bridge may be running.
///
/// # Errors
/// See [`BackupError`].
pub fn backup(state: &Path, file: &Path) -> Result<BackupSummary, BackupError> {
    let database = state.join(DATABASE);
    if !database.is_file() {
        return Err(BackupError::NoState(state.to_owned()));
    }
    if file.exists() {
        return Err(BackupError::Exists(file.to_owned()));
    }
    let part = with_suffix(file, ".part");
    let copy = with_suffix(file, ".part.db");
    remove(&copy);
    let written = write(state, &part, &copy);
    remove(&copy);
    let summary = written.inspect_err(|_| remove(&part))?;
    fs::rename(&part, file).map_err(|error| at(file, error))?;
    Ok(summary)
}

fn write(state: &Path, part: &Path, copy: &Path) -> Result<BackupSummary, BackupError> {
    let (snapshot, logs) = consistent(state)?;
    let sessions = snapshot.log_positions()?.len();
    snapshot.copy_to(copy)?;
    drop(snapshot);
    let mut options = OpenOptions::new();
    let out = options.write(true).create(true).truncate(true).mode(0o600).open(part);
    let out = GzEncoder::new(
        BufWriter::new(out.map_err(|error| at(part, error))?),
        Compression::fast(),
    );
    let mut archive = Builder::new(out);
    let failed = |error| at(part, error);
    let manifest = Manifest {
        format: FORMAT,
        created_at: jiff::Timestamp::now().as_millisecond(),
        sessions,
    };
    let manifest = serde_json::json!(manifest).to_string();
    archive::append(&mut archive, MANIFEST, manifest.len() as u64, manifest.as_bytes()).map_err(failed)?;
    let mut files = 1;
    let mut add = |name: &str, content: &File| -> io::Result<()> {
        files += 1;
        archive::append(&mut archive, name, content.metadata()?.len(), content)
    };
    for (name, log) in &logs {
        add(name, log).map_err(failed)?;
    }
    for name in others(state).map_err(|error| at(state, error))? {
        match File::open(state.join(&name)) {
            Ok(file) => add(&name, &file).map_err(failed)?,
            // The blob of a session that was deleted meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(at(&state.join(&name), error)),
        }
    }
    // Last, so that an incomplete backup has no database.
    let content = File::open(copy).map_err(|error| at(copy, error))?;
    add(DATABASE, &content).map_err(failed)?;
    let mut out = archive.into_inner().and_then(GzEncoder::finish).map_err(failed)?;
    out.flush().and_then(|()| out.get_ref().sync_all()).map_err(failed)?;
    Ok(BackupSummary { files, sessions })
}

/// Returns a snapshot of the database, and logs that reach back to its last line.
fn consistent(state: &Path) -> Result<(Snapshot, Logs), BackupError> {
    for _ in 0..MAX_ATTEMPTS {
        let before = logs(state).map_err(|error| at(state, error))?;
        let snapshot = Snapshot::begin(&state.join(DATABASE))?;
        let after = logs(state).map_err(|error| at(state, error))?;
        if joins(&before, &after) {
            let mut all = before;
            all.extend(after);
            return Ok((snapshot, all));
        }
    }
    Err(BackupError::Moving)
}

/// True if no log file was both created and removed in between: the last file of each log is in both lists.
fn joins(before: &Logs, after: &Logs) -> bool {
    let folder = |name: &str| {
        name.rsplit_once('/')
            .map_or(String::new(), |(folder, _)| folder.to_owned())
    };
    let mut last: BTreeMap<String, &String> = BTreeMap::new();
    for name in before.keys() {
        last.insert(folder(name), name);
    }
    last.iter()
        .all(|(of, name)| after.contains_key(*name) || !after.keys().any(|other| folder(other) == *of))
}

/// Opens the files of all logs, so that they can be read even after they are removed.
fn logs(state: &Path) -> io::Result<Logs> {
    let mut found = Logs::new();
    for name in walk(state, "runners")? {
        if !name.contains("/log/") {
            continue;
        }
        match File::open(state.join(&name)) {
            Ok(file) => {
                found.insert(name, file);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// Returns the other files to back up: no locks, sockets, temporary files or state of the running process.
fn others(state: &Path) -> io::Result<Vec<String>> {
    let is_passing = |name: &str| {
        let file = name.rsplit('/').next().unwrap_or(name);
        file.starts_with("bridge.") || file.starts_with('.') || file == "lock" || file.ends_with(".new")
    };
    let mut names = walk(state, "")?;
    names.retain(|name| !is_passing(name) && !name.contains("/log/"));
    Ok(names)
}

/// Returns the regular files below a folder, by their path in the state folder.
fn walk(state: &Path, below: &str) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![below.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(state.join(&folder)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let name = if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            };
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(name);
            } else if kind.is_file() {
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Restores a backup to a new or empty state folder.
///
/// # Errors
/// See [`BackupError`]. Nothing is restored in this case.
pub fn restore(file: &Path, state: &Path) -> Result<BackupSummary, BackupError> {
    let archive = File::open(file).map_err(|error| at(file, error))?;
    let is_new = !state.exists();
    let held = StateFolder::take(state)?;
    let entries = fs::read_dir(state).map_err(|error| at(state, error))?;
    let others = entries.flatten().filter(|entry| entry.file_name() != "bridge.lock");
    if others.count() > 0 {
        return Err(BackupError::NotEmpty(state.to_owned()));
    }
    let draft = state.join(".restoring");
    let restored = unpack(archive, file, &draft).and_then(|summary| {
        move_in(&draft, state).map_err(|error| at(state, error))?;
        Ok(summary)
    });
    drop(held);
    if restored.is_err() {
        drop(fs::remove_dir_all(&draft));
        if is_new {
            drop(fs::remove_dir_all(state));
        }
    }
    restored
}

fn unpack(archive: File, file: &Path, draft: &Path) -> Result<BackupSummary, BackupError> {
    let mut manifest: Option<Manifest> = None;
    let mut files = 0;
    let read = archive::read(GzDecoder::new(BufReader::new(archive)), |path, content| {
        files += 1;
        if path == Path::new(MANIFEST) {
            let mut text = String::new();
            content.take(64 * 1024).read_to_string(&mut text)?;
            manifest = serde_json::from_str(&text).ok();
            return Ok(());
        }
        if manifest.as_ref().is_none_or(|manifest| manifest.format > FORMAT) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let target = draft.join(path);
        if let Some(folder) = target.parent() {
            private::create_folder(folder)?;
        }
        let mut options = OpenOptions::new();
        let mut out = options.write(true).create_new(true).mode(0o600).open(target)?;
        io::copy(content, &mut out)?;
        out.sync_all()
    });
    match (read, manifest) {
        (_, Some(Manifest { format, .. })) if format > FORMAT => Err(BackupError::Newer { found: format }),
        (Ok(()), Some(manifest)) if draft.join(DATABASE).is_file() => Ok(BackupSummary {
            files,
            sessions: manifest.sessions,
        }),
        (Err(error), Some(_)) => Err(at(file, error)),
        _ => Err(BackupError::NotABackup(file.to_owned())),
    }
}

/// Moves the unpacked files to their place; the database last, so that a partial restore is not mistaken for a state
/// folder.
fn move_in(draft: &Path, state: &Path) -> io::Result<()> {
    for entry in fs::read_dir(draft)? {
        let entry = entry?;
        if entry.file_name() != DATABASE {
            fs::rename(entry.path(), state.join(entry.file_name()))?;
        }
    }
    fs::rename(draft.join(DATABASE), state.join(DATABASE))?;
    fs::remove_dir(draft)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn remove(path: &Path) {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(path = %path.display(), %error, "a draft could not be removed");
        }
        _ => {}
    }
}

fn at(path: &Path, error: io::Error) -> BackupError {
    BackupError::Io {
        path: path.to_owned(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(names: &[&str]) -> Logs {
        let file = || File::open("/dev/null").unwrap();
        names.iter().map(|name| ((*name).to_owned(), file())).collect()
    }

    #[test]
    fn logs_that_were_trimmed_join_as_long_as_a_file_is_in_both() {
        assert!(joins(
            &log(&["runners/a/log/1", "runners/a/log/5"]),
            &log(&["runners/a/log/5", "runners/a/log/9"])
        ));
        assert!(!joins(&log(&["runners/a/log/1"]), &log(&["runners/a/log/9"])));
        assert!(
            joins(&log(&["runners/a/log/1"]), &log(&["runners/b/log/1"])),
            "a session was deleted"
        );
        assert!(joins(&log(&[]), &log(&["runners/b/log/1"])), "a session was started");
    }

    #[test]
    fn only_backups_are_restored_and_only_to_an_empty_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (file, state) = (folder.path().join("file"), folder.path().join("state"));
        fs::write(&file, "no archive").unwrap();
        assert!(matches!(restore(&file, &state), Err(BackupError::NotABackup(_))));
        assert!(!state.exists(), "nothing is left");
        fs::create_dir(&state).unwrap();
        fs::write(state.join("bridge.db"), "").unwrap();
        fs::write(state.join("bridge.lock"), "").unwrap();
        assert!(matches!(restore(&file, &state), Err(BackupError::NotEmpty(_))));
        assert!(matches!(
            backup(&folder.path().join("none"), &file),
            Err(BackupError::NoState(_))
        ));
        assert!(matches!(backup(&state, &file), Err(BackupError::Exists(_))));
    }
}
