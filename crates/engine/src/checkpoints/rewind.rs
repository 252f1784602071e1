//! What it takes to put files back, and doing it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use similar::{ChangeTag, TextDiff};

use super::shelf::{Backup, Shelf};

/// What differs from how it was.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    changes: Vec<Change>,
    links: u64,
}

#[derive(Debug)]
struct Change {
    path: PathBuf,
    /// What it was; none: it was not there.
    copy: Option<PathBuf>,
}

impl Shelf {
    /// What it takes to put the files back as they stood before this prompt; none if nobody knows how they stood.
    pub(super) fn plan(&self, message: &str) -> Option<Plan> {
        let at = self.snapshots.iter().position(|snapshot| snapshot.message == message)?;
        let mut wanted: BTreeMap<&String, &Backup> = BTreeMap::new();
        // A file that was followed only later had not been touched before.
        for snapshot in self.snapshots.iter().skip(at) {
            for (name, backup) in &snapshot.files {
                wanted.entry(name).or_insert(backup);
            }
        }
        let mut plan = Plan::default();
        for (name, backup) in wanted {
            let path = self.path(name);
            if leads_elsewhere(&path, backup) {
                plan.links += 1;
            } else if !self.is_as(&path, backup) {
                plan.changes.push(Change {
                    copy: backup.copy.as_deref().map(|copy| self.copy(copy)),
                    path,
                });
            }
        }
        Some(plan)
    }
}

/// Whether writing there would write somewhere else than it did.
fn leads_elsewhere(path: &Path, backup: &Backup) -> bool {
    let is_link = fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink());
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let moved = matches!((&folder, &backup.folder), (Some(now), Some(then)) if now != then);
    is_link || moved
}

impl Plan {
    /// The files it changes.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.changes.iter().map(|change| change.path.as_path())
    }

    /// Files that are left as they are, since they lead elsewhere.
    pub(super) fn links(&self) -> u64 {
        self.links
    }

    /// How many lines come back and how many go.
    pub(super) fn lines(&self) -> (u64, u64) {
        let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
        let mut counted = (0, 0);
        for change in &self.changes {
            let (now, then) = (text(&change.path), change.copy.as_deref().map(text).unwrap_or_default());
            for line in TextDiff::from_lines(&now, &then).iter_all_changes() {
                match line.tag() {
                    ChangeTag::Insert => counted.0 += 1,
                    ChangeTag::Delete => counted.1 += 1,
                    ChangeTag::Equal => {}
                }
            }
        }
        counted
    }

    /// Puts them back.
    pub(super) fn carry_out(&self) -> Result<(), (PathBuf, io::Error)> {
        for change in &self.changes {
            put_back(change).map_err(|error| (change.path.clone(), error))?;
        }
        Ok(())
    }
}

fn put_back(change: &Change) -> io::Result<()> {
    let Some(copy) = &change.copy else {
        return match fs::remove_file(&change.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    };
    if let Some(folder) = change.path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(copy, &change.path).map(|_| ())
}
