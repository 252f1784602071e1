//! Messages of the bridge.

use serde::Serialize;
use serde_json::Value;

use super::{Cursor, Device, Facts, QueuedPrompt, Scope, SessionInfo, SessionState};

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
    /// The records after the cursor were sent (`ok`), or a `snapshot` follows (`gap`).
    CaughtUp {
        session_id: String,
        /// The number that stands for the session in `block` and `delta` on this connection.
        s: u32,
        verdict: CursorVerdict,
        cursor: Cursor,
    },
    /// A session from here on: its last turns, and what is being written.
    Snapshot {
        session_id: String,
        s: u32,
        cursor: Cursor,
        records: Vec<Record>,
        /// Whether there are older ones: ask with `history`.
        more: bool,
    },
    /// A record of a session.
    Record(Record),
    /// A block begins to be written. It is void when a record with its message comes, or `void` says so.
    Block(Block),
    /// A block grows.
    Delta {
        s: u32,
        b: u32,
        text: String,
    },
    /// What was being written is void; the main conversation's, or that of a subagent.
    Void {
        s: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
    },
    /// The folded truth about a session; sent when it changes.
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
    /// `key`, `account`, `server`, `demo` or `unknown`.
    pub pays: String,
    /// The same in words: which variable, which address.
    pub pays_detail: String,
    pub default: bool,
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

/// Whether a client gets the records after its cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CursorVerdict {
    /// Every record after the cursor is sent.
    Ok,
    /// The cursor is too old, or of another epoch: a snapshot is sent instead.
    Gap,
}

/// A record of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Record {
    pub session_id: String,
    pub epoch: i64,
    pub seq: i64,
    /// Milliseconds since 1970.
    pub at: i64,
    /// The turn it belongs to, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<i64>,
    /// The agent's message, verbatim but for heavy bodies, which are `{"$blob": Blob}`; or an [`Own`] record.
    #[cfg_attr(feature = "types", ts(type = "AgentMessage | Own"))]
    pub what: Value,
}

/// A blob: a long body that is fetched from `/api/blobs/HASH`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Blob {
    pub hash: String,
    pub bytes: u64,
    pub mime: String,
    /// The beginning of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The end of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<String>,
    /// How many lines a text has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
}

/// A record of the bridge's own: `type` begins with `sluice_`, so that no message of an agent is mistaken for one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Own {
    /// A prompt, where the agent took it up, or where it failed.
    SluicePrompt {
        uuid: String,
        text: String,
        images: Vec<Blob>,
        /// `delivered`, `indeterminate`, `failed` or `withdrawn`. A later record of the same uuid takes its place.
        state: String,
        /// The device's name.
        by: String,
        device: String,
    },
    /// An ask has its outcome.
    SluiceAsk {
        ask: String,
        tool_use_id: Option<String>,
        kind: String,
        tool_name: String,
        /// `allowed`, `denied`, `cancelled`, `superseded` or `expired`.
        outcome: String,
        /// Who decided, when someone did.
        by: Option<String>,
        device: Option<String>,
        message: Option<String>,
        /// The rules that were added with it, as in a settings file, and where.
        rules: Vec<String>,
        destination: Option<String>,
        /// What questions were answered with.
        answers: Option<Value>,
        /// Whether the input was changed before.
        changed: bool,
    },
    /// The agent's process: `starting`, `up`, `exited`, `retired`, `stopped`, `lost`.
    SluiceProcess {
        state: String,
        code: Option<i32>,
        signal: Option<i32>,
        /// What it said last beside the protocol.
        stderr: Vec<String>,
        reason: Option<String>,
        pid: Option<u32>,
    },
    /// A message that was being written when the agent ended or was interrupted: it was never said for good.
    SluiceUnfinished {
        /// The message's id.
        message: String,
        /// The call that started the subagent that wrote it.
        parent: Option<String>,
        blocks: Vec<UnfinishedBlock>,
    },
    /// A line of the agent that is no message.
    SluiceGarbled { line: String },
    /// The session has another title.
    SluiceTitle { title: String, by: Option<String> },
    /// Something the bridge has to say about the session.
    SluiceNote {
        /// `forgotten`, `imported`, `too_long`, `disk_full`, `disk_ok`, `rewound`, `forked`, `lost_records`, …
        kind: String,
        text: String,
    },
}

/// A block that was not finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct UnfinishedBlock {
    /// `text` or `thinking`.
    pub kind: String,
    pub text: String,
}

/// A block that is being streamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Block {
    pub s: u32,
    /// Its number in this session on this connection.
    pub b: u32,
    /// The id of the message it belongs to.
    pub message: String,
    /// The call whose subagent writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Its place in the message.
    pub index: u64,
    /// `text`, `thinking`, `call` or another.
    pub kind: String,
    /// The call's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What there is of it already.
    pub text: String,
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
