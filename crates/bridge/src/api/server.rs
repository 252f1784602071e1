//! Messages of the bridge.

use serde::Serialize;
use serde_json::Value;

use sluice_host::items::{Item, ItemField, ItemId};

use super::{Device, Facts, QueuedPrompt, Scope, SessionInfo, SessionState};

/// One message of the bridge to a client of level 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ServerMessage {
    /// The answer to `hello`.
    Welcome(Box<Welcome>),
    /// All sessions the client may see; after `welcome`, and after `list_sessions`.
    SessionList {
        sessions: Vec<SessionInfo>,
    },
    /// A session is new, or something of its summary changed.
    Session {
        session: Box<SessionInfo>,
    },
    /// A session is gone.
    SessionRemoved {
        session_id: String,
    },
    /// The answer to `subscribe`: what the client lacks. From now on it gets `items` and `item_delta`.
    CaughtUp(Box<CaughtUp>),
    /// Items that are new or changed, and ids of items that were removed.
    Items {
        /// The number of the session on this connection: `s` of `caught_up`.
        s: u32,
        /// The client has everything up to this revision once it has applied the message.
        revision: u64,
        items: Vec<Item>,
        removed: Vec<ItemId>,
    },
    /// A text that is being written grows.
    ItemDelta {
        s: u32,
        item: ItemId,
        field: ItemField,
        /// The text to append to the field.
        text: String,
    },
    /// A line of the agent, for clients of `follow_lines`.
    Line(Line),
    /// The state of a session; sent when it changes.
    State(Box<SessionState>),
    /// What a session offers: commands, models, tools, servers. Sent when it changes.
    Facts(Box<Facts>),
    /// `receipt`: the result of a command.
    Receipt(Receipt),
    /// `error`: a message of the client was refused. Nothing else happened.
    Error(ErrorMessage),
    /// Asks for a `pong`.
    Ping {
        /// Milliseconds since 1970.
        at: i64,
    },
    Pong {
        at: i64,
    },
    /// The bridge goes away, or this client has to.
    Bye {
        reason: Bye,
        message: String,
    },
}

/// `welcome`: the answer to `hello`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    /// The version of the API.
    pub version: u32,
    /// The version of the bridge.
    pub bridge: String,
    /// The page's build inside the bridge; a page of another one reloads.
    pub build: Option<String>,
    pub capabilities: Vec<String>,
    pub device: Device,
    pub scopes: Vec<Scope>,
    /// The agents that can be started.
    pub agents: Vec<Agent>,
    pub roots: Vec<String>,
    pub home: String,
    /// The scratch folder of a first visit.
    pub scratch: String,
    pub limits: Limits,
    /// Milliseconds since 1970, to tell how far the clocks are apart.
    pub now: i64,
    /// Sessions in `cursors` that no longer exist.
    pub unknown: Vec<String>,
}

/// An agent that can be started, and who pays for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// What to name in `start.agent`.
    pub name: String,
    /// What is run.
    pub command: String,
    pub version: Option<String>,
    /// Whether the program was found.
    pub available: bool,
    pub pays: Payer,
    /// The same in words: which variable, which address.
    pub pays_detail: String,
    pub default: bool,
}

/// Who pays for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Payer {
    /// The owner of an API key.
    Key,
    /// An account of the provider.
    Account,
    /// A separate model server.
    Server,
    /// Nobody: the demo model.
    Demo,
    Unknown,
}

impl Payer {
    pub(crate) fn of(word: &str) -> Self {
        match word {
            "key" => Self::Key,
            "account" => Self::Account,
            "server" => Self::Server,
            "demo" => Self::Demo,
            _ => Self::Unknown,
        }
    }
}

/// Limits of the bridge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Bytes of a frame a client sends.
    pub frame: u64,
    /// Bytes of an uploaded image.
    pub upload: u64,
    /// Bytes from which a body travels by reference.
    pub heavy: u64,
    /// Milliseconds between two `ping`s.
    pub ping_every: u64,
    /// Prompts that may wait in a session.
    pub queue: u32,
}

/// `line`: a line of the agent or a record of the bridge.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Line {
    pub session_id: String,
    pub epoch: i64,
    /// Its number, if it is kept. Streamed text is not.
    pub seq: Option<i64>,
    /// The line, as it was written except for large bodies, which are `{"$blob": Blob}`. A record of the bridge has a
    /// `type` that begins with `sluice_`.
    #[cfg_attr(feature = "types", ts(type = "JsonValue"))]
    pub what: Value,
}

/// `caught_up`: what a client lacks of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CaughtUp {
    pub session_id: String,
    /// The number of the session on this connection, in `items` and `item_delta`.
    pub s: u32,
    /// Whether the client drops all items that it has of this session: it has none, or too much has changed.
    pub reset: bool,
    /// With `reset`: whether there are older items. Get them with `items_before`.
    pub more: bool,
    /// The revision to name when the session is subscribed again.
    pub revision: u64,
    /// With `reset` the items of the last turns, else those that have changed. Ordered by id.
    pub items: Vec<Item>,
    /// Items that were removed.
    pub removed: Vec<ItemId>,
}

/// `receipt`: the result of a command.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The command's `id`.
    pub id: String,
    pub ok: bool,
    /// What was asked for, or what it made: a `sessionId`, a `uuid`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
}

/// Why something was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    pub code: Code,
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// For `decided`: the outcome, who and when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Resolved>,
}

/// How an ask was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Resolved {
    pub decision: String,
    pub by: Option<String>,
    pub at: i64,
}

/// `error`: a message of the client was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ErrorMessage {
    pub message: String,
    pub code: Code,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Resolved>,
}

/// What kind of problem it is. The list only grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// Not a text frame with one JSON object.
    Frame,
    /// An unknown `type`.
    Type,
    /// A missing or wrong field.
    Field,
    /// No such session, or none was named and none joined.
    Session,
    /// No such folder, no folder, or outside the roots.
    Folder,
    /// No such ask.
    Ask,
    /// The ask has its outcome already.
    Decided,
    /// No such prompt, or it has begun.
    Prompt,
    /// The device may not do that.
    Scope,
    /// The agent cannot be started.
    Agent,
    /// The agent refused, or did not answer in time.
    Refused,
    /// The agent is not running.
    Stopped,
    /// Too much of something.
    Limit,
    /// The bridge cannot write to its disk.
    Storage,
    /// A fault of the bridge.
    Internal,
}

/// Why a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Bye {
    /// The bridge becomes another version of itself: it is back at once.
    Restarting,
    /// The bridge was stopped.
    Stopping,
    /// The page is of another build: reload.
    Reload,
}

/// The prompts that wait; level 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Queue {
    pub session_id: String,
    pub prompts: Vec<QueuedPrompt>,
}
