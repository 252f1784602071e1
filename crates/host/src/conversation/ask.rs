//! Asks: control requests of the agent (`can_use_tool`, `elicitation`, …) and the one outcome of each.

use serde::{Deserialize, Serialize};
use sluice_wire::control::RequestId;

use super::{Line, Time};

/// A request of the agent that waits, or waited, for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Its request id.
    pub id: RequestId,
    /// What is asked.
    pub kind: AskKind,
    /// The tool it is about; the server or the callback for those.
    pub name: Box<str>,
    /// The call it is about.
    pub call: Option<Box<str>>,
    /// The subagent that asks.
    pub agent: Option<Box<str>>,
    /// The line with the request; gone once a callback was served.
    pub line: Option<Line>,
    /// The turn it came in.
    pub turn: Option<usize>,
    /// When it came.
    pub at: Time,
    /// What became of it.
    pub state: AskState,
    /// When that was.
    pub settled: Option<Time>,
    /// Who answered, when someone put a name to it.
    pub by: Option<Box<str>>,
    /// Answers that came when there was an outcome already. They were not written.
    pub late: u32,
    /// Which process asked.
    pub(crate) epoch: u32,
    /// Whether whoever answers such things was told.
    pub(crate) told: bool,
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    /// Whether a call may run (`can_use_tool`).
    Tool,
    /// A form of an MCP server to fill in (`elicitation`).
    Elicitation,
    /// A dialog (`request_user_dialog`).
    Dialog,
    /// A hook of the host to be called (`hook_callback`).
    Hook,
    /// A message to an MCP server inside the host (`mcp_message`).
    Mcp,
    /// Something this version does not know.
    Other,
}

impl AskKind {
    /// Whether a person has to answer.
    #[must_use]
    pub fn is_for_a_person(self) -> bool {
        !matches!(self, Self::Hook | Self::Mcp)
    }
}

/// What became of an ask. Every ask leaves `Pending` once and for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskState {
    /// It waits.
    Pending,
    /// Answered: yes, or whatever else was asked for.
    Allowed,
    /// Answered: no, or not at all.
    Denied,
    /// The agent withdrew it.
    Cancelled,
    /// The agent went on without an answer.
    Superseded,
    /// The process that asked is gone.
    Expired,
}

impl Ask {
    /// Whether it waits for an answer.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.state == AskState::Pending
    }
}
