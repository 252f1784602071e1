//! Errors about saved sessions.

use std::io;
use std::path::{Path, PathBuf};

/// Why something cannot be done with a session on disk.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What happened.
        #[source]
        error: io::Error,
    },
    /// No session can be called so.
    #[error("{0} is not a session id")]
    NoId(String),
    /// It does not lie where it was looked for.
    #[error("there is no session {0}")]
    Unknown(String),
    /// It holds no such message.
    #[error("there is no message {message} in session {session}")]
    NoMessage {
        /// The message's uuid.
        message: String,
        /// The session's id.
        session: String,
    },
    /// It has no messages.
    #[error("session {0} has no messages")]
    Empty(String),
    /// The title has nothing that can be seen.
    #[error("a title must not be blank")]
    BlankTitle,
    /// The tag has nothing that can be seen.
    #[error("a tag must not be blank")]
    BlankTag,
}

impl Error {
    pub(super) fn file(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        Self::File { path, error }
    }
}
