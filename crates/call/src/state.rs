//! A tool call and its state, which only the state machine changes.

use serde_json::Value;
use sluice_permission::Decision;
use sluice_tools::{AnyTool, Pins};

use crate::answer::Grant;
use crate::end::End;

/// A tool call.
#[derive(Debug, Default)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// The input from the model, with defaults filled in.
    pub input: Value,
    /// The validated input with absolute paths, which permission requests contain.
    pub checked: Value,
    /// Whether the tool itself has extended the input.
    pub presented: bool,
    /// The paths of the input as they were resolved for the permission decision.
    pub pins: Pins,
    pub tool: Option<AnyTool>,
    pub safe: bool,
    /// Whether it needs an answer of the user regardless of the rules.
    pub needs_answer: bool,
    /// The input as the answer to a permission request changed it.
    pub(crate) given: Option<Value>,
    pub(crate) state: State,
}

/// The state of a call.
#[derive(Debug, Default)]
pub(crate) enum State {
    /// The call is not processed yet.
    #[default]
    Proposed,
    /// `PreToolUse` hooks are running.
    Hooked,
    /// It needs a permission request, which was not sent yet.
    Decided(Box<Decision>),
    /// A permission request is open.
    Asking(Box<Ask>),
    /// It may run as soon as the checkpoint of the file that it changes is made.
    Keeping(Grant),
    Running(Grant),
    /// It has run; `PostToolUse` hooks are running.
    Ran(Box<End>),
    /// The rules deny it; `PermissionDenied` hooks are running.
    Refused(Box<End>),
    /// The permission request was withdrawn, because the turn is being stopped.
    Withdrawn,
    /// A hook deferred it to a later process.
    Deferred,
    /// It has ended with this `tool_result` block.
    Done(Value),
}

/// An open permission request.
#[derive(Debug)]
pub struct Ask {
    pub request_id: String,
    pub of: AskedOf,
    /// The decision that led to the request.
    pub decision: Decision,
}

/// The recipient of a permission request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedOf {
    /// The user or the host. `PermissionRequest` hooks may answer as well.
    Person,
    /// Only `PermissionRequest` hooks.
    Hooks,
}

impl Call {
    /// Creates a call with the input from the model, in which defaults are filled in.
    pub fn new(id: String, name: String, input: Value, tool: Option<AnyTool>) -> Self {
        let known = tool.as_ref().and_then(|tool| tool.provenance());
        Self {
            id,
            name,
            safe: tool.as_ref().is_some_and(|tool| tool.concurrency_safe(&input)),
            needs_answer: known.is_some_and(|known| known.needs_answer),
            input,
            tool,
            ..Self::default()
        }
    }
}

/// Queries of the state.
impl Call {
    pub fn is_proposed(&self) -> bool {
        matches!(self.state, State::Proposed)
    }

    /// Whether `PreToolUse` hooks are running.
    pub fn is_hooked(&self) -> bool {
        matches!(self.state, State::Hooked)
    }

    /// Whether it was allowed and has not ended.
    pub fn is_allowed(&self) -> bool {
        matches!(self.state, State::Keeping(_) | State::Running(_))
    }

    pub fn is_running(&self) -> bool {
        matches!(self.state, State::Running(_))
    }

    pub fn is_deferred(&self) -> bool {
        matches!(self.state, State::Deferred)
    }

    /// Whether it has ended or was deferred.
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done(_) | State::Deferred)
    }

    /// Whether it is being processed and does not wait for an answer of the user.
    pub fn is_under_way(&self) -> bool {
        !self.is_proposed() && !self.is_done() && self.ask().is_none()
    }

    /// Returns the open permission request, if it was sent to the user.
    pub fn ask(&self) -> Option<&Ask> {
        match &self.state {
            State::Asking(ask) if ask.of == AskedOf::Person => Some(ask),
            _ => None,
        }
    }

    /// Whether the open permission request has this id.
    pub fn is_asked(&self, request_id: &str) -> bool {
        matches!(&self.state, State::Asking(ask) if ask.request_id == request_id)
    }

    /// Returns the end of the call while hooks may still change it.
    pub fn untold(&self) -> Option<&End> {
        match &self.state {
            State::Ran(end) | State::Refused(end) => Some(end),
            _ => None,
        }
    }

    /// Returns the end of the call for changes by hooks.
    pub fn untold_mut(&mut self) -> Option<&mut End> {
        match &mut self.state {
            State::Ran(end) | State::Refused(end) => Some(end),
            _ => None,
        }
    }

    /// Returns the `tool_result` block for the model.
    pub fn result(&self) -> Option<&Value> {
        match &self.state {
            State::Done(block) => Some(block),
            _ => None,
        }
    }

    /// Returns the input for the tool. If the tool needs the user, this is the input that the user was shown.
    pub fn run_input(&self) -> &Value {
        let shown = self.tool.as_ref().is_some_and(|tool| tool.descriptor().needs_person);
        let own = if shown { &self.checked } else { &self.input };
        self.given.as_ref().unwrap_or(own)
    }
}
