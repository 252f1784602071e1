//! Errors between a host and an agent.

use std::fmt;
use std::io;

/// An error of this library: its kind and a message.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    kind: ErrorKind,
    text: String,
}

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The agent could not be started or reached.
    Start,
    /// The options contradict each other.
    Options,
    /// The agent has exited; nothing can be sent.
    Gone,
    /// The agent did not answer in time. Agents of older versions do not answer unknown requests.
    Timeout,
    /// The agent answered with an error.
    Refused,
    /// The agent's response could not be parsed.
    Unreadable,
    /// The line was not written, because it could make an agent exit.
    Forbidden,
    /// Too much data is waiting to be written: the agent does not read its input.
    Busy,
    /// The permission request is not open, or no longer.
    NoSuchAsk,
    /// A file of a session could not be found, read or written.
    Session,
}

impl Error {
    /// Creates an error. Intended for transports outside this crate.
    pub fn new(kind: ErrorKind, text: impl fmt::Display) -> Self {
        Self {
            kind,
            text: text.to_string(),
        }
    }

    /// Returns the kind of the error.
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
