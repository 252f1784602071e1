//! Starting a runner: what it runs, and how it says that it listens.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::{Deserialize, Serialize};

/// The largest log where none is named: 2 GiB.
pub const LOG_CAP: u64 = 2 << 30;
/// The longest line where none is named: 24 MiB.
pub const LINE_CAP: u64 = 24 << 20;
/// How long a runner may take until it listens.
const DEADLINE: Duration = Duration::from_secs(20);

/// What is run. It may hold secrets, so it goes from process to process through a pipe and nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// A path, or a name that is looked for in the `PATH` of `env`.
    pub program: String,
    pub args: Vec<String>,
    /// The whole environment: nothing is inherited.
    pub env: BTreeMap<String, String>,
    /// The folder the agent works in.
    pub cwd: PathBuf,
    /// The agent is not read on while the log is larger than this.
    #[serde(default = "log_cap")]
    pub log_cap: u64,
    /// A longer line is thrown away.
    #[serde(default = "line_cap")]
    pub line_cap: u64,
}

fn log_cap() -> u64 {
    LOG_CAP
}

fn line_cap() -> u64 {
    LINE_CAP
}

/// A runner that listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The runner's own number.
    pub pid: u32,
    /// Its socket; [`crate::connect`] reaches it however long this is.
    pub socket: PathBuf,
}

/// Why no runner was started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "error", rename_all = "snake_case")]
pub enum StartError {
    #[error("the program {program} is not there, or not what it is interpreted by: {reason}")]
    NoProgram { program: String, reason: String },
    #[error("the program {program} cannot be started: {reason}")]
    Refused { program: String, reason: String },
    #[error("the folder {folder} is not there or no folder")]
    NoFolder { folder: PathBuf },
    #[error("another runner has {dir}")]
    Locked { dir: PathBuf },
    #[error("{what}: {reason}")]
    Setup { what: String, reason: String },
    #[error("the runner ended without a word ({status})")]
    Gone { status: String },
    #[error("the runner did not listen within {seconds} s")]
    Silent { seconds: u64 },
}

impl StartError {
    pub(crate) fn setup(what: impl Into<String>, reason: &impl ToString) -> Self {
        Self::Setup {
            what: what.into(),
            reason: reason.to_string(),
        }
    }
}

/// The one line a runner prints.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum StartLine {
    Listens(Started),
    Not(StartError),
}

/// Starts a runner for `launch` in `dir`, and waits until it listens. `sluice` is the program whose `runner start`
/// is this crate's [`crate::main`].
///
/// # Errors
/// When it does not listen; then nothing of it is left.
pub fn start(sluice: &Path, dir: &Path, launch: &Launch) -> Result<Started, StartError> {
    let asked =
        serde_json::to_vec(launch).map_err(|error| StartError::setup("the launch cannot be written", &error))?;
    let mut child = Command::new(sluice)
        .args(["runner", "start"])
        .arg(dir)
        // Nothing of this process is for the runner: the agent's environment is in the launch.
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| StartError::setup(format!("{} cannot be started", sluice.display()), &error))?;
    let said = hand_over(&mut child, &asked, Instant::now() + DEADLINE);
    let line = match said {
        Ok(line) => line,
        Err(error) => {
            child.kill().ok();
            child.wait().ok();
            return Err(match error.kind() {
                io::ErrorKind::TimedOut => StartError::Silent {
                    seconds: DEADLINE.as_secs(),
                },
                _ => StartError::setup("the runner cannot be talked to", &error),
            });
        }
    };
    let status = child.wait();
    match serde_json::from_slice(&line) {
        Ok(StartLine::Listens(started)) => Ok(started),
        Ok(StartLine::Not(error)) => Err(error),
        Err(_) => Err(StartError::Gone {
            status: status.map_or_else(|error| error.to_string(), |status| status.to_string()),
        }),
    }
}

/// Writes all of `asked` and reads all that is said, whichever is possible, until the deadline.
fn hand_over(child: &mut Child, asked: &[u8], deadline: Instant) -> io::Result<Vec<u8>> {
    let mut stdin = child.stdin.take();
    let Some(mut stdout) = child.stdout.take() else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    if let Some(stdin) = &stdin {
        rustix::io::ioctl_fionbio(stdin, true)?;
    }
    rustix::io::ioctl_fionbio(&stdout, true)?;
    let mut left = asked;
    let mut said = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        let wait = deadline.saturating_duration_since(Instant::now());
        if wait.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let wait = Timespec::try_from(wait).map_err(io::Error::other)?;
        let mut waited = vec![PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::IN)];
        waited.extend(
            stdin
                .as_ref()
                .map(|stdin| PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::OUT)),
        );
        match poll(&mut waited, Some(&wait)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if let Some(pipe) = &mut stdin {
            match pipe.write(left) {
                Ok(wrote) => left = left.get(wrote..).unwrap_or_default(),
                Err(error) if is_later(&error) => {}
                // It has ended; what it said tells why.
                Err(_) => left = &[],
            }
            if left.is_empty() {
                stdin = None;
            }
        }
        match stdout.read(&mut buffer) {
            Ok(0) => return Ok(said),
            Ok(read) => said.extend_from_slice(buffer.get(..read).unwrap_or_default()),
            Err(error) if is_later(&error) => {}
            Err(error) => return Err(error),
        }
    }
}

pub(crate) fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
