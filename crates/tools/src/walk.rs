//! Going through a tree of files, on several threads, for as long as it is worth it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use ignore::{WalkBuilder, WalkState};
use tokio_util::sync::CancellationToken;

use crate::context::{Context, Hidden};
use crate::outcome::Outcome;
use crate::paths;

/// A search that takes longer shows what it has found by then.
const LONGEST: Duration = Duration::from_secs(20);
/// More threads than this wait for the disk and for each other.
const THREADS: usize = 8;
/// After how many files a thread asks whether to go on.
const ASKED_EVERY: usize = 16;
/// What version control keeps for itself.
const VERSION_CONTROL: [&str; 6] = [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"];

/// When to give up.
#[derive(Debug, Clone)]
pub(crate) struct Patience {
    cancel: CancellationToken,
    until: Instant,
    expired: Arc<AtomicBool>,
}

impl Patience {
    pub(crate) fn new(cancel: CancellationToken) -> Self {
        Self::of(cancel, LONGEST)
    }

    pub(crate) fn of(cancel: CancellationToken, longest: Duration) -> Self {
        let now = Instant::now();
        Self {
            cancel,
            until: now.checked_add(longest).unwrap_or(now),
            expired: Arc::new(AtomicBool::new(false)),
        }
    }

    /// Whether to stop now.
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

    /// Whether time ran out before everything was seen.
    pub(crate) fn has_expired(&self) -> bool {
        self.expired.load(Ordering::Relaxed)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// Where a search begins: as it was named, and where that really is.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    named: PathBuf,
    real: PathBuf,
    cwd: PathBuf,
}

impl Root {
    /// The folder or file at `path`, which must be absolute and, where the context names one, lead to what the
    /// permission decision was about.
    pub(crate) fn new(path: &Path, cx: &Context) -> Result<Self, Outcome> {
        let cwd = cx.cwd.get();
        let Ok(real) = path.canonicalize() else {
            return Err(Outcome::refused(format!(
                "Path does not exist: {}. Note: your current working directory is {}.",
                path.display(),
                cwd.display()
            )));
        };
        if let Some(expected) = &cx.resolved
            && real != *expected
        {
            return Err(Outcome::refused(paths::Moved::new(path, &real).to_string()));
        }
        Ok(Self {
            named: path.to_owned(),
            real,
            cwd,
        })
    }

    /// A folder below this one, named without wildcards.
    pub(crate) fn below(mut self, folder: &str) -> Option<Self> {
        self.named.push(folder);
        let real = self.named.canonicalize().ok()?;
        // a link on the way would lead the search out of what was decided about
        (real == self.real.join(folder)).then_some(Self { real, ..self })
    }

    pub(crate) fn real(&self) -> &Path {
        &self.real
    }

    /// The path as it is shown: from the current directory on where it lies below it.
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

    /// A found file by the name the root was given.
    fn named(&self, file: &Path) -> PathBuf {
        match file.strip_prefix(&self.real) {
            Ok(rest) if rest.as_os_str().is_empty() => self.named.clone(),
            Ok(rest) => self.named.join(rest),
            Err(_) => file.to_owned(),
        }
    }
}

/// Which files are wanted.
#[derive(Clone)]
pub(crate) struct Scope {
    pub(crate) root: Root,
    globs: Override,
    types: Types,
    hidden: Option<Hidden>,
}

impl Scope {
    /// Everything below `root` that one of `globs` (if there are any) and `kind` take.
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

/// What is done with every file.
pub(crate) trait Visit: Send {
    /// Here is one.
    fn file(&mut self, path: &Path);
}

/// Gives every wanted file to a visitor; each thread has its own. Links are not followed, what is ignored by
/// version control and what version control keeps for itself is left out.
pub(crate) fn each_file<V, M>(scope: &Scope, patience: &Patience, make: M)
where
    V: Visit,
    M: Fn() -> V,
{
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get().min(THREADS));
    let excluded = scope.globs.clone();
    // outside a repository `.gitignore` counts as well, but not the one of some folder far above
    let in_repository = scope.root.real().ancestors().any(|folder| folder.join(".git").exists());
    let walk = WalkBuilder::new(scope.root.real())
        .hidden(false)
        .parents(in_repository)
        .require_git(in_repository)
        .git_global(false)
        .threads(threads)
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            entry.depth() == 0
                || !is_folder
                || !(VERSION_CONTROL.iter().any(|name| entry.file_name() == *name)
                    || excluded.matched(entry.path(), true).is_ignore())
        })
        .build_parallel();
    walk.run(|| {
        let mut visitor = make();
        let mut seen = 0usize;
        Box::new(move |entry| {
            // asking costs more than passing a file over
            if seen.is_multiple_of(ASKED_EVERY) && patience.is_over() {
                return WalkState::Quit;
            }
            seen += 1;
            if let Ok(entry) = entry
                && entry.file_type().is_some_and(|kind| kind.is_file())
                && scope.takes(entry.path())
            {
                visitor.file(entry.path());
            }
            WalkState::Continue
        })
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_with_time_or_with_the_call() {
        let never = Patience::of(CancellationToken::new(), Duration::ZERO);
        assert!(never.is_over() && never.has_expired() && !never.is_cancelled());
        let cancelled = Patience::new(CancellationToken::new());
        assert!(!cancelled.is_over());
        cancelled.cancel.cancel();
        assert!(
            cancelled.is_over() && !cancelled.has_expired(),
            "nobody waits for its answer"
        );
    }
}
