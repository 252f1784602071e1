//! Tool calls: what they do, who allowed them, and their result.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sluice_wire::control::RequestId;

use super::{Card, Picture, Sender, Text, partial};
use crate::conversation::Time;

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The id that the model gave the call.
    pub id: Box<str>,
    /// The name of the tool. Clients show the [card](Self::card) instead.
    pub tool: Box<str>,
    /// What the call does, and its result.
    pub card: Card,
    /// The beginning of the input, as JSON, while the model writes it.
    pub written: Option<String>,
    /// The folder that the call runs in.
    pub folder: Option<Box<str>>,
    /// What the model asked for, where another input ran. See [`Permission::changed_by`].
    pub original: Option<Box<Card>>,
    /// Who decided that the call may run, if that is known.
    pub permission: Option<Permission>,
    /// The task that runs the call.
    pub task: Option<CallTask>,
    /// When the call started to run: after the answer, where a person was asked.
    pub started: Time,
    /// The time of the result.
    pub ended: Option<Time>,
    /// The result, as the model reads it.
    pub result: Option<CallResult>,
}

/// The result of a tool call, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CallResult {
    /// The text.
    pub text: Text,
    /// The images.
    pub images: Vec<Picture>,
}

/// The decision about a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Permission {
    /// The permission request, where a person was asked.
    #[cfg_attr(feature = "types", ts(type = "string | null"))]
    pub request: Option<RequestId>,
    /// The outcome.
    pub outcome: PermissionOutcome,
    /// Who decided.
    pub by: Option<Decider>,
    /// Why the request was made, or why it was decided so.
    pub reason: Option<String>,
    /// When the request was made.
    pub asked: Option<Time>,
    /// The time of the decision.
    pub decided: Option<Time>,
    /// What the person said about it.
    pub message: Option<String>,
    /// The rules that were saved with the decision, as in a settings file.
    pub rules: Vec<String>,
    /// Where these rules were saved.
    pub destination: Option<Box<str>>,
    /// Who changed the input.
    pub changed_by: Option<Decider>,
}

/// The outcome of a permission request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PermissionOutcome {
    /// It waits for an answer.
    Waiting,
    /// Allowed.
    Allowed,
    /// Denied.
    Denied,
    /// The agent withdrew the request.
    Withdrawn,
    /// The agent continued without an answer.
    Superseded,
    /// The process ended.
    Expired,
}

/// Who decided about a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Decider {
    /// A person.
    Person {
        /// Who, if it is known.
        sender: Option<Sender>,
    },
    /// A permission rule.
    Rule,
    /// A hook.
    Hook,
    /// The permission mode.
    Mode,
    /// A classifier model.
    Classifier,
    /// Something else.
    Other {
        /// As the agent names it.
        name: Box<str>,
    },
}

/// The task that runs a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CallTask {
    /// The id.
    pub id: Box<str>,
    /// The kind of task: `local_bash`, `local_agent` and others.
    pub kind: Box<str>,
    /// Whether the turn does not wait for it.
    pub background: bool,
    /// The number of tokens it has used.
    pub tokens: u64,
    /// The number of tool calls it has made.
    pub calls: u64,
    /// The tool that it used last.
    pub last_tool: Option<Box<str>>,
    /// What it reports.
    pub summary: Option<Box<str>>,
    /// When it ended.
    pub ended: Option<Time>,
}

impl ToolCall {
    /// Returns how long the call has been running at `now`, or ran. The time in which a person was asked is not included.
    #[must_use]
    pub fn time(&self, now: Time) -> Duration {
        self.ended.unwrap_or(now).since(self.started)
    }

    /// Appends to the input that the model is writing.
    pub(super) fn append(&mut self, more: &str) {
        let written = self.written.get_or_insert_default();
        written.push_str(more);
        self.card = Card::of(&self.tool, &partial::complete(written), None);
    }
}
