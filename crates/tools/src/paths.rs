//! Lexical path resolution, and the few functions that access the disk.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::pins::{Handle, Pin};

/// Resolves `path` against `cwd`, with `.` and `..` removed lexically.
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

/// True if `path`, which must be resolved, is inside one of `roots`.
pub(crate) fn inside<'a>(path: &Path, roots: impl IntoIterator<Item = &'a Path>) -> bool {
    roots
        .into_iter()
        .any(|root| path.starts_with(root) || std::fs::canonicalize(root).is_ok_and(|root| path.starts_with(root)))
}

/// The path resolves to another location than at the time of the permission decision.
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

/// Opens a handle to the pinned file or folder, or without a pin to the current file at `path`.
pub(crate) fn held(path: &Path, pin: Option<&Pin>) -> io::Result<Handle> {
    match pin {
        Some(pin) => pin.hold(),
        None => Handle::of(path),
    }
}

/// Opens a file for reading without blocking on pipes. With a pin, opens exactly the pinned file, because the path may
/// change at any time.
///
/// # Errors
/// The file cannot be opened, or the path resolves to another location by now.
pub fn open_checked(path: &Path, pin: Option<&Pin>) -> io::Result<File> {
    held(path, pin)?.read(pin.map_or(path, Pin::place))
}

/// Maximum number of symlinks to follow, as in the kernel.
const MAX_LINKS: usize = 40;

/// Resolves `path`: symlinks as far as the path exists, the rest lexically. A dangling symlink resolves to where its
/// target would be created.
pub fn settled(path: &Path) -> PathBuf {
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        match followed(&at) {
            Ok(settled) => return settled,
            Err(further) => at = further,
        }
    }
    // a cycle resolves to nothing and cannot be opened
    path.to_owned()
}

/// Resolves `path`, or returns the path behind a dangling symlink in it.
fn followed(path: &Path) -> Result<PathBuf, PathBuf> {
    let mut existing = path;
    loop {
        let with_rest = |front: PathBuf| match path.strip_prefix(existing) {
            // joining an empty path would append a slash
            Ok(rest) if !rest.as_os_str().is_empty() => front.join(rest),
            _ => front,
        };
        if let Ok(real) = existing.canonicalize() {
            return Ok(absolute(&with_rest(real), Path::new("/")));
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn lab() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        for name in ["w", "out"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        (folder, base)
    }

    #[test]
    fn a_dangling_link_resolves_to_its_target() {
        let (_folder, base) = lab();
        let link = base.join("w/link");
        symlink("../out/new", &link).unwrap();
        assert_eq!(settled(&link), base.join("out/new"));
        assert_eq!(settled(&link.join("deeper")), base.join("out/new/deeper"));
        // a chain of symlinks, and a symlinked folder
        symlink(&link, base.join("w/second")).unwrap();
        symlink("w", base.join("v")).unwrap();
        assert_eq!(settled(&base.join("v/second")), base.join("out/new"));
        fs::remove_file(&link).unwrap();
        symlink("../none/new", &link).unwrap();
        assert_eq!(settled(&base.join("v/second")), base.join("none/new"));
        assert_eq!(settled(&base.join("w/a/b")), base.join("w/a/b"));
        assert_eq!(settled(&base.join("w/a/../b")), base.join("w/b"));
    }

    #[test]
    fn a_symlink_cycle_terminates() {
        let (_folder, base) = lab();
        symlink("two", base.join("one")).unwrap();
        symlink("one", base.join("two")).unwrap();
        assert_eq!(settled(&base.join("one/x")), base.join("one/x"));
    }
}
