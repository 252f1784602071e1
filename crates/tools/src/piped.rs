//! A long-running process connected by its standard streams, such as an MCP server.
//!
//! It runs in its own process group, which is killed when the value is dropped and when this process exits or crashes.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use crate::process::Process;
use crate::tasks::Tasks;

/// Standard streams of a process.
#[derive(Debug)]
pub struct Streams {
    /// Its standard input.
    pub stdin: ChildStdin,
    /// Its standard output.
    pub stdout: ChildStdout,
    /// Its standard error.
    pub stderr: ChildStderr,
}

/// A running process. Dropping it kills the process and its descendants.
#[derive(Debug)]
pub struct Piped {
    process: Process,
}

impl Piped {
    /// Starts a program with exactly this environment.
    ///
    /// # Errors
    /// The program cannot be started.
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

    /// Waits for the end of the process and returns its exit code.
    pub async fn end(&self) -> i32 {
        self.process.exit().await.code()
    }

    /// Kills the process.
    pub fn kill(&self) {
        self.process.killer().cancel();
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        self.kill();
    }
}
