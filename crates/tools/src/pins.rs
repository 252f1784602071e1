//! Pins: where the paths of a call led when it was decided about. The decision and the tool use the same look at the
//! disk. The tool opens that place and no other, without following a link.

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

/// One path: as it was named, and where that led.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    named: PathBuf,
    place: PathBuf,
    /// Whether a file lay there that has other names besides.
    shared: bool,
}

impl Pin {
    /// Looks where `named`, which must be absolute, leads now.
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

    /// A path that leads to this place, by somebody else's look; a file there has no other name.
    #[must_use]
    pub fn to(named: impl Into<PathBuf>, place: impl Into<PathBuf>) -> Self {
        Self {
            named: named.into(),
            place: place.into(),
            shared: false,
        }
    }

    /// Where it led.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Holds what lies there now, and what lies nowhere else.
    ///
    /// # Errors
    /// When there is nothing, or the path has been turned elsewhere since.
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

    /// Whether the path still leads where it led. What is opened does not depend on it; whoever turned a link meanwhile
    /// is not obeyed in silence.
    pub(crate) fn check(&self) -> io::Result<()> {
        let now = settled(&self.named);
        if now == self.place {
            return Ok(());
        }
        Err(Moved::new(&self.named, &now).into())
    }

    /// A file with several names, where none was decided about.
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

/// Opens the regular file at a place, none of whose parts is a link; anything else is refused, and not waited for.
///
/// # Errors
/// When it cannot be opened, is something else, or a link lies on the way.
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

/// All paths of a call, and the git repositories it was decided about with.
#[derive(Debug, Clone, Default)]
pub struct Pins {
    paths: Arc<[Pin]>,
    repositories: Arc<Mutex<Vec<Arc<Repository>>>>,
}

impl Pins {
    /// For whoever has looked already.
    #[must_use]
    pub fn new(pins: Vec<Pin>) -> Self {
        Self {
            paths: pins.into(),
            ..Self::default()
        }
    }

    /// Looks where the paths of a call lead, of a tool that touches this. The input is a checked one.
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

    /// The path the call is about.
    #[must_use]
    pub fn first(&self) -> Option<&Pin> {
        self.paths.first()
    }

    /// Where one of its paths leads.
    #[must_use]
    pub fn resolve(&self, path: &Path) -> Option<&Path> {
        self.find(path).map(Pin::place)
    }

    /// Those that lead to a file with other names besides.
    pub fn shared(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().filter(|pin| pin.shared).map(Pin::place)
    }

    /// Records a repository that the decision was made with.
    pub(crate) fn judged(&self, repository: &Arc<Repository>) {
        let mut all = self.repositories.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains(repository) {
            all.push(repository.clone());
        }
    }

    /// The variables that bind git to the repository it was judged with. With `index`, git uses a copy of the repository's
    /// index that is made there.
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
            // A repository may have none yet.
            std::fs::copy(one.git_dir.join("index"), index).ok();
            env.push(("GIT_INDEX_FILE", index.to_owned()));
        }
        env
    }

    /// One of its paths.
    pub(crate) fn find(&self, path: &Path) -> Option<&Pin> {
        self.paths.iter().find(|pin| pin.named == path)
    }
}

/// A file or folder that is held, and only held: nothing has been read, and no device has been woken.
#[derive(Debug)]
pub(crate) struct Handle(File);

impl Handle {
    /// Holds what a path leads to, whatever that is; for what nobody decided about.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let held = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self(File::from(held)))
    }

    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    /// Opens it for reading, without ever waiting for a writer.
    pub(crate) fn read(&self, place: &Path) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let own = format!("/proc/self/fd/{}", self.0.as_raw_fd());
        match rustix::fs::open(own, flags, Mode::empty()) {
            Ok(file) => Ok(File::from(file)),
            // without /proc the file is known by its number
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

/// Opens an absolute path none of whose parts is a link.
fn without_links(path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    open_below(CWD, path, flags, ResolveFlags::NO_SYMLINKS)
}

/// Opens a path below a folder; no part of it is a link, and none leads up.
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
        // an old kernel, or one that hides the call
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => by_steps(folder, path, flags),
        // something was renamed while the kernel looked
        Err(Errno::AGAIN) => by_steps(folder, path, flags),
        other => other,
    }
}

/// The same, one part after the other.
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
    // a link itself can be held, and is none of what is looked for
    match FileType::from_raw_mode(rustix::fs::fstat(&opened)?.st_mode) {
        FileType::Symlink => Err(Errno::LOOP),
        _ => Ok(opened),
    }
}

fn is_link(folder: &OwnedFd, name: &std::ffi::OsStr) -> bool {
    rustix::fs::statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

/// How many names are looked at to find all those of a file.
const MOST_LOOKED_AT: usize = 100_000;

/// How many names the files below some folders have there. A file with more names than that has one elsewhere, and what
/// it holds is from elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Names {
    counts: HashMap<(u64, u64), u64>,
}

impl Names {
    /// Counts those of every file below the roots that has several; a tree too large to look through counts as none.
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
                if seen > MOST_LOOKED_AT {
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

    /// Whether every name of the file is below the roots.
    pub(crate) fn hold_all_of(&self, metadata: &Metadata) -> bool {
        let known = self.counts.get(&(metadata.dev(), metadata.ino()));
        known.is_some_and(|known| *known >= metadata.nlink())
    }
}

/// Whether every name of the file at `place` lies below one of the roots.
#[must_use]
pub fn all_names_below(place: &Path, roots: &[PathBuf]) -> bool {
    match std::fs::symlink_metadata(place) {
        Ok(metadata) if is_shared(&metadata) => Names::below(roots).hold_all_of(&metadata),
        _ => true,
    }
}
