//! The main loop: one thread that polls the agent, the connections, signals and timers.

use std::io::{self, PipeReader, Read as _};
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::{ChildStderr, ChildStdout};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::agent::{Agent, Exit};
use super::lines::{Lines, Piece};
use super::peer::{Peer, PeerState};
use super::signals;
use crate::launch::is_retryable;
use crate::log::LogWriter;
use crate::record::Kind;
use crate::registry::Registration;

/// The maximum number of bytes read at once.
const READ_CHUNK: usize = 64 << 10;
/// Delay before a failed write to the disk is retried.
const DISK_RETRY_DELAY: Duration = Duration::from_millis(250);
/// How long the pipes of an ended agent may be held open by a process that could not be killed.
const PIPE_DRAIN_TIMEOUT: Duration = Duration::from_secs(1);
/// How long to wait for a bridge to disconnect after it was sent everything.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long to wait for a bridge that reads nothing, once everything else is done.
const UNREAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long unwritable records are kept after the agent was killed in a shutdown.
const WRITE_GIVE_UP_DELAY: Duration = Duration::from_secs(5);
/// The grace period of the agent when the runner itself receives `SIGTERM`.
const DEFAULT_GRACE: Duration = Duration::from_secs(5);
/// How many bytes beyond the cap the log may grow, so that an agent waiting for an answer can be answered.
pub(super) const ANSWER_RESERVE: u64 = 32 << 20;

/// The state of a runner.
pub(crate) struct Runner {
    pub(super) dir: PathBuf,
    pub(super) registered: Registration,
    pub(super) log: LogWriter,
    pub(super) log_cap: u64,
    pub(super) agent: Agent,
    pub(super) listener: UnixListener,
    pub(super) signals: PipeReader,
    pub(super) stdout_lines: Lines,
    pub(super) stderr_lines: Lines,
    pub(super) peers: Vec<Peer>,
    /// When a failed write to the disk is retried; `None` while the disk works.
    pub(super) retry_disk_at: Option<Instant>,
    /// The log has reached its size limit.
    pub(super) log_full: bool,
    pub(super) ending: Ending,
    pub(super) buffer: Vec<u8>,
}

/// How far the agent and the runner have ended.
#[derive(Default)]
pub(super) struct Ending {
    /// The requested shutdown, if any.
    pub(super) shutdown: Option<Shutdown>,
    /// When the end of the agent was noticed.
    pub(super) agent_ended: Option<Instant>,
    /// How the agent ended, once the record of it was appended.
    pub(super) recorded_exit: Option<Exit>,
    /// Since when the bridge has received everything.
    pub(super) all_sent_since: Option<Instant>,
}

/// The progress of ending the agent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shutdown {
    terminate: Instant,
    kill: Instant,
    terminated: bool,
    killed: bool,
}

/// Returns the current time in microseconds since 1970.
pub(super) fn now_micros() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

