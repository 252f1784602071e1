//! The tool calls of one message: which may run, which wait, what they came to.
//!
//! Calls that certainly change nothing run together; any other waits for all before it and holds
//! up all behind it. Each comes to exactly one result, whatever happens.

use std::time::Duration;

use serde_json::{Value, json};
use sluice_tools::{AnyTool, Outcome, Pins};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::checkpoints::Keeping;
use crate::host_requests::Said;
use crate::messages;

/// How long a call may wait for the stream's next event before it is begun. The events behind a
/// closed block are nearly always there already, and hosts see asks after them.
pub(crate) const LAUNCH_DELAY: Duration = Duration::from_millis(20);

/// One tool use.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    /// What the model gave, defaults filled in.
    pub(crate) input: Value,
    /// Validated, with absolute paths: what is asked about.
    pub(crate) checked: Value,
    /// The tool itself put more into the input than the model did.
    pub(crate) presented: bool,
    /// Where the file it is about really lies, as it was when the call was decided about.
    pub(crate) pins: Pins,
    pub(crate) tool: Option<AnyTool>,
    pub(crate) safe: bool,
    pub(crate) state: State,
    /// How it came to be allowed, for the result's meta.
    pub(crate) decision: Option<Value>,
}

/// Where a call stands.
#[derive(Debug)]
pub(crate) enum State {
    /// Not begun.
    New,
    /// Somebody has been asked, under this request id.
    Asking(String),
    /// Running.
    Running,
    /// It came to this `tool_result` block.
    Done(Value),
    /// A hook has put it off: nothing comes of it now.
    Deferred,
}

impl Call {
    fn is_done(&self) -> bool {
        matches!(self.state, State::Done(_) | State::Deferred)
    }
}

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
            if matches!(call.state, State::New) && (only_safe_before && call.safe || self.none_open_before(index)) {
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

    /// The call that waits for the answer to this request.
    pub(crate) fn asking(&self, request_id: &str) -> Option<usize> {
        self.list
            .iter()
            .position(|call| matches!(&call.state, State::Asking(id) if id == request_id))
    }

    /// The request ids of every open ask.
    pub(crate) fn open_asks(&self) -> Vec<String> {
        self.list
            .iter()
            .filter_map(|call| match &call.state {
                State::Asking(id) => Some(id.clone()),
                _ => None,
            })
            .collect()
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
            .filter_map(|call| match call.state {
                State::Done(block) => Some(block),
                // The turn was stopped before it could end with the call undone.
                State::Deferred => Some(result_block(&call.id, &Value::from(messages::REJECTED), Some(true))),
                _ => None,
            })
            .collect()
    }
}

/// A `tool_result` block, as the wire shows it: a success begins with the id, a failure ends
/// with it.
pub(crate) fn result_block(id: &str, content: &Value, is_error: Option<bool>) -> Value {
    match is_error {
        Some(true) => json!({"type": "tool_result", "content": content, "is_error": true, "tool_use_id": id}),
        Some(false) => json!({"tool_use_id": id, "type": "tool_result", "content": content, "is_error": false}),
        None => json!({"tool_use_id": id, "type": "tool_result", "content": content}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(spec: &[(bool, State)]) -> Calls {
        let mut calls = Calls::default();
        for (index, (safe, state)) in spec.iter().enumerate() {
            let state = match state {
                State::New => State::New,
                State::Running => State::Running,
                State::Asking(id) => State::Asking(id.clone()),
                State::Done(block) => State::Done(block.clone()),
                State::Deferred => State::Deferred,
            };
            calls.list.push(Call {
                id: format!("toolu_{index}"),
                name: "T".into(),
                input: Value::Null,
                checked: Value::Null,
                presented: false,
                pins: Pins::default(),
                tool: None,
                safe: *safe,
                state,
                decision: None,
            });
        }
        calls
    }

    #[test]
    fn safe_calls_begin_together() {
        let calls = calls(&[(true, State::Running), (true, State::New)]);
        assert_eq!(calls.startable(), Some(1));
    }

    #[test]
    fn an_unsafe_call_waits_for_those_before_it() {
        let waiting = calls(&[(true, State::Running), (false, State::New)]);
        assert_eq!(waiting.startable(), None);
        let free = calls(&[(true, State::Done(Value::Null)), (false, State::New)]);
        assert_eq!(free.startable(), Some(1));
    }

    #[test]
    fn an_unsafe_call_holds_up_those_behind_it() {
        let calls = calls(&[(false, State::Asking("r".into())), (true, State::New)]);
        assert_eq!(calls.startable(), None);
    }

    #[test]
    fn a_safe_call_does_not_overtake_a_waiting_unsafe_one() {
        let calls = calls(&[(true, State::Running), (false, State::New), (true, State::New)]);
        assert_eq!(calls.startable(), None);
    }
}
