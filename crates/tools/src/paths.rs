//! Paths without touching the disk, and the few questions that do.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::OFlags;

/// `path` against `cwd`, with `.` and `..` folded by name.
pub(crate) fn absolute(path: &Path, cwd: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in cwd.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    out.push(part);
                }
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

/// Whether `path`, which must be resolved, lies in one of `roots`.
pub(crate) fn inside<'a>(path: &Path, roots: impl IntoIterator<Item = &'a Path>) -> bool {
    roots
        .into_iter()
        .any(|root| path.starts_with(root) || std::fs::canonicalize(root).is_ok_and(|root| path.starts_with(root)))
}

/// A path that leads elsewhere than it did when the call was decided about.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} leads to {} now and not where it led when this call was allowed; a link on the way has been changed. Nothing was done",
    path.display(),
    now.display()
)]
pub(crate) struct Moved {
    path: PathBuf,
    now: PathBuf,
}

impl Moved {
    pub(crate) fn new(path: &Path, now: &Path) -> Self {
        Self {
            path: path.to_owned(),
            now: now.to_owned(),
        }
    }
}

impl From<Moved> for io::Error {
    fn from(moved: Moved) -> Self {
        Self::other(moved)
    }
}

/// Opens a file for reading, without ever waiting for a writer, and makes sure that it is the one that was decided
/// about: what counts is the open file, since the path may lead elsewhere from one moment to the next.
pub(crate) fn open_checked(path: &Path, expected: Option<&Path>) -> io::Result<File> {
    #[allow(clippy::cast_possible_wrap)]
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if let Some(expected) = expected {
        confirm(&file, path, expected)?;
    }
    Ok(file)
}

fn confirm(file: &File, path: &Path, expected: &Path) -> io::Result<()> {
    let now = match std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) {
        Ok(now) => now,
        // without /proc the file is known by its number
        Err(_) => {
            let (opened, meant) = (file.metadata()?, expected.symlink_metadata()?);
            if (opened.dev(), opened.ino()) == (meant.dev(), meant.ino()) {
                return Ok(());
            }
            path.canonicalize()?
        }
    };
    if now == expected {
        Ok(())
    } else {
        Err(Moved::new(path, &now).into())
    }
}

/// Where `path` leads: its links followed as far as there is something, the rest by name.
pub(crate) fn settled(path: &Path) -> PathBuf {
    let mut existing = path;
    loop {
        if let Ok(real) = existing.canonicalize() {
            // joining nothing would add a slash
            return match path.strip_prefix(existing) {
                Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                _ => real,
            };
        }
        match existing.parent() {
            Some(parent) => existing = parent,
            None => return path.to_owned(),
        }
    }
}
