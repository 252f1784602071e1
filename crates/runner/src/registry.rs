//! The registry file of a runner's folder (`runner.json`): the processes that run there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::process::{self, Identity};

/// The content of `runner.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The runner process.
    pub runner: Identity,
    /// The agent process, once it was started.
    pub agent: Option<Identity>,
    /// The value of [`process::MARK`] in the environment of the agent and its descendants.
    pub mark: String,
    /// The highest term of any bridge so far.
    pub term: u64,
    /// The path of the socket. It may be too long for a socket address: see [`crate::connect`].
    pub socket: PathBuf,
    /// The boot of the machine during which the processes were started.
    pub boot: String,
    /// The folder that the runner was started in. Absent in files of older versions.
    #[serde(default)]
    pub place: Option<FolderIdentity>,
}

/// The identity of a folder. A copy of a folder has another identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderIdentity {
    pub device: u64,
    pub inode: u64,
}

impl FolderIdentity {
    /// Returns the identity of the folder at this path.
    ///
    /// # Errors
    /// Returns an error if the folder does not exist or is not accessible.
    pub fn of(dir: &Path) -> io::Result<Self> {
        let found = fs::metadata(dir)?;
        Ok(Self {
            device: found.dev(),
            inode: found.ino(),
        })
    }
}

/// The result of a sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// A runner is running in the folder, so nothing was killed.
    pub runner_alive: bool,
    /// The ids of the killed processes.
    pub killed: Vec<u32>,
}

/// Returns the registry of a folder, also if its runner has ended.
#[must_use]
pub fn read(dir: &Path) -> Option<Registration> {
    serde_json::from_slice(&fs::read(dir.join("runner.json")).ok()?).ok()
}

/// Returns whether the registered runner is running.
#[must_use]
pub fn is_alive(registered: &Registration) -> bool {
    registered.boot == process::boot() && registered.runner.is_alive()
}

/// Returns whether a registry describes processes that were started in this folder since boot. In a copy of a folder it
/// describes processes of the original, which must not be touched.
fn belongs_to(registered: &Registration, dir: &Path) -> bool {
    registered.boot == process::boot()
        && registered
            .place
            .is_none_or(|place| FolderIdentity::of(dir).is_ok_and(|it| it == place))
}

/// Returns whether this folder is a copy of the one its registry describes, or was restored from a backup. The
/// registered processes then belong to the original.
#[must_use]
pub fn is_copy(dir: &Path) -> bool {
    let place = read(dir).and_then(|registered| registered.place);
    place.is_some_and(|place| FolderIdentity::of(dir).is_ok_and(|here| here != place))
}

/// Returns whether the runner of this folder is stopped by a signal, so that it does not react.
#[must_use]
pub fn is_paused(dir: &Path) -> bool {
    read(dir).is_some_and(|registered| belongs_to(&registered, dir) && registered.runner.is_paused())
}

/// Kills the runner of this folder. Its agent ends with it; [`sweep`] kills the remaining processes.
pub fn kill(dir: &Path) -> bool {
    read(dir).is_some_and(|registered| belongs_to(&registered, dir) && process::kill_process(registered.runner))
}

/// Kills what a dead runner left behind in a folder: its agent, and all processes that carry its mark.
pub fn sweep(dir: &Path) -> SweepReport {
    // Holding the lock prevents a runner from starting here meanwhile.
    let Ok(Some(_held)) = lock(dir) else {
        // Without a lock file, the folder does not exist or never had a runner.
        let runner_alive = dir.join("lock").exists();
        return SweepReport {
            runner_alive,
            killed: Vec::new(),
        };
    };
    sweep_locked(dir)
}

/// Like [`sweep`], for a caller that holds the lock.
pub(crate) fn sweep_locked(dir: &Path) -> SweepReport {
    let mut swept = SweepReport::default();
    let Some(registered) = read(dir).filter(|registered| belongs_to(registered, dir)) else {
        return swept;
    };
    // Processes without the mark are found through their parents, so these are killed first, while they exist.
    swept.killed = process::kill_all(&registered.mark, false, || {});
    if let Some(agent) = registered.agent
        && process::kill_process(agent)
        && !swept.killed.contains(&agent.pid)
    {
        swept.killed.push(agent.pid);
    }
    swept
}

/// Replaces the registry atomically.
pub(crate) fn write(dir: &Path, registered: &Registration) -> io::Result<()> {
    let new = dir.join("runner.json.new");
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&new)?;
    file.write_all(&serde_json::to_vec(registered)?)?;
    file.sync_data()?;
    fs::rename(new, dir.join("runner.json"))
}

/// Locks the folder. Returns `None` if another process holds the lock. The lock is released when the file is closed.
pub(crate) fn lock(dir: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(dir.join("lock"))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
