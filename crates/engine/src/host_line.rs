//! The line to the host: what it is told, what it has said of itself, and how the session ends.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::guard::Owed;
use crate::host_requests::HostRequests;
use crate::messages;
use crate::options::StateEvents;
use crate::out::Out;

/// The line to the host.
#[derive(Debug)]
pub(crate) struct HostLine {
    out: Out,
    /// Control requests to the host, for those who are not the session, too.
    requests: Arc<HostRequests>,
    /// It has said `initialize`.
    initialized: bool,
    /// It will say nothing more.
    eof: bool,
    /// The exit code, once the session has to go.
    leave: Option<i32>,
    quit: CancellationToken,
    /// Whether the `result` of a turn is owed.
    owed: Owed,
    /// How many results it was told.
    results: u64,
    /// Whether the last of them was a failure.
    last_failed: bool,
    /// Problems of the settings files that were told already.
    told_problems: Vec<String>,
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
            owed: Owed::default(),
            results: 0,
            last_failed: failed,
            told_problems: Vec::new(),
        }
    }

    /// Where the session speaks.
    pub(crate) fn out(&self) -> &Out {
        &self.out
    }

    /// Speaks for another session from now on.
    pub(crate) fn sign_as(&mut self, session_id: &str) {
        self.out.sign_as(session_id);
    }

    /// Control requests to the host.
    pub(crate) fn requests(&self) -> &Arc<HostRequests> {
        &self.requests
    }

    /// Cancelled when nobody listens any more, or somebody ends the session from outside.
    pub(crate) fn quit(&self) -> &CancellationToken {
        &self.quit
    }

    /// The state of the session.
    pub(crate) fn state(&self) -> messages::State {
        self.requests.state()
    }

    /// Changes the state of the session, and notifies the host.
    pub(crate) async fn enter(&self, state: messages::State) {
        self.requests.enter(state).await;
    }

    pub(crate) fn is_initialized(&self) -> bool {
        self.initialized
    }

    /// The host says `initialize`; whether it had before.
    pub(crate) fn initialize(&mut self) -> bool {
        std::mem::replace(&mut self.initialized, true)
    }

    /// The host will say nothing more.
    pub(crate) fn end_input(&mut self) {
        self.eof = true;
    }

    pub(crate) fn input_ended(&self) -> bool {
        self.eof
    }

    /// The exit code, once the session has to go.
    pub(crate) fn leaving(&self) -> Option<i32> {
        self.leave
    }

    /// The session goes with this exit code.
    pub(crate) fn leave(&mut self, code: i32) {
        self.leave = Some(code);
    }

    /// The session goes; a code that was given before stays.
    pub(crate) fn begin_leaving(&mut self) {
        self.leave.get_or_insert(0);
    }

    /// Whether a `result` is owed, for who has to tell one when the session breaks.
    pub(crate) fn owed(&self) -> Owed {
        self.owed.clone()
    }

    /// A turn begins: its `result` is owed.
    pub(crate) fn owe_result(&self) {
        self.owed.set(true);
    }

    /// The turn has ended.
    pub(crate) fn result_told(&self) {
        self.owed.set(false);
    }

    /// A `result` is told.
    pub(crate) fn count_result(&mut self, is_error: bool) {
        self.last_failed = is_error;
        self.results += 1;
    }

    /// How many results the host was told.
    pub(crate) fn results(&self) -> u64 {
        self.results
    }

    /// Whether the session ends as a failed one, if it ends now.
    pub(crate) fn last_failed(&self) -> bool {
        self.last_failed
    }

    pub(crate) fn set_failed(&mut self, failed: bool) {
        self.last_failed = failed;
    }

    /// Whether a problem is told now: each is told once.
    pub(crate) fn tell_once(&mut self, problem: &str) -> bool {
        let new = !self.told_problems.iter().any(|told| told == problem);
        if new {
            self.told_problems.push(problem.to_owned());
        }
        new
    }
}
