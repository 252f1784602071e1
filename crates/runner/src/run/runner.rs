//! The main loop: one thread that waits for the agent, the connections, signals and the clock.

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
use crate::launch::is_later;
use crate::log::LogWriter;
use crate::record::Kind;
use crate::registry::Registered;

/// What is read at once.
const CHUNK: usize = 64 << 10;
/// When a disk that refused is tried again.
const RETRY: Duration = Duration::from_millis(250);
/// How long an ended agent's pipes may be held open by somebody who cannot be ended.
const DRAIN: Duration = Duration::from_secs(1);
/// How long a bridge that has been sent everything is waited for.
const LINGER: Duration = Duration::from_secs(2);
/// How long a bridge that reads nothing is waited for when all else is done.
const UNREAD: Duration = Duration::from_secs(10);
/// How long what cannot be written is kept once the runner was told to end.
const GIVE_UP: Duration = Duration::from_secs(5);
/// What the agent has when the runner itself is told to end.
const OWN_GRACE: Duration = Duration::from_secs(5);
/// Records may be taken in beyond the cap to answer an agent that waits.
pub(super) const BEYOND_CAP: u64 = 32 << 20;

/// All there is to a runner.
pub(crate) struct Runner {
    pub(super) dir: PathBuf,
    pub(super) registered: Registered,
    pub(super) log: LogWriter,
    pub(super) log_cap: u64,
    pub(super) agent: Agent,
    pub(super) listener: UnixListener,
    pub(super) signals: PipeReader,
    pub(super) said: Lines,
    pub(super) stderr: Lines,
    pub(super) peers: Vec<Peer>,
    /// The disk takes nothing; tried again then.
    pub(super) stuck: Option<Instant>,
    /// The log is as large as it may be.
    pub(super) full: bool,
    pub(super) shutdown: Option<Shutdown>,
    /// When the agent was seen to have ended.
    pub(super) ended: Option<Instant>,
    /// How it ended, once the log says so.
    pub(super) recorded: Option<Exit>,
    /// Since when the bridge has everything.
    pub(super) all_sent: Option<Instant>,
    pub(super) buffer: Vec<u8>,
}

/// The agent is being ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shutdown {
    terminate: Instant,
    kill: Instant,
    terminated: bool,
    killed: bool,
}

/// Microseconds since 1970.
pub(super) fn wall() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

