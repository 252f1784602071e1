//! [`Paths`](crate::Paths) on this machine's disk.

use std::io::Read as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::git::Repository;
use crate::path::{Found, Paths, normal};

/// The largest file whose text is looked at.
const MOST_TEXT: u64 = 256 * 1024;
/// The most names of one directory that are looked at.
const MOST_NAMES: usize = 2_000;
/// The most links one path may lead through.
const MOST_LINKS: usize = 40;

/// The disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct OnDisk;

impl Paths for OnDisk {
    fn resolve(&self, path: &Path) -> PathBuf {
        let mut at = path.to_owned();
        for _ in 0..MOST_LINKS {
            match followed(&at) {
                Ok(settled) => return settled,
                Err(further) => at = further,
            }
        }
        path.to_owned()
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn read(&self, path: &Path) -> Found<String> {
        let Ok(about) = std::fs::metadata(path) else {
            return if std::fs::symlink_metadata(path).is_ok() {
                Found::Unknown
            } else {
                Found::Nothing
            };
        };
        let kind = about.file_type();
        if kind.is_dir() {
            return Found::Nothing;
        }
        // A pipe would wait for its other end, a device may have none.
        if kind.is_fifo() || !kind.is_file() || about.len() > MOST_TEXT {
            return Found::Unknown;
        }
        let mut bytes = Vec::new();
        let read = std::fs::File::open(path).and_then(|file| file.take(MOST_TEXT).read_to_end(&mut bytes));
        match read {
            Ok(_) => Found::This(String::from_utf8_lossy(&bytes).into_owned()),
            Err(_) => Found::Unknown,
        }
    }

    fn names(&self, directory: &Path) -> Found<Vec<String>> {
        let entries = match std::fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Found::Nothing,
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Found::Nothing,
            Err(_) => return Found::Unknown,
        };
        let mut names = Vec::new();
        for entry in entries {
            let Ok(entry) = entry else {
                return Found::Unknown;
            };
            let Ok(name) = entry.file_name().into_string() else {
                return Found::Unknown;
            };
            names.push(name);
            if names.len() > MOST_NAMES {
                return Found::Unknown;
            }
        }
        names.sort();
        Found::This(names)
    }

    fn is_link(&self, path: &Path) -> bool {
        std::fs::symlink_metadata(path).is_ok_and(|about| about.file_type().is_symlink())
    }

    /// No process is started here.
    fn repository(&self, _directory: &Path) -> Found<Arc<Repository>> {
        Found::Unknown
    }

    fn tracked(&self, _repository: &Repository) -> Found<Arc<Vec<PathBuf>>> {
        Found::Unknown
    }

    fn committed(&self, _repository: &Repository) -> Found<Vec<PathBuf>> {
        Found::Unknown
    }
}

/// The target of `path`, or the path behind a link on its way that leads to nothing.
fn followed(path: &Path) -> Result<PathBuf, PathBuf> {
    let mut existing = path;
    loop {
        let with_rest = |front: PathBuf| match path.strip_prefix(existing) {
            Ok(rest) if !rest.as_os_str().is_empty() => front.join(rest),
            _ => front,
        };
        if let Ok(real) = existing.canonicalize() {
            return Ok(normal(&with_rest(real)));
        }
        let Some(parent) = existing.parent() else {
            return Ok(path.to_owned());
        };
        if let Ok(link) = std::fs::read_link(existing) {
            return Err(with_rest(parent.join(link)));
        }
        existing = parent;
    }
}
