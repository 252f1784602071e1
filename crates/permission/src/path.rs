//! Paths, compared by their components, never as text.

use std::collections::BTreeMap;
use std::ffi::OsString;
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

/// What was found at a path.
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

/// A world given as a table of links, for tests.
#[derive(Debug, Clone, Default)]
pub struct Linked {
    links: BTreeMap<PathBuf, PathBuf>,
    directories: Vec<PathBuf>,
    files: BTreeMap<PathBuf, String>,
}

impl Linked {
    /// A world with these links, each from an absolute path to a target as `ln -s` takes it.
    pub fn new<A: Into<PathBuf>, B: Into<PathBuf>>(links: impl IntoIterator<Item = (A, B)>) -> Self {
        Self {
            links: links.into_iter().map(|(from, to)| (from.into(), to.into())).collect(),
            directories: Vec::new(),
            files: BTreeMap::new(),
        }
    }

    /// With a file at `path`, in directories that are there.
    #[must_use]
    pub fn with_file(mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        let path = path.into();
        let parents = path.ancestors().skip(1).filter(|parent| parent.parent().is_some());
        self.directories.extend(parents.map(Path::to_path_buf));
        self.files.insert(path, text.into());
        self
    }

    /// With a directory at `path`.
    #[must_use]
    pub fn with_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.directories.push(path.into());
        self
    }
}

impl Paths for Linked {
    fn resolve(&self, path: &Path) -> PathBuf {
        let mut rest: Vec<OsString> = parts(path);
        rest.reverse();
        let mut done = PathBuf::from("/");
        let mut hops = 0;
        while let Some(part) = rest.pop() {
            if part == ".." {
                done.pop();
                continue;
            }
            done.push(&part);
            let Some(target) = self.links.get(&done) else {
                continue;
            };
            hops += 1;
            if hops > 40 {
                break;
            }
            done.pop();
            if target.is_absolute() {
                done = PathBuf::from("/");
            }
            rest.extend(parts(target).into_iter().rev());
        }
        done
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.directories.iter().any(|dir| dir == path)
    }

    /// A folder with `.git/HEAD` in it is a repository without settings.
    fn repository(&self, directory: &Path) -> Found<Arc<Repository>> {
        let at = self.resolve(directory);
        let mut parents = at.ancestors();
        let Some(root) = parents.find(|parent| self.files.contains_key(&parent.join(".git/HEAD"))) else {
            return Found::Nothing;
        };
        Found::This(Arc::new(Repository {
            git_dir: root.join(".git"),
            common_dir: root.join(".git"),
            work_tree: root.to_path_buf(),
            settings: Vec::new(),
            enters_submodules: false,
        }))
    }

    /// In a repository each of its files is tracked.
    fn tracked(&self, repository: &Repository) -> Found<Arc<Vec<PathBuf>>> {
        let root = &repository.work_tree;
        let inside = self.files.keys().filter_map(|file| file.strip_prefix(root).ok());
        let tracked = inside.filter(|file| !file.starts_with(".git"));
        Found::This(Arc::new(tracked.map(Path::to_path_buf).collect()))
    }

    fn committed(&self, _repository: &Repository) -> Found<Vec<PathBuf>> {
        Found::Unknown
    }

    fn read(&self, path: &Path) -> Found<String> {
        self.files
            .get(&self.resolve(path))
            .cloned()
            .map_or(Found::Nothing, Found::This)
    }

    fn names(&self, path: &Path) -> Found<Vec<String>> {
        let all = self.files.keys().chain(&self.directories).chain(self.links.keys());
        let mut names: Vec<String> = all
            .filter(|one| one.parent() == Some(path))
            .filter_map(|one| Some(one.file_name()?.to_str()?.to_owned()))
            .collect();
        names.sort();
        names.dedup();
        if names.is_empty() {
            Found::Nothing
        } else {
            Found::This(names)
        }
    }

    fn is_link(&self, path: &Path) -> bool {
        self.links.contains_key(path)
    }
}

fn parts(path: &Path) -> Vec<OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
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
    /// Where it leads.
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

    #[test]
    fn links_are_followed_part_by_part() {
        let world = Linked::new([("/w/link", "/etc"), ("/w/rel", "sub/deep"), ("/w/loop", "loop")]);
        assert_eq!(world.resolve(Path::new("/w/link/passwd")), Path::new("/etc/passwd"));
        assert_eq!(world.resolve(Path::new("/w/rel/x")), Path::new("/w/sub/deep/x"));
        assert_eq!(world.resolve(Path::new("/w/link/../x")), Path::new("/x"));
        assert!(world.resolve(Path::new("/w/loop/x")).starts_with("/w/loop"));
    }
}
