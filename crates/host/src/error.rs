//! Errors between a host and an agent.

use std::fmt;
use std::io;

/// An error of this library: what kind it is, and a sentence about it.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    kind: ErrorKind,
    text: String,
}

/// What kind of error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The agent could not be started or reached.
    Start,
    /// The options contradict each other.
    Options,
    /// The agent has gone; nothing can be sent.
    Gone,
    /// The agent did not answer in time. Agents of older versions stay silent when they do not know a request.
    Timeout,
    /// The agent answered with an error.
    Refused,
    /// The agent's answer could not be read.
    Unreadable,
    /// The line was not written, for it could end an agent.
    Forbidden,
    /// Too much waits to be written: the agent does not read.
    Busy,
    /// The question is not open, or no longer.
    NoSuchAsk,
    /// A file of a session could not be found, read or written.
    Session,
}

impl Error {
    /// One of this kind; transports of others need it.
    pub fn new(kind: ErrorKind, text: impl fmt::Display) -> Self {
        Self {
            kind,
            text: text.to_string(),
        }
    }

    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    pub(crate) fn gone() -> Self {
        Self::new(ErrorKind::Gone, "the agent is not running; connect again or respawn it")
    }

    pub(crate) fn start(what: impl fmt::Display, error: &io::Error) -> Self {
        Self::new(ErrorKind::Start, format!("{what}: {error}"))
    }

    pub(crate) fn session(what: impl fmt::Display, error: &io::Error) -> Self {
        Self::new(ErrorKind::Session, format!("{what}: {error}"))
    }
}
