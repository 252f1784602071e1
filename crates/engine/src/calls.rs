//! The tool calls of one message: which may run, which wait, what they came to.
//!
//! Calls that certainly change nothing run together; any other waits for all before it and holds
//! up all behind it. Each comes to exactly one result, whatever happens.

use std::time::Duration;

use serde_json::Value;
use sluice_call::{Call, result_block};
use sluice_tools::Outcome;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::checkpoints::Keeping;
use crate::host_requests::Said;
use crate::messages;

/// How long a call may wait for the stream's next event before it is begun. The events behind a
/// closed block are nearly always there already, and hosts see asks after them.
pub(crate) const LAUNCH_DELAY: Duration = Duration::from_millis(20);

/// The calls of the message at hand.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub(crate) list: Vec<Call>,
    pub(crate) running: JoinSet<(usize, Outcome)>,
    /// Those that wait for the file they change to be kept as it was.
    pub(crate) keeping: Keeping,
    /// What came out while the model still spoke.
    pub(crate) held: Vec<(usize, Outcome)>,
    /// What a server's tool says about calls, where it stands in the person's place.
    pub(crate) verdicts: JoinSet<(String, Said)>,
    /// Cancels everything that runs.
    pub(crate) cancel: CancellationToken,
    /// When calls that wait for the stream are begun at the latest.
    pub(crate) launch_at: Option<Instant>,
}

impl Calls {
    /// Forgets the last message's calls.
    pub(crate) fn reset(&mut self, parent: &CancellationToken) {
        self.list.clear();
        self.running = JoinSet::new();
        self.keeping = Keeping::new();
        self.held.clear();
        self.cancel = parent.child_token();
        self.launch_at = None;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether every call has its result.
    pub(crate) fn all_done(&self) -> bool {
        self.list.iter().all(Call::is_done)
    }

    /// The next call that may begin now.
    pub(crate) fn startable(&self) -> Option<usize> {
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
