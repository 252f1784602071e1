//! Handling the frames that bridges send.

use std::time::{Duration, Instant};

use serde_json::json;

use super::peer::{Peer, PeerState};
use super::runner::{ANSWER_RESERVE, Runner, now_micros};
use crate::frame::{AgentStatus, FromRunner, ToRunner};
use crate::record::Kind;
use crate::registry;

/// The maximum number of simultaneous connections: the active one, new ones, and ones being closed.
const MAX_PEERS: usize = 16;

/// Lines of one connection that are logged together.
type Writes = Vec<(u64, Vec<u8>)>;

impl Runner {
    pub(super) fn accept(&mut self, now: Instant) {
        while let Ok((stream, _)) = self.listener.accept() {
            if self.peers.len() < MAX_PEERS && is_same_user(&stream) {
                self.peers.extend(Peer::new(stream, now));
            }
        }
    }

    /// Reads from the connections that have input, and handles their frames.
    pub(super) fn read_peers(&mut self, ready: &[bool], now: Instant) {
        for at in 0..self.peers.len() {
            let Some(peer) = self.peers.get_mut(at) else { return };
            if ready.get(at).copied().unwrap_or_default() && peer.accepts_input() {
                self.buffer.resize(64 << 10, 0);
                peer.read(&mut self.buffer);
                self.handle_frames(at, now);
            }
        }
    }

    fn handle_frames(&mut self, at: usize, now: Instant) {
        let mut writes = Writes::new();
        while let Some(frame) = self.peers.get_mut(at).and_then(Peer::next_frame) {
            let state = self.peers.get(at).map_or(PeerState::Closed, |peer| peer.state);
            match (state, frame) {
                (PeerState::AwaitingHello { .. }, ToRunner::Hello { term, from }) => {
                    self.handle_hello(at, term, from, now);
                }
                // Frames that were received before the connection was closed are still handled.
                (PeerState::Active | PeerState::Closed, ToRunner::Write { id, line }) => {
                    self.accept_line(at, &mut writes, id, line);
                }
                (PeerState::Active | PeerState::Closed, frame) => {
                    self.commit(at, &mut writes, now);
                    match frame {
                        ToRunner::EndInput => self.agent.input.end(),
                        ToRunner::Signal(signal) => self.agent.send_signal(signal),
                        ToRunner::Trim { below } => self.trim(below, now),
                        ToRunner::Shutdown { grace_ms } => {
                            self.start_shutdown(Duration::from_millis(grace_ms), now);
                        }
                        ToRunner::Hello { .. } | ToRunner::Write { .. } => self.close(at),
                    }
                }
                (PeerState::AwaitingHello { .. }, _) => self.close(at),
                (PeerState::Closing { .. }, _) => {}
            }
        }
        self.commit(at, &mut writes, now);
    }

    fn close(&mut self, at: usize) {
        if let Some(peer) = self.peers.get_mut(at) {
            peer.state = PeerState::Closed;
            while peer.next_frame().is_some() {}
        }
    }

    /// Handles a hello: the connection with the highest term becomes the active one.
    fn handle_hello(&mut self, at: usize, term: u64, from: u64, now: Instant) {
        let active_term = self.registered.term;
        if term <= active_term {
            if let Some(peer) = self.peers.get_mut(at) {
                peer.close_with(&FromRunner::Refused { term: active_term }, now);
            }
            return;
        }
        self.registered.term = term;
        // A full disk must not lock a bridge out. The term is then only valid as long as this process runs.
        registry::write(&self.dir, &self.registered).ok();
        for peer in self.peers.iter_mut().filter(|peer| peer.state == PeerState::Active) {
            peer.close_with(&FromRunner::Overtaken { term }, now);
        }
        let (first, next) = (self.log.first(), self.log.next());
        let agent = match self.ending.recorded_exit {
            Some(exit) => AgentStatus::Exited {
                code: exit.code,
                signal: exit.signal,
            },
            None => AgentStatus::Running {
                pid: self.agent.identity.pid,
                started: self.agent.identity.started,
            },
        };
        let welcome = FromRunner::Welcome {
            term,
            first,
            next,
            agent,
        };
        self.ending.all_sent_since = None;
        if let Some(peer) = self.peers.get_mut(at) {
            peer.welcome(&welcome, from, next, now);
            // Frames after the hello may have been received with it.
            peer.decode();
        }
    }

    /// Accepts a line for the agent, or answers why it cannot be written.
    fn accept_line(&mut self, at: usize, writes: &mut Writes, id: u64, line: Vec<u8>) {
        let queued_bytes = writes.iter().map(|(_, line)| line.len() + 1).sum();
        let reason = if self.retry_disk_at.is_some() {
            Some("the log cannot be written: the disk is full or broken")
        } else if self.log.size() > self.log_cap.saturating_add(ANSWER_RESERVE) {
            Some("the log is full: trim it")
        } else if self.ending.agent_ended.is_some() {
            Some("the agent has ended")
        } else {
            self.agent.input.rejection_reason(&line, queued_bytes)
        };
        match reason {
            Some(reason) => self.refuse(at, id, reason),
            None => writes.push((id, line)),
        }
    }

    fn refuse(&mut self, at: usize, id: u64, reason: impl Into<String>) {
        if let Some(peer) = self.peers.get_mut(at) {
            peer.answer(&FromRunner::NotWritten {
                id,
                reason: reason.into(),
            });
        }
    }

    /// Logs and syncs the accepted lines together; then queues them for the agent and answers them.
    fn commit(&mut self, at: usize, writes: &mut Writes, now: Instant) {
        if writes.is_empty() {
            return;
        }
        let lines = writes.iter().map(|(_, line)| line.as_slice());
        match self.log.append_synced(Kind::Wrote, now_micros(), lines) {
            Ok(first) => {
                for (number, (id, line)) in (first..).zip(writes.drain(..)) {
                    self.agent.input.queue(number, line);
                    if let Some(peer) = self.peers.get_mut(at) {
                        peer.answer(&FromRunner::Wrote { id, number });
                    }
                }
            }
            Err(error) => {
                for (id, _) in writes.drain(..) {
                    self.refuse(at, id, format!("the log cannot be written: {error}"));
                }
                self.stall(&error, now);
            }
        }
    }

    fn trim(&mut self, below: u64, now: Instant) {
        self.log.trim(below);
        if self.log_full && self.log.size() < self.log_cap {
            self.log_full = false;
            self.note(&json!({"what": "log_ok"}));
        }
        if self.retry_disk_at.is_some() {
            // Trimming may have freed disk space.
            self.retry_disk_at = Some(now);
        }
    }

    /// Drops connections that are closed or whose time to send a hello or to read the last answer is over.
    pub(super) fn drop_peers(&mut self, now: Instant) {
        self.peers.retain(|peer| match peer.state {
            PeerState::Active => true,
            PeerState::Closed => false,
            PeerState::AwaitingHello { until } | PeerState::Closing { until } => now < until,
        });
    }
}

/// Returns whether the process at the other end runs as the same user.
#[cfg(target_os = "linux")]
fn is_same_user(stream: &std::os::unix::net::UnixStream) -> bool {
    rustix::net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}

/// The permissions of the folder keep other users out.
#[cfg(not(target_os = "linux"))]
fn is_same_user(_: &std::os::unix::net::UnixStream) -> bool {
    true
}
