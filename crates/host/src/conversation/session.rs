//! Facts of the session from `init` and `initialize`: model, mode, tools, commands, servers, cost, context.

use serde::{Deserialize, Serialize};
use sluice_wire::mode::PermissionMode;

use super::{Line, Tokens};

/// Facts of the session; the newest word on each counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The ids the agent gave the conversation, oldest first: clearing, forking and compacting may change it.
    pub ids: Vec<Box<str>>,
    /// The version of the agent.
    pub version: Option<Box<str>>,
    /// The folder it works in.
    pub cwd: Option<Box<str>>,
    /// The model that answers.
    pub model: Option<Box<str>>,
    /// The permission mode.
    pub mode: Option<PermissionMode>,
    /// Its tools.
    pub tools: Vec<Box<str>>,
    /// Its slash commands.
    pub commands: Vec<Command>,
    /// The MCP servers.
    pub servers: Vec<Server>,
    /// The kinds of subagents.
    pub agents: Vec<Box<str>>,
    /// Its skills.
    #[serde(default)]
    pub skills: Vec<Box<str>>,
    /// The plugins that were loaded.
    #[serde(default)]
    pub plugins: Vec<LoadedPlugin>,
    /// The models that may be chosen, with how they are shown.
    pub models: Vec<Model>,
    /// The style of its answers.
    pub style: Option<Box<str>>,
    /// What a host may count on.
    pub capabilities: Vec<Box<str>>,
    /// The title.
    pub title: Option<Box<str>>,
    /// The limits of the account, as last said: the line with the `rate_limit_event`.
    pub limits: Option<Line>,
}

impl Session {
    /// The id the conversation has now; what a process is told to resume.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.ids.last().map(|it| &**it)
    }
}

/// A slash command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Its name, without the slash.
    pub name: Box<str>,
    /// What it does.
    pub description: Option<Box<str>>,
    /// What may follow it.
    pub hint: Option<Box<str>>,
}

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// Its name.
    pub name: Box<str>,
    /// How it stands: `connected`, `failed`, `needs-auth`, `pending`, `disabled`.
    pub status: Box<str>,
}

/// A plugin that was loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedPlugin {
    /// Its name.
    pub name: Box<str>,
    /// The folder it lies in.
    pub path: Option<Box<str>>,
}

/// A model that may be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// What to choose it by.
    pub value: Box<str>,
    /// How it is shown.
    pub name: Box<str>,
}

/// Cost and usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Dollars, all turns together.
    #[serde(with = "super::exact")]
    pub total: f64,
    /// Tokens, all turns together.
    pub tokens: Tokens,
    /// The last total the agent named.
    #[serde(with = "super::exact")]
    pub(crate) named: f64,
}

/// Context usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// Tokens of the last request and its answer.
    pub tokens: u64,
    /// How many there may be, when that was said.
    pub window: Option<u64>,
}

/// Counts of messages that were not understood; they are kept among the entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    /// Messages of a kind this version does not know.
    pub unknown: u64,
    /// Lines that are no message.
    pub garbled: u64,
    /// Lines that came twice.
    pub repeated: u64,
    /// Answers to requests nobody waits for.
    pub foreign: u64,
}
