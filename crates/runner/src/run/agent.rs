//! The agent: its pipes, its process group, and all it starts.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

use rustix::process::{Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, wait, waitid};

use crate::frame;
use crate::launch::{Launch, StartError, is_later};
use crate::process::{self, Identity, MARK};

/// What may wait for an agent that does not read.
const OUTBOX: usize = 16 << 20;

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
        ask_for_our_death(&mut command);
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

    /// To the whole group, while it is surely the agent's.
    pub(crate) fn signal(&self, signal: Signal) {
        if self.exit.is_none()
            && let Some(group) = process::pid(self.identity.pid)
        {
            // The only failure there can be is that nobody is left.
            kill_process_group(group, signal).ok();
            if signal == Signal::TERM {
                // One that is stopped could not obey.
                kill_process_group(group, Signal::CONT).ok();
            }
        }
    }

    pub(crate) fn obey(&self, signal: frame::Signal) {
        self.signal(match signal {
            frame::Signal::Interrupt => Signal::INT,
            frame::Signal::Terminate => Signal::TERM,
            frame::Signal::Kill => Signal::KILL,
        });
    }

    /// Reaps whoever has ended. When the agent has, all it left behind is ended too.
    pub(crate) fn reap(&mut self) {
        if self.exit.is_some() {
            reap_adopted();
            return;
        }
        let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if let Some(pid) = process::pid(self.identity.pid)
            && let Ok(Some(_)) = waitid(WaitId::Pid(pid), peek)
        {
            // Before it is reaped: until then its number, and so that of its group, is nobody else's.
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
            self.end_rest();
        }
    }

    /// Ends everybody the agent started that is still there; the agent itself is reaped already.
    pub(crate) fn end_rest(&self) {
        process::end_all(&self.mark, true, reap_adopted);
        reap_adopted();
    }
}

/// Reaps those who became this process's children by the death of their parents.
fn reap_adopted() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}

#[cfg(target_os = "linux")]
fn ask_for_our_death(command: &mut Command) {
    let ask = || {
        rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
        Ok(())
    };
    // SAFETY: between fork and exec only what is safe in a signal handler may be called. `ask` makes one system
    // call (prctl), allocates nothing, takes no lock and touches nothing of the parent.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(ask);
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_our_death(_: &mut Command) {}

/// What is on its way to the agent.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) pipe: Option<ChildStdin>,
    /// Lines that are in the log, with their numbers.
    waiting: VecDeque<(u64, Vec<u8>)>,
    /// Bytes of the first that are in the pipe.
    sent: usize,
    bytes: usize,
    ending: bool,
}

impl Input {
    /// Why a line of this length cannot be taken after `more` bytes that were taken already.
    pub(crate) fn refuses(&self, line: &[u8], more: usize) -> Option<&'static str> {
        if self.pipe.is_none() || self.ending {
            return Some("the agent's input has ended");
        }
        if line.contains(&b'\n') {
            return Some("a line holds no line end");
        }
        let waiting = self.bytes + more;
        (waiting > 0 && waiting + line.len() > OUTBOX).then_some("the agent does not read")
    }

    /// Takes a line that is in the log.
    pub(crate) fn take(&mut self, number: u64, mut line: Vec<u8>) {
        line.push(b'\n');
        self.bytes += line.len();
        self.waiting.push_back((number, line));
    }

    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// No more lines are taken; the pipe is closed when the last one is in it.
    pub(crate) fn end(&mut self) {
        self.ending = true;
        if self.waiting.is_empty() {
            self.pipe = None;
        }
    }

    /// Writes what the pipe takes. The numbers of lines that can never reach the agent come back.
    pub(crate) fn pump(&mut self) -> Vec<u64> {
        while let (Some(pipe), Some((_, line))) = (&mut self.pipe, self.waiting.front()) {
            match pipe.write(line.get(self.sent..).unwrap_or_default()) {
                Ok(wrote) => self.sent += wrote,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_later(&error) => return Vec::new(),
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

    /// Nobody reads any more.
    pub(crate) fn abandon(&mut self) -> Vec<u64> {
        self.pipe = None;
        self.bytes = 0;
        self.sent = 0;
        self.waiting.drain(..).map(|(number, _)| number).collect()
    }
}
