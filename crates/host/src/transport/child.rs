//! Agents as child processes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use tokio::process::Command;

use super::{BoxFuture, ByteSource, Link, Start, Transport};
use crate::error::{Error, ErrorKind};
use crate::process;

/// A program and how to start it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Launch {
    /// The program; a bare name is searched for on `PATH`.
    pub program: PathBuf,
    /// The arguments.
    pub args: Vec<OsString>,
    /// Variables that override the inherited ones; `None` removes one.
    pub env: BTreeMap<OsString, Option<OsString>>,
    /// Whether no variables are inherited.
    pub clear_env: bool,
    /// The working folder.
    pub cwd: Option<PathBuf>,
    /// The id of the user to run as.
    pub uid: Option<u32>,
}

type Plan = dyn Fn(&Start) -> Result<Launch, Error> + Send + Sync;

/// An agent as a child process in a separate process group. It and all processes it started end with this program.
#[derive(Clone)]
pub struct ChildTransport {
    plan: Arc<Plan>,
}

impl std::fmt::Debug for ChildTransport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ChildTransport")
    }
}

impl ChildTransport {
    /// Creates a transport that starts the launch that `plan` returns for each start.
    pub fn new(plan: impl Fn(&Start) -> Result<Launch, Error> + Send + Sync + 'static) -> Self {
        Self { plan: Arc::new(plan) }
    }

    /// Creates a transport that always starts the same launch; `--resume=ID` is added to resume a session.
    #[must_use]
    pub fn of(launch: Launch) -> Self {
        Self::new(move |start| {
            let mut launch = launch.clone();
            if let Some(session) = &start.resume {
                launch.args.push(format!("--resume={session}").into());
            }
            Ok(launch)
        })
    }
}

impl Transport for ChildTransport {
    fn connect(&self, start: Start) -> BoxFuture<'_, Result<Link, Error>> {
        Box::pin(async move {
            let launch = (self.plan)(&start)?;
            let program = launch.program.clone();
            if let Some(cwd) = &launch.cwd
                && !cwd.is_dir()
            {
                let text = format!("{}: the working folder of the agent does not exist", cwd.display());
                return Err(Error::new(ErrorKind::Start, text));
            }
            let started = process::start(command(launch)).await;
            let (pipes, process) = started.map_err(|error| Error::start(program.display(), &error))?;
            let (Some(stdin), Some(stdout)) = (pipes.stdin, pipes.stdout) else {
                return Err(Error::new(ErrorKind::Start, "the agent has no pipes"));
            };
            let link = Link {
                stderr: pipes.stderr.map(|stderr| ByteSource(Box::new(stderr))),
                process: Some(process),
                ..Link::bytes(stdout, stdin)
            };
            Ok(link)
        })
    }
}

fn command(launch: Launch) -> Command {
    let mut command = Command::new(launch.program);
    command
        .args(launch.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if launch.clear_env {
        command.env_clear();
    }
    for (name, value) in launch.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(cwd) = launch.cwd {
        command.current_dir(cwd);
    }
    if let Some(uid) = launch.uid {
        command.uid(uid);
    }
    command
}
