//! The tool calls of one message: which may run, which wait, what they came to.
//!
//! Calls that certainly change nothing run together; any other waits for all before it and holds
//! up all behind it. Each comes to exactly one result, whatever happens.

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
use crate::host_requests::Said;
use crate::messages;

/// How long a call may wait for the stream's next event before it is begun. The events behind a
/// closed block are nearly always there already, and hosts see asks after them.
pub(crate) const LAUNCH_DELAY: Duration = Duration::from_millis(20);

/// How long cancelled calls have to be gone.
const END_WAIT: Duration = Duration::from_secs(3);

/// The calls of the message at hand.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    list: Vec<Call>,
    running: JoinSet<(usize, Outcome)>,
    /// What their results may still have.
    budget: ResultBudget,
    /// Those that wait for the file they change to be kept as it was.
    keeping: JoinSet<Kept>,
    /// What came out while the model still spoke.
    held: Vec<(usize, Outcome)>,
    /// What the permission prompt tool says about calls.
    verdicts: JoinSet<(String, Said)>,
    /// Cancels everything that runs.
    cancel: CancellationToken,
    /// When calls that wait for the stream are begun at the latest.
    launch_at: Option<Instant>,
}

/// A call has come further.
#[derive(Debug)]
pub(crate) enum Progress {
    /// The permission prompt tool answered the request of that id.
    Judged(String, Said),
    /// The file a call changes is kept as it was; the call may begin.
    Kept(Box<Kept>),
    /// The call at this index has run.
    Ran(usize, Box<Outcome>),
}

/// A file that was kept before the call at this index changes it.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) index: usize,
    pub(crate) path: PathBuf,
    pub(crate) backup: io::Result<Backup>,
}

impl Calls {
    /// Forgets the last message's calls.
    pub(crate) fn reset(&mut self, parent: &CancellationToken) {
        self.list.clear();
        self.running = JoinSet::new();
        self.budget = ResultBudget::default();
        self.keeping = JoinSet::new();
        self.held.clear();
        self.cancel = parent.child_token();
        self.launch_at = None;
    }

    /// The next call that comes further. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Option<Progress> {
        loop {
            return Some(tokio::select! {
                biased;
                Some(Ok((id, said))) = self.verdicts.join_next() => Progress::Judged(id, said),
                Some(Ok(kept)) = self.keeping.join_next() => Progress::Kept(Box::new(kept)),
                Some(done) = self.running.join_next() => match done {
                    Ok((index, outcome)) => Progress::Ran(index, Box::new(self.budget.count(outcome))),
                    // It was aborted: its result is told already.
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

    /// Runs the call at this index, unless earlier results of the message have used up what all may have together.
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

    /// Keeps the file a call is about to change.
    pub(crate) fn keep(&mut self, work: impl Future<Output = Kept> + Send + 'static) {
        self.keeping.spawn(work);
    }

    /// Asks the permission prompt tool about a call.
    pub(crate) fn judge(&mut self, request_id: String, verdict: impl Future<Output = Said> + Send + 'static) {
        self.verdicts.spawn(async move { (request_id, verdict.await) });
    }

    /// A call has run while the model still speaks: its result is told when the message is whole.
    pub(crate) fn hold(&mut self, index: usize, outcome: Outcome) {
        self.held.push((index, outcome));
    }

    pub(crate) fn any_held(&self) -> bool {
        !self.held.is_empty()
    }

    /// What was held back and may be told now.
    pub(crate) fn release(&mut self, may: impl Fn(&Outcome) -> bool) -> Vec<(usize, Outcome)> {
        self.held.extract_if(.., |(_, outcome)| may(outcome)).collect()
    }

    /// The calls that wait begin when the stream goes on, or a moment from now.
    pub(crate) fn launch_soon(&mut self) {
        self.launch_at.get_or_insert_with(|| Instant::now() + LAUNCH_DELAY);
    }

    pub(crate) fn launch_at(&self) -> Option<Instant> {
        self.launch_at
    }

    /// Those that waited begin now.
    pub(crate) fn launch_begins(&mut self) {
        self.launch_at = None;
    }

    /// What cancels a call that runs.
    pub(crate) fn cancellation(&self) -> CancellationToken {
        self.cancel.clone()
    }

    pub(crate) fn cancel(&self) {
        self.cancel.cancel();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Waits a moment for cancelled calls to be gone; what has not begun does not begin any more.
    pub(crate) async fn end_running(&mut self) -> Vec<(usize, Outcome)> {
        let mut ended = Vec::new();
        self.keeping = JoinSet::new();
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

    /// The next call that may begin now.
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

    /// The call that waits for the answer of a person to this request.
    pub(crate) fn asking(&self, request_id: &str) -> Option<usize> {
        let asked = |call: &Call| call.ask().is_some_and(|ask| ask.request_id == request_id);
        self.list.iter().position(asked)
    }

    /// The call this request is about, whoever is asked.
    pub(crate) fn asked(&self, request_id: &str) -> Option<usize> {
        self.list.iter().position(|call| call.is_asked(request_id))
    }

    /// The request ids of every open ask of a person.
    pub(crate) fn open_asks(&self) -> Vec<String> {
        let asks = self.list.iter().filter_map(Call::ask);
        asks.map(|ask| ask.request_id.clone()).collect()
    }

    /// The calls without a result, in order.
    pub(crate) fn unfinished(&self) -> Vec<usize> {
        self.list
            .iter()
            .enumerate()
            .filter(|(_, call)| !call.is_done())
            .map(|(index, _)| index)
            .collect()
    }

    /// The results in the order of the calls, for the model.
    pub(crate) fn take_results(&mut self) -> Vec<Value> {
        self.list
            .drain(..)
            .filter_map(|call| match call.result() {
                Some(block) => Some(block.clone()),
                // The turn was stopped before it could end with the call undone.
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
