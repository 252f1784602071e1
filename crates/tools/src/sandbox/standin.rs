//! Stand-ins for protected names that do not exist.
//!
//! A mount needs a mount point, which in a folder of the host must be an entry of the host. So an empty directory is
//! created while commands run, and removed after the last of them. It is always a directory, because `rmdir` can never
//! delete data. While in use it is locked, so that two sessions in one project do not remove it from each other. The
//! lock of a crashed session disappears with it, and the next session takes the stand-in over.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

/// Unusual mode that identifies a stand-in left behind.
const MODE: u32 = 0o555;
/// Number of checks whether the last process of a sandbox has ended; a pause is between checks.
const MAX_CHECKS: usize = 400;
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Stand-ins of one command; dropped when it has ended.
#[derive(Debug, Default)]
pub(super) struct Standins {
    held: Vec<(PathBuf, File)>,
}

impl Standins {
    /// Creates the stand-ins.
    pub(super) fn make(paths: &BTreeSet<PathBuf>) -> io::Result<Self> {
        let mut standins = Self::default();
        for path in paths {
            match hold(path) {
                Ok(file) => standins.held.push((path.clone(), file)),
                // a command cannot create anything there either
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                    ) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(standins)
    }

    /// Returns their paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.held.iter().map(|(path, _)| path)
    }
}

impl Drop for Standins {
    fn drop(&mut self) {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return;
        }
        if !mounted_elsewhere(&held) {
            return remove(held);
        }
        // the kernel is still ending the processes inside
        std::thread::spawn(move || {
            for _ in 0..MAX_CHECKS {
                std::thread::sleep(CHECK_INTERVAL);
                if !mounted_elsewhere(&held) {
                    return remove(held);
                }
            }
        });
    }
}

/// True if an existing path is a stand-in.
pub(super) fn is_standin(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|found| found.is_dir() && found.mode() & 0o222 == 0)
        && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

fn hold(path: &Path) -> io::Result<File> {
    for _ in 0..100 {
        match DirBuilder::new().mode(MODE).create(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file?,
        };
        flock(&file, FlockOperation::LockShared)?;
        // it may have been removed between opening and locking
        if path.symlink_metadata().is_ok_and(|found| {
            file.metadata()
                .is_ok_and(|held| held.ino() == found.ino() && held.dev() == found.dev())
        }) {
            return Ok(file);
        }
    }
    Err(io::Error::other(format!("{} does not stay in place", path.display())))
}

fn remove(held: Vec<(PathBuf, File)>) {
    for (path, file) in held {
        // another user of the stand-in will remove it
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() && is_standin(&path) {
            fs::remove_dir(&path).ok();
        }
    }
}

/// True if a process in another mount namespace still has one of them mounted. Removing a mount point also removes the
/// mount, which would give a dying process access.
fn mounted_elsewhere(held: &[(PathBuf, File)]) -> bool {
    let Ok(own) = fs::read_link("/proc/self/ns/mnt") else {
        return false;
    };
    let Ok(entries) = fs::read_dir("/proc") else {
        return false;
    };
    let wanted: Vec<String> = held.iter().map(|(path, _)| escaped(path)).collect();
    let mut seen = BTreeSet::new();
    entries.flatten().any(|entry| {
        let Ok(namespace) = fs::read_link(entry.path().join("ns/mnt")) else {
            return false;
        };
        if namespace == own || !seen.insert(namespace) {
            return false;
        }
        let mounts = fs::read_to_string(entry.path().join("mountinfo")).unwrap_or_default();
        mounts
            .lines()
            .filter_map(|line| line.split(' ').nth(4))
            .any(|mounted| wanted.iter().any(|wanted| wanted == mounted))
    })
}

/// Escapes a path as in `mountinfo`.
fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for character in path.to_string_lossy().chars() {
        match character {
            ' ' => text.push_str("\\040"),
            '\t' => text.push_str("\\011"),
            '\n' => text.push_str("\\012"),
            '\\' => text.push_str("\\134"),
            _ => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn stand_ins_stay_until_the_last_user_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".claude");
        let paths = BTreeSet::from([path.clone()]);
        let one = Standins::make(&paths).unwrap();
        let two = Standins::make(&paths).unwrap();
        assert!(is_standin(&path));
        drop(one);
        assert!(is_standin(&path));
        drop(two);
        assert!(!path.exists());
    }

    #[test]
    fn files_created_in_place_of_stand_ins_stay() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".claude");
        let standins = Standins::make(&BTreeSet::from([path.clone()])).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(path.join("settings.json"), "{}").unwrap();
        drop(standins);
        assert!(path.join("settings.json").exists());
    }

    #[test]
    fn a_stale_stand_in_is_taken_over_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".mcp.json");
        DirBuilder::new().mode(MODE).create(&path).unwrap();
        assert!(is_standin(&path));
        drop(Standins::make(&BTreeSet::from([path.clone()])).unwrap());
        assert!(!path.exists());
    }
}
