//! Resolves the deny rules of a session to existing paths.
//!
//! Rules are patterns, but the kernel works with paths. When a command starts, a rule without wildcards resolves to its
//! path, whether it exists or not; other rules resolve to the existing files that match, in the folders where matches
//! are possible.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use sluice_permission::denied::{self, DeniedPattern, Reach};
use sluice_permission::{PermissionMode, Policy};

use super::SYSTEM_FOLDERS;
use crate::world::World;

/// Maximum number of files and folders compared with patterns for one command.
const MAX_COMPARED: usize = 1_000_000;
/// Maximum number of denied paths for one command, each of which is a mount.
const MAX_PATHS: usize = 1_000;
/// Depth to which the home folder is searched for a pattern that matches anywhere.
const HOME_DEPTH: usize = 2;
/// A program with more names than this on the search path is a multi-call binary such as busybox.
const MAX_NAMES: usize = 16;
/// Programs that start a command inside; they cannot be denied.
const STARTING: &[&str] = &["bash", "env"];

/// The deny rules cover too much to be enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum TooMuch {
    /// Too many paths.
    #[error("the deny rules cover more than {MAX_PATHS} files; name their folder in the rule instead")]
    Paths,
    /// Too many files to look through.
    #[error(
        "the deny rules have patterns, and there are more than {MAX_COMPARED} files to compare with them; name the \
         files in the rules instead"
    )]
    Files,
}

/// Denied paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Denials {
    /// Existing files and folders that can be neither read nor executed; symlinks are resolved.
    pub(super) unreadable: BTreeSet<PathBuf>,
    /// Files and folders that cannot be changed; some may not exist.
    pub(super) unwritable: BTreeSet<PathBuf>,
}

impl Denials {
    /// Resolves the rules.
    pub(super) fn find(policy: &Policy, cwd: &Path, env: &[(OsString, OsString)]) -> Result<Self, TooMuch> {
        let (reads, edits) = (
            denied::unreadable(policy, cwd, &World),
            denied::unwritable(policy, cwd, &World),
        );
        let mut search = Search {
            policy,
            compared: 0,
            found: BTreeSet::new(),
        };
        search.all(&reads)?;
        let unreadable = std::mem::take(&mut search.found);
        search.all(&edits)?;
        let absent = edits
            .iter()
            .flat_map(DeniedPattern::reach)
            .filter_map(|reach| match reach {
                Reach::Itself(path) => Some(path),
                Reach::Beneath(_) | Reach::Anywhere => None,
            });
        let mut denials = Self {
            unreadable,
            unwritable: search.found.into_iter().chain(absent).collect(),
        };
        denials.unreadable.extend(programs(&denied::programs(policy), env));
        denials.unreadable = outermost(denials.unreadable);
        let hidden = |path: &PathBuf| denials.unreadable.iter().any(|hidden| path.starts_with(hidden));
        denials.unwritable.retain(|path| !hidden(path));
        if denials.unreadable.len() + denials.unwritable.len() > MAX_PATHS {
            return Err(TooMuch::Paths);
        }
        Ok(denials)
    }

    /// True in the mode that relies on the kernel to enforce the rules.
    pub(super) fn are_enforced(policy: &Policy) -> bool {
        policy.mode == PermissionMode::BypassPermissions
    }

    pub(super) fn is_empty(&self) -> bool {
        self.unreadable.is_empty() && self.unwritable.is_empty()
    }
}

/// Removes paths inside other paths of the set.
fn outermost(paths: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut outer: BTreeSet<PathBuf> = BTreeSet::new();
    // A folder sorts before its contents.
    for path in paths {
        if !path.ancestors().any(|folder| outer.contains(folder)) {
            outer.insert(path);
        }
    }
    outer
}

/// A search for files that match patterns.
struct Search<'a> {
    policy: &'a Policy,
    compared: usize,
    found: BTreeSet<PathBuf>,
}

