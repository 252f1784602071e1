//! The connection to the host: output, pending requests, and the exit of the session.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::guard::OpenTurn;
use crate::host_requests::HostRequests;
use crate::messages;
use crate::options::StateEvents;
use crate::out::Out;

/// The connection to the host.
#[derive(Debug)]
pub(crate) struct HostLine {
    out: Out,
    /// Control requests to the host, also from work outside the session.
    requests: Arc<HostRequests>,
    /// The host has sent `initialize`.
    initialized: bool,
    /// The host's input has ended.
    eof: bool,
    /// The exit code, once the session is exiting.
    leave: Option<i32>,
    quit: CancellationToken,
    /// Whether a turn is open, whose `result` has not been sent.
    open_turn: OpenTurn,
    /// Number of results sent.
    results: u64,
    /// Whether the last result was an error.
    last_failed: bool,
    /// Problems that have been reported already.
    reported_problems: Vec<String>,
}

impl HostLine {
    pub(crate) fn new(out: Out, quit: CancellationToken, failed: bool, state_events: StateEvents) -> Self {
        Self {
            requests: HostRequests::new(out.clone(), state_events),
            out,
            initialized: false,
            eof: false,
            leave: None,
            quit,
            open_turn: OpenTurn::default(),
            results: 0,
            last_failed: failed,
            reported_problems: Vec::new(),
        }
    }

    /// The output to the host.
    pub(crate) fn out(&self) -> &Out {
        &self.out
    }

    /// Changes the session id of outgoing messages.
    pub(crate) fn set_session_id(&mut self, session_id: &str) {
        self.out.set_session_id(session_id);
    }

    pub(crate) fn requests(&self) -> &Arc<HostRequests> {
        &self.requests
    }

    /// Cancelled when the host is gone or the session is ended from outside.
    pub(crate) fn quit(&self) -> &CancellationToken {
        &self.quit
    }

    pub(crate) fn state(&self) -> messages::State {
        self.requests.state()
    }

    /// Changes the state of the session and notifies the host.
    pub(crate) async fn enter(&self, state: messages::State) {
        self.requests.enter(state).await;
    }

    pub(crate) fn is_initialized(&self) -> bool {
        self.initialized
    }

    /// Records an `initialize` request. Returns true if there was one before.
    pub(crate) fn initialize(&mut self) -> bool {
        std::mem::replace(&mut self.initialized, true)
    }

    /// Records the end of the host's input.
    pub(crate) fn end_input(&mut self) {
        self.eof = true;
    }

    pub(crate) fn input_ended(&self) -> bool {
        self.eof
    }

    /// The exit code, once the session is exiting.
    pub(crate) fn leaving(&self) -> Option<i32> {
        self.leave
    }

    /// Exits the session with this code.
    pub(crate) fn leave(&mut self, code: i32) {
        self.leave = Some(code);
    }

    /// Exits the session with code 0, unless another code is set already.
    pub(crate) fn begin_leaving(&mut self) {
        self.leave.get_or_insert(0);
    }

    /// Whether a turn is open, shared with the code that sends its result after a panic.
    pub(crate) fn open_turn(&self) -> OpenTurn {
        self.open_turn.clone()
    }

    /// Marks a turn as open.
    pub(crate) fn open_result(&self) {
        self.open_turn.set(true);
    }

    /// Marks the turn as closed.
    pub(crate) fn close_result(&self) {
        self.open_turn.set(false);
    }

    /// Counts a `result`.
    pub(crate) fn count_result(&mut self, is_error: bool) {
        self.last_failed = is_error;
        self.results += 1;
    }

    /// Number of results sent.
    pub(crate) fn results(&self) -> u64 {
        self.results
    }

    /// Whether the session exits with a failure if it exits now.
    pub(crate) fn last_failed(&self) -> bool {
        self.last_failed
    }

    pub(crate) fn set_failed(&mut self, failed: bool) {
        self.last_failed = failed;
    }

    /// Returns true if the problem has not been reported yet, and marks it as reported.
    pub(crate) fn report_once(&mut self, problem: &str) -> bool {
        let new = !self.reported_problems.iter().any(|known| known == problem);
        if new {
            self.reported_problems.push(problem.to_owned());
        }
        new
    }
}
