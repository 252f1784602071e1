//! Errors of operations on saved sessions.

use std::io;
use std::path::{Path, PathBuf};

/// Why an operation on a saved session failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The path of the file or folder.
        path: PathBuf,
        /// The I/O error.
        #[source]
        error: io::Error,
    },
    /// The text is not a session id.
    #[error("{0} is not a session id")]
    NoId(String),
    /// The session was not found.
    #[error("there is no session {0}")]
    Unknown(String),
    /// The session does not contain this message.
    #[error("there is no message {message} in session {session}")]
    NoMessage {
        /// The message's uuid.
        message: String,
        /// The session's id.
        session: String,
    },
    /// The session has no messages.
    #[error("session {0} has no messages")]
    Empty(String),
    /// The title has no visible characters.
    #[error("a title must not be blank")]
    BlankTitle,
    /// The tag has no visible characters.
    #[error("a tag must not be blank")]
    BlankTag,
}

impl Error {
    pub(super) fn file(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        Self::File { path, error }
    }
}
