//! Errors, and what to do about them.

use std::io;
use std::path::PathBuf;

/// A script that cannot be played: where it is wrong and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {problem}\nhint: {hint}")]
pub struct ScriptError {
    /// The place inside the script, as in `replies[2].content[0].type`.
    pub at: String,
    /// What is wrong there.
    pub problem: String,
    /// What to do about it.
    pub hint: String,
}

impl ScriptError {
    /// A complaint about the place `at`.
    pub fn new(at: impl Into<String>, problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            at: at.into(),
            problem: problem.into(),
            hint: hint.into(),
        }
    }
}

/// Every way the simulator fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The script is not one.
    #[error("bad script: {0}")]
    Script(#[from] ScriptError),
    /// The script file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The port cannot be had.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address asked for.
        address: std::net::SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The pipe to the host broke.
    #[error("the pipe to the host broke: {0}")]
    Pipe(#[from] io::Error),
    /// The host did not say what the script waits for.
    #[error("{at}: the host did not say {pattern} within {seconds} s")]
    Unmet {
        /// The step that waited.
        at: String,
        /// What it waited for.
        pattern: String,
        /// For how long.
        seconds: f64,
    },
}
