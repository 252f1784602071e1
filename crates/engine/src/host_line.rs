//! The line to the host: what it is told, what it has said of itself, and how the session ends.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::guard::Owed;
use crate::host_requests::HostRequests;
use crate::messages;
use crate::out::Out;

/// The line to the host.
#[derive(Debug)]
pub(crate) struct HostLine {
    pub(crate) out: Out,
    /// Control requests to the host, for those who are not the session, too.
    pub(crate) requests: Arc<HostRequests>,
    /// The state the host was told last.
    pub(crate) state: messages::State,
    /// It has said `initialize`.
    pub(crate) initialized: bool,
    /// It will say nothing more.
    pub(crate) eof: bool,
    /// The exit code, once the session has to go.
    pub(crate) leave: Option<i32>,
    pub(crate) quit: CancellationToken,
    /// Whether the `result` of a turn is owed.
    pub(crate) owed: Owed,
    /// How many results it was told.
    pub(crate) results: u64,
    /// Whether the last of them was a failure.
    pub(crate) last_failed: bool,
    /// Problems of the settings files that were told already.
    pub(crate) told_problems: Vec<String>,
}

impl HostLine {
    pub(crate) fn new(out: Out, quit: CancellationToken, failed: bool) -> Self {
        Self {
            requests: HostRequests::new(out.clone()),
            out,
            state: messages::State::Idle,
            initialized: false,
            eof: false,
            leave: None,
            quit,
            owed: Owed::default(),
            results: 0,
            last_failed: failed,
            told_problems: Vec::new(),
        }
    }
}
