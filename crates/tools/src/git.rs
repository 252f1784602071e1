//! Runs the installed git so that a repository cannot make it run other programs.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use sluice_permission::Found;
use sluice_permission::git::{Answer, Query, Repository, Runner};
use sluice_permission::quiet;

/// Timeout for queries about a repository.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum output of one run, in bytes.
const MAX_OUTPUT: usize = 64 << 20;
/// Maximum number of directories whose repository is cached.
const MAX_CACHED: usize = 64;
/// Results for a file that changed this recently are not cached: another change may leave the same timestamp.
const MIN_AGE: Duration = Duration::from_millis(50);

/// Returns a git command that overrides every repository setting with a fixed name that names a program: hooks,
/// monitors, pagers, editors. Filters and drivers have no fixed names and must be checked by the caller.
#[must_use]
pub fn command(env: &[(OsString, OsString)]) -> Command {
    let mut command = Command::new("git");
    command.env_clear().envs(env.iter().map(|(name, value)| (name, value)));
    command.envs(quiet::GIT.iter().copied());
    // A relative folder in `PATH` could contain programs of the repository.
    let path = env.iter().find(|(name, _)| name == "PATH");
    let folders = path.map(|(_, path)| std::env::split_paths(path).filter(|folder| folder.is_absolute()));
    if let Some(Ok(path)) = folders.map(std::env::join_paths) {
        command.env("PATH", path);
    }
    command.env("LC_ALL", "C").stdin(Stdio::null());
    command
}

/// The installed git, as found by commands with this environment.
#[derive(Debug, Clone, Copy)]
pub struct Git<'a> {
    env: &'a [(OsString, OsString)],
}

impl<'a> Git<'a> {
    /// Creates a value for this environment.
    #[must_use]
    pub fn new(env: &'a [(OsString, OsString)]) -> Self {
        Self { env }
    }

    /// Returns the repository that contains `directory`. A cached result is used until one of its files changes.
    pub fn repository(&self, directory: &Path) -> Found<Arc<Repository>> {
        let key = (directory.to_owned(), self.environment());
        if let Some(known) = cache().get(&key).filter(|known| known.stamps.iter().all(Stamp::holds)) {
            return known.repository.clone();
        }
        let began = SystemTime::now();
        let mut stamps = discovery(directory);
        let repository = match Repository::find(directory, self) {
            Found::Nothing => Found::Nothing,
            Found::Unknown => return Found::Unknown,
            Found::This(repository) => {
                stamps.extend(files(&repository).iter().map(|file| Stamp::of(file)));
                Found::This(Arc::new(repository))
            }
        };
        if stamps.iter().all(|stamp| stamp.is_settled(began)) {
            let mut cache = cache();
            if cache.len() >= MAX_CACHED {
                cache.clear();
            }
            let known = Known {
                repository: repository.clone(),
                stamps,
                tracked: None,
            };
            cache.insert(key, known);
        }
        repository
    }

    /// Returns the files tracked by a repository.
    pub fn tracked(&self, repository: &Repository) -> Found<Arc<Vec<PathBuf>>> {
        let key = (repository.work_tree.clone(), self.environment());
        let same = |known: &&mut Known| {
            known.stamps.iter().all(Stamp::holds)
                && matches!(&known.repository, Found::This(own) if **own == *repository)
        };
        if let Some(names) = cache()
            .get_mut(&key)
            .filter(same)
            .and_then(|known| known.tracked.clone())
        {
            return Found::This(names);
        }
        let Found::This(names) = repository.tracked(self) else {
            return Found::Unknown;
        };
        let names = Arc::new(names);
        if let Some(known) = cache().get_mut(&key).filter(same) {
            known.tracked = Some(names.clone());
        }
        Found::This(names)
    }

    /// Hashes the environment variables that select git and affect what it reads.
    fn environment(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let matters = |name: &OsStr| {
            let name = name.as_encoded_bytes();
            name.starts_with(b"GIT_") || [&b"PATH"[..], b"HOME", b"XDG_CONFIG_HOME"].contains(&name)
        };
        for pair in self.env.iter().filter(|(name, _)| matters(name)) {
            pair.hash(&mut hasher);
        }
        hasher.finish()
    }
}

