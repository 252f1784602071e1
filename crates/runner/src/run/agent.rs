//! The agent: its pipes, its process group, and its descendants.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

use rustix::process::{Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, wait, waitid};

use crate::frame;
use crate::launch::{Launch, StartError, is_retryable};
use crate::process::{self, Identity, MARK};

/// The maximum number of bytes queued for an agent that does not read its input.
const MAX_QUEUED_INPUT: usize = 16 << 20;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exit {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
}

/// The agent's process.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) identity: Identity,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
    pub(crate) input: Input,
    mark: String,
    exit: Option<Exit>,
}

impl Agent {
    pub(crate) fn start(launch: &Launch, mark: &str) -> Result<Self, StartError> {
        if !launch.cwd.is_dir() {
            return Err(StartError::NoFolder {
                folder: launch.cwd.clone(),
            });
        }
        let mut command = Command::new(&launch.program);
        command
            .args(&launch.args)
            .env_clear()
            .envs(&launch.env)
            .env(MARK, mark)
            .current_dir(&launch.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        set_parent_death_signal(&mut command);
        let mut child = command.spawn().map_err(|error| {
            let (program, reason) = (launch.program.clone(), error.to_string());
            match error.kind() {
                io::ErrorKind::NotFound => StartError::NoProgram { program, reason },
                _ => StartError::Refused { program, reason },
            }
        })?;
        let input = Input {
            pipe: child.stdin.take(),
            waiting: VecDeque::new(),
            sent: 0,
            bytes: 0,
            ending: false,
        };
        let agent = Self {
            identity: Identity::of(child.id()),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            input,
            mark: mark.to_owned(),
            exit: None,
        };
        agent.make_non_blocking().map_err(|error| {
            agent.signal(Signal::KILL);
            StartError::setup("the agent's pipes cannot be set up", &error)
        })?;
        Ok(agent)
    }

    fn make_non_blocking(&self) -> io::Result<()> {
        if let (Some(stdin), Some(stdout), Some(stderr)) = (&self.input.pipe, &self.stdout, &self.stderr) {
            rustix::io::ioctl_fionbio(stdin, true)?;
            rustix::io::ioctl_fionbio(stdout, true)?;
            rustix::io::ioctl_fionbio(stderr, true)?;
        }
        Ok(())
    }

    pub(crate) fn exit(&self) -> Option<Exit> {
        self.exit
    }

    /// Signals the whole process group. Does nothing once the agent was reaped, as its id may then be reused.
    pub(crate) fn signal(&self, signal: Signal) {
        if self.exit.is_none()
            && let Some(group) = process::pid(self.identity.pid)
        {
            // The only possible error is that the group is empty.
            kill_process_group(group, signal).ok();
            if signal == Signal::TERM {
                // A stopped process handles SIGTERM only after it was continued.
                kill_process_group(group, Signal::CONT).ok();
            }
        }
    }

    pub(crate) fn send_signal(&self, signal: frame::Signal) {
        self.signal(match signal {
            frame::Signal::Interrupt => Signal::INT,
            frame::Signal::Terminate => Signal::TERM,
            frame::Signal::Kill => Signal::KILL,
        });
    }

    /// Reaps exited children. Once the agent has exited, kills all processes that it left behind.
    pub(crate) fn reap(&mut self) {
        if self.exit.is_some() {
            reap_orphans();
            return;
        }
        let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if let Some(pid) = process::pid(self.identity.pid)
            && let Ok(Some(_)) = waitid(WaitId::Pid(pid), peek)
        {
            // Before the agent is reaped, its id and that of its group cannot be reused.
            self.signal(Signal::KILL);
        }
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if process::pid(self.identity.pid) == Some(pid) {
                self.exit = Some(Exit {
                    code: status.exit_status(),
                    signal: status.terminating_signal(),
                });
            }
        }
        if self.exit.is_some() {
            self.kill_descendants();
        }
    }

    /// Kills the remaining descendants of the agent, which was already reaped.
    pub(crate) fn kill_descendants(&self) {
        process::kill_all(&self.mark, true, reap_orphans);
        reap_orphans();
    }
}

/// Reaps orphans that were reparented to this process.
fn reap_orphans() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}

#[cfg(target_os = "linux")]
fn set_parent_death_signal(command: &mut Command) {
    let set_signal = || {
        rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
        Ok(())
    };
    // SAFETY: between fork and exec only async-signal-safe functions may be called. `set_signal` makes one system
    // call (prctl), allocates nothing, takes no lock and touches nothing of the parent.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(set_signal);
    }
}

#[cfg(not(target_os = "linux"))]
fn set_parent_death_signal(_: &mut Command) {}

/// The input queue of the agent.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) pipe: Option<ChildStdin>,
    /// Logged lines that wait to be written, with their record numbers.
    waiting: VecDeque<(u64, Vec<u8>)>,
    /// How many bytes of the first waiting line are in the pipe.
    sent: usize,
    bytes: usize,
    ending: bool,
}

impl Input {
    /// Returns why a line cannot be queued after `more` bytes that are about to be queued, or `None` if it can.
    pub(crate) fn rejection_reason(&self, line: &[u8], more: usize) -> Option<&'static str> {
        if self.pipe.is_none() || self.ending {
            return Some("the agent's input has ended");
        }
        if line.contains(&b'\n') {
            return Some("a line must not contain a line end");
        }
        let waiting = self.bytes + more;
        (waiting > 0 && waiting + line.len() > MAX_QUEUED_INPUT).then_some("the agent does not read")
    }

    /// Queues a line that is in the log.
    pub(crate) fn queue(&mut self, number: u64, mut line: Vec<u8>) {
        line.push(b'\n');
        self.bytes += line.len();
        self.waiting.push_back((number, line));
    }

    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Accepts no more lines. The pipe is closed once the last queued line was written.
    pub(crate) fn end(&mut self) {
        self.ending = true;
        if self.waiting.is_empty() {
            self.pipe = None;
        }
    }

    /// Writes as much as the pipe accepts. Returns the record numbers of lines that can no longer reach the agent.
    pub(crate) fn write_waiting(&mut self) -> Vec<u64> {
        while let (Some(pipe), Some((_, line))) = (&mut self.pipe, self.waiting.front()) {
            match pipe.write(line.get(self.sent..).unwrap_or_default()) {
                Ok(wrote) => self.sent += wrote,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_retryable(&error) => return Vec::new(),
                Err(_) => return self.abandon(),
            }
            if self.sent >= line.len() {
                self.bytes -= line.len();
                self.sent = 0;
                self.waiting.pop_front();
            }
        }
        if self.waiting.is_empty() && self.ending {
            self.pipe = None;
        }
        Vec::new()
    }

    /// Closes the pipe and returns the record numbers of the undelivered lines.
    pub(crate) fn abandon(&mut self) -> Vec<u64> {
        self.pipe = None;
        self.bytes = 0;
        self.sent = 0;
        self.waiting.drain(..).map(|(number, _)| number).collect()
    }
}
