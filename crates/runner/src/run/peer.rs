//! A connection: its input and output, with buffers that do not grow when the other side is slow.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::feed::Feed;
use crate::frame::{Decoder, FromRunner, MAX_FRAME, ToRunner};
use crate::launch::is_retryable;
use crate::log::LogWriter;

/// How long a new connection may take to send its hello.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection that is being closed may take to read its last answer.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// The maximum frame length in bytes before the hello.
const MAX_HELLO_FRAME: usize = 64;
/// Bytes of unsent answers above which nothing more is read from a connection.
const MAX_UNSENT_ANSWERS: usize = 64 << 10;
/// The maximum number of bytes sent to one connection before the other sources are polled again.
const MAX_SEND_PER_ROUND: usize = 1 << 20;

/// The state of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PeerState {
    /// No hello was received yet.
    AwaitingHello { until: Instant },
    /// The only connection that may write and that receives the records.
    Active,
    /// The last answer is being sent; then the connection is closed.
    Closing { until: Instant },
    /// Closed, or to be closed.
    Closed,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) stream: UnixStream,
    pub(crate) state: PeerState,
    decoder: Decoder<ToRunner>,
    inbox: VecDeque<ToRunner>,
    /// Encoded answers, and how many of their bytes were sent.
    answers: Vec<u8>,
    sent: usize,
    feed: Option<Feed>,
    /// The number after the last record that existed at the hello, until the connection has caught up.
    catching_up: Option<u64>,
    /// Sending has failed; frames that were received before are still handled.
    write_failed: bool,
    /// When bytes were last sent.
    pub(crate) progress: Instant,
}

impl Peer {
    pub(crate) fn new(stream: UnixStream, now: Instant) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            state: PeerState::AwaitingHello {
                until: now + HELLO_TIMEOUT,
            },
            decoder: Decoder::with_limit(MAX_HELLO_FRAME),
            inbox: VecDeque::new(),
            answers: Vec::new(),
            sent: 0,
            feed: None,
            catching_up: None,
            write_failed: false,
            progress: now,
        })
    }

    /// Makes this the active connection, which is sent the records from number `from` on.
    pub(crate) fn welcome(&mut self, welcome: &FromRunner, from: u64, next: u64, now: Instant) {
        self.state = PeerState::Active;
        self.decoder.set_limit(MAX_FRAME);
        self.answer(welcome);
        self.feed = Some(Feed::new(from.min(next)));
        self.catching_up = Some(next);
        self.progress = now;
    }

    /// Sends a last answer, then closes the connection.
    pub(crate) fn close_with(&mut self, answer: &FromRunner, now: Instant) {
        self.answer(answer);
        self.inbox.clear();
        self.state = PeerState::Closing {
            until: now + CLOSE_TIMEOUT,
        };
    }

    pub(crate) fn answer(&mut self, frame: &FromRunner) {
        if !self.write_failed {
            frame.encode(&mut self.answers);
        }
    }

    /// Returns whether more may be read from the connection.
    pub(crate) fn accepts_input(&self) -> bool {
        self.answers.len() - self.sent < MAX_UNSENT_ANSWERS
    }

    /// Returns whether there is something to send.
    pub(crate) fn has_output(&self, log: &LogWriter) -> bool {
        self.sent < self.answers.len()
            || self
                .feed
                .as_ref()
                .is_some_and(|feed| !feed.is_whole() || (self.state == PeerState::Active && feed.next() < log.next()))
            || self.catching_up.is_some()
    }

    pub(crate) fn next_frame(&mut self) -> Option<ToRunner> {
        self.inbox.pop_front()
    }

    /// Reads available bytes and decodes them.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) {
        match self.stream.read(buffer) {
            Ok(0) => self.state = PeerState::Closed,
            Ok(read) if matches!(self.state, PeerState::AwaitingHello { .. } | PeerState::Active) => {
                self.decoder.push(buffer.get(..read).unwrap_or_default());
                self.decode();
            }
            // Frames are ignored while closing, but bytes are still read: unread input would make the close discard the last
            // answer.
            Ok(_) => {}
            Err(error) if is_retryable(&error) => {}
            Err(_) => self.state = PeerState::Closed,
        }
    }

    /// Decodes received frames; before the hello, only one.
    pub(crate) fn decode(&mut self) {
        loop {
            if matches!(self.state, PeerState::AwaitingHello { .. }) && !self.inbox.is_empty() {
                return;
            }
            match self.decoder.next() {
                Ok(Some(frame)) => self.inbox.push_back(frame),
                Ok(None) => return,
                Err(_) => {
                    self.state = PeerState::Closed;
                    return;
                }
            }
        }
    }

    /// Sends as much as the socket accepts, up to [`MAX_SEND_PER_ROUND`].
    pub(crate) fn send(&mut self, log: &mut LogWriter, now: Instant) {
        let mut budget = MAX_SEND_PER_ROUND;
        while self.state != PeerState::Closed && !self.write_failed && budget > 0 {
            match self.send_some(log) {
                Ok(0) => break,
                Ok(sent) => {
                    self.progress = now;
                    budget = budget.saturating_sub(sent);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_retryable(&error) => break,
                Err(_) => {
                    self.write_failed = true;
                    self.feed = None;
                    self.catching_up = None;
                    self.answers.clear();
                    self.sent = 0;
                }
            }
        }
        if matches!(self.state, PeerState::Closing { .. }) && !self.has_output(log) {
            self.state = PeerState::Closed;
        }
    }

    fn send_some(&mut self, log: &mut LogWriter) -> io::Result<usize> {
        let at_frame_boundary = self.feed.as_ref().is_none_or(Feed::is_whole);
        if let Some(next) = self.catching_up
            && at_frame_boundary
            && (self.state != PeerState::Active || self.feed.as_ref().is_none_or(|feed| feed.next() >= next))
        {
            self.catching_up = None;
            if self.state == PeerState::Active {
                self.answer(&FromRunner::CaughtUp { next });
            }
        }
        if at_frame_boundary && self.sent < self.answers.len() {
            let sent = self.stream.write(self.answers.get(self.sent..).unwrap_or_default())?;
            self.sent += sent;
            if self.sent >= self.answers.len() {
                self.answers.clear();
                self.sent = 0;
                self.answers.shrink_to(MAX_UNSENT_ANSWERS);
            }
            return Ok(sent);
        }
        // A partly sent answer or record is completed before another frame is started.
        let Some(feed) = &mut self.feed else { return Ok(0) };
        if !at_frame_boundary || self.state == PeerState::Active {
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