impl Search<'_> {
    fn all(&mut self, patterns: &[DeniedPattern]) -> Result<(), TooMuch> {
        let mut places: BTreeSet<(PathBuf, usize)> = BTreeSet::new();
        for reach in patterns.iter().flat_map(DeniedPattern::reach) {
            match reach {
                Reach::Itself(path) => self.found.extend(path.canonicalize()),
                Reach::Beneath(path) => drop(places.insert((path, usize::MAX))),
                Reach::Anywhere => {
                    places.extend(self.policy.roots.iter().map(|root| (root.clone(), usize::MAX)));
                    places.insert((self.policy.home.clone(), HOME_DEPTH));
                }
            }
        }
        for (place, depth) in places {
            let Ok(real) = place.canonicalize() else { continue };
            self.below(&real, &place, depth, patterns)?;
        }
        Ok(())
    }

    /// Searches a folder. `written` is its path as used in rules, `real` the path with symlinks resolved.
    fn below(&mut self, real: &Path, written: &Path, depth: usize, patterns: &[DeniedPattern]) -> Result<(), TooMuch> {
        let covered = |path: &Path| patterns.iter().any(|pattern| pattern.covers(path));
        for entry in std::fs::read_dir(real).into_iter().flatten().flatten() {
            self.compared += 1;
            if self.compared > MAX_COMPARED {
                return Err(TooMuch::Files);
            }
            let name = entry.file_name();
            let (real, written) = (real.join(&name), written.join(&name));
            let Ok(kind) = entry.file_type() else { continue };
            if covered(&written) || (written != real && covered(&real)) {
                self.found.extend(real.canonicalize());
                if self.found.len() > MAX_PATHS {
                    return Err(TooMuch::Paths);
                }
            } else if kind.is_dir() && depth > 1 {
                self.below(&real, &written, depth - 1, patterns)?;
            }
        }
        Ok(())
    }
}

/// Returns the files of denied programs, under all names on the search path and behind symlinks. Multi-call binaries,
/// and programs needed to start a command, are omitted.
fn programs(names: &[&str], env: &[(OsString, OsString)]) -> BTreeSet<PathBuf> {
    if names.is_empty() {
        return BTreeSet::new();
    }
    let path = env
        .iter()
        .find(|(name, _)| name == "PATH")
        .map(|(_, value)| value.clone());
    let folders: BTreeSet<PathBuf> = std::env::split_paths(&path.unwrap_or_default())
        .chain(SYSTEM_FOLDERS.iter().map(PathBuf::from))
        .filter_map(|folder| folder.is_absolute().then(|| folder.canonicalize().ok()).flatten())
        .collect();
    let file = |path: PathBuf| path.canonicalize().ok().filter(|path| path.is_file());
    let candidates = names.iter().flat_map(|name| match name.contains('/') {
        true => vec![PathBuf::from(name)],
        false => folders.iter().map(|folder| folder.join(name)).collect(),
    });
    let mut found: BTreeSet<PathBuf> = candidates.filter(|path| path.is_absolute()).filter_map(file).collect();
    let inode = |path: &Path| path.metadata().ok().map(|about| (about.dev(), about.ino()));
    let starting: Vec<_> = STARTING.iter().filter_map(|name| super::found(name)).collect();
    found.retain(|path| !starting.iter().any(|one| inode(one) == inode(path)));
    if found.is_empty() {
        return found;
    }
    let inodes: Vec<(PathBuf, _)> = found.iter().map(|path| (path.clone(), inode(path))).collect();
    let mut same: Vec<Vec<PathBuf>> = vec![Vec::new(); inodes.len()];
    for entry in folders.iter().flat_map(std::fs::read_dir).flatten().flatten() {
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if !is_link
            && !inodes
                .iter()
                .any(|(_, wanted)| wanted.is_some_and(|(_, ino)| ino == entry.ino()))
        {
            continue;
        }
        let entry = entry.path();
        let here = inode(&entry);
        for ((_, wanted), same) in inodes.iter().zip(&mut same) {
            if here.is_some() && here == *wanted {
                same.push(entry.clone());
            }
        }
    }
    for ((path, _), names) in inodes.iter().zip(same) {
        if names.len() > MAX_NAMES {
            found.remove(path);
        } else {
            // Each hard link is a separate path.
            found.extend(names.iter().filter_map(|name| name.canonicalize().ok()));
        }
    }
    found
}

#[cfg(test)]
#[path = "denials_tests.rs"]
mod tests;
