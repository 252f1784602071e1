//! Files that version control ignores (`.gitignore`), folder by folder.
//!
//! The rules of a folder apply to everything below it; those of a deeper folder come first. `.ignore` is stronger than
//! `.gitignore`, and that is stronger than the repository's `info/exclude`. A repository inside another starts anew.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::OFlags;
use sluice_settings::read_regular;

/// More than any such file has a reason to hold.
const LARGEST: u64 = 4 * 1024 * 1024;

/// The names that make a folder worth a closer look.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Told {
    pub(super) ignore: bool,
    pub(super) gitignore: bool,
    pub(super) git: bool,
}

impl Told {
    /// Notes a name of the folder.
    pub(super) fn note(&mut self, name: &[u8]) {
        match name {
            b".ignore" => self.ignore = true,
            b".gitignore" => self.gitignore = true,
            b".git" => self.git = true,
            _ => {}
        }
    }

    /// For a folder whose names nobody has read.
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

/// The rules in force somewhere in a tree. Cheap to hand on: folders that say nothing share their parent's.
#[derive(Debug, Clone, Default)]
pub(super) struct Ignored {
    innermost: Option<Arc<Folder>>,
    /// Whether repositories bound their rules. A tree outside of any is one piece.
    bounded: bool,
}

#[derive(Debug)]
struct Folder {
    ignore: Option<Gitignore>,
    gitignore: Option<Gitignore>,
    exclude: Option<Gitignore>,
    /// A repository begins here: what the folders above say of theirs does not count.
    is_repository: bool,
    above: Option<Arc<Self>>,
}

impl Ignored {
    /// For a search inside a repository: the rules of the folders above `root`, outermost first.
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

    /// The rules inside `folder`, which has these names; read from where it is held, if it is.
    pub(super) fn inside(&self, folder: &Path, held: Option<&OwnedFd>, told: Told) -> Self {
        if told.is_silent() {
            return self.clone();
        }
        let read = |name: &str, wanted: bool| {
            let bytes = wanted.then(|| match held {
                Some(held) => bytes_at(held, name),
                None => read_regular(&folder.join(name), LARGEST).ok(),
            });
            rules(folder, &folder.join(name), &bytes.flatten()?)
        };
        let exclude = || {
            let file = exclude_of(folder);
            rules(folder, &file, &read_regular(&file, LARGEST).ok()?)
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

    /// Whether nothing can be left out.
    pub(super) fn is_empty(&self) -> bool {
        self.innermost.is_none()
    }

    /// Whether this file or folder is left out.
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

/// The rules of one file. A line that cannot be understood costs that line alone.
fn rules(folder: &Path, file: &Path, bytes: &[u8]) -> Option<Gitignore> {
    let text = String::from_utf8_lossy(bytes);
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _not_understood = builder.add_line(Some(file.to_owned()), line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

/// A small regular file of a folder that is held.
fn bytes_at(folder: &OwnedFd, name: &str) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(crate::pins::below(folder, Path::new(name), flags).ok()?);
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Where a repository keeps the rules it does not share. A work tree of its own points to the common place.
fn exclude_of(folder: &Path) -> PathBuf {
    let git = folder.join(".git");
    let read = |file: &Path| String::from_utf8(read_regular(file, LARGEST).ok()?).ok();
    let common = read(&git).and_then(|text| {
        let own = folder.join(text.strip_prefix("gitdir:")?.trim());
        let common = read(&own.join("commondir"))?;
        Some(own.join(common.trim()))
    });
    common.unwrap_or(git).join("info/exclude")
}
