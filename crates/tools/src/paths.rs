//! Paths without touching the disk, and the few questions that do.

use std::path::{Component, Path, PathBuf};

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
