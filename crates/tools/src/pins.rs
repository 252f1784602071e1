//! Pins: the resolved paths of a call at the time of the permission decision. Decision and tool use the same
//! resolution; the tool opens exactly these locations, without following symlinks.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, DirEntryExt as _, MetadataExt as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use serde_json::Value;
use sluice_permission::git::Repository;
use sluice_permission::{Key, Touches};

use crate::paths::{Moved, absolute, settled};

/// A path as given, and its resolved location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    named: PathBuf,
    place: PathBuf,
    /// True if the file has additional hard links.
    shared: bool,
}

impl Pin {
    /// Resolves `named`, which must be absolute.
    #[must_use]
    pub fn new(named: &Path) -> Self {
        let place = settled(named);
        let shared = std::fs::symlink_metadata(&place).is_ok_and(|metadata| is_shared(&metadata));
        Self {
            named: named.to_owned(),
            place,
            shared,
        }
    }

    /// Creates a pin from an existing resolution, for a file without additional hard links.
    #[must_use]
    pub fn to(named: impl Into<PathBuf>, place: impl Into<PathBuf>) -> Self {
        Self {
            named: named.into(),
            place: place.into(),
            shared: false,
        }
    }

    /// Returns the resolved location.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Opens a handle to the file at this location.
    ///
    /// # Errors
    /// Nothing exists there, or the path resolves to another location by now.
    pub(crate) fn hold(&self) -> io::Result<Handle> {
        let handle = Handle(File::from(
            without_links(&self.place, OFlags::PATH).map_err(|error| self.explained(error))?,
        ));
        self.check()?;
        let metadata = handle.metadata()?;
        if is_shared(&metadata) && !self.shared {
            return Err(self.linked());
        }
        Ok(handle)
    }

    /// Checks that the path still resolves to the same location. The opened file does not depend on it, but a changed
    /// symlink must not go unnoticed.
    pub(crate) fn check(&self) -> io::Result<()> {
        let now = settled(&self.named);
        if now == self.place {
            return Ok(());
        }
        Err(Moved::new(&self.named, &now).into())
    }

    /// Returns the error for a file that has gained a hard link since the decision.
    pub(crate) fn linked(&self) -> io::Error {
        io::Error::other(format!(
            "{} has been made another name of some other file since this call was allowed. Nothing was done",
            self.named.display()
        ))
    }

    pub(crate) fn is_shared(&self) -> bool {
        self.shared
    }

    fn explained(&self, error: Errno) -> io::Error {
        match error {
            Errno::LOOP => Moved::new(&self.named, &settled(&self.named)).into(),
            error => error.into(),
        }
    }
}

