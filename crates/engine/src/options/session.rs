//! Which session it is, and what it begins with.

use sluice_transcript::{Earlier, Keeping};

/// What a session is told about itself.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// Its id, a uuid.
    pub id: String,
    /// How it is kept.
    pub keeping: Keeping,
    /// What it goes on with.
    pub earlier: Option<Earlier>,
    /// Why it cannot go on with what it was to go on with: the host is told so, and the session ends.
    pub refusal: Option<String>,
    /// What is set up first.
    pub setup: Option<Setup>,
    /// Whether a turn that an earlier process did not finish is continued without a prompt.
    pub resume_interrupted: bool,
    /// Whether the process waits to be claimed for another session: no hooks of the session run and no MCP servers start.
    pub parked: bool,
}

/// What of a project is set up before the session begins, by its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    /// Everything.
    Init,
    /// Everything, and nothing is done after it.
    InitOnly,
    /// What has to be done from time to time.
    Maintenance,
}

impl Setup {
    /// What hooks are told.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Init | Self::InitOnly => "init",
            Self::Maintenance => "maintenance",
        }
    }
}
