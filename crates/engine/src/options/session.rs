//! The identity of a session and how it starts.

use sluice_transcript::{Earlier, Keeping};

/// The identity of a session and how it starts.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The session id, a UUID.
    pub id: String,
    /// How the session is saved.
    pub keeping: Keeping,
    /// The session that it resumes.
    pub earlier: Option<Earlier>,
    /// Why that session cannot be resumed. It is sent to the host, and the session ends.
    pub refusal: Option<String>,
    /// Setup hooks to run first.
    pub setup: Option<Setup>,
    /// Whether a turn that an earlier process did not finish is continued without a prompt.
    pub resume_interrupted: bool,
    /// Whether the process waits to be claimed for another session: no hooks of the session run and no MCP servers
    /// start.
    pub parked: bool,
}

/// Which setup hooks run before the session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    /// Hooks for `init`.
    Init,
    /// Hooks for `init`; the session ends afterwards.
    InitOnly,
    /// Hooks for `maintenance`.
    Maintenance,
}

impl Setup {
    /// The value in the hook input.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Init | Self::InitOnly => "init",
            Self::Maintenance => "maintenance",
        }
    }
}
