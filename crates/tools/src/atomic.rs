//! Writes files atomically: readers see either the old or the new content.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};

use crate::ids;
use crate::paths::{Moved, settled};
use crate::pins::Pin;

/// Writes `content` to `path` and creates missing folders. Symlinks are followed and the mode is kept.
pub(crate) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    write_checked(path, content, None)
}

/// As [`write`]. With a pin, only the pinned location is changed, even if symlinks on the path change meanwhile.
///
/// The new content is written to a temporary file, which is renamed over the old one. If that would lose hard links or
/// the owner, or if the folder is not writable, the file is written in place.
pub(crate) fn write_checked(path: &Path, content: &[u8], pin: Option<&Pin>) -> io::Result<()> {
    let target = match pin {
        None => resolved(path)?,
        Some(pin) => {
            pin.check()?;
            pin.place().to_owned()
        }
    };
    let not_a_file = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
    let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(not_a_file());
    };
    let folder = match pin {
        None => {
            std::fs::create_dir_all(parent)?;
            rustix::fs::open(parent, FOLDER, Mode::empty())?
        }
        Some(_) => without_links(parent, path)?,
    };
    let place = Place { folder, name };
    let existing = place.stat()?;
    if let Some(stat) = &existing {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Symlink => return Err(Moved::new(path, &resolved(&target)?).into()),
            _ => return Err(not_a_file()),
        }
    }
    let Some(stat) = &existing else {
        return place.beside(content, None);
    };
    if let Some(pin) = pin.filter(|pin| stat.st_nlink > 1 && !pin.is_shared()) {
        return Err(pin.linked());
    }
    if stat.st_nlink > 1 || stat.st_uid != rustix::process::geteuid().as_raw() {
        return place.in_place(content, stat);
    }
    match place.beside(content, Some(stat)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => place.in_place(content, stat),
        other => other,
    }
}

/// Flags for folders that are only used to resolve names.
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Resolves the symlinks of `path`, including a final one whose target does not exist yet.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        match std::fs::read_link(&path) {
            Ok(link) => path = path.parent().map_or(link.clone(), |parent| parent.join(&link)),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

/// Opens and creates a folder that must not contain symlinks: one that appears meanwhile is an attack.
fn without_links(folder: &Path, path: &Path) -> io::Result<OwnedFd> {
    let mut at = rustix::fs::open("/", FOLDER, Mode::empty())?;
    let mut so_far = PathBuf::from("/");
    for part in folder.components() {
        let Component::Normal(name) = part else { continue };
        so_far.push(name);
        let open = || rustix::fs::openat(&at, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
        let next = match open() {
            Err(rustix::io::Errno::NOENT) => {
                match rustix::fs::mkdirat(&at, name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                open()
            }
            other => other,
        };
        at = match next {
            Err(rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP) if so_far.is_symlink() => {
                return Err(Moved::new(path, &settled(&so_far)).into());
            }
            other => other?,
        };
    }
    Ok(at)
}

/// A name in an open folder. Renaming the folder or its parents does not affect it.
struct Place<'a> {
    folder: OwnedFd,
    name: &'a OsStr,
}

impl Place<'_> {
    fn stat(&self) -> io::Result<Option<Stat>> {
        match rustix::fs::statat(&self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn beside(&self, content: &[u8], existing: Option<&Stat>) -> io::Result<()> {
        let temporary: String = ".sluice-".chars().chain(ids::base36(12)).collect();
        // readable only by the owner until it has the mode of the file it replaces
        let mode = Mode::from_raw_mode(if existing.is_some() { 0o600 } else { 0o666 });
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&self.folder, &temporary, flags, mode)?);
        let mut fill = || {
            file.write_all(content)?;
            if let Some(stat) = existing {
                rustix::fs::fchmod(&file, Mode::from_raw_mode(stat.st_mode & 0o7777))?;
            }
            file.sync_all()?;
            io::Result::Ok(rustix::fs::renameat(&self.folder, &temporary, &self.folder, self.name)?)
        };
        let done = fill();
        if done.is_err() {
            rustix::fs::unlinkat(&self.folder, &temporary, AtFlags::empty()).ok();
        }
        done
    }

    fn in_place(&self, content: &[u8], known: &Stat) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&self.folder, self.name, flags, Mode::empty())?);
        // the name may refer to another file by now
        let opened = rustix::fs::fstat(&file)?;
        if (opened.st_dev, opened.st_ino, opened.st_nlink) != (known.st_dev, known.st_ino, known.st_nlink) {
            return Err(io::Error::other(
                "it was replaced while it was written. Nothing was done",
            ));
        }
        rustix::fs::ftruncate(&file, 0)?;
        file.write_all(content)?;
        file.sync_all()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    fn the_mode_stays_and_nothing_else_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("run.sh");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o751)).unwrap();
        write(&file, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o751);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link, dangling) = (
            dir.path().join("real"),
            dir.path().join("link"),
            dir.path().join("dangling"),
        );
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        std::os::unix::fs::symlink("later/file", &dangling).unwrap();
        write(&link, b"new").unwrap();
        write(&dangling, b"made").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert_eq!(fs::read(dir.path().join("later/file")).unwrap(), b"made");
    }

    #[test]
    fn hard_links_keep_sharing() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        fs::write(&one, "old").unwrap();
        fs::hard_link(&one, &two).unwrap();
        write(&one, b"new").unwrap();
        assert_eq!(fs::read(&two).unwrap(), b"new");
    }

    #[test]
    fn a_folder_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write(dir.path(), b"x").is_err());
    }
}
