//! Frames of bridges, and what is done about them.

use std::time::{Duration, Instant};

use serde_json::json;

use super::peer::{Peer, PeerState};
use super::runner::{BEYOND_CAP, Runner, wall};
use crate::frame::{AgentStatus, FromRunner, ToRunner};
use crate::record::Kind;
use crate::registry;

/// Connections at one time: the one in force, one that comes, and some that are let go.
const PEERS: usize = 16;

/// Lines of one connection that are written together.
type Writes = Vec<(u64, Vec<u8>)>;

impl Runner {
    pub(super) fn accept(&mut self, now: Instant) {
        while let Ok((stream, _)) = self.listener.accept() {
            if self.peers.len() < PEERS && is_ours(&stream) {
                self.peers.extend(Peer::new(stream, now));
            }
        }
    }

    /// Reads the connections that have something, and does what they say.
    pub(super) fn listen(&mut self, ready: &[bool], now: Instant) {
        for at in 0..self.peers.len() {
            let Some(peer) = self.peers.get_mut(at) else { return };
            if ready.get(at).copied().unwrap_or_default() && peer.is_listened_to() {
                self.buffer.resize(64 << 10, 0);
                peer.read(&mut self.buffer);
                self.obey(at, now);
            }
        }
    }

    fn obey(&mut self, at: usize, now: Instant) {
        let mut writes = Writes::new();
        while let Some(frame) = self.peers.get_mut(at).and_then(Peer::next_frame) {
            let state = self.peers.get(at).map_or(PeerState::Gone, |peer| peer.state);
            match (state, frame) {
                (PeerState::Waiting { .. }, ToRunner::Hello { term, from }) => self.greet(at, term, from, now),
                // Its last frames came before its end did.
                (PeerState::InForce | PeerState::Gone, ToRunner::Write { id, line }) => {
                    self.take(at, &mut writes, id, line);
                }
                (PeerState::InForce | PeerState::Gone, frame) => {
                    self.commit(at, &mut writes, now);
                    match frame {
                        ToRunner::EndInput => self.agent.input.end(),
                        ToRunner::Signal(signal) => self.agent.obey(signal),
                        ToRunner::Trim { below } => self.trim(below, now),
                        ToRunner::Shutdown { grace_ms } => {
                            self.begin_shutdown(Duration::from_millis(grace_ms), now);
                        }
                        ToRunner::Hello { .. } | ToRunner::Write { .. } => self.close(at),
                    }
                }
                (PeerState::Waiting { .. }, _) => self.close(at),
                (PeerState::Leaving { .. }, _) => {}
            }
        }
        self.commit(at, &mut writes, now);
    }

    fn close(&mut self, at: usize) {
        if let Some(peer) = self.peers.get_mut(at) {
            peer.state = PeerState::Gone;
            while peer.next_frame().is_some() {}
        }
    }

    /// A hello: the higher term is in force.
    fn greet(&mut self, at: usize, term: u64, from: u64, now: Instant) {
        let in_force = self.registered.term;
        if term <= in_force {
            if let Some(peer) = self.peers.get_mut(at) {
                peer.dismiss(&FromRunner::Refused { term: in_force }, now);
            }
            return;
        }
        self.registered.term = term;
        // A disk that is full must not keep a bridge out: the term then holds as long as this process does.
        registry::write(&self.dir, &self.registered).ok();
        for peer in self.peers.iter_mut().filter(|peer| peer.state == PeerState::InForce) {
            peer.dismiss(&FromRunner::Overtaken { term }, now);
        }
        let (first, next) = (self.log.first(), self.log.next());
        let agent = match self.recorded {
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
        self.all_sent = None;
        if let Some(peer) = self.peers.get_mut(at) {
            peer.welcome(&welcome, from, next, now);
            // What it said after its hello came with it.
            peer.decode();
        }
    }

    /// Takes a line, or says why not.
    fn take(&mut self, at: usize, writes: &mut Writes, id: u64, line: Vec<u8>) {
        let taken = writes.iter().map(|(_, line)| line.len() + 1).sum();
        let reason = if self.stuck.is_some() {
            Some("the log cannot be written: the disk is full or broken")
        } else if self.log.size() > self.log_cap.saturating_add(BEYOND_CAP) {
            Some("the log is full: trim it")
        } else if self.ended.is_some() {
            Some("the agent has ended")
        } else {
            self.agent.input.refuses(&line, taken)
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

    /// Lines go to the log and to the disk, all at once; then to the agent and into answers.
    fn commit(&mut self, at: usize, writes: &mut Writes, now: Instant) {
        if writes.is_empty() {
            return;
        }
        let lines = writes.iter().map(|(_, line)| line.as_slice());
        match self.log.append_synced(Kind::Wrote, wall(), lines) {
            Ok(first) => {
                for (number, (id, line)) in (first..).zip(writes.drain(..)) {
                    self.agent.input.take(number, line);
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
        if self.full && self.log.size() < self.log_cap {
            self.full = false;
            self.note(&json!({"what": "log_ok"}));
        }
        if self.stuck.is_some() {
            // There may be room now.
            self.stuck = Some(now);
        }
    }

    /// Lets go of those who are gone, or had their time.
    pub(super) fn drop_peers(&mut self, now: Instant) {
        self.peers.retain(|peer| match peer.state {
            PeerState::InForce => true,
            PeerState::Gone => false,
            PeerState::Waiting { until } | PeerState::Leaving { until } => now < until,
        });
    }
}

/// Whether the other side is of the same user.
#[cfg(target_os = "linux")]
fn is_ours(stream: &std::os::unix::net::UnixStream) -> bool {
    rustix::net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}

/// The folder of the socket lets nobody else in.
#[cfg(not(target_os = "linux"))]
fn is_ours(_: &std::os::unix::net::UnixStream) -> bool {
    true
}
