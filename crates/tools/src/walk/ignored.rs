//! Rules for files that version control ignores (`.gitignore`), per folder.
//!
//! The rules of a folder apply to everything below it, and rules of deeper folders take precedence. `.ignore` takes
//! precedence over `.gitignore`, which takes precedence over the repository's `info/exclude`. A nested repository has
//! separate rules.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::OFlags;
use sluice_settings::read_regular;

/// Maximum size of an ignore file.
const MAX_FILE_SIZE: u64 = 4 * 1024 * 1024;

/// Names that indicate ignore rules in a folder.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Told {
    pub(super) ignore: bool,
    pub(super) gitignore: bool,
    pub(super) git: bool,
}

impl Told {
    /// Records a name of the folder.
    pub(super) fn note(&mut self, name: &[u8]) {
        match name {
            b".ignore" => self.ignore = true,
            b".gitignore" => self.gitignore = true,
            b".git" => self.git = true,
            _ => {}
        }
    }

    /// Checks a folder whose names were not read.
    fn of(folder: &Path) -> Self {
        Self {
            ignore: folder.join(".ignore").exists(),
            gitignore: folder.join(".gitignore").exists(),
            git: folder.join(".git").exists(),
        }
    }

    fn is_silent(self) -> bool {
        !(self.ignore || self.gitignore || self.git)
    }
}

/// The rules that apply in a folder. Cheap to clone: folders without rules share those of their parent.
#[derive(Debug, Clone, Default)]
pub(super) struct Ignored {
    innermost: Option<Arc<Folder>>,
    /// True if rules end at the boundary of a repository. A tree outside of repositories is treated as one.
    bounded: bool,
}

#[derive(Debug)]
struct Folder {
    ignore: Option<Gitignore>,
    gitignore: Option<Gitignore>,
    exclude: Option<Gitignore>,
    /// True at the root of a repository: rules of parent folders do not apply.
    is_repository: bool,
    above: Option<Arc<Self>>,
}

impl Ignored {
    /// Collects the rules of the folders above `root`, outermost first, for a search inside a repository.
    pub(super) fn above(root: &Path) -> Self {
        let mut folders: Vec<&Path> = root.ancestors().skip(1).collect();
        folders.reverse();
        folders.into_iter().fold(
            Self {
                innermost: None,
                bounded: true,
            },
            |rules, folder| rules.inside(folder, None, Told::of(folder)),
        )
    }

    /// Returns the rules inside `folder`, which contains these names; read through the open handle if there is one.
    pub(super) fn inside(&self, folder: &Path, held: Option<&OwnedFd>, told: Told) -> Self {
        if told.is_silent() {
            return self.clone();
        }
        let read = |name: &str, wanted: bool| {
            let bytes = wanted.then(|| match held {
                Some(held) => bytes_at(held, name),
                None => read_regular(&folder.join(name), MAX_FILE_SIZE).ok(),
            });
            rules(folder, &folder.join(name), &bytes.flatten()?)
        };
        let exclude = || {
            let file = exclude_of(folder);
            rules(folder, &file, &read_regular(&file, MAX_FILE_SIZE).ok()?)
        };
        Self {
            innermost: Some(Arc::new(Folder {
                ignore: read(".ignore", told.ignore),
                gitignore: read(".gitignore", told.gitignore),
                exclude: told.git.then(exclude).flatten(),
                is_repository: told.git && self.bounded,
                above: self.innermost.clone(),
            })),
            bounded: self.bounded,
        }
    }

    /// True if no rules apply.
    pub(super) fn is_empty(&self) -> bool {
        self.innermost.is_none()
    }

    /// True if a file or folder is ignored.
    pub(super) fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        let mut gitignore = Match::None;
        let mut exclude = Match::None;
        let mut outside = false;
        let mut next = self.innermost.as_deref();
        while let Some(folder) = next {
            let ask = |rules: &Option<Gitignore>| {
                rules
                    .as_ref()
                    .map_or(Match::None, |rules| rules.matched(path, is_folder).map(|_| ()))
            };
            let ignore = ask(&folder.ignore);
            if !ignore.is_none() {
                return ignore.is_ignore();
            }
            if gitignore.is_none() && !outside {
                gitignore = ask(&folder.gitignore);
            }
            if exclude.is_none() && !outside {
                exclude = ask(&folder.exclude);
            }
            outside = outside || folder.is_repository;
            next = folder.above.as_deref();
        }
        gitignore.or(exclude).is_ignore()
    }
}

/// Parses the rules of a file. Invalid lines are skipped.
fn rules(folder: &Path, file: &Path, bytes: &[u8]) -> Option<Gitignore> {
    let text = String::from_utf8_lossy(bytes);
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _not_understood = builder.add_line(Some(file.to_owned()), line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

/// Reads a small regular file of an open folder.
fn bytes_at(folder: &OwnedFd, name: &str) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(crate::pins::below(folder, Path::new(name), flags).ok()?);
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MAX_FILE_SIZE {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_SIZE).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the path of the repository's `info/exclude`; a worktree uses that of the main repository.
fn exclude_of(folder: &Path) -> PathBuf {
    let git = folder.join(".git");
    let read = |file: &Path| String::from_utf8(read_regular(file, MAX_FILE_SIZE).ok()?).ok();
    let common = read(&git).and_then(|text| {
        let own = folder.join(text.strip_prefix("gitdir:")?.trim());
        let common = read(&own.join("commondir"))?;
        Some(own.join(common.trim()))
    });
    common.unwrap_or(git).join("info/exclude")
}
