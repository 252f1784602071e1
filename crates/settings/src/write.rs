//! Writing settings files: no reader sees half of a file, and no writer loses another's change.
//!
//! The new text is written beside the file, flushed, and renamed over it. Writers of this program take turns by a lock
//! on the folder, which leaves no file behind. A change by another program in between is detected by comparing before
//! the rename, and the edit is made again on the new content.

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
use super::document::{LARGEST, Twice, object, without_mark};
use super::permission_edit::{self, WrongType};

/// How often an edit is made again because another program changed the file meanwhile.
const ATTEMPTS: usize = 16;
/// How long to wait for another writer.
const PATIENCE: Duration = Duration::from_secs(10);
const BETWEEN_TRIES: Duration = Duration::from_millis(2);
/// Marks our temporary files.
const MARK: &str = ".sluice-";

/// Why a settings file was not written. It is then as it was.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The scope is not a file of the person's.
    #[error("{} has no file to write to; choose the user, project or local settings", .0.as_str())]
    NoFile(Source),
    /// The file there cannot be parsed, so an edit would lose what it holds.
    #[error("{}:{line}:{column}: {what}; nothing was written", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// What is wrong, and what to do about it.
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
    /// A link where a project could have planted one.
    #[error("{} is a link; settings of a project are not written through links, replace it by what it points to", .0.display())]
    Link(PathBuf),
    /// Another writer does not finish.
    #[error("{} is being written by another process; try again", .0.display())]
    Busy(PathBuf),
    /// A path that cannot be written down.
    #[error("{} is not text; rename the folder", .0.display())]
    NotText(PathBuf),
    /// The file system refused.
    #[error("{}: {error}; nothing was written", path.display())]
    Io {
        /// What could not be read or written.
        path: PathBuf,
        /// Why.
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

/// Writes a change of permission rules to the file of its scope, and returns the file.
///
/// # Errors
/// When the file cannot be parsed, read or written, or is reached through a link of the project's.
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

/// Merges `changes` into the file of a scope: objects key by key, everything else replaced; `null` removes a key.
///
/// # Errors
/// As [`write()`].
pub fn update(places: &Places, source: Source, changes: &Map<String, Value>) -> Result<PathBuf, WriteError> {
    let target = Target::of(places, source)?;
    edit_file(&target, &mut |document| {
        lay_over(document, changes);
        Ok(())
    })?;
    Ok(target.path)
}

fn lay_over(document: &mut Map<String, Value>, changes: &Map<String, Value>) {
    for (key, change) in changes {
        match (document.get_mut(key), change) {
            (_, Value::Null) => {
                document.shift_remove(key);
            }
            (Some(Value::Object(have)), Value::Object(more)) => lay_over(have, more),
            (_, Value::Object(more)) => {
                let mut made = Map::new();
                lay_over(&mut made, more);
                document.insert(key.clone(), made.into());
            }
            (_, change) => {
                document.insert(key.clone(), change.clone());
            }
        }
    }
}

/// A file to write: its folder held open, so that nothing planted meanwhile changes where it is.
#[derive(Debug)]
pub(super) struct Target {
    folder: File,
    name: OsString,
    path: PathBuf,
    /// What a new file may be read by.
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

    /// A file of the person's own: links are theirs, and stay.
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
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| WriteError::io(folder, error))?;
        Ok(Self {
            folder: File::open(folder).map_err(|error| WriteError::io(folder, error))?,
            name: name.to_owned(),
            path: path.to_owned(),
            mode: Mode::RUSR | Mode::WUSR,
        })
    }

    /// A file of a project: below its root no link is followed.
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

    /// Waits for its turn. Where the file system has no locks, comparing has to do.
    fn lock(&self) -> Result<Lock<'_>, WriteError> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.folder.try_lock() {
                Ok(()) => return Ok(Lock::Held(&self.folder)),
                Err(TryLockError::Error(_)) => return Ok(Lock::None),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                    return Err(WriteError::Busy(self.path.clone()));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_TRIES),
            }
        }
    }

    /// The file as it is, with its text. Opened for writing, so that a file that may not be written is not replaced.
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
        let read = file.take(LARGEST).read_to_string(&mut text);
        read.map_err(|error| self.failed(error))?;
        Ok(Some(Existing { text, metadata }))
    }

    /// Replaces `existing` by `text`. `false` when another process changed it meanwhile.
    fn replace(&self, existing: Option<&Existing>, text: &str) -> Result<bool, WriteError> {
        let mut name = OsString::from(".");
        name.push(&self.name);
        name.push(MARK);
        name.push(uuid::Uuid::new_v4().simple().to_string());
        let done = self.put_beside(&name, existing, text).and_then(|()| {
            let now = self.read()?;
            if now.as_ref().map(|now| &now.text) != existing.map(|before| &before.text) {
                return Ok(false);
            }
            rustix::fs::renameat(&self.folder, &name, &self.folder, &self.name).map_err(|error| self.failed(error))?;
            Ok(true)
        });
        if matches!(done, Ok(true)) {
            // The rename has happened; that it survives a power cut is worth a try, not an error.
            self.folder.sync_all().ok();
        } else {
            rustix::fs::unlinkat(&self.folder, &name, AtFlags::empty()).ok();
        }
        done
    }

    fn put_beside(&self, name: &OsStr, existing: Option<&Existing>, text: &str) -> Result<(), WriteError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // Nobody else reads it before it has the mode of the file it replaces.
        let mode = existing.map_or(self.mode, |_| Mode::RUSR | Mode::WUSR);
        let file: OwnedFd = rustix::fs::openat(&self.folder, name, flags, mode).map_err(|error| self.failed(error))?;
        if let Some(Existing { metadata, .. }) = existing {
            let owner = Some(rustix::fs::Uid::from_raw(metadata.uid()));
            let group = Some(rustix::fs::Gid::from_raw(metadata.gid()));
            // Only root can give a file back to its owner; for everyone else it is theirs already.
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

    /// Takes away what a writer that died left behind. Only with the lock: nobody else has one open then.
    fn tidy(&self) {
        let mut mark = OsString::from(".");
        mark.push(&self.name);
        mark.push(MARK);
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

/// Makes an edit and writes it, unless it changes nothing.
pub(super) fn edit_file<E>(target: &Target, edit: &mut E) -> Result<(), WriteError>
where
    E: FnMut(&mut Map<String, Value>) -> Result<(), WriteError>,
{
    let lock = target.lock()?;
    if matches!(lock, Lock::Held(_)) {
        target.tidy();
    }
    for _ in 0..ATTEMPTS {
        let existing = target.read()?;
        let text = existing.as_ref().map_or("", |existing| existing.text.as_str());
        let (before, _) = object(without_mark(text), Twice::Refuse).map_err(|fault| WriteError::Broken {
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

/// The document in the manner of the text it replaces: its indentation, line ends and byte order mark.
fn print(document: &Map<String, Value>, before: &str) -> Result<String, serde_json::Error> {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(indentation(before).as_bytes());
    document.serialize(&mut Serializer::with_formatter(&mut bytes, formatter))?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    text.push('\n');
    if before.contains("\r\n") {
        // Line ends inside texts are written as escapes, so these are all between them.
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
