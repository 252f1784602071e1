//! Starting a runner: what it starts, and how it reports that it is ready.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::{Deserialize, Serialize};

/// The default limit for the size of the log: 2 GiB.
pub const LOG_CAP: u64 = 2 << 30;
/// The default limit for the length of a line: 24 MiB.
pub const LINE_CAP: u64 = 24 << 20;
/// How long a runner may take until its socket is listening.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// What the runner starts. It may contain secrets, so it is passed through a pipe only and never written to disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// A path, or a name that is searched for in the `PATH` of `env`.
    pub program: String,
    pub args: Vec<String>,
    /// The complete environment; nothing is inherited.
    pub env: BTreeMap<String, String>,
    /// The working folder of the agent.
    pub cwd: PathBuf,
    /// While the log is larger than this (in bytes), the runner does not read from the agent.
    #[serde(default = "log_cap")]
    pub log_cap: u64,
    /// Longer lines of the agent's standard output (in bytes) are dropped.
    #[serde(default = "line_cap")]
    pub line_cap: u64,
}

fn log_cap() -> u64 {
    LOG_CAP
}

fn line_cap() -> u64 {
    LINE_CAP
}

/// A runner whose socket is listening.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The process id of the runner.
    pub pid: u32,
    /// The path of its socket. It may be too long for a socket address: connect with [`crate::connect`].
    pub socket: PathBuf,
}

/// Why no runner could be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "error", rename_all = "snake_case")]
pub enum StartError {
    #[error("the program {program} or its interpreter was not found: {reason}")]
    NoProgram { program: String, reason: String },
    #[error("the program {program} cannot be started: {reason}")]
    Refused { program: String, reason: String },
    #[error("{folder} does not exist or is not a folder")]
    NoFolder { folder: PathBuf },
    #[error("another runner is using {dir}")]
    Locked { dir: PathBuf },
    #[error("{what}: {reason}")]
    Setup { what: String, reason: String },
    #[error("the runner exited without reporting an error ({status})")]
    Gone { status: String },
    #[error("the runner did not start within {seconds} s")]
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

/// The single line that a starting runner prints.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum StartLine {
    Ready(Started),
    Failed(StartError),
}

/// Starts a runner for `launch` in `dir` and waits until its socket is listening. `sluice` is the program whose
/// `runner start` command calls this crate's [`crate::main`].
///
/// # Errors
/// Returns an error if the runner did not start; no process is left running in that case.
pub fn start(sluice: &Path, dir: &Path, launch: &Launch) -> Result<Started, StartError> {
    let request =
        serde_json::to_vec(launch).map_err(|error| StartError::setup("the launch cannot be written", &error))?;
    let mut child = Command::new(sluice)
        .args(["runner", "start"])
        .arg(dir)
        // The runner needs nothing of this environment: the environment of the agent is part of the launch.
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| StartError::setup(format!("{} cannot be started", sluice.display()), &error))?;
    let output = exchange(&mut child, &request, Instant::now() + START_TIMEOUT);
    let line = match output {
        Ok(line) => line,
        Err(error) => {
            child.kill().ok();
            child.wait().ok();
            return Err(match error.kind() {
                io::ErrorKind::TimedOut => StartError::Silent {
                    seconds: START_TIMEOUT.as_secs(),
                },
                _ => StartError::setup("cannot communicate with the runner", &error),
            });
        }
    };
    let status = child.wait();
    match serde_json::from_slice(&line) {
        Ok(StartLine::Ready(started)) => Ok(started),
        Ok(StartLine::Failed(error)) => Err(error),
        Err(_) => Err(StartError::Gone {
            status: status.map_or_else(|error| error.to_string(), |status| status.to_string()),
        }),
    }
}

/// Writes `request` to the child and reads its standard output to the end, both without blocking, until the deadline.
fn exchange(child: &mut Child, request: &[u8], deadline: Instant) -> io::Result<Vec<u8>> {
    let mut stdin = child.stdin.take();
    let Some(mut stdout) = child.stdout.take() else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    if let Some(stdin) = &stdin {
        rustix::io::ioctl_fionbio(stdin, true)?;
    }
    rustix::io::ioctl_fionbio(&stdout, true)?;
    let mut left = request;
    let mut output = Vec::new();
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
                Err(error) if is_retryable(&error) => {}
                // The child has exited; its output contains the reason.
                Err(_) => left = &[],
            }
            if left.is_empty() {
                stdin = None;
            }
        }
        match stdout.read(&mut buffer) {
            Ok(0) => return Ok(output),
            Ok(read) => output.extend_from_slice(buffer.get(..read).unwrap_or_default()),
            Err(error) if is_retryable(&error) => {}
            Err(error) => return Err(error),
        }
    }
}

pub(crate) fn is_retryable(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
