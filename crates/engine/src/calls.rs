//! The tool calls of one message: which may start, which wait, and their results.
//!
//! Calls that are known to change nothing run concurrently. Any other call waits for all calls before it and blocks all
//! calls after it. Each call gets exactly one result in every case.

mod budget;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use sluice_call::{Call, result_block};
use sluice_checkpoints::Backup;
use sluice_tools::Outcome;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::budget::{MAX_RUNNING, ResultBudget};
use crate::host_requests::HostResponse;
use crate::messages;

/// How long a started call may wait for the next event of the model's stream. The events that follow a closed block
/// have usually arrived already, and hosts expect permission requests after them.
pub(crate) const LAUNCH_DELAY: Duration = Duration::from_millis(20);

/// How long to wait for cancelled calls to end.
const END_WAIT: Duration = Duration::from_secs(3);

/// The calls of the current message.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    list: Vec<Call>,
    running: JoinSet<(usize, Outcome)>,
    /// Budget for the results of all these calls.
    budget: ResultBudget,
    /// Checkpoint copies in progress: these calls wait until the file they change has been copied.
    copying: JoinSet<CopiedFile>,
    /// Results of calls that finished before the message was complete.
    held_results: Vec<(usize, Outcome)>,
    /// Answers of the permission prompt tool.
    verdicts: JoinSet<(String, HostResponse)>,
    /// Cancels all running calls.
    cancel: CancellationToken,
    /// The latest time to start calls that wait for the stream.
    launch_at: Option<Instant>,
}

/// An event that advances a call.
#[derive(Debug)]
pub(crate) enum Progress {
    /// The permission prompt tool answered the request with this id.
    PermissionToolAnswered(String, HostResponse),
    /// The file that a call changes has been copied; the call may start.
    FileCopied(Box<CopiedFile>),
    /// The call at this index has finished.
    Ran(usize, Box<Outcome>),
}

/// Result of copying the file that the call at this index changes.
#[derive(Debug)]
pub(crate) struct CopiedFile {
    pub(crate) index: usize,
    pub(crate) path: PathBuf,
    pub(crate) backup: io::Result<Backup>,
}

impl Calls {
    /// Clears the calls of the previous message.
    pub(crate) fn reset(&mut self, parent: &CancellationToken) {
        self.list.clear();
        self.running = JoinSet::new();
        self.budget = ResultBudget::default();
        self.copying = JoinSet::new();
        self.held_results.clear();
        self.cancel = parent.child_token();
        self.launch_at = None;
    }