/// Opens the regular file at a path without symlinks; anything else is refused without blocking.
///
/// # Errors
/// The file cannot be opened, is not a regular file, or the path contains a symlink.
pub fn open_unlinked(place: &Path) -> io::Result<File> {
    let held = Handle(File::from(without_links(place, OFlags::PATH)?));
    match held.metadata()?.is_file() {
        true => held.read(place),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

fn is_shared(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.nlink() > 1
}

/// All paths of a call, and the git repositories that the decision considered.
#[derive(Debug, Clone, Default)]
pub struct Pins {
    paths: Arc<[Pin]>,
    repositories: Arc<Mutex<Vec<Arc<Repository>>>>,
}

impl Pins {
    /// Creates pins from existing resolutions.
    #[must_use]
    pub fn new(pins: Vec<Pin>) -> Self {
        Self {
            paths: pins.into(),
            ..Self::default()
        }
    }

    /// Resolves the paths of a call of a tool that touches these inputs. The input must be checked.
    #[must_use]
    pub fn of(touches: Touches, input: &Value, cwd: &Path) -> Self {
        let text = |key: Key| input.get(key).and_then(Value::as_str);
        let named = match touches {
            Touches::Searches { path, .. } => Some(text(path).unwrap_or_default()),
            _ => touches.file().and_then(text),
        };
        let mut paths: Vec<PathBuf> = named.into_iter().map(|path| absolute(Path::new(path), cwd)).collect();
        if let Touches::Searches { pattern: Some(key), .. } = touches
            && let (Some(folder), Some(pattern)) = (paths.first(), text(key))
            && let Some(elsewhere) = crate::glob::leaves(pattern, folder)
        {
            paths.push(elsewhere);
        }
        Self::new(paths.iter().map(|path| Pin::new(path)).collect())
    }

    /// Returns the main path of the call.
    #[must_use]
    pub fn first(&self) -> Option<&Pin> {
        self.paths.first()
    }

    /// Returns the resolved location of one of the paths.
    #[must_use]
    pub fn resolve(&self, path: &Path) -> Option<&Path> {
        self.find(path).map(Pin::place)
    }

    /// Returns the locations of files with additional hard links.
    pub fn shared(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().filter(|pin| pin.shared).map(Pin::place)
    }

    /// Records a repository that the decision considered.
    pub(crate) fn judged(&self, repository: &Arc<Repository>) {
        let mut all = self.repositories.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains(repository) {
            all.push(repository.clone());
        }
    }

    /// Returns the environment variables that bind git to the repository considered in the decision. With `index`, git
    /// uses a copy of the repository's index, which is created there.
    #[must_use]
    pub fn git_env(&self, index: Option<&Path>) -> Vec<(&'static str, PathBuf)> {
        let all = self.repositories.lock().unwrap_or_else(PoisonError::into_inner);
        let [one] = all.as_slice() else {
            return Vec::new();
        };
        let mut env = vec![
            ("GIT_DIR", one.git_dir.clone()),
            ("GIT_WORK_TREE", one.work_tree.clone()),
        ];
        if one.common_dir != one.git_dir {
            env.push(("GIT_COMMON_DIR", one.common_dir.clone()));
        }
        if let Some(index) = index {
            let folder = index.parent().unwrap_or(index);
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .ok();
            // A new repository has no index yet.
            copy_with_time(&one.git_dir.join("index"), index).ok();
            env.push(("GIT_INDEX_FILE", index.to_owned()));
        }
        env
    }

    /// Returns the pin of a path.
    pub(crate) fn find(&self, path: &Path) -> Option<&Pin> {
        self.paths.iter().find(|pin| pin.named == path)
    }
}

/// Copies an index. Git compares the content of files that are not older than the index, so the copy has its time.
fn copy_with_time(index: &Path, copy: &Path) -> io::Result<()> {
    let modified = index.metadata()?.modified()?;
    std::fs::copy(index, copy)?;
    File::options().write(true).open(copy)?.set_modified(modified)
}

/// A handle to a file or folder opened without reading; opening it has no side effects on devices.
#[derive(Debug)]
pub(crate) struct Handle(File);

impl Handle {
    /// Opens a handle to the file that a path resolves to; used if there was no decision.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let held = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self(File::from(held)))
    }

    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    /// Opens the file for reading without blocking on pipes.
    pub(crate) fn read(&self, place: &Path) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let own = format!("/proc/self/fd/{}", self.0.as_raw_fd());
        match rustix::fs::open(own, flags, Mode::empty()) {
            Ok(file) => Ok(File::from(file)),
            // without /proc the file is reopened by path and identified by inode
            Err(Errno::NOENT) => {
                let file = File::from(without_links(place, flags)?);
                let (held, opened) = (self.metadata()?, file.metadata()?);
                match (held.dev(), held.ino()) == (opened.dev(), opened.ino()) {
                    true => Ok(file),
                    false => Err(Moved::new(place, place).into()),
                }
            }
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn into_fd(self) -> OwnedFd {
        self.0.into()
    }
}

impl From<OwnedFd> for Handle {
    fn from(held: OwnedFd) -> Self {
        Self(File::from(held))
    }
}

/// Opens an absolute path that must not contain symlinks.
fn without_links(path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    open_below(CWD, path, flags, ResolveFlags::NO_SYMLINKS)
}

/// Opens a path below a folder, without symlinks and without leaving the folder.
pub(crate) fn below(folder: impl std::os::fd::AsFd, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    open_below(folder, path, flags, ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH)
}

fn open_below(
    folder: impl std::os::fd::AsFd,
    path: &Path,
    flags: OFlags,
    how: ResolveFlags,
) -> rustix::io::Result<OwnedFd> {
    let flags = flags | OFlags::CLOEXEC;
    match rustix::fs::openat2(&folder, path, flags, Mode::empty(), how) {
        // an old kernel, or one on which the call is filtered
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => by_steps(folder, path, flags),
        // a concurrent rename interfered
        Err(Errno::AGAIN) => by_steps(folder, path, flags),
        other => other,
    }
}

/// Opens the path component by component.
fn by_steps(folder: impl std::os::fd::AsFd, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
    let start = if path.is_absolute() { "/" } else { "." };
    let mut at = rustix::fs::openat(&folder, start, STEP, Mode::empty())?;
    let parts: Vec<Component<'_>> = path.components().collect();
    let names: Vec<&std::ffi::OsStr> = parts
        .into_iter()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(Ok(name)),
            Component::ParentDir => Some(Err(Errno::XDEV)),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        })
        .collect::<rustix::io::Result<_>>()?;
    let Some((last, folders)) = names.split_last() else {
        return rustix::fs::openat(&folder, start, flags, Mode::empty());
    };
    for name in folders {
        at = match rustix::fs::openat(&at, *name, STEP | OFlags::NOFOLLOW, Mode::empty()) {
            Err(Errno::NOTDIR) if is_link(&at, name) => return Err(Errno::LOOP),
            other => other?,
        };
    }
    let opened = rustix::fs::openat(&at, *last, flags | OFlags::NOFOLLOW, Mode::empty())?;
    // a handle to a symlink itself is possible, but not wanted
    match FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode) {
        FileType::Symlink => Err(Errno::LOOP),
        _ => Ok(opened),
    }
}

