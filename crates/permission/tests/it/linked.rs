//! A world of links, folders and files without a disk.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use sluice_permission::git::Repository;
use sluice_permission::{Found, Paths};

/// A world given as a table of links.
#[derive(Debug, Clone, Default)]
pub(crate) struct Linked {
    links: BTreeMap<PathBuf, PathBuf>,
    directories: Vec<PathBuf>,
    files: BTreeMap<PathBuf, String>,
}

impl Linked {
    /// A world with these links, each from an absolute path to a target as `ln -s` takes it.
    pub(crate) fn new<A: Into<PathBuf>, B: Into<PathBuf>>(links: impl IntoIterator<Item = (A, B)>) -> Self {
        Self {
            links: links.into_iter().map(|(from, to)| (from.into(), to.into())).collect(),
            directories: Vec::new(),
            files: BTreeMap::new(),
        }
    }

    /// With a file at `path`, in directories that are there.
    #[must_use]
    pub(crate) fn with_file(mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        let path = path.into();
        let parents = path.ancestors().skip(1).filter(|parent| parent.parent().is_some());
        self.directories.extend(parents.map(Path::to_path_buf));
        self.files.insert(path, text.into());
        self
    }

    /// With a directory at `path`.
    #[must_use]
    pub(crate) fn with_dir(mut self, path: impl Into<PathBuf>) -> Self {
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

#[test]
fn links_are_followed_part_by_part() {
    let world = Linked::new([("/w/link", "/etc"), ("/w/rel", "sub/deep"), ("/w/loop", "loop")]);
    assert_eq!(world.resolve(Path::new("/w/link/passwd")), Path::new("/etc/passwd"));
    assert_eq!(world.resolve(Path::new("/w/rel/x")), Path::new("/w/sub/deep/x"));
    assert_eq!(world.resolve(Path::new("/w/link/../x")), Path::new("/x"));
    assert!(world.resolve(Path::new("/w/loop/x")).starts_with("/w/loop"));
}
