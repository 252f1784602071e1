//! Writing a file so that nobody ever sees half of it.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::ids;

/// Puts `content` at `path`, making the folders on the way. Links are followed, the mode stays.
///
/// The new content is written beside the file and renamed over it. Where that would lose something (other hard
/// links, another owner) or cannot be done (a folder we may not write), the file is written in place.
pub(crate) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = resolved(path)?;
    let existing = match fs::metadata(&target) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(metadata) = &existing
        && !metadata.is_file()
    {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    match &existing {
        Some(metadata) if metadata.nlink() > 1 || metadata.uid() != rustix::process::geteuid().as_raw() => {
            in_place(&target, content)
        }
        _ => match beside(&target, content, existing.as_ref()) {
            Err(error) if existing.is_some() && error.kind() == io::ErrorKind::PermissionDenied => {
                in_place(&target, content)
            }
            other => other,
        },
    }
}

/// Where the bytes really go: `path` with its links followed, also where the last one points to nothing yet.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(link) => path = path.parent().map_or(link.clone(), |parent| parent.join(&link)),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

fn beside(target: &Path, content: &[u8], existing: Option<&Metadata>) -> io::Result<()> {
    let name: String = ".sluice-".chars().chain(ids::base36(12)).collect();
    let temporary = target.with_file_name(name);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    if existing.is_some() {
        // nobody else reads it before it has the mode of the file it replaces
        options.mode(0o600);
    }
    let done = options.open(&temporary).and_then(|mut file| {
        file.write_all(content)?;
        if let Some(metadata) = existing {
            file.set_permissions(fs::Permissions::from_mode(metadata.mode() & 0o7777))?;
        }
        file.sync_all()?;
        fs::rename(&temporary, target)
    });
    if done.is_err() {
        fs::remove_file(&temporary).ok();
    }
    done
}

fn in_place(target: &Path, content: &[u8]) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).truncate(true).open(target)?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

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
