//! The registry of runners in a folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::process::{self, Identity};

/// What `runner.json` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registered {
    /// The runner.
    pub runner: Identity,
    /// The agent, once it runs.
    pub agent: Option<Identity>,
    /// What the agent and everybody it starts carry in [`process::MARK`].
    pub mark: String,
    /// The highest term a bridge said hello with.
    pub term: u64,
    /// The socket. Its path may be too long to be used as it is: see [`crate::connect`].
    pub socket: PathBuf,
    /// The start of the machine all this is about.
    pub boot: String,
    /// The folder that the runner was started in. Absent in files of older versions.
    #[serde(default)]
    pub place: Option<Place>,
}

/// The identity of a folder. A copy of a folder has another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub device: u64,
    pub inode: u64,
}

impl Place {
    /// The identity of the folder at this path.
    ///
    /// # Errors
    /// When the folder cannot be looked at.
    pub fn of(dir: &Path) -> io::Result<Self> {
        let found = fs::metadata(dir)?;
        Ok(Self {
            device: found.dev(),
            inode: found.ino(),
        })
    }
}

/// What a sweep did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Swept {
    /// The runner lives, so nothing was touched.
    pub runner_alive: bool,
    /// Who was ended.
    pub killed: Vec<u32>,
}

/// Who runs in a folder, or ran there last.
#[must_use]
pub fn read(dir: &Path) -> Option<Registered> {
    serde_json::from_slice(&fs::read(dir.join("runner.json")).ok()?).ok()
}

/// Whether that runner lives.
#[must_use]
pub fn is_alive(registered: &Registered) -> bool {
    registered.boot == process::boot() && registered.runner.is_alive()
}

/// Whether a registry describes processes that were started in this folder since the machine started. In a copy of a
/// folder it describes processes of the original, which must not be touched.
fn is_of(registered: &Registered, dir: &Path) -> bool {
    registered.boot == process::boot()
        && registered
            .place
            .is_none_or(|place| Place::of(dir).is_ok_and(|it| it == place))
}

/// Whether this folder was copied from the one its registry describes, or restored from a backup: its processes belong to
/// the original.
#[must_use]
pub fn is_copy(dir: &Path) -> bool {
    let place = read(dir).and_then(|registered| registered.place);
    place.is_some_and(|place| Place::of(dir).is_ok_and(|here| here != place))
}

/// Whether the runner of this folder is stopped by a signal, so that it does not react.
#[must_use]
pub fn is_paused(dir: &Path) -> bool {
    read(dir).is_some_and(|registered| is_of(&registered, dir) && registered.runner.is_paused())
}

/// Ends the runner of this folder by force. Its agent ends with it; [`sweep`] ends what is left.
pub fn kill(dir: &Path) -> bool {
    read(dir).is_some_and(|registered| is_of(&registered, dir) && process::end(registered.runner))
}

/// Ends what a dead runner left behind in a folder: its agent, and everybody who carries its mark.
pub fn sweep(dir: &Path) -> Swept {
    // Held, so that no runner starts here meanwhile.
    let Ok(Some(_held)) = lock(dir) else {
        // No lock can be taken in a folder that is not there, or has never had a runner.
        let runner_alive = dir.join("lock").exists();
        return Swept {
            runner_alive,
            killed: Vec::new(),
        };
    };
    sweep_locked(dir)
}

/// The same, by whoever holds the lock.
pub(crate) fn sweep_locked(dir: &Path) -> Swept {
    let mut swept = Swept::default();
    let Some(left) = read(dir).filter(|left| is_of(left, dir)) else {
        return swept;
    };
    // First all who can be found by whom they were started, while those are there.
    swept.killed = process::end_all(&left.mark, false, || {});
    if let Some(agent) = left.agent
        && process::end(agent)
        && !swept.killed.contains(&agent.pid)
    {
        swept.killed.push(agent.pid);
    }
    swept
}

/// Writes the registry anew, whole or not at all.
pub(crate) fn write(dir: &Path, registered: &Registered) -> io::Result<()> {
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

/// Takes the folder, if nobody has it. It is free again when the file is closed, so also by any death.
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
