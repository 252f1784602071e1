//! Runs a configured program, such as a command hook: sends input to stdin and reads the output.
//!
//! It runs in its own process group, which is killed when the value is dropped and when this process exits or crashes.
//! Output is read to the end but only its beginning is kept, so that excessive output neither blocks the program nor
//! fills the memory.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, Command};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::process::Process;
use crate::tasks::Tasks;

/// Maximum number of bytes kept of each stream.
const MAX_KEPT: usize = 1 << 20;
/// Size of the read buffer.
const BUFFER_SIZE: usize = 16 * 1024;
/// How long output is still read after the program exits while its child processes keep the pipe open.
const LATE_OUTPUT_TIMEOUT: Duration = Duration::from_millis(100);

/// How a program is specified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// A command line for the shell.
    Shell(String),
    /// A program and its arguments, without a shell.
    Exec(String, Vec<String>),
}

/// A program to run.
#[derive(Debug, Clone)]
pub struct Program {
    /// Command line.
    pub launch: Launch,
    /// Working directory.
    pub directory: PathBuf,
    /// Complete environment.
    pub env: Vec<(OsString, OsString)>,
    /// Data for its standard input.
    pub input: Vec<u8>,
}

/// Output of a program so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Both, interleaved in order of arrival.
    pub output: String,
}

#[derive(Debug, Default)]
struct Kept {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    output: Vec<u8>,
}

/// A running program. Dropping it kills the program and its descendants.
#[derive(Debug)]
pub struct Running {
    process: Process,
    kept: Arc<Mutex<Kept>>,
    pipes: JoinSet<()>,
    /// Deadline for reading output after the exit.
    until: Option<Instant>,
}

impl Program {
    /// Starts the program.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(self, tasks: &Arc<Tasks>) -> io::Result<Running> {
        let mut command = match &self.launch {
            Launch::Shell(line) => {
                let mut command = Command::new("bash");
                command.args(["--noprofile", "--norc", "-c", line]);
                command
            }
            Launch::Exec(program, arguments) => {
                let mut command = Command::new(program);
                command.args(arguments);
                command
            }
        };
        command
            .current_dir(&self.directory)
            .env_clear()
            .envs(self.env)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut ends = None;
        let process = Process::start(command, tasks, |command| {
            let mut child = command.spawn()?;
            ends = Some((child.stdin.take(), child.stdout.take(), child.stderr.take()));
            Ok(child)
        })?;
        let kept = Arc::new(Mutex::new(Kept::default()));
        let mut pipes = JoinSet::new();
        let (stdin, stdout, stderr) = ends.unwrap_or_default();
        if let Some(stdin) = stdin {
            // in the background, because a program need not read its input
            tokio::spawn(feed(stdin, self.input));
        }
        if let Some(stdout) = stdout {
            pipes.spawn(read(stdout, kept.clone(), |kept| &mut kept.stdout));
        }
        if let Some(stderr) = stderr {
            pipes.spawn(read(stderr, kept.clone(), |kept| &mut kept.stderr));
        }
        Ok(Running {
            process,
            kept,
            pipes,
            until: None,
        })
    }
}

impl Running {
    /// Waits for the exit and the output; returns the exit code. Can be called again after cancellation.
    pub async fn end(&mut self) -> i32 {
        let exit = self.process.exit().await;
        let until = *self.until.get_or_insert_with(|| Instant::now() + LATE_OUTPUT_TIMEOUT);
        // child processes left running may keep the pipes open
        let closed = async { while self.pipes.join_next().await.is_some() {} };
        tokio::time::timeout_at(until, closed).await.ok();
        exit.code()
    }

    /// Returns the output so far.
    #[must_use]
    pub fn printed(&self) -> Printed {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Printed {
            stdout: text(&kept.stdout),
            stderr: text(&kept.stderr),
            output: text(&kept.output),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.killer().cancel();
    }
}

async fn feed(mut stdin: ChildStdin, input: Vec<u8>) {
    // a write error means that the program closed its stdin
    stdin.write_all(&input).await.ok();
    stdin.shutdown().await.ok();
}

async fn read(mut pipe: impl AsyncRead + Unpin, kept: Arc<Mutex<Kept>>, stream: fn(&mut Kept) -> &mut Vec<u8>) {
    let mut piece = vec![0; BUFFER_SIZE];
    while let Ok(count) = pipe.read(&mut piece).await {
        if count == 0 {
            break;
        }
        let bytes = piece.get(..count).unwrap_or_default();
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        append(stream(&mut kept), bytes);
        append(&mut kept.output, bytes);
    }
}

fn append(all: &mut Vec<u8>, bytes: &[u8]) {
    let room = MAX_KEPT.saturating_sub(all.len()).min(bytes.len());
    all.extend_from_slice(bytes.get(..room).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn shell(line: &str, input: &str) -> (Running, Arc<Tasks>) {
        let tasks = Arc::new(Tasks::default());
        let program = Program {
            launch: Launch::Shell(line.to_owned()),
            directory: "/".into(),
            env: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
            input: input.into(),
        };
        (program.start(&tasks).unwrap(), tasks)
    }

    #[tokio::test]
    async fn it_reads_and_prints_and_ends() {
        let (mut running, _tasks) = shell("cat; echo oh >&2; exit 3", "hello");
        assert_eq!(running.end().await, 3);
        let printed = running.printed();
        assert_eq!((printed.stdout.as_str(), printed.stderr.as_str()), ("hello", "oh\n"));
        assert_eq!(printed.output.len(), "hellooh\n".len());
    }

    #[tokio::test]
    async fn a_program_that_does_not_read_is_not_awaited() {
        let (mut running, _tasks) = shell("exec 0<&-; echo done", &"x".repeat(4 << 20));
        assert_eq!(running.end().await, 0);
        assert_eq!(running.printed().stdout, "done\n");
    }

    #[tokio::test]
    async fn only_the_beginning_of_a_flood_is_kept() {
        let (mut running, _tasks) = shell("head -c 8000000 /dev/zero | tr '\\0' x; echo end >&2", "");
        assert_eq!(running.end().await, 0);
        assert_eq!(running.printed().stdout.len(), MAX_KEPT);
        assert_eq!(running.printed().stderr, "end\n");
    }

    #[tokio::test]
    async fn a_daemon_left_running_does_not_delay_the_end() {
        let (mut running, tasks) = shell("sleep 1000 & echo started", "");
        assert_eq!(running.end().await, 0);
        assert_eq!(running.printed().stdout, "started\n");
        tasks.kill_all().await;
    }

    #[tokio::test]
    async fn dropping_it_ends_everything_it_started() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("pid");
        let (running, _tasks) = shell(&format!("sleep 1000 & echo $! > {}; wait", file.display()), "");
        let pid = loop {
            match std::fs::read_to_string(&file) {
                Ok(text) if text.ends_with('\n') => break text.trim().to_owned(),
                _ => tokio::task::yield_now().await,
            }
        };
        drop(running);
        let there = std::path::PathBuf::from(format!("/proc/{pid}/cmdline"));
        while std::fs::read(&there).is_ok_and(|line| !line.is_empty()) {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_missing_program_does_not_start() {
        let program = Program {
            launch: Launch::Exec("/no/such/program".to_owned(), Vec::new()),
            directory: "/".into(),
            env: Vec::new(),
            input: Vec::new(),
        };
        assert!(program.start(&Arc::new(Tasks::default())).is_err());
    }
}
