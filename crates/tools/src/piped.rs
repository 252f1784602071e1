//! A process that is connected by its standard streams for as long as it lives, such as an MCP server.
//!
//! It has its own process group, which is ended with everything in it when the value is dropped, when this process
//! exits and when it crashes.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use crate::process::Process;
use crate::tasks::Tasks;

/// The streams of a program.
#[derive(Debug)]
pub struct Streams {
    /// What it reads.
    pub stdin: ChildStdin,
    /// What it writes.
    pub stdout: ChildStdout,
    /// What it complains about.
    pub stderr: ChildStderr,
}

/// A program that runs. Dropping it ends it and everything it started.
#[derive(Debug)]
pub struct Piped {
    process: Process,
}

impl Piped {
    /// Starts a program with this environment and no other.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(
        program: &str,
        arguments: &[String],
        directory: &Path,
        env: &[(OsString, OsString)],
        tasks: &Arc<Tasks>,
    ) -> io::Result<(Self, Streams)> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(directory)
            .env_clear()
            .envs(env.iter().map(|(name, value)| (name, value)))
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut ends = None;
        let process = Process::start(command, tasks, |command| {
            let mut child = command.spawn()?;
            ends = child.stdin.take().zip(child.stdout.take()).zip(child.stderr.take());
            Ok(child)
        })?;
        let piped = Self { process };
        let ((stdin, stdout), stderr) = ends.ok_or_else(|| io::Error::other("the program has no streams"))?;
        let streams = Streams { stdin, stdout, stderr };
        Ok((piped, streams))
    }

    /// Waits for its end, whoever brings it about; gives the exit code.
    pub async fn end(&self) -> i32 {
        self.process.exit().await.code()
    }

    /// Ends it.
    pub fn kill(&self) {
        self.process.killer().cancel();
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        self.kill();
    }
}
