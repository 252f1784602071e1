//! The copies of files, and which of them belong to which prompt.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::record;

/// A file as it was once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Backup {
    /// The name of the copy; none: there was no such file.
    pub(super) copy: Option<String>,
    pub(super) version: u64,
    pub(super) time: String,
    /// Where its folder really was.
    pub(super) folder: Option<PathBuf>,
}

/// How the files that are followed stood before a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Snapshot {
    pub(super) message: String,
    pub(super) time: String,
    /// By path, relative to the working folder where it is below it.
    pub(super) files: BTreeMap<String, Backup>,
}

/// All snapshots of a session.
#[derive(Debug)]
pub(crate) struct Shelf {
    dir: PathBuf,
    cwd: PathBuf,
    pub(super) snapshots: Vec<Snapshot>,
}

impl Shelf {
    pub(super) fn new(dir: PathBuf, cwd: PathBuf) -> Self {
        Self {
            dir,
            cwd,
            snapshots: Vec::new(),
        }
    }

    /// Goes on with the snapshots of an earlier session, whose copies lie in `there`.
    pub(super) fn take_up(&mut self, snapshots: Vec<Snapshot>, there: &Path) {
        if there != self.dir && !snapshots.is_empty() && make_folder(&self.dir).is_ok() {
            let files = snapshots.iter().flat_map(|snapshot| snapshot.files.values());
            for copy in files.filter_map(|backup| backup.copy.as_ref()) {
                let (from, to) = (there.join(copy), self.dir.join(copy));
                if to.exists() {
                    continue;
                }
                // A copy is never written to again, so that two sessions may share it.
                let _shared = fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(|_| ()));
            }
        }
        self.snapshots = snapshots;
    }

    /// A prompt begins: every file that has changed is kept anew. Gives the line for the transcript, and what went
    /// wrong first, if anything did.
    pub(super) fn begin(&mut self, message: &str, now: &str) -> (Value, Option<(PathBuf, io::Error)>) {
        let mut snapshot = Snapshot {
            message: message.to_owned(),
            time: now.to_owned(),
            files: self.snapshots.last().map(|last| last.files.clone()).unwrap_or_default(),
        };
        let mut problem = None;
        for (name, backup) in &mut snapshot.files {
            let path = self.cwd.join(name);
            if self.is_as(&path, backup) {
                continue;
            }
            match self.keep(&path, backup.version + 1, now) {
                Ok(newer) => *backup = newer,
                Err(error) => problem = problem.or(Some((path, error))),
            }
        }
        let line = record::line(&snapshot, message, false);
        self.snapshots.push(snapshot);
        (line, problem)
    }

    /// A call is about to change this file: unless it is followed already, it is kept. Gives the line for the
    /// transcript.
    pub(super) fn track(&mut self, path: &Path, now: &str) -> io::Result<Option<Value>> {
        let name = self.name(path);
        match self.snapshots.last() {
            Some(last) if !last.files.contains_key(&name) => {}
            _ => return Ok(None),
        }
        let backup = self.keep(path, 1, now)?;
        Ok(self.snapshots.last_mut().map(|last| {
            last.files.insert(name, backup);
            record::line(last, &last.message, true)
        }))
    }

    /// Paths below the working folder are told without it.
    fn name(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.cwd).unwrap_or(path);
        path.to_string_lossy().into_owned()
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.cwd.join(name)
    }

    pub(super) fn copy(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    fn keep(&self, path: &Path, version: u64, now: &str) -> io::Result<Backup> {
        let copy = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
            // A pipe would keep us waiting, a device never end.
            Ok(_) if !fs::metadata(path).is_ok_and(|meta| meta.is_file()) => {
                return Err(io::Error::other("it is no file"));
            }
            Ok(_) => {
                let name = format!("{:016x}@v{version}", hash(&path.to_string_lossy()));
                make_folder(&self.dir)?;
                let copy = self.dir.join(&name);
                // What stands there may be shared with another session: it is left, not written to.
                let _none = fs::remove_file(&copy);
                fs::copy(path, copy)?;
                Some(name)
            }
        };
        Ok(Backup {
            copy,
            version,
            time: now.to_owned(),
            folder: path.parent().and_then(|folder| folder.canonicalize().ok()),
        })
    }

    /// Whether a file still is as it was kept.
    pub(super) fn is_as(&self, path: &Path, backup: &Backup) -> bool {
        match &backup.copy {
            None => fs::symlink_metadata(path).is_err(),
            Some(copy) => same(path, &self.dir.join(copy)),
        }
    }
}

fn same(one: &Path, other: &Path) -> bool {
    let length = |path: &Path| {
        fs::metadata(path)
            .ok()
            .filter(fs::Metadata::is_file)
            .map(|meta| meta.len())
    };
    match (length(one), length(other)) {
        (Some(a), Some(b)) if a == b => {
            matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
        }
        _ => false,
    }
}

fn make_folder(dir: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Tells paths apart; it keeps no secret (FNV-1a).
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
