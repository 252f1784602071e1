//! The git repository that contains a folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::document::read_bytes;

/// Returns the root of the innermost repository that contains `folder`.
pub fn repository(folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())
        .map(Path::to_owned)
}

/// Returns the main repository of the worktree with the root `tree`. Both must refer to each other: the worktree to its
/// folder in the repository, and that folder to the worktree. A reference in one direction can be forged.
pub(super) fn main_repository(tree: &Path) -> Option<PathBuf> {
    let link = tree.join(".git");
    if !fs::symlink_metadata(&link).ok()?.is_file() {
        return None;
    }
    let entry = read_path(&link, "gitdir:")?;
    let entry = tree.join(entry).canonicalize().ok()?;
    let back = read_path(&entry.join("gitdir"), "")?;
    if entry.join(back).canonicalize().ok()? != link.canonicalize().ok()? {
        return None;
    }
    let trees = entry.parent().filter(|trees| trees.ends_with(".git/worktrees"))?;
    trees.parent()?.parent().map(Path::to_owned)
}

/// Reads a path from a file of git, after a prefix.
fn read_path(file: &Path, prefix: &str) -> Option<PathBuf> {
    let text = String::from_utf8(read_bytes(file).ok()?).ok()?;
    Some(PathBuf::from(text.trim().strip_prefix(prefix)?.trim()))
}
/// Returns the folders whose files belong to a project, weakest first: from the root of its repository down to `cwd`.
/// Folders above the repository may belong to others.
#[must_use]
pub fn project_folders(cwd: &Path) -> Vec<PathBuf> {
    let top = repository(cwd);
    let mut folders: Vec<PathBuf> = match &top {
        Some(top) => cwd
            .ancestors()
            .take_while(|folder| folder.starts_with(top))
            .map(Path::to_owned)
            .collect(),
        None => vec![cwd.to_owned()],
    };
    folders.reverse();
    folders
}