impl Runner {
    /// Runs until the agent has ended and its records were delivered, or cannot be.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        self.flush(Instant::now());
        loop {
            let ready = self.wait()?;
            let now = Instant::now();
            if ready.signals {
                self.handle_signals(now);
            }
            if ready.listener {
                self.accept(now);
            }
            self.read_peers(&ready.peers, now);
            if self.agent.input.is_waiting() {
                self.write_input();
            }
            if self.may_read() {
                self.read_agent(ready.stdout, ready.stderr, now);
            }
            self.flush(now);
            self.record_exit(now);
            for peer in &mut self.peers {
                peer.send(&mut self.log, now);
            }
            self.continue_shutdown(now);
            self.drop_peers(now);
            if self.is_done(now) {
                break;
            }
        }
        Ok(())
    }

    /// Kills the agent and its descendants, and syncs the log.
    pub(super) fn end(&mut self) {
        self.agent.signal(Signal::KILL);
        self.agent.kill_descendants();
        self.log.sync().ok();
    }

    pub(super) fn may_read(&self) -> bool {
        self.retry_disk_at.is_none() && !self.log_full
    }

    fn wait(&self) -> io::Result<Ready> {
        let may_read = self.may_read();
        let writes = self.agent.input.is_waiting();
        let mut fds = vec![
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(&self.listener, PollFlags::IN),
        ];
        // Descriptors that are not polled are left out: poll reports a closed pipe even when no event was requested.
        let stdin = self.agent.input.pipe.as_ref().filter(|_| writes).map(AsFd::as_fd);
        let stdout = self.agent.stdout.as_ref().filter(|_| may_read).map(AsFd::as_fd);
        let stderr = self.agent.stderr.as_ref().filter(|_| may_read).map(AsFd::as_fd);
        fds.extend(stdin.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
        fds.extend(stdout.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        fds.extend(stderr.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        for peer in &self.peers {
            let mut wanted = PollFlags::empty();
            wanted.set(PollFlags::IN, peer.accepts_input());
            wanted.set(PollFlags::OUT, peer.has_output(&self.log));
            fds.push(PollFd::new(&peer.stream, wanted));
        }
        let wait = self
            .deadline()
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let wait = wait.and_then(|wait| Timespec::try_from(wait).ok());
        match poll(&mut fds, wait.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut woken = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut next = || woken.next().unwrap_or_default();
        let (signals, listener) = (next(), next());
        if stdin.is_some() {
            next();
        }
        Ok(Ready {
            signals,
            listener,
            stdout: stdout.is_some() && next(),
            stderr: stderr.is_some() && next(),
            peers: woken.collect(),
        })
    }

    /// Returns when the loop must run again even if no event arrives.
    fn deadline(&self) -> Option<Instant> {
        let mut all = Vec::new();
        all.extend(self.retry_disk_at);
        if let Some(shutdown) = self.ending.shutdown {
            all.extend((!shutdown.terminated).then_some(shutdown.terminate));
            all.extend((!shutdown.killed).then_some(shutdown.kill));
            all.extend(
                (shutdown.killed && self.ending.recorded_exit.is_none()).then_some(shutdown.kill + WRITE_GIVE_UP_DELAY),
            );
        }
        if let Some(agent_ended) = self.ending.agent_ended
            && self.ending.recorded_exit.is_none()
            && self.may_read()
        {
            all.push(agent_ended + PIPE_DRAIN_TIMEOUT);
        }
        for peer in &self.peers {
            match peer.state {
                PeerState::AwaitingHello { until } | PeerState::Closing { until } => all.push(until),
                PeerState::Active | PeerState::Closed => {}
            }
            if self.ending.recorded_exit.is_some() && peer.state == PeerState::Active && peer.has_output(&self.log) {
                all.push(self.bridge_deadline(peer));
            }
        }
        all.extend(self.ending.all_sent_since.map(|since| since + DISCONNECT_TIMEOUT));
        all.into_iter().min()
    }

    /// Handles signals to the runner.
    fn handle_signals(&mut self, now: Instant) {
        let mut bytes = [0; 64];
        while let Ok(read @ 1..) = self.signals.read(&mut bytes) {
            if bytes.get(..read).unwrap_or_default().contains(&signals::TERMINATE) {
                self.start_shutdown(DEFAULT_GRACE, now);
            }
        }
        self.agent.reap();
        if self.agent.exit().is_some() && self.ending.agent_ended.is_none() {
            self.ending.agent_ended = Some(now);
            let lost = self.agent.input.abandon();
            self.note_lost(&lost);
        }
    }

    fn write_input(&mut self) {
        let lost = self.agent.input.write_waiting();
        self.note_lost(&lost);
    }

    /// Logs the numbers of accepted lines that can no longer reach the agent.
    fn note_lost(&mut self, numbers: &[u64]) {
        if !numbers.is_empty() {
            self.note(&json!({"what": "not_delivered", "numbers": numbers}));
        }
    }

    pub(super) fn note(&mut self, note: &Value) {
        self.log.append(Kind::Note, now_micros(), note.to_string().as_bytes());
    }

    /// Reads once from each pipe that has data.
    fn read_agent(&mut self, stdout: bool, stderr: bool, now: Instant) {
        let last_call = self
            .ending
            .agent_ended
            .is_some_and(|agent_ended| now >= agent_ended + PIPE_DRAIN_TIMEOUT);
        let at = now_micros();
        if stdout || last_call {
            let pipe = &mut self.agent.stdout;
            read_pipe::<ChildStdout>(
                pipe,
                &mut self.buffer,
                last_call,
                &mut self.stdout_lines,
                |piece| match piece {
                    Piece::Line(line) => {
                        self.log.append(Kind::Said, at, line);
                    }
                    Piece::TooLong(bytes) => {
                        let note = json!({"what": "too_long", "bytes": bytes});
                        self.log.append(Kind::Note, at, note.to_string().as_bytes());
                    }
                },
            );
        }
        if stderr || last_call {
            let pipe = &mut self.agent.stderr;
            read_pipe::<ChildStderr>(pipe, &mut self.buffer, last_call, &mut self.stderr_lines, |piece| {
                if let Piece::Line(line) = piece {
                    self.log
                        .append(Kind::Stderr, at, String::from_utf8_lossy(line).as_bytes());
                }
            });
        }
    }

    /// Writes buffered records. While the disk refuses writes, only reading from the agent is suspended.
    pub(super) fn flush(&mut self, now: Instant) {
        if self.retry_disk_at.is_some_and(|retry| now < retry) {
            return;
        }
        match self.log.flush() {
            Ok(()) if self.retry_disk_at.take().is_some() => {
                self.note(&json!({"what": "disk_ok"}));
                if let Err(error) = self.log.flush() {
                    self.stall(&error, now);
                }
            }
            Ok(()) => {}
            Err(_) if self.retry_disk_at.is_some() => self.retry_disk_at = Some(now + DISK_RETRY_DELAY),
            Err(error) => self.stall(&error, now),
        }
        if !self.log_full && self.retry_disk_at.is_none() && self.log.size() >= self.log_cap {
            self.log_full = true;
            self.note(&json!({"what": "log_full", "bytes": self.log.size(), "cap": self.log_cap}));
            if let Err(error) = self.log.flush() {
                self.stall(&error, now);
            }
        }
    }

    /// Suspends writing to the disk. The note is buffered with the other records, so each failure is reported once.
    pub(super) fn stall(&mut self, error: &io::Error, now: Instant) {
        if self.retry_disk_at.is_none() {
            self.note(&json!({"what": "disk_full", "reason": error.to_string()}));
        }
        self.retry_disk_at = Some(now + DISK_RETRY_DELAY);
    }

    /// Appends the exit record of the agent, after all of its output.
    fn record_exit(&mut self, now: Instant) {
        if self.ending.recorded_exit.is_some() || self.retry_disk_at.is_some() {
            return;
        }
        let Some(exit) = self.agent.exit() else { return };
        if self.agent.stdout.is_some() || self.agent.stderr.is_some() {
            return;
        }
        let body = json!({"code": exit.code, "signal": exit.signal}).to_string();
        self.log.append(Kind::Exited, now_micros(), body.as_bytes());
        self.ending.recorded_exit = Some(exit);
        self.flush(now);
        self.log.sync().ok();
    }

    pub(super) fn start_shutdown(&mut self, grace: Duration, now: Instant) {
        // Longer than anyone waits, and short enough to be added to an `Instant`.
        let grace = grace.min(Duration::from_secs(24 * 3600));
        let requested = Shutdown {
            terminate: now + grace / 2,
            kill: now + grace,
            terminated: false,
            killed: false,
        };
        // Of several requests, the shortest grace period applies.
        if self.ending.shutdown.is_none_or(|before| requested.kill < before.kill) {
            self.ending.shutdown = Some(requested);
        }
        self.agent.input.end();
    }

    fn continue_shutdown(&mut self, now: Instant) {
        let Some(shutdown) = &mut self.ending.shutdown else {
            return;
        };
        if !shutdown.terminated && now >= shutdown.terminate {
            shutdown.terminated = true;
            self.agent.signal(Signal::TERM);
        }
        if !shutdown.killed && now >= shutdown.kill {
            shutdown.killed = true;
            self.agent.signal(Signal::KILL);
        }
    }

    /// Returns until when the runner waits for a bridge that does not read.
    fn bridge_deadline(&self, bridge: &Peer) -> Instant {
        let timeout = if self.ending.shutdown.is_some() {
            DISCONNECT_TIMEOUT
        } else {
            UNREAD_TIMEOUT
        };
        self.ending
            .agent_ended
            .map_or(bridge.progress, |agent_ended| agent_ended.max(bridge.progress))
            + timeout
    }

    /// Returns whether the runner may exit.
    fn is_done(&mut self, now: Instant) -> bool {
        let shutdown_requested = self.ending.shutdown.is_some();
        if self.ending.recorded_exit.is_none() || self.log.unwritten() > 0 {
            // Records that cannot be written are given up in the end.
            return self
                .ending
                .shutdown
                .is_some_and(|shutdown| shutdown.killed && now >= shutdown.kill + WRITE_GIVE_UP_DELAY);
        }
        let active = self.peers.iter().find(|peer| peer.state == PeerState::Active);
        let Some(bridge) = active else {
            // Other connections may still send a hello or read their last answer.
            return self.peers.is_empty();
        };
        if bridge.has_output(&self.log) {
            return now >= self.bridge_deadline(bridge);
        }
        let since = *self.ending.all_sent_since.get_or_insert(now);
        shutdown_requested || now >= since + DISCONNECT_TIMEOUT
    }
}

/// The event sources that are ready.
struct Ready {
    signals: bool,
    listener: bool,
    stdout: bool,
    stderr: bool,
    peers: Vec<bool>,
}

/// Reads once. Closes the pipe at its end, or when it is empty at the last call.
fn read_pipe<P: io::Read>(
    pipe: &mut Option<P>,
    buffer: &mut Vec<u8>,
    last_call: bool,
    lines: &mut Lines,
    mut emit: impl FnMut(Piece<'_>),
) {
    let Some(open) = pipe else { return };
    buffer.resize(READ_CHUNK, 0);
    match open.read(buffer) {
        Ok(read @ 1..) => lines.push(buffer.get(..read).unwrap_or_default(), emit),
        Err(error) if is_retryable(&error) && !last_call => {}
        Ok(_) | Err(_) => {
            lines.finish(&mut emit);
            *pipe = None;
        }
    }
}