fn is_link(folder: &OwnedFd, name: &std::ffi::OsStr) -> bool {
    rustix::fs::statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

/// Maximum number of names searched for the hard links of a file.
const MAX_NAMES: usize = 100_000;

/// Number of hard links that files have below some folders. A file with more links than that has a name elsewhere, and
/// its content may be from there.
#[derive(Debug, Default)]
pub(crate) struct Names {
    counts: HashMap<(u64, u64), u64>,
}

impl Names {
    /// Counts the hard links of every file below the roots; a tree that is too large counts as empty.
    pub(crate) fn below(roots: &[PathBuf]) -> Self {
        let mut names = Self::default();
        let mut waiting: Vec<PathBuf> = roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
        waiting.sort();
        waiting.dedup_by(|inner, outer| inner.starts_with(&*outer));
        let mut seen = 0;
        while let Some(folder) = waiting.pop() {
            let Ok(device) = std::fs::symlink_metadata(&folder).map(|metadata| metadata.dev()) else {
                continue;
            };
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                seen += 1;
                if seen > MAX_NAMES {
                    return Self::default();
                }
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                    Ok(kind) if kind.is_file() => *names.counts.entry((device, entry.ino())).or_default() += 1,
                    _ => {}
                }
            }
        }
        names
    }

    /// True if all hard links of the file are below the roots.
    pub(crate) fn hold_all_of(&self, metadata: &Metadata) -> bool {
        let known = self.counts.get(&(metadata.dev(), metadata.ino()));
        known.is_some_and(|known| *known >= metadata.nlink())
    }
}

/// True if all hard links of the file at `place` are below one of the roots.
#[must_use]
pub fn all_names_below(place: &Path, roots: &[PathBuf]) -> bool {
    match std::fs::symlink_metadata(place) {
        Ok(metadata) if is_shared(&metadata) => Names::below(roots).hold_all_of(&metadata),
        _ => true,
    }
}
