//! `rewind_files`: determines the files to change, and restores them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use crate::shelf::{Backup, Shelf};

/// Time limit for the exact diff of a file. After that the line counts are approximate.
const DIFF_TIME_LIMIT: Duration = Duration::from_secs(1);

/// The changes that restore files.
#[derive(Debug, Default)]
pub struct Plan {
    changes: Vec<Change>,
    links: u64,
}

#[derive(Debug)]
struct Change {
    path: PathBuf,
    /// The copy to restore; `None` if the file did not exist.
    copy: Option<PathBuf>,
}

impl Shelf {
    /// Whether there is a checkpoint for this prompt.
    pub fn knows(&self, message: &str) -> bool {
        self.snapshots.iter().any(|snapshot| snapshot.message == message)
    }

    /// Returns the changes that restore the files to their state before this prompt; `None` if there is no checkpoint.
    pub fn plan(&self, message: &str) -> Option<Plan> {
        let at = self.snapshots.iter().position(|snapshot| snapshot.message == message)?;
        let mut targets: BTreeMap<&String, &Backup> = BTreeMap::new();
        // A file that was tracked only later was not changed before.
        for snapshot in self.snapshots.iter().skip(at) {
            for (name, backup) in &snapshot.files {
                targets.entry(name).or_insert(backup);
            }
        }
        let mut plan = Plan::default();
        for (name, backup) in targets {
            let path = self.path(name);
            if leads_elsewhere(&path, backup) {
                plan.links += 1;
            } else if !self.copies.is_as(&path, backup) {
                plan.changes.push(Change {
                    copy: backup.copy.as_deref().map(|copy| self.copies.place(copy)),
                    path,
                });
            }
        }
        Some(plan)
    }
}

/// Whether the path leads to another location now. For a deleted folder, the location where it would be created again
/// counts, because a parent folder may have been replaced with a link.
fn leads_elsewhere(path: &Path, backup: &Backup) -> bool {
    let is_link = fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink());
    let folder = path.parent().map(sluice_tools::settled);
    let moved = matches!((&folder, &backup.folder), (Some(now), Some(then)) if now != then);
    is_link || moved
}

impl Plan {
    /// Iterates over the files to change.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.changes.iter().map(|change| change.path.as_path())
    }

    /// Returns the number of files that are skipped because their paths lead to another location.
    pub fn links(&self) -> u64 {
        self.links
    }

    /// Returns the number of added and removed lines.
    pub fn lines(&self) -> (u64, u64) {
        let is_file = |path: &Path| fs::metadata(path).is_ok_and(|meta| meta.is_file());
        let bytes = |path: &Path| is_file(path).then(|| fs::read(path).unwrap_or_default());
        let text = |path: &Path| String::from_utf8_lossy(&bytes(path).unwrap_or_default()).into_owned();
        let mut counted = (0, 0);
        for change in &self.changes {
            let (now, then) = (text(&change.path), change.copy.as_deref().map(text).unwrap_or_default());
            let now: Vec<&str> = now.split_inclusive('\n').collect();
            let then: Vec<&str> = then.split_inclusive('\n').collect();
            let deadline = Instant::now() + DIFF_TIME_LIMIT;
            for change in capture_diff_slices_deadline(Algorithm::Myers, &now, &then, Some(deadline)) {
                if !matches!(change, DiffOp::Equal { .. }) {
                    counted.0 += change.new_range().len() as u64;
                    counted.1 += change.old_range().len() as u64;
                }
            }
        }
        counted
    }

    /// Restores the files.
    pub fn carry_out(&self) -> Result<(), (PathBuf, io::Error)> {
        for change in &self.changes {
            restore(change).map_err(|error| (change.path.clone(), error))?;
        }
        Ok(())
    }
}

fn restore(change: &Change) -> io::Result<()> {
    let Some(copy) = &change.copy else {
        return match fs::remove_file(&change.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    };
    if let Some(folder) = change.path.parent() {
        fs::create_dir_all(folder)?;
    }
    // A new file replaces the existing one, so that nothing is written through a symbolic or hard link.
    let name = format!(".{}.sluice", uuid::Uuid::new_v4().simple());
    let fresh = change.path.with_file_name(name);
    let placed = fs::copy(copy, &fresh).and_then(|_| fs::rename(&fresh, &change.path));
    if placed.is_err() {
        let _none = fs::remove_file(&fresh);
    }
    placed
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::symlink;

    use tokio_util::sync::CancellationToken;

    use super::*;

    impl Shelf {
        /// Starts a prompt.
        fn prompt(&mut self, message: &str) {
            let (files, _) = self.followed(&CancellationToken::new()).renew("t");
            self.begin(message, "t", files);
        }

        /// Copies a file before a call changes it.
        fn track(&mut self, path: &Path) -> io::Result<()> {
            let backup = self.copies.keep((path, path), 1, "t", &CancellationToken::new())?;
            self.add(path, backup);
            Ok(())
        }
    }

    /// Returns checkpoints with a copy of `a/b/f` with the content `old`.
    fn shelf() -> (tempfile::TempDir, PathBuf, Shelf) {
        let dir = tempfile::tempdir().unwrap();
        let work = dir.path().canonicalize().unwrap().join("work");
        fs::create_dir_all(work.join("a/b")).unwrap();
        fs::write(work.join("a/b/f"), "old").unwrap();
        let mut shelf = Shelf::new(dir.path().join("shelf"), work.clone());
        shelf.prompt("u1");
        shelf.track(&work.join("a/b/f")).unwrap();
        (dir, work, shelf)
    }

    #[test]
    fn a_folder_replaced_with_a_link_is_not_followed() {
        let (dir, work, shelf) = shelf();
        let outside = dir.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::remove_dir_all(work.join("a")).unwrap();
        symlink(&outside, work.join("a")).unwrap();
        let plan = shelf.plan("u1").unwrap();
        plan.carry_out().unwrap();
        assert_eq!(plan.links(), 1);
        assert!(!outside.join("b").exists());
    }

    #[test]
    fn hard_links_are_not_written_through() {
        let (dir, work, shelf) = shelf();
        let other = dir.path().join("other");
        fs::write(&other, "theirs").unwrap();
        fs::remove_file(work.join("a/b/f")).unwrap();
        fs::hard_link(&other, work.join("a/b/f")).unwrap();
        shelf.plan("u1").unwrap().carry_out().unwrap();
        assert_eq!(fs::read_to_string(work.join("a/b/f")).unwrap(), "old");
        assert_eq!(fs::read_to_string(&other).unwrap(), "theirs");
        assert_eq!(
            fs::read_dir(work.join("a/b")).unwrap().count(),
            1,
            "no temporary file is left"
        );
    }

    #[test]
    fn a_pipe_does_not_block() {
        let (_dir, work, mut shelf) = shelf();
        let pipe = work.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert!(shelf.track(&pipe).is_err());
        // A pipe that replaces a tracked empty file is detected without reading it.
        fs::write(work.join("empty"), "").unwrap();
        shelf.track(&work.join("empty")).unwrap();
        fs::rename(&pipe, work.join("empty")).unwrap();
        shelf.prompt("u2");
        let plan = shelf.plan("u1").unwrap();
        assert_eq!(plan.lines(), (0, 0));
        plan.carry_out().unwrap();
        assert!(work.join("empty").is_file());
    }
}
