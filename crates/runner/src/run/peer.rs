//! A connection: input, output, and no buffer that grows with how slow the other side is.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::feed::Feed;
use crate::frame::{Decoder, FromRunner, LONGEST, ToRunner};
use crate::launch::is_later;
use crate::log::LogWriter;

/// A connection has this long to say hello.
const HELLO: Duration = Duration::from_secs(5);
/// One that is let go has this long to read its last words.
const LEAVING: Duration = Duration::from_secs(2);
/// The longest frame of somebody who has not said hello.
const SHORT: usize = 64;
/// Answers that may wait: more, and nothing is read from this connection until they are gone.
const ANSWERS: usize = 64 << 10;
/// What is sent in one go before the agent is looked at again.
const TURN: usize = 1 << 20;

/// What a connection is to the runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PeerState {
    /// It has not said hello.
    Waiting { until: Instant },
    /// It is the one that may write and is sent the records.
    InForce,
    /// It is sent its last words, then closed.
    Leaving { until: Instant },
    /// It is closed, or must be.
    Gone,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) stream: UnixStream,
    pub(crate) state: PeerState,
    decoder: Decoder<ToRunner>,
    inbox: VecDeque<ToRunner>,
    /// Answers, whole frames; and how many of their bytes are sent.
    answers: Vec<u8>,
    sent: usize,
    feed: Option<Feed>,
    /// The records that existed at the hello end here.
    catching_up: Option<u64>,
    /// Nothing can be sent to it any more; what it said before is still read.
    deaf: bool,
    /// When something was sent last.
    pub(crate) progress: Instant,
}

impl Peer {
    pub(crate) fn new(stream: UnixStream, now: Instant) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            state: PeerState::Waiting { until: now + HELLO },
            decoder: Decoder::with_limit(SHORT),
            inbox: VecDeque::new(),
            answers: Vec::new(),
            sent: 0,
            feed: None,
            catching_up: None,
            deaf: false,
            progress: now,
        })
    }

    /// It is in force from now on, and is sent what comes after `from`.
    pub(crate) fn welcome(&mut self, welcome: &FromRunner, from: u64, next: u64, now: Instant) {
        self.state = PeerState::InForce;
        self.decoder.set_limit(LONGEST);
        self.answer(welcome);
        self.feed = Some(Feed::new(from.min(next)));
        self.catching_up = Some(next);
        self.progress = now;
    }

    /// It is told why, and let go.
    pub(crate) fn dismiss(&mut self, why: &FromRunner, now: Instant) {
        self.answer(why);
        self.inbox.clear();
        self.state = PeerState::Leaving { until: now + LEAVING };
    }

    pub(crate) fn answer(&mut self, frame: &FromRunner) {
        if !self.deaf {
            frame.encode(&mut self.answers);
        }
    }

    /// Whether more may be read from it.
    pub(crate) fn is_listened_to(&self) -> bool {
        self.answers.len() - self.sent < ANSWERS
    }

    /// Whether it has something to be sent.
    pub(crate) fn has_something(&self, log: &LogWriter) -> bool {
        self.sent < self.answers.len()
            || self
                .feed
                .as_ref()
                .is_some_and(|feed| !feed.is_whole() || (self.state == PeerState::InForce && feed.next() < log.next()))
            || self.catching_up.is_some()
    }

    pub(crate) fn next_frame(&mut self) -> Option<ToRunner> {
        self.inbox.pop_front()
    }

    /// Reads what is there.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) {
        match self.stream.read(buffer) {
            Ok(0) => self.state = PeerState::Gone,
            Ok(read) if matches!(self.state, PeerState::Waiting { .. } | PeerState::InForce) => {
                self.decoder.push(buffer.get(..read).unwrap_or_default());
                self.decode();
            }
            // Whoever is let go is not listened to; it is read so that its last words are not taken from it.
            Ok(_) => {}
            Err(error) if is_later(&error) => {}
            Err(_) => self.state = PeerState::Gone,
        }
    }

    /// Cuts frames; of somebody who has not said hello, one.
    pub(crate) fn decode(&mut self) {
        loop {
            if matches!(self.state, PeerState::Waiting { .. }) && !self.inbox.is_empty() {
                return;
            }
            match self.decoder.next() {
                Ok(Some(frame)) => self.inbox.push_back(frame),
                Ok(None) => return,
                Err(_) => {
                    self.state = PeerState::Gone;
                    return;
                }
            }
        }
    }

    /// Sends what it takes, at most one turn's worth.
    pub(crate) fn send(&mut self, log: &mut LogWriter, now: Instant) {
        let mut turn = TURN;
        while self.state != PeerState::Gone && !self.deaf && turn > 0 {
            match self.send_some(log) {
                Ok(0) => break,
                Ok(sent) => {
                    self.progress = now;
                    turn = turn.saturating_sub(sent);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_later(&error) => break,
                Err(_) => {
                    self.deaf = true;
                    self.feed = None;
                    self.catching_up = None;
                    self.answers.clear();
                    self.sent = 0;
                }
            }
        }
        if matches!(self.state, PeerState::Leaving { .. }) && !self.has_something(log) {
            self.state = PeerState::Gone;
        }
    }

    fn send_some(&mut self, log: &mut LogWriter) -> io::Result<usize> {
        let between = self.feed.as_ref().is_none_or(Feed::is_whole);
        if let Some(next) = self.catching_up
            && between
            && (self.state != PeerState::InForce || self.feed.as_ref().is_none_or(|feed| feed.next() >= next))
        {
            self.catching_up = None;
            if self.state == PeerState::InForce {
                self.answer(&FromRunner::CaughtUp { next });
            }
        }
        if between && self.sent < self.answers.len() {
            let sent = self.stream.write(self.answers.get(self.sent..).unwrap_or_default())?;
            self.sent += sent;
            if self.sent >= self.answers.len() {
                self.answers.clear();
                self.sent = 0;
                self.answers.shrink_to(ANSWERS);
            }
            return Ok(sent);
        }
        // An answer that is half sent is finished first, a record that is half sent too.
        let Some(feed) = &mut self.feed else { return Ok(0) };
        if !between || self.state == PeerState::InForce {
            let until = self.catching_up.unwrap_or_else(|| log.next());
            feed.fill(log, until)?;
        }
        if feed.ready().is_empty() {
            return Ok(0);
        }
        let sent = self.stream.write(feed.ready())?;
        feed.sent(sent);
        Ok(sent)
    }
}
