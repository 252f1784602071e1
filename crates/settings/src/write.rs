//! Writes settings files atomically: no reader sees a partial file, and no writer loses the change of another.
//!
//! The new text is written to a temporary file, synced, and renamed over the file. Writers of this program are
//! serialised by a lock on the folder, which needs no lock file. A concurrent change by another program is detected by
//! comparing the text before the rename; then the edit is repeated on the new content.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Mode, OFlags};
use serde::Serialize as _;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value};
use sluice_permission::{FileChange, Source};

use super::Places;
use super::document::{DuplicateKeys, MAX_FILE_BYTES, object, without_bom};
use super::permission_edit::{self, WrongType};

/// Maximum number of attempts if another program changes the file concurrently.
const MAX_ATTEMPTS: usize = 16;
/// How long to wait for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(2);
/// Part of the names of temporary files.
const TEMPORARY_FILE_MARKER: &str = ".sluice-";

/// Why a settings file was not written. The file is unchanged then.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The scope has no file that can be written.
    #[error("{} has no file to write to; choose the user, project or local settings", .0.as_str())]
    NoFile(Source),
    /// The existing file cannot be parsed, so an edit would lose its content.
    #[error("{}:{line}:{column}: {what}; nothing was written", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The character in the line, counted from 1.
        column: usize,
        /// The description of the error and how to fix it.
        what: String,
    },
    /// The setting to edit has another type.
    #[error("{}: `{key}` has the wrong type; correct it. Nothing was written", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
    /// The file is a link that the project may have planted.
    #[error("{} is a link; settings of a project are not written through links; replace it with the file it points to", .0.display())]
    Link(PathBuf),
    /// Another writer holds the lock for too long.
    #[error("{} is being written by another process; try again", .0.display())]
    Busy(PathBuf),
    /// The path is not UTF-8 text.
    #[error("{} is not UTF-8 text; rename the folder", .0.display())]
    NotText(PathBuf),
    /// An I/O operation failed.
    #[error("{}: {error}; nothing was written", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The I/O error.
        #[source]
        error: io::Error,
    },
}

impl WriteError {
    pub(super) fn io(path: &Path, error: impl Into<io::Error>) -> Self {
        Self::Io {
            path: path.to_owned(),
            error: error.into(),
        }
    }
}

/// Writes a change of permission rules to the file of its scope. Returns the path of the file.
///
/// # Errors
/// If the file cannot be parsed, read or written, or the path contains a link in the project.
pub fn write(places: &Places, change: &FileChange) -> Result<PathBuf, WriteError> {
    let target = Target::of(places, change.destination)?;
    edit_file(&target, &mut |document| {
        permission_edit::apply(document, &change.edit).map_err(|WrongType(key)| WriteError::Shape {
            path: target.path.clone(),
            key,
        })
    })?;
    Ok(target.path)
}

/// Merges `changes` into the file of a scope: objects key by key, other values are replaced, `null` removes a key.
///
/// # Errors
/// The same as for [`write()`].
pub fn update(places: &Places, source: Source, changes: &Map<String, Value>) -> Result<PathBuf, WriteError> {
    let target = Target::of(places, source)?;
    edit_file(&target, &mut |document| {
        merge_changes(document, changes);
        Ok(())
    })?;
    Ok(target.path)
}

fn merge_changes(document: &mut Map<String, Value>, changes: &Map<String, Value>) {
    for (key, change) in changes {
        match (document.get_mut(key), change) {
            (_, Value::Null) => {
                document.shift_remove(key);
            }
            (Some(Value::Object(have)), Value::Object(more)) => merge_changes(have, more),
            (_, Value::Object(more)) => {
                let mut created = Map::new();
                merge_changes(&mut created, more);
                document.insert(key.clone(), created.into());
            }
            (_, change) => {
                document.insert(key.clone(), change.clone());
            }
        }
    }
}

/// A file to write. Its folder is held open, so that a link created meanwhile cannot change the location.
#[derive(Debug)]
pub(super) struct Target {
    folder: File,
    name: OsString,
    path: PathBuf,
    /// The mode of a new file.
    mode: Mode,
}