impl Runner for Git<'_> {
    fn run(&self, directory: &Path, queries: &[Query<'_>]) -> Vec<Option<Answer>> {
        let deadline = Instant::now() + TIMEOUT;
        // All queries run in parallel.
        let children: Vec<io::Result<Child>> = queries
            .iter()
            .map(|query| {
                let mut git = command(self.env);
                git.args(query.arguments).current_dir(directory);
                git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
                let mut child = git.spawn()?;
                // Closed immediately; queries without input are not affected.
                if let Some(mut stdin) = child.stdin.take() {
                    stdin.write_all(query.input.as_bytes()).ok();
                }
                Ok(child)
            })
            .collect();
        children
            .into_iter()
            .map(|child| finish(child.ok()?, deadline))
            .collect()
    }

    fn is_there(&self, path: &Path) -> bool {
        // A path that cannot be accessed is assumed to exist.
        !matches!(std::fs::symlink_metadata(path), Err(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// Reads the output of git until it ends; kills it at the deadline.
fn finish(mut child: Child, deadline: Instant) -> Option<Answer> {
    let pipes = child.stdout.take().zip(child.stderr.take());
    let read = pipes.and_then(|(out, err)| drain(&[out.into(), err.into()], deadline));
    if read.is_none() {
        child.kill().ok();
    }
    let status = child.wait().ok()?;
    read.map(|[stdout, stderr]| Answer {
        success: status.success(),
        stdout,
        stderr,
    })
}

/// Reads two pipes to their ends; `None` at the deadline or if there is too much output.
fn drain(pipes: &[OwnedFd; 2], deadline: Instant) -> Option<[Vec<u8>; 2]> {
    let mut texts = [Vec::new(), Vec::new()];
    let mut open: Vec<(&OwnedFd, &mut Vec<u8>)> = pipes.iter().zip(&mut texts).collect();
    while !open.is_empty() {
        let left = Timespec::try_from(deadline.checked_duration_since(Instant::now())?).ok()?;
        let mut ready: Vec<PollFd<'_>> = open.iter().map(|(pipe, _)| PollFd::new(*pipe, PollFlags::IN)).collect();
        match poll(&mut ready, Some(&left)) {
            // Interrupted by a signal, such as the exit of another child process.
            Err(Errno::INTR) => continue,
            polled => drop(polled.ok()?),
        }
        let mut ready = ready
            .into_iter()
            .map(|one| !one.revents().is_empty())
            .collect::<Vec<_>>()
            .into_iter();
        let mut piece = [0; 16 * 1024];
        let mut failed = false;
        open.retain_mut(|(pipe, text)| {
            if !ready.next().unwrap_or(false) {
                return true;
            }
            let read = retry_on_intr(|| rustix::io::read(&**pipe, &mut piece));
            let count = read.unwrap_or_default();
            text.extend_from_slice(piece.get(..count).unwrap_or_default());
            failed |= read.is_err() || text.len() > MAX_OUTPUT;
            count > 0
        });
        if failed {
            return None;
        }
    }
    Some(texts)
}

/// Cached query results about a directory, and the files they depend on.
#[derive(Debug)]
struct Known {
    repository: Found<Arc<Repository>>,
    stamps: Vec<Stamp>,
    tracked: Option<Arc<Vec<PathBuf>>>,
}

type Cache = HashMap<(PathBuf, u64), Known>;

fn cache() -> MutexGuard<'static, Cache> {
    static CACHE: LazyLock<Mutex<Cache>> = LazyLock::new(Mutex::default);
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// State of a file at the time of the query, including its absence.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    path: PathBuf,
    seen: Option<Seen>,
}

/// Device, inode, size, and modification and status change times with nanoseconds.
type Seen = (u64, u64, u64, (i64, i64), (i64, i64));

impl Stamp {
    fn of(path: &Path) -> Self {
        let seen = std::fs::symlink_metadata(path).ok().map(|about| {
            let (modified, changed) = ((about.mtime(), about.mtime_nsec()), (about.ctime(), about.ctime_nsec()));
            (about.dev(), about.ino(), about.size(), modified, changed)
        });
        Self {
            path: path.to_owned(),
            seen,
        }
    }

    fn holds(&self) -> bool {
        *self == Self::of(&self.path)
    }

    /// True if the file was last changed well before the query.
    fn is_settled(&self, began: SystemTime) -> bool {
        let Some((.., (seconds, nanoseconds))) = self.seen else {
            return true;
        };
        let (seconds, nanoseconds) = (u64::try_from(seconds), u32::try_from(nanoseconds));
        let (Ok(seconds), Ok(nanoseconds)) = (seconds, nanoseconds) else {
            return false;
        };
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        changed + MIN_AGE < began
    }
}

/// Returns the files that determine the repository of a directory: `.git` in each parent folder, with symlinks
/// resolved.
fn discovery(directory: &Path) -> Vec<Stamp> {
    let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let mut stamps: Vec<Stamp> = real.ancestors().map(|folder| Stamp::of(&folder.join(".git"))).collect();
    // Symlinks on the path may change.
    stamps.extend(
        directory
            .ancestors()
            .filter(|folder| folder.is_symlink())
            .map(Stamp::of),
    );
    stamps
}

/// Returns the files that determine what git reports about a repository.
fn files(repository: &Repository) -> Vec<PathBuf> {
    let own = ["HEAD", "index", "commondir", "gitdir", "config.worktree", "logs/HEAD"];
    let own = own.iter().map(|name| repository.git_dir.join(name));
    let shared = repository.common_dir.join("config");
    own.chain([shared, repository.work_tree.join(".gitmodules")]).collect()
}

#[cfg(test)]
#[path = "git_tests.rs"]
mod tests;
