//! `rewind_files`: which files have to change, and changing them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use crate::shelf::{Backup, Shelf};

/// After this the lines of a file are counted more coarsely.
const PATIENCE: Duration = Duration::from_secs(1);

/// What differs from how it was.
#[derive(Debug, Default)]
pub struct Plan {
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
    /// Whether it is known how files stood before this prompt.
    pub fn knows(&self, message: &str) -> bool {
        self.snapshots.iter().any(|snapshot| snapshot.message == message)
    }

    /// The changes that put the files back as they were before this prompt; `None` if there is no checkpoint.
    pub fn plan(&self, message: &str) -> Option<Plan> {
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

/// Whether writing there would write somewhere else than it did. A folder that is gone counts as lying where it would be
/// made again: one further up may have become a link meanwhile.
fn leads_elsewhere(path: &Path, backup: &Backup) -> bool {
    let is_link = fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink());
    let folder = path.parent().map(sluice_tools::settled);
    let moved = matches!((&folder, &backup.folder), (Some(now), Some(then)) if now != then);
    is_link || moved
}

impl Plan {
    /// The files it changes.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.changes.iter().map(|change| change.path.as_path())
    }

    /// Files that are left as they are, since they lead elsewhere.
    pub fn links(&self) -> u64 {
        self.links
    }

    /// How many lines come back and how many go.
    pub fn lines(&self) -> (u64, u64) {
        let is_file = |path: &Path| fs::metadata(path).is_ok_and(|meta| meta.is_file());
        let bytes = |path: &Path| is_file(path).then(|| fs::read(path).unwrap_or_default());
        let text = |path: &Path| String::from_utf8_lossy(&bytes(path).unwrap_or_default()).into_owned();
        let mut counted = (0, 0);
        for change in &self.changes {
            let (now, then) = (text(&change.path), change.copy.as_deref().map(text).unwrap_or_default());
            let now: Vec<&str> = now.split_inclusive('\n').collect();
            let then: Vec<&str> = then.split_inclusive('\n').collect();
            let deadline = Instant::now() + PATIENCE;
            for change in capture_diff_slices_deadline(Algorithm::Myers, &now, &then, Some(deadline)) {
                if !matches!(change, DiffOp::Equal { .. }) {
                    counted.0 += change.new_range().len() as u64;
                    counted.1 += change.old_range().len() as u64;
                }
            }
        }
        counted
    }

    /// Puts them back.
    pub fn carry_out(&self) -> Result<(), (PathBuf, io::Error)> {
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
    // A file of its own takes the place of what is there: nothing is written through a link, a hard one either.
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
        /// A prompt begins.
        fn prompt(&mut self, message: &str) {
            let (files, _) = self.followed(&CancellationToken::new()).renew("t");
            self.begin(message, "t", files);
        }

        /// A call is about to change a file.
        fn track(&mut self, path: &Path) -> io::Result<()> {
            let backup = self.copies.keep((path, path), 1, "t", &CancellationToken::new())?;
            self.add(path, backup);
            Ok(())
        }
    }

    /// A shelf that has seen `a/f` with the content `old`, in a folder of its own.
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
    fn a_folder_that_became_a_link_is_not_followed() {
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
    fn a_hard_link_is_not_written_through() {
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
            "nothing is left over"
        );
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let (_dir, work, mut shelf) = shelf();
        let pipe = work.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert!(shelf.track(&pipe).is_err());
        // One that takes the place of an empty file that is followed is told from it without being read.
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
