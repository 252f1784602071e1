//! The checkpoints of a session: the copies that belong to each prompt.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

pub use sluice_transcript::file_history::Backup;
use sluice_transcript::file_history::{Snapshot, line};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::copies::{Copies, Followed};

/// All snapshots of a session.
#[derive(Debug, Clone)]
pub struct Shelf {
    pub copies: Copies,
    cwd: PathBuf,
    pub snapshots: Vec<Snapshot>,
    /// Locked while files are copied or restored: one operation at a time, in the order of the requests.
    pub order: Arc<Mutex<()>>,
}

impl Shelf {
    pub fn new(dir: PathBuf, cwd: PathBuf) -> Self {
        Self {
            copies: Copies::new(dir),
            cwd,
            snapshots: Vec::new(),
            order: Arc::default(),
        }
    }

    /// Continues with the snapshots of an earlier session, whose copies are in the folder `there`.
    pub fn take_up(&mut self, snapshots: Vec<Snapshot>, there: &Path) {
        if !snapshots.is_empty() {
            let files = snapshots.iter().flat_map(|snapshot| snapshot.files.values());
            self.copies
                .share(files.filter_map(|backup| backup.copy.as_ref()), there);
        }
        self.snapshots = snapshots;
    }

    /// Returns the tracked files, which are copied again if they have changed.
    pub fn followed(&self, cancel: &CancellationToken) -> Followed {
        Followed {
            cancel: cancel.clone(),
            copies: self.copies.clone(),
            cwd: self.cwd.clone(),
            files: self.snapshots.last().map(|last| last.files.clone()).unwrap_or_default(),
        }
    }

    /// Adds the snapshot of a new prompt. Returns the line for the transcript.
    pub fn begin(&mut self, message: &str, now: &str, files: BTreeMap<String, Backup>) -> Value {
        let snapshot = Snapshot {
            message: message.to_owned(),
            time: now.to_owned(),
            files,
        };
        let snapshot_line = line(&snapshot, message, false);
        self.snapshots.push(snapshot);
        snapshot_line
    }

    /// Whether a file must be copied before a call changes it, because it is not tracked yet.
    pub fn misses(&self, path: &Path) -> bool {
        let name = self.name(path);
        let last = self.snapshots.last();
        last.is_some_and(|last| !last.files.contains_key(&name))
    }

    /// Adds the copy of a file that a call is about to change. Returns the line for the transcript.
    pub fn add(&mut self, path: &Path, backup: Backup) -> Option<Value> {
        let name = self.name(path);
        let last = self.snapshots.last_mut()?;
        last.files.insert(name, backup);
        Some(line(last, &last.message, true))
    }

    /// Returns the name of a file in snapshots. Paths below the working folder are relative to it.
    fn name(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.cwd).unwrap_or(path);
        path.to_string_lossy().into_owned()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.cwd.join(name)
    }
}
