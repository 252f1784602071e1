//! The checkpoints of a session: which copies belong to which prompt.

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
    /// Held while files are copied or put back: one operation at a time, in the order of the requests.
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

    /// Continues with the snapshots of an earlier session, whose copies lie in `there`.
    pub fn take_up(&mut self, snapshots: Vec<Snapshot>, there: &Path) {
        if !snapshots.is_empty() {
            let files = snapshots.iter().flat_map(|snapshot| snapshot.files.values());
            self.copies
                .share(files.filter_map(|backup| backup.copy.as_ref()), there);
        }
        self.snapshots = snapshots;
    }

    /// The files with checkpoints, to be copied again if they have changed.
    pub fn followed(&self, cancel: &CancellationToken) -> Followed {
        Followed {
            cancel: cancel.clone(),
            copies: self.copies.clone(),
            cwd: self.cwd.clone(),
            files: self.snapshots.last().map(|last| last.files.clone()).unwrap_or_default(),
        }
    }

    /// A prompt begins, with the files as they are now. Gives the line for the transcript.
    pub fn begin(&mut self, message: &str, now: &str, files: BTreeMap<String, Backup>) -> Value {
        let snapshot = Snapshot {
            message: message.to_owned(),
            time: now.to_owned(),
            files,
        };
        let told = line(&snapshot, message, false);
        self.snapshots.push(snapshot);
        told
    }

    /// Whether a file has to be kept before a call changes it: it is not followed already.
    pub fn misses(&self, path: &Path) -> bool {
        let name = self.name(path);
        let last = self.snapshots.last();
        last.is_some_and(|last| !last.files.contains_key(&name))
    }

    /// A file was kept before a call changes it. Gives the line for the transcript.
    pub fn add(&mut self, path: &Path, backup: Backup) -> Option<Value> {
        let name = self.name(path);
        let last = self.snapshots.last_mut()?;
        last.files.insert(name, backup);
        Some(line(last, &last.message, true))
    }

    /// Paths below the working folder are relative to it.
    fn name(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.cwd).unwrap_or(path);
        path.to_string_lossy().into_owned()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.cwd.join(name)
    }
}