    /// Returns the next event of a call. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Progress> {
        loop {
            return Some(tokio::select! {
                biased;
                Some(Ok((id, response))) = self.verdicts.join_next() => Progress::PermissionToolAnswered(id, response),
                Some(Ok(kept)) = self.copying.join_next() => Progress::FileCopied(Box::new(kept)),
                Some(done) = self.running.join_next() => match done {
                    Ok((index, outcome)) => Progress::Ran(index, Box::new(self.budget.count(outcome))),
                    // Aborted: its result has been sent already.
                    Err(_) => continue,
                },
                else => return None,
            });
        }
    }

    pub(crate) fn add(&mut self, call: Call) {
        self.list.push(call);
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Call> {
        self.list.get(index)
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut Call> {
        self.list.get_mut(index)
    }

    pub(crate) fn last(&self) -> Option<&Call> {
        self.list.last()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Call> {
        self.list.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Runs the call at this index, or fails it if earlier results of the message have used up the budget.
    pub(crate) fn run(&mut self, index: usize, work: impl Future<Output = Outcome> + Send + 'static) {
        let refusal = self.budget.refusal();
        self.running.spawn(async move {
            match refusal {
                Some(refusal) => (index, refusal),
                None => (index, work.await),
            }
        });
    }

    pub(crate) fn any_run(&self) -> bool {
        !self.running.is_empty()
    }

    /// Starts the checkpoint copy of the file that a call is about to change.
    pub(crate) fn copy_file(&mut self, work: impl Future<Output = CopiedFile> + Send + 'static) {
        self.copying.spawn(work);
    }

    /// Starts a request to the permission prompt tool.
    pub(crate) fn ask_permission_tool(
        &mut self,
        request_id: String,
        verdict: impl Future<Output = HostResponse> + Send + 'static,
    ) {
        self.verdicts.spawn(async move { (request_id, verdict.await) });
    }

    /// Stores the result of a call that finished before the message was complete.
    pub(crate) fn hold_result(&mut self, index: usize, outcome: Outcome) {
        self.held_results.push((index, outcome));
    }

    pub(crate) fn has_held_results(&self) -> bool {
        !self.held_results.is_empty()
    }

    /// Removes and returns the stored results that `may` selects.
    pub(crate) fn release(&mut self, may: impl Fn(&Outcome) -> bool) -> Vec<(usize, Outcome)> {
        self.held_results.extract_if(.., |(_, outcome)| may(outcome)).collect()
    }

    /// Starts waiting calls after [`LAUNCH_DELAY`] unless the stream continues earlier.
    pub(crate) fn launch_soon(&mut self) {
        self.launch_at.get_or_insert_with(|| Instant::now() + LAUNCH_DELAY);
    }

    pub(crate) fn launch_at(&self) -> Option<Instant> {
        self.launch_at
    }

    /// Clears the start time: the waiting calls are started now.
    pub(crate) fn clear_launch(&mut self) {
        self.launch_at = None;
    }

    /// Token that cancels all running calls.
    pub(crate) fn cancellation(&self) -> CancellationToken {
        self.cancel.clone()
    }

    pub(crate) fn cancel(&self) {
        self.cancel.cancel();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Waits up to [`END_WAIT`] for cancelled calls to end and returns their results. Calls that have not started are
    /// dropped.
    pub(crate) async fn end_running(&mut self) -> Vec<(usize, Outcome)> {
        let mut ended = Vec::new();
        self.copying = JoinSet::new();
        let deadline = Instant::now() + END_WAIT;
        while let Ok(Some(done)) = tokio::time::timeout_at(deadline, self.running.join_next()).await {
            ended.extend(done);
        }
        self.running.abort_all();
        ended
    }

    /// Whether every call has its result.
    pub(crate) fn all_done(&self) -> bool {
        self.list.iter().all(Call::is_done)
    }

    /// Index of the next call that may start now.
    pub(crate) fn startable(&self) -> Option<usize> {
        if self.running.len() >= MAX_RUNNING {
            return None;
        }
        let mut only_safe_before = true;
        for (index, call) in self.list.iter().enumerate() {
            if call.is_proposed() && (only_safe_before && call.safe || self.none_open_before(index)) {
                return Some(index);
            }
            if !call.is_done() && !call.safe {
                only_safe_before = false;
            }
            if !call.is_done() && !only_safe_before {
                return None;
            }
        }
        None
    }

    fn none_open_before(&self, index: usize) -> bool {
        self.list.iter().take(index).all(Call::is_done)
    }

    /// Index of the call whose permission request with this id waits for a person.
    pub(crate) fn asking(&self, request_id: &str) -> Option<usize> {
        let asked = |call: &Call| call.ask().is_some_and(|ask| ask.request_id == request_id);
        self.list.iter().position(asked)
    }

    /// Index of the call that this request is about, whether a person or a tool decides it.
    pub(crate) fn asked(&self, request_id: &str) -> Option<usize> {
        self.list.iter().position(|call| call.is_asked(request_id))
    }

    /// Ids of all permission requests that wait for a person.
    pub(crate) fn open_asks(&self) -> Vec<String> {
        let asks = self.list.iter().filter_map(Call::ask);
        asks.map(|ask| ask.request_id.clone()).collect()
    }

    /// Indexes of the calls without a result, in order.
    pub(crate) fn unfinished(&self) -> Vec<usize> {
        self.list
            .iter()
            .enumerate()
            .filter(|(_, call)| !call.is_done())
            .map(|(index, _)| index)
            .collect()
    }

    /// Removes all calls and returns their results for the model, in the order of the calls.
    pub(crate) fn take_results(&mut self) -> Vec<Value> {
        self.list
            .drain(..)
            .filter_map(|call| match call.result() {
                Some(block) => Some(block.clone()),
                // The turn was stopped while the call was deferred.
                None if call.is_deferred() => {
                    Some(result_block(&call.id, &Value::from(messages::REJECTED), Some(true)))
                }
                None => None,
            })
            .collect()
    }
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