impl Runner {
    /// Runs until there is nothing left to do.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        self.flush(Instant::now());
        loop {
            let ready = self.wait()?;
            let now = Instant::now();
            if ready.signals {
                self.hear(now);
            }
            if ready.listener {
                self.accept(now);
            }
            self.listen(&ready.peers, now);
            if self.agent.input.is_waiting() {
                self.pump();
            }
            if self.may_read() {
                self.read_agent(ready.stdout, ready.stderr, now);
            }
            self.flush(now);
            self.record_exit(now);
            for peer in &mut self.peers {
                peer.send(&mut self.log, now);
            }
            self.go_on_ending(now);
            self.drop_peers(now);
            if self.is_done(now) {
                break;
            }
        }
        Ok(())
    }

    /// Nobody is left.
    pub(super) fn end(&mut self) {
        self.agent.signal(Signal::KILL);
        self.agent.end_rest();
        self.log.sync().ok();
    }

    pub(super) fn may_read(&self) -> bool {
        self.stuck.is_none() && !self.full
    }

    fn wait(&self) -> io::Result<Ready> {
        let may_read = self.may_read();
        let writes = self.agent.input.is_waiting();
        let mut fds = vec![
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(&self.listener, PollFlags::IN),
        ];
        // What is not waited for is not named at all: a pipe whose other end is closed would wake the loop for ever.
        let stdin = self.agent.input.pipe.as_ref().filter(|_| writes).map(AsFd::as_fd);
        let stdout = self.agent.stdout.as_ref().filter(|_| may_read).map(AsFd::as_fd);
        let stderr = self.agent.stderr.as_ref().filter(|_| may_read).map(AsFd::as_fd);
        fds.extend(stdin.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
        fds.extend(stdout.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        fds.extend(stderr.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        for peer in &self.peers {
            let mut wanted = PollFlags::empty();
            wanted.set(PollFlags::IN, peer.is_listened_to());
            wanted.set(PollFlags::OUT, peer.has_something(&self.log));
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

    /// When something must happen although nothing comes.
    fn deadline(&self) -> Option<Instant> {
        let mut all = Vec::new();
        all.extend(self.stuck);
        if let Some(shutdown) = self.shutdown {
            all.extend((!shutdown.terminated).then_some(shutdown.terminate));
            all.extend((!shutdown.killed).then_some(shutdown.kill));
            all.extend((shutdown.killed && self.recorded.is_none()).then_some(shutdown.kill + GIVE_UP));
        }
        if let Some(ended) = self.ended
            && self.recorded.is_none()
            && self.may_read()
        {
            all.push(ended + DRAIN);
        }
        for peer in &self.peers {
            match peer.state {
                PeerState::Waiting { until } | PeerState::Leaving { until } => all.push(until),
                PeerState::InForce | PeerState::Gone => {}
            }
            if self.recorded.is_some() && peer.state == PeerState::InForce && peer.has_something(&self.log) {
                all.push(self.patience(peer));
            }
        }
        all.extend(self.all_sent.map(|since| since + LINGER));
        all.into_iter().min()
    }

    /// Signals to the runner itself.
    fn hear(&mut self, now: Instant) {
        let mut bytes = [0; 64];
        while let Ok(read @ 1..) = self.signals.read(&mut bytes) {
            if bytes.get(..read).unwrap_or_default().contains(&signals::TERMINATE) {
                self.begin_shutdown(OWN_GRACE, now);
            }
        }
        self.agent.reap();
        if self.agent.exit().is_some() && self.ended.is_none() {
            self.ended = Some(now);
            let lost = self.agent.input.abandon();
            self.note_lost(&lost);
        }
    }

    fn pump(&mut self) {
        let lost = self.agent.input.pump();
        self.note_lost(&lost);
    }

    /// Lines that were taken and cannot reach the agent any more.
    fn note_lost(&mut self, numbers: &[u64]) {
        if !numbers.is_empty() {
            self.note(&json!({"what": "not_delivered", "numbers": numbers}));
        }
    }

    pub(super) fn note(&mut self, note: &Value) {
        self.log.append(Kind::Note, wall(), note.to_string().as_bytes());
    }

    /// Reads once from each pipe that has something.
    fn read_agent(&mut self, stdout: bool, stderr: bool, now: Instant) {
        let last_call = self.ended.is_some_and(|ended| now >= ended + DRAIN);
        let at = wall();
        if stdout || last_call {
            let pipe = &mut self.agent.stdout;
            read_pipe::<ChildStdout>(pipe, &mut self.buffer, last_call, &mut self.said, |piece| match piece {
                Piece::Line(line) => {
                    self.log.append(Kind::Said, at, line);
                }
                Piece::TooLong(bytes) => {
                    let note = json!({"what": "too_long", "bytes": bytes});
                    self.log.append(Kind::Note, at, note.to_string().as_bytes());
                }
            });
        }
        if stderr || last_call {
            let pipe = &mut self.agent.stderr;
            read_pipe::<ChildStderr>(pipe, &mut self.buffer, last_call, &mut self.stderr, |piece| {
                if let Piece::Line(line) = piece {
                    self.log
                        .append(Kind::Stderr, at, String::from_utf8_lossy(line).as_bytes());
                }
            });
        }
    }

    /// Writes what was taken. A disk that refuses stops the reading of the agent, and nothing else.
    pub(super) fn flush(&mut self, now: Instant) {
        if self.stuck.is_some_and(|retry| now < retry) {
            return;
        }
        match self.log.flush() {
            Ok(()) if self.stuck.take().is_some() => {
                self.note(&json!({"what": "disk_ok"}));
                if let Err(error) = self.log.flush() {
                    self.stall(&error, now);
                }
            }
            Ok(()) => {}
            Err(_) if self.stuck.is_some() => self.stuck = Some(now + RETRY),
            Err(error) => self.stall(&error, now),
        }
        if !self.full && self.stuck.is_none() && self.log.size() >= self.log_cap {
            self.full = true;
            self.note(&json!({"what": "log_full", "bytes": self.log.size(), "cap": self.log_cap}));
            if let Err(error) = self.log.flush() {
                self.stall(&error, now);
            }
        }
    }

    /// The disk takes nothing. The note is kept with what else is, so each stall is told once.
    pub(super) fn stall(&mut self, error: &io::Error, now: Instant) {
        if self.stuck.is_none() {
            self.note(&json!({"what": "disk_full", "reason": error.to_string()}));
        }
        self.stuck = Some(now + RETRY);
    }

    /// The last record of an agent: after all it said.
    fn record_exit(&mut self, now: Instant) {
        if self.recorded.is_some() || self.stuck.is_some() {
            return;
        }
        let Some(exit) = self.agent.exit() else { return };
        if self.agent.stdout.is_some() || self.agent.stderr.is_some() {
            return;
        }
        let body = json!({"code": exit.code, "signal": exit.signal}).to_string();
        self.log.append(Kind::Exited, wall(), body.as_bytes());
        self.recorded = Some(exit);
        self.flush(now);
        self.log.sync().ok();
    }

    pub(super) fn begin_shutdown(&mut self, grace: Duration, now: Instant) {
        // Longer than anybody waits, and an instant can still be told.
        let grace = grace.min(Duration::from_secs(24 * 3600));
        let asked = Shutdown {
            terminate: now + grace / 2,
            kill: now + grace,
            terminated: false,
            killed: false,
        };
        // Asked twice, the shorter time holds.
        if self.shutdown.is_none_or(|before| asked.kill < before.kill) {
            self.shutdown = Some(asked);
        }
        self.agent.input.end();
    }

    fn go_on_ending(&mut self, now: Instant) {
        let Some(shutdown) = &mut self.shutdown else { return };
        if !shutdown.terminated && now >= shutdown.terminate {
            shutdown.terminated = true;
            self.agent.signal(Signal::TERM);
        }
        if !shutdown.killed && now >= shutdown.kill {
            shutdown.killed = true;
            self.agent.signal(Signal::KILL);
        }
    }

    /// Until when a bridge that does not read is waited for.
    fn patience(&self, bridge: &Peer) -> Instant {
        let patience = if self.shutdown.is_some() { LINGER } else { UNREAD };
        self.ended.map_or(bridge.progress, |ended| ended.max(bridge.progress)) + patience
    }

    /// Whether the runner may leave.
    fn is_done(&mut self, now: Instant) -> bool {
        let told = self.shutdown.is_some();
        if self.recorded.is_none() || self.log.unwritten() > 0 {
            // What can be written nowhere is lost in the end.
            return self
                .shutdown
                .is_some_and(|shutdown| shutdown.killed && now >= shutdown.kill + GIVE_UP);
        }
        let in_force = self.peers.iter().find(|peer| peer.state == PeerState::InForce);
        let Some(bridge) = in_force else {
            // Somebody who has connected may be about to say hello, or to read why it was let go.
            return self.peers.is_empty();
        };
        if bridge.has_something(&self.log) {
            return now >= self.patience(bridge);
        }
        let since = *self.all_sent.get_or_insert(now);
        told || now >= since + LINGER
    }
}

/// What woke the loop.
struct Ready {
    signals: bool,
    listener: bool,
    stdout: bool,
    stderr: bool,
    peers: Vec<bool>,
}

/// Reads once; closes the pipe at its end, or when nothing is there at the last call.
fn read_pipe<P: io::Read>(
    pipe: &mut Option<P>,
    buffer: &mut Vec<u8>,
    last_call: bool,
    lines: &mut Lines,
    mut give: impl FnMut(Piece<'_>),
) {
    let Some(open) = pipe else { return };
    buffer.resize(CHUNK, 0);
    match open.read(buffer) {
        Ok(read @ 1..) => lines.push(buffer.get(..read).unwrap_or_default(), give),
        Err(error) if is_later(&error) && !last_call => {}
        Ok(_) | Err(_) => {
            lines.finish(&mut give);
            *pipe = None;
        }
    }
}
