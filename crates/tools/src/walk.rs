//! Walks a file tree with several threads, within limits.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use rustix::fs::OFlags;
use tokio_util::sync::CancellationToken;

mod ignored;
mod tree;

pub(crate) use tree::FileAt;

use ignored::Ignored;
use tree::Guide;

use crate::context::{Context, Hidden};
use crate::outcome::Outcome;
use crate::pins::{self, Handle, Pin};

/// Timeout of a search; results found so far are shown.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum number of threads; more would wait for the disk and for each other.
const MAX_THREADS: usize = 8;
/// Folders of version control systems.
const VERSION_CONTROL: [&str; 6] = [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"];

/// Limits of a search.
#[derive(Debug, Clone)]
pub(crate) struct Patience {
    cancel: CancellationToken,
    until: Instant,
    expired: Arc<AtomicBool>,
}

impl Patience {
    pub(crate) fn new(cancel: CancellationToken) -> Self {
        Self::of(cancel, TIMEOUT)
    }

    pub(crate) fn of(cancel: CancellationToken, longest: Duration) -> Self {
        let now = Instant::now();
        Self {
            cancel,
            until: now.checked_add(longest).unwrap_or(now),
            expired: Arc::new(AtomicBool::new(false)),
        }
    }

    /// True if the search must stop now.
    pub(crate) fn is_over(&self) -> bool {
        if self.cancel.is_cancelled() {
            return true;
        }
        let expired = Instant::now() >= self.until;
        if expired {
            self.expired.store(true, Ordering::Relaxed);
        }
        expired
    }

    /// True if the search timed out.
    pub(crate) fn has_expired(&self) -> bool {
        self.expired.load(Ordering::Relaxed)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// Start of a search: path as given, and resolved path.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    named: PathBuf,
    real: PathBuf,
    cwd: PathBuf,
    /// Open handle; everything is reached from here instead of by path.
    held: Arc<OwnedFd>,
    is_dir: bool,
}

impl Root {
    /// Opens the folder or file at `path`, which must be absolute. If the context has pins, it must resolve to the
    /// location that the permission decision considered.
    pub(crate) fn new(path: &Path, cx: &Context) -> Result<Self, Outcome> {
        let cwd = cx.cwd.get();
        // without a decision, the current location of the path counts
        let pin = cx.pin(path)?.unwrap_or_else(|| Pin::new(path));
        let held = pin.hold().and_then(|held| Ok((held.metadata()?.is_dir(), held)));
        let (is_dir, held) = held.map_err(|error| {
            Outcome::refused(match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => format!(
                    "Path does not exist: {}. Note: your current working directory is {}.",
                    path.display(),
                    cwd.display()
                ),
                _ => error.to_string(),
            })
        })?;
        Ok(Self {
            named: path.to_owned(),
            real: pin.place().to_owned(),
            cwd,
            held: Arc::new(held.into_fd()),
            is_dir,
        })
    }

    /// Returns a folder below this one, named without wildcards.
    pub(crate) fn below(mut self, folder: &str) -> Option<Self> {
        // a symlink in the path could lead the search outside of the permitted location
        let held = pins::below(&self.held, Path::new(folder), OFlags::PATH | OFlags::DIRECTORY).ok()?;
        self.named.push(folder);
        self.real.push(folder);
        self.held = Arc::new(held);
        Some(self)
    }

    pub(crate) fn is_dir(&self) -> bool {
        self.is_dir
    }

    /// Opens the root if it is a file.
    pub(crate) fn open(&self) -> io::Result<File> {
        Handle::from(self.held.try_clone()?).read(&self.real)
    }

    pub(crate) fn real(&self) -> &Path {
        &self.real
    }

    /// Returns the displayed path: relative to the current directory if below it.
    pub(crate) fn shown(&self, file: &Path) -> String {
        let named = self.named(file);
        named
            .strip_prefix(&self.cwd)
            .ok()
            .filter(|rest| !rest.as_os_str().is_empty())
            .unwrap_or(&named)
            .to_string_lossy()
            .into_owned()
    }

    /// Returns the path of a found file, based on the given name of the root.
    fn named(&self, file: &Path) -> PathBuf {
        match file.strip_prefix(&self.real) {
            Ok(rest) if rest.as_os_str().is_empty() => self.named.clone(),
            Ok(rest) => self.named.join(rest),
            Err(_) => file.to_owned(),
        }
    }
}

/// Files to search.
#[derive(Clone)]
pub(crate) struct Scope {
    pub(crate) root: Root,
    globs: Override,
    types: Types,
    hidden: Option<Hidden>,
}

impl Scope {
    /// Creates a scope of files below `root` that match one of `globs` (if not empty) and `kind`.
    pub(crate) fn new(
        root: Root,
        globs: &[String],
        kind: Option<&str>,
        hidden: Option<Hidden>,
    ) -> Result<Self, Outcome> {
        let mut overrides = OverrideBuilder::new(root.real());
        for glob in globs {
            overrides
                .add(glob)
                .map_err(|error| Outcome::refused(format!("`{glob}` is not a pattern for file names: {error}")))?;
        }
        let globs = overrides
            .build()
            .map_err(|error| Outcome::refused(format!("The patterns for file names cannot be used: {error}")))?;
        let types = match kind {
            None => Types::empty(),
            Some(kind) => TypesBuilder::new().add_defaults().select(kind).build().map_err(|_| {
                Outcome::refused(format!(
                    "There is no file type `{kind}`; use `glob` instead, as in `*.{kind}`."
                ))
            })?,
        };
        Ok(Self {
            root,
            globs,
            types,
            hidden,
        })
    }

    fn takes(&self, file: &Path) -> bool {
        !self.globs.matched(file, false).is_ignore()
            && !self.types.matched(file, false).is_ignore()
            && !self.hides(file)
    }

    fn hides(&self, file: &Path) -> bool {
        let Some(hidden) = &self.hidden else { return false };
        hidden(file) || {
            let named = self.root.named(file);
            named != file && hidden(&named)
        }
    }
}

/// Processes files.
pub(crate) trait Visit {
    /// Processes one file.
    fn file(&mut self, file: FileAt<'_>);
}

/// Passes every file of the scope to a visitor; each thread has its own visitor. Symlinks are not followed; ignored
/// files and folders of version control systems are skipped.
pub(crate) fn each_file<V, M>(scope: &Scope, patience: &Patience, make: M)
where
    V: Visit,
    M: Fn() -> V + Sync,
{
    let root = scope.root.real();
    if !scope.root.is_dir() {
        if scope.takes(root) {
            make().file(FileAt { path: root, at: None });
        }
        return;
    }
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS));
    // outside of a repository `.gitignore` also applies, but not that of parent folders
    let in_repository = root.ancestors().any(|folder| folder.join(".git").exists());
    let above = if in_repository {
        Ignored::above(root)
    } else {
        Ignored::default()
    };
    tree::each(
        (root, &scope.root.held),
        above,
        threads,
        &Way { scope, patience },
        || {
            let mut visitor = make();
            move |file: FileAt<'_>| {
                if scope.takes(file.path) {
                    visitor.file(file);
                }
            }
        },
    );
}

/// Scope and limits of a search.
struct Way<'a> {
    scope: &'a Scope,
    patience: &'a Patience,
}

impl Guide for Way<'_> {
    fn enters(&self, folder: &Path, name: &OsStr) -> bool {
        !VERSION_CONTROL.iter().any(|kept| name == *kept) && !self.scope.globs.matched(folder, true).is_ignore()
    }

    fn is_over(&self) -> bool {
        self.patience.is_over()
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
