//! Paths, compared by their components, never as text.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::git::Repository;

/// What a decision asks the world. There are no defaults: what an implementation does not know is [`Found::Unknown`].
pub trait Paths: Send + Sync {
    /// `path` with the links of its longest existing prefix resolved.
    fn resolve(&self, path: &Path) -> PathBuf;

    /// Whether there is a directory at `path`.
    fn is_dir(&self, path: &Path) -> bool;

    /// The text of the file at `path`.
    fn read(&self, path: &Path) -> Found<String>;

    /// The names in the directory at `path`.
    fn names(&self, path: &Path) -> Found<Vec<String>>;

    /// Whether there is a link at `path` itself.
    fn is_link(&self, path: &Path) -> bool;

    /// The repository that git works in from `directory`.
    fn repository(&self, directory: &Path) -> Found<Arc<Repository>>;

    /// The files that a repository tracks, below its work tree.
    fn tracked(&self, repository: &Repository) -> Found<Arc<Vec<PathBuf>>>;

    /// The files that any commit of a repository changed, below its work tree.
    fn committed(&self, repository: &Repository) -> Found<Vec<PathBuf>>;
}

/// The result of a lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<T> {
    /// There is nothing of that kind.
    Nothing,
    /// There is something that is too large, malformed or not readable.
    Unknown,
    /// This.
    This(T),
}

/// A world without files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lexical;

impl Paths for Lexical {
    fn resolve(&self, path: &Path) -> PathBuf {
        normal(path)
    }

    fn is_dir(&self, _path: &Path) -> bool {
        false
    }

    fn read(&self, _path: &Path) -> Found<String> {
        Found::Nothing
    }

    fn names(&self, _path: &Path) -> Found<Vec<String>> {
        Found::Nothing
    }

    fn is_link(&self, _path: &Path) -> bool {
        false
    }

    fn repository(&self, _directory: &Path) -> Found<Arc<Repository>> {
        Found::Nothing
    }

    fn tracked(&self, _repository: &Repository) -> Found<Arc<Vec<PathBuf>>> {
        Found::Nothing
    }

    fn committed(&self, _repository: &Repository) -> Found<Vec<PathBuf>> {
        Found::Unknown
    }
}

/// `path` without `.`, `..` and doubled slashes, without looking at the disk.
#[must_use]
pub fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::ParentDir => {
                out.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    out
}

/// A directory as named and as resolved.
pub(crate) fn both(dir: &Path, paths: &dyn Paths) -> [PathBuf; 2] {
    let dir = normal(dir);
    let resolved = normal(&paths.resolve(&dir));
    [dir, resolved]
}

/// `path` as seen from `cwd`.
#[must_use]
pub fn absolute(cwd: &Path, path: &str) -> PathBuf {
    normal(&cwd.join(path))
}

/// Whether `path` is `dir` or lies beneath it, by components.
#[must_use]
pub fn within(path: &Path, dir: &Path) -> bool {
    path.starts_with(dir)
}

/// A path in both of its forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// As it was named.
    pub lexical: PathBuf,
    /// The path with links resolved.
    pub resolved: PathBuf,
}

impl Located {
    /// Looks a path up. The named form keeps `..` out of the lexical one, but links are
    /// resolved along the path as written: `link/../x` is not `x`.
    pub fn new(path: &Path, paths: &dyn Paths) -> Self {
        Self {
            lexical: normal(path),
            resolved: normal(&paths.resolve(path)),
        }
    }

    /// A file directly in this folder.
    pub(crate) fn child(&self) -> Self {
        Self {
            lexical: self.lexical.join("x"),
            resolved: self.resolved.join("x"),
        }
    }

    /// Both forms, once when they are the same.
    pub fn forms(&self) -> impl Iterator<Item = &Path> {
        let second = (self.resolved != self.lexical).then_some(self.resolved.as_path());
        std::iter::once(self.lexical.as_path()).chain(second)
    }

    /// Whether both forms lie beneath one of `dirs`, taken as named or as resolved.
    pub fn inside(&self, dirs: &[PathBuf], paths: &dyn Paths) -> bool {
        self.forms().all(|form| {
            dirs.iter().any(|dir| {
                let dir = normal(dir);
                within(form, &dir) || within(form, &normal(&paths.resolve(&dir)))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_compared_not_text() {
        assert!(within(Path::new("/proj/a"), Path::new("/proj")));
        assert!(within(Path::new("/proj"), Path::new("/proj")));
        assert!(!within(Path::new("/proj-evil/a"), Path::new("/proj")));
    }

    #[test]
    fn dots_go_away() {
        assert_eq!(normal(Path::new("/a/./b/../c//d")), Path::new("/a/c/d"));
        assert_eq!(normal(Path::new("/../../a")), Path::new("/a"));
        assert_eq!(absolute(Path::new("/w"), "../x"), Path::new("/x"));
        assert_eq!(absolute(Path::new("/w"), "/x"), Path::new("/x"));
    }
}
