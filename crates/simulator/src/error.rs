//! Errors, with hints for fixing them.

use std::io;
use std::path::PathBuf;

/// An error in a script: its position, a description and a hint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {problem}\nhint: {hint}")]
pub struct ScriptError {
    /// The position in the script, as in `replies[2].content[0].type`.
    pub at: String,
    /// The description of the error.
    pub problem: String,
    /// How to fix it.
    pub hint: String,
}

impl ScriptError {
    /// Creates an error for the position `at`.
    pub fn new(at: impl Into<String>, problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            at: at.into(),
            problem: problem.into(),
            hint: hint.into(),
        }
    }
}

/// The errors of the simulator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The script is invalid.
    #[error("bad script: {0}")]
    Script(#[from] ScriptError),
    /// The script file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The port is not available.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The requested address.
        address: std::net::SocketAddr,
        /// The I/O error.
        source: io::Error,
    },
    /// The pipe to the host broke.
    #[error("the pipe to the host broke: {0}")]
    Pipe(#[from] io::Error),
    /// The host did not send the expected line in time.
    #[error("{at}: the host did not send {pattern} within {seconds} s")]
    Unmet {
        /// The position of the step.
        at: String,
        /// The expected pattern.
        pattern: String,
        /// The timeout in seconds.
        seconds: f64,
    },
}