impl Target {
    fn of(places: &Places, source: Source) -> Result<Self, WriteError> {
        match (source, places.file(source)) {
            (Source::User, Some(path)) => Self::following_links(&path),
            (Source::Project | Source::Local, Some(path)) => Self::inside(&places.cwd, &path),
            _ => Err(WriteError::NoFile(source)),
        }
    }

    /// Opens a file of the user. Links are followed and preserved.
    pub(super) fn following_links(path: &Path) -> Result<Self, WriteError> {
        let resolved = match path.canonicalize() {
            Ok(resolved) => resolved,
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(WriteError::io(path, error)),
            Err(error) if path.symlink_metadata().is_ok() => return Err(WriteError::io(path, error)),
            Err(_) => path.to_owned(),
        };
        let (Some(folder), Some(name)) = (resolved.parent(), resolved.file_name()) else {
            return Err(WriteError::io(path, io::ErrorKind::InvalidFilename));
        };
        let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        created.map_err(|error| WriteError::io(folder, error))?;
        Ok(Self {
            folder: File::open(folder).map_err(|error| WriteError::io(folder, error))?,
            name: name.to_owned(),
            path: path.to_owned(),
            mode: Mode::RUSR | Mode::WUSR,
        })
    }

    /// Opens a file of a project. No link below the project folder is followed.
    fn inside(root: &Path, path: &Path) -> Result<Self, WriteError> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(WriteError::io(path, io::ErrorKind::InvalidFilename));
        };
        let within = folder.file_name().unwrap_or(OsStr::new("."));
        let root = File::open(root).map_err(|error| WriteError::io(root, error))?;
        match rustix::fs::mkdirat(&root, within, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(WriteError::io(folder, error)),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(&root, within, flags, Mode::empty());
        let opened = opened.map_err(|error| {
            let is_link = folder.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
            if is_link {
                WriteError::Link(folder.to_owned())
            } else {
                WriteError::io(folder, error)
            }
        })?;
        Ok(Self {
            folder: File::from(opened),
            name: name.to_owned(),
            path: path.to_owned(),
            mode: Mode::from_raw_mode(0o666),
        })
    }

    fn failed(&self, error: impl Into<io::Error>) -> WriteError {
        WriteError::io(&self.path, error)
    }

    /// Waits for the lock. If the file system has no locks, only the comparison before the rename protects.
    fn lock(&self) -> Result<Lock<'_>, WriteError> {
        let until = Instant::now() + LOCK_TIMEOUT;
        loop {
            match self.folder.try_lock() {
                Ok(()) => return Ok(Lock::Held(&self.folder)),
                Err(TryLockError::Error(_)) => return Ok(Lock::None),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                    return Err(WriteError::Busy(self.path.clone()));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_RETRY_INTERVAL),
            }
        }
    }

    /// Reads the existing file. It is opened for writing, so that a read-only file is not replaced.
    fn read(&self) -> Result<Option<Existing>, WriteError> {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(rustix::io::Errno::LOOP) => return Err(WriteError::Link(self.path.clone())),
            Err(error) => return Err(self.failed(error)),
        };
        let metadata = file.metadata().map_err(|error| self.failed(error))?;
        if !metadata.is_file() {
            return Err(self.failed(io::Error::other("it is not a regular file")));
        }
        let mut text = String::new();
        let read = file.take(MAX_FILE_BYTES).read_to_string(&mut text);
        read.map_err(|error| self.failed(error))?;
        Ok(Some(Existing { text, metadata }))
    }

    /// Replaces `existing` with `text`. Returns false if another process changed the file meanwhile.
    fn replace(&self, existing: Option<&Existing>, text: &str) -> Result<bool, WriteError> {
        let mut name = OsString::from(".");
        name.push(&self.name);
        name.push(TEMPORARY_FILE_MARKER);
        name.push(uuid::Uuid::new_v4().simple().to_string());
        let done = self.write_temporary(&name, existing, text).and_then(|()| {
            let now = self.read()?;
            if now.as_ref().map(|now| &now.text) != existing.map(|before| &before.text) {
                return Ok(false);
            }
            rustix::fs::renameat(&self.folder, &name, &self.folder, &self.name).map_err(|error| self.failed(error))?;
            Ok(true)
        });
        if matches!(done, Ok(true)) {
            // The rename is done. A failed sync, which only matters on a power failure, is not an error.
            self.folder.sync_all().ok();
        } else {
            rustix::fs::unlinkat(&self.folder, &name, AtFlags::empty()).ok();
        }
        done
    }

    fn write_temporary(&self, name: &OsStr, existing: Option<&Existing>, text: &str) -> Result<(), WriteError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // The temporary file is private until it has the mode of the existing file.
        let mode = existing.map_or(self.mode, |_| Mode::RUSR | Mode::WUSR);
        let file: OwnedFd = rustix::fs::openat(&self.folder, name, flags, mode).map_err(|error| self.failed(error))?;
        if let Some(Existing { metadata, .. }) = existing {
            let owner = Some(rustix::fs::Uid::from_raw(metadata.uid()));
            let group = Some(rustix::fs::Gid::from_raw(metadata.gid()));
            // Only root can change the owner; other users already own the file.
            rustix::fs::fchown(file.as_fd(), owner, group).ok();
        }
        let mut file = File::from(file);
        file.write_all(text.as_bytes()).map_err(|error| self.failed(error))?;
        if let Some(Existing { metadata, .. }) = existing {
            let permissions = std::fs::Permissions::from_mode(metadata.mode() & 0o7777);
            file.set_permissions(permissions).map_err(|error| self.failed(error))?;
        }
        file.sync_all().map_err(|error| self.failed(error))
    }

    /// Removes temporary files of writers that were killed. Must be called with the lock, so that no other writer uses
    /// one.
    fn remove_leftovers(&self) {
        let mut mark = OsString::from(".");
        mark.push(&self.name);
        mark.push(TEMPORARY_FILE_MARKER);
        let Ok(entries) = rustix::fs::Dir::read_from(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if name.to_bytes().starts_with(mark.as_encoded_bytes()) {
                rustix::fs::unlinkat(&self.folder, name, AtFlags::empty()).ok();
            }
        }
    }
}

