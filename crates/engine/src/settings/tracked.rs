//! Whether a file is in git's index, without git.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::document::read_bytes;

/// Whether the repository around `path` tracks it. What cannot be told counts as tracked.
pub(super) fn is_tracked(path: &Path) -> bool {
    let Some(folder) = path.parent().and_then(|folder| folder.canonicalize().ok()) else {
        return true;
    };
    let (Some(root), Some(name)) = (repository(&folder), path.file_name()) else {
        return false;
    };
    let file = folder.join(name);
    let Ok(relative) = file.strip_prefix(&root) else {
        return true;
    };
    let Some(git) = git_folder(&root) else {
        return true;
    };
    let index = git.join("index");
    if !index.exists() {
        return false;
    }
    match read_bytes(&index) {
        Ok(bytes) => holds(&bytes, relative.as_os_str().as_bytes()),
        Err(_) => true,
    }
}

/// The root of the innermost repository `folder` lies in.
pub(crate) fn repository(folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .find(|folder| folder.join(".git").symlink_metadata().is_ok())
        .map(Path::to_owned)
}

/// `.git` is a folder, or in a worktree a file that names one.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = String::from_utf8(read_bytes(&git).ok()?).ok()?;
    let named = text.lines().find_map(|line| line.strip_prefix("gitdir:"))?;
    Some(root.join(named.trim()))
}

/// Looks a path up in an index of version 2 or 3. Version 4 shortens paths and a split index keeps them
/// elsewhere: there, and where the file is no index, the answer is yes.
fn holds(index: &[u8], path: &[u8]) -> bool {
    search(index, path).unwrap_or(true)
}

fn search(index: &[u8], path: &[u8]) -> Option<bool> {
    let (head, mut rest) = index.split_at_checked(HEAD)?;
    let (signature, numbers) = head.split_at_checked(4)?;
    let version = number(numbers, 0)?;
    let count = number(numbers, 4)?;
    if signature != b"DIRC" || !matches!(version, 2 | 3) {
        return None;
    }
    for _ in 0..count {
        let flags = u16::from_be_bytes(rest.get(FLAGS..FLAGS + 2)?.try_into().ok()?);
        let extended = version == 3 && flags & 0x4000 != 0;
        let start = if extended { FLAGS + 4 } else { FLAGS + 2 };
        let name = rest.get(start..)?;
        let length = name.iter().position(|byte| *byte == 0)?;
        if name.get(..length)? == path {
            return Some(true);
        }
        // Entries end in one to eight zeros, so that the next begins at a multiple of eight.
        rest = rest.get((start + length) / 8 * 8 + 8..)?;
    }
    // Extensions follow, then a checksum; `link` names another file with more entries.
    while rest.len() > LONGEST_CHECKSUM {
        let size = usize::try_from(number(rest, 4)?).ok()?;
        if rest.get(..4)? == b"link" {
            return None;
        }
        rest = rest.get(8usize.checked_add(size)?..)?;
    }
    Some(false)
}

/// Signature, version, number of entries.
const HEAD: usize = 12;
/// Where in an entry the flags stand: after times, device, mode, owner, size and a hash of twenty bytes.
const FLAGS: usize = 60;
const LONGEST_CHECKSUM: usize = 20;

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
#[path = "tracked_tests.rs"]
mod tests;
