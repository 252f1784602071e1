//! The git repository a folder belongs to.

use std::fs;
use std::path::{Path, PathBuf};

use super::document::read_bytes;

/// The root of the innermost repository `folder` lies in.
pub fn repository(folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())
        .map(Path::to_owned)
}

/// The repository that `tree`, the root of a work tree, was made from, where both say so: the tree names its folder in the
/// repository, and that folder names the tree. One of them alone may be anybody's.
pub(super) fn made_from(tree: &Path) -> Option<PathBuf> {
    let link = tree.join(".git");
    if !fs::symlink_metadata(&link).ok()?.is_file() {
        return None;
    }
    let entry = named(&link, "gitdir:")?;
    let entry = tree.join(entry).canonicalize().ok()?;
    let back = named(&entry.join("gitdir"), "")?;
    if entry.join(back).canonicalize().ok()? != link.canonicalize().ok()? {
        return None;
    }
    let trees = entry.parent().filter(|trees| trees.ends_with(".git/worktrees"))?;
    trees.parent()?.parent().map(Path::to_owned)
}

/// The path in a file of git's, behind a word.
fn named(file: &Path, word: &str) -> Option<PathBuf> {
    let text = String::from_utf8(read_bytes(file).ok()?).ok()?;
    Some(PathBuf::from(text.trim().strip_prefix(word)?.trim()))
}
/// The folders whose files belong to a project, the weakest first: from the root of its repository down to here. Beyond
/// the repository lies what others may have put there.
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
