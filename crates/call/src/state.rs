//! A tool call and its state. Only the machine changes it.

use serde_json::Value;
use sluice_permission::Decision;
use sluice_tools::{AnyTool, Pins};

use crate::answer::Grant;
use crate::end::End;

/// One tool use.
#[derive(Debug, Default)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// What the model gave, defaults filled in.
    pub input: Value,
    /// Validated, with absolute paths: what is asked about.
    pub checked: Value,
    /// The tool itself put more into the input than the model did.
    pub presented: bool,
    /// Where the paths of its input led when the call was decided about.
    pub pins: Pins,
    pub tool: Option<AnyTool>,
    pub safe: bool,
    /// It needs an answer of a person, whatever the rules say.
    pub needs_answer: bool,
    /// The input as an answer changed it.
    pub(crate) given: Option<Value>,
    pub(crate) state: State,
}

/// The state of a call.
#[derive(Debug, Default)]
pub(crate) enum State {
    /// Not begun.
    #[default]
    Proposed,
    /// `PreToolUse` hooks look at it.
    Hooked,
    /// It needs a permission request, which is not made yet.
    Decided(Box<Decision>),
    /// A permission request is open.
    Asking(Box<Ask>),
    /// It may run, once the file it changes is kept.
    Keeping(Grant),
    Running(Grant),
    /// It ran; `PostToolUse` hooks look at what it came to.
    Ran(Box<End>),
    /// The rules deny it; `PermissionDenied` hooks look at that.
    Refused(Box<End>),
    /// The question was withdrawn: the turn is being stopped.
    Withdrawn,
    /// A hook has put it off: nothing comes of it now.
    Deferred,
    /// It came to this `tool_result` block.
    Done(Value),
}

/// An open permission request.
#[derive(Debug)]
pub struct Ask {
    pub request_id: String,
    pub of: AskedOf,
    /// Why it is asked about.
    pub decision: Decision,
}

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedOf {
    /// The person or the host; `PermissionRequest` hooks may answer as well.
    Person,
    /// `PermissionRequest` hooks alone.
    Hooks,
}

impl Call {
    /// A call as the model made it, defaults filled in.
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

/// How it stands.
impl Call {
    pub fn is_proposed(&self) -> bool {
        matches!(self.state, State::Proposed)
    }

    /// Hooks look at it before it is decided about.
    pub fn is_hooked(&self) -> bool {
        matches!(self.state, State::Hooked)
    }

    /// It was allowed, and is not over.
    pub fn is_allowed(&self) -> bool {
        matches!(self.state, State::Keeping(_) | State::Running(_))
    }

    pub fn is_running(&self) -> bool {
        matches!(self.state, State::Running(_))
    }

    pub fn is_deferred(&self) -> bool {
        matches!(self.state, State::Deferred)
    }

    /// Nothing more comes of it now.
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done(_) | State::Deferred)
    }

    /// It was begun, is not over, and no person is asked about it.
    pub fn is_under_way(&self) -> bool {
        !self.is_proposed() && !self.is_done() && self.ask().is_none()
    }

    /// The permission request that is open about it, if a person is asked.
    pub fn ask(&self) -> Option<&Ask> {
        match &self.state {
            State::Asking(ask) if ask.of == AskedOf::Person => Some(ask),
            _ => None,
        }
    }

    /// Whether this is the id of its open permission request.
    pub fn is_asked(&self, request_id: &str) -> bool {
        matches!(&self.state, State::Asking(ask) if ask.request_id == request_id)
    }

    /// What it came to, as long as hooks may change it.
    pub fn untold(&self) -> Option<&End> {
        match &self.state {
            State::Ran(end) | State::Refused(end) => Some(end),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn untold_mut(&mut self) -> Option<&mut End> {
        match &mut self.state {
            State::Ran(end) | State::Refused(end) => Some(end),
            _ => None,
        }
    }

    /// Its `tool_result` block, for the model.
    pub fn result(&self) -> Option<&Value> {
        match &self.state {
            State::Done(block) => Some(block),
            _ => None,
        }
    }

    /// The input it is run with. Where a person was asked to do something with the input, that is what they were shown.
    pub fn run_input(&self) -> &Value {
        let shown = self.tool.as_ref().is_some_and(|tool| tool.descriptor().needs_person);
        let own = if shown { &self.checked } else { &self.input };
        self.given.as_ref().unwrap_or(own)
    }
}