struct Existing {
    text: String,
    metadata: std::fs::Metadata,
}

enum Lock<'a> {
    Held(&'a File),
    None,
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        if let Lock::Held(folder) = self {
            folder.unlock().ok();
        }
    }
}

/// Applies an edit and writes the file, unless nothing changed.
pub(super) fn edit_file<E>(target: &Target, edit: &mut E) -> Result<(), WriteError>
where
    E: FnMut(&mut Map<String, Value>) -> Result<(), WriteError>,
{
    let lock = target.lock()?;
    if matches!(lock, Lock::Held(_)) {
        target.remove_leftovers();
    }
    for _ in 0..MAX_ATTEMPTS {
        let existing = target.read()?;
        let text = existing.as_ref().map_or("", |existing| existing.text.as_str());
        let (before, _) = object(without_bom(text), DuplicateKeys::Reject).map_err(|fault| WriteError::Broken {
            path: target.path.clone(),
            line: fault.line,
            column: fault.column,
            what: fault.what,
        })?;
        let mut after = before.clone();
        edit(&mut after)?;
        if after == before {
            return Ok(());
        }
        let text = print(&after, text).map_err(|error| target.failed(error))?;
        if target.replace(existing.as_ref(), &text)? {
            return Ok(());
        }
    }
    Err(WriteError::Busy(target.path.clone()))
}

/// Prints the document with the indentation, line endings and byte order mark of the previous text.
fn print(document: &Map<String, Value>, before: &str) -> Result<String, serde_json::Error> {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(indentation(before).as_bytes());
    document.serialize(&mut Serializer::with_formatter(&mut bytes, formatter))?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    text.push('\n');
    if before.contains("\r\n") {
        // Line breaks in strings are escaped, so all others are between values.
        text = text.replace('\n', "\r\n");
    }
    if before.starts_with('\u{feff}') {
        text.insert(0, '\u{feff}');
    }
    Ok(text)
}

fn indentation(text: &str) -> &str {
    text.lines()
        .skip(1)
        .map(|line| line.split(|c: char| c != ' ' && c != '\t').next().unwrap_or_default())
        .find(|indentation| !indentation.is_empty() && indentation.len() <= 8)
        .unwrap_or("  ")
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
