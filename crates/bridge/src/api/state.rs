//! The state of a session, as clients are told.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sluice_host::conversation::{Evidence, Rung};
use sluice_host::items::{Card, ItemId, TaskStatus};

/// A place among the lines of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LineCursor {
    /// Changes when history was rewritten.
    pub epoch: i64,
    /// The number of the last line that is known.
    pub seq: i64,
}

/// What a device may do; each includes those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Look.
    View,
    /// Prompt, interrupt, start in allowed folders.
    Operate,
    /// Answer asks.
    Approve,
    /// Devices, folders, settings, bypass mode.
    Admin,
}

impl Scope {
    /// All of them, the smallest first.
    pub const ALL: [Self; 4] = [Self::View, Self::Operate, Self::Approve, Self::Admin];

    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Operate => "operate",
            Self::Approve => "approve",
            Self::Admin => "admin",
        }
    }
}

/// A paired device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Device {
    pub id: String,
    pub name: String,
    pub kind: DeviceKind,
    pub scope: Scope,
    pub created_at: i64,
    pub last_seen_at: i64,
    /// Whether it is connected now.
    pub online: bool,
}

/// How a device proves who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// With the cookie of a browser.
    Cookie,
    /// With a token.
    Token,
}

impl DeviceKind {
    pub(crate) fn of(word: &str) -> Self {
        match word {
            "token" => Self::Token,
            _ => Self::Cookie,
        }
    }
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// Ours, for life.
    pub session_id: String,
    pub project_path: String,
    pub title: Option<String>,
    /// The same for level 0.
    pub status: SimpleStatus,
    /// One word for the state: see [`Standing`].
    pub standing: Standing,
    /// What it is about: the tool that runs or is asked for, why it crashed.
    pub about: Option<String>,
    /// Since when it stands so.
    pub since: i64,
    /// When the agent last gave a sign.
    pub last_sign: Option<i64>,
    pub model: Option<String>,
    pub permission_mode: String,
    pub started_at: i64,
    pub last_activity_at: i64,
    pub pending_asks: u32,
    pub queue: u32,
    /// Dollars.
    pub cost: f64,
    pub turns: u32,
    /// The agent's own id, the newest of the chain.
    pub provider_session_id: Option<String>,
    /// Which agent.
    pub agent: String,
    pub archived: bool,
    /// Made by another program, not started here.
    pub external: bool,
    /// The last words, for a list.
    pub preview: Option<String>,
    /// Records of the last 60 seconds, one number a second; empty when nothing runs.
    pub activity: Vec<u32>,
    /// The revision of the last change of its items; 0 while it is not loaded.
    pub revision: u64,
    /// When a turn last ended, to tell whether it was read.
    pub finished_at: Option<i64>,
    /// The ask that waits longest, in short.
    pub ask: Option<AskBrief>,
    /// The git branch of its folder.
    pub branch: Option<String>,
    /// How full the context is, from 0 to 1.
    pub context: Option<f64>,
}

impl SessionInfo {
    /// Whether it lives: at level 0 only those are listed.
    pub(crate) fn is_active(&self) -> bool {
        !self.external && !self.archived && !matches!(self.standing, Standing::Crashed | Standing::Stopped)
    }
}

/// An ask in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AskBrief {
    /// The request id.
    pub ask: String,
    pub kind: AskKind,
    pub tool_name: String,
    /// What it is about: the whole command, the path, the question.
    pub about: String,
    pub at: i64,
    /// Whether `about` is all there is to read before deciding.
    pub whole: bool,
}

impl SimpleStatus {
    /// Returns the word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::WaitingApproval => "waiting_approval",
        }
    }
}

/// The kind of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    /// Permission for a tool call.
    Tool,
    /// Questions of the model.
    Question,
    /// Approval of a plan.
    Plan,
    /// A form of an MCP server.
    Elicitation,
    /// A dialog of the agent.
    Dialog,
    /// Something else.
    Other,
}

impl AskKind {
    /// Returns the word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Question => "question",
            Self::Plan => "plan",
            Self::Elicitation => "elicitation",
            Self::Dialog => "dialog",
            Self::Other => "other",
        }
    }
}

/// The state of a session for clients of level 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SimpleStatus {
    Idle,
    Running,
    WaitingApproval,
}

/// One word for the state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nothing runs.
    Idle,
    /// The agent is being started.
    Starting,
    /// A turn runs, with fresh evidence.
    Running,
    /// An ask waits for a person.
    Waiting,
    /// A request to the model failed and will be tried again.
    Retrying,
    /// A turn is open without fresh evidence.
    Stalled,
    /// Someone interrupted.
    Stopping,
    /// The process ended in the middle of a turn.
    Crashed,
    /// The agent was stopped by a person.
    Stopped,
    /// The runner cannot be reached.
    Lost,
    /// Made by another program.
    External,
}

/// The state of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SessionState {
    pub session_id: String,
    /// The summary, as in the list.
    pub info: SessionInfo,
    /// Milliseconds since 1970, when this was true.
    pub now: i64,
    pub process: ProcessState,
    pub transport: TransportState,
    pub activity: ActivityState,
    pub turn: Option<TurnState>,
    pub retry: Option<Retry>,
    /// Asks that wait, oldest first.
    pub asks: Vec<AskInfo>,
    /// Prompts that are not over, in order.
    pub queue: Vec<QueuedPrompt>,
    /// Calls that run.
    pub calls: Vec<RunningCall>,
    pub tasks: Vec<TaskInfo>,
    pub todos: Vec<TodoInfo>,
    pub cost: CostState,
    pub context: ContextState,
    pub model: Option<String>,
    pub permission_mode: String,
    pub effort: Option<String>,
    pub thinking: Option<u64>,
    /// The last `rate_limit_event` of the agent.
    #[cfg_attr(feature = "types", ts(type = "unknown"))]
    pub limits: Option<Value>,
    pub drift: DriftState,
    pub provider_session_ids: Vec<String>,
    /// Whether a git worktree was made for it, and which.
    pub worktree: Option<String>,
}

/// Whether there is a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProcessState {
    pub state: ProcessPhase,
    pub since: i64,
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// The last lines beside the protocol.
    pub stderr: Vec<String>,
    pub version: Option<String>,
}

/// Whether there is a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ProcessPhase {
    /// None was started.
    None,
    Starting,
    Up,
    Exited,
}

/// Whether lines pass between the agent and the bridge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TransportState {
    pub state: TransportPhase,
    pub since: Option<i64>,
}

/// Whether lines pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TransportPhase {
    Connected,
    /// Old lines are being read.
    CatchingUp,
    Lost,
}

/// What the session is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ActivityState {
    pub state: ActivityPhase,
    pub since: i64,
    /// Why it is believed to run.
    pub evidence: Option<Evidence>,
    /// When that was last seen.
    pub seen: Option<i64>,
    /// When it will count as stalled, if nothing comes.
    pub deadline: Option<i64>,
    /// How far an interrupt went.
    pub rung: Option<Rung>,
}

/// What a session is doing, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ActivityPhase {
    Idle,
    Running,
    Waiting,
    Interrupting,
    Stalled,
}

/// The turn that is open.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TurnState {
    /// As in `Item.turn`.
    pub turn: u32,
    pub began: i64,
    /// The prompts it answers; none when nobody here asked for it.
    pub prompts: Vec<String>,
    /// Who began it, when the agent said so: `task-notification` and others.
    pub origin: Option<String>,
    pub calls: u32,
}

/// A request that will be tried again.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Retry {
    pub attempt: u32,
    pub max: Option<u32>,
    /// When the next try is.
    pub until: i64,
    pub error: Option<String>,
    pub status: Option<u32>,
}

/// An ask that waits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AskInfo {
    /// The request id.
    pub ask: String,
    pub kind: AskKind,
    pub tool_name: String,
    pub tool_use_id: Option<String>,
    /// The subagent that asks.
    pub agent: Option<String>,
    pub at: i64,
    /// The request as the agent wrote it: `input`, `permission_suggestions`, `decision_reason`, `blocked_path`, …
    #[cfg_attr(feature = "types", ts(type = "{ [key: string]: unknown }"))]
    pub request: Value,
    /// What the tool call would do.
    pub card: Option<Box<Card>>,
    /// The item of the tool call.
    pub item: Option<ItemId>,
}

/// A prompt that is not over.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct QueuedPrompt {
    pub uuid: String,
    pub text: String,
    /// How many images it holds.
    pub images: u32,
    pub state: QueueState,
    pub by: String,
    pub device: String,
    pub at: i64,
    pub since: i64,
}

/// The state of a prompt that is not over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum QueueState {
    /// It waits here and can be edited.
    Queued,
    /// The same, until `release_queue`.
    Held,
    /// The agent has it.
    Sent,
    /// The process ended before it could tell whether it has it.
    Indeterminate,
}

/// A call that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RunningCall {
    pub id: String,
    pub name: String,
    pub since: i64,
    pub parent: Option<String>,
    /// Its item.
    pub item: Option<ItemId>,
}

/// A background task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TaskInfo {
    pub id: String,
    /// `local_bash`, `local_agent` and others.
    pub kind: String,
    pub description: String,
    pub tool_use_id: Option<String>,
    pub agent: Option<String>,
    pub background: bool,
    /// `running`, `completed`, `failed`, `stopped`, `gone`, or as the agent says.
    pub state: String,
    pub began: i64,
    pub ended: Option<i64>,
    pub tokens: u64,
    pub calls: u64,
    pub last_tool: Option<String>,
    pub summary: Option<String>,
}

/// One item of the agent's todo list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TodoInfo {
    pub id: Option<String>,
    pub subject: String,
    pub active: Option<String>,
    pub status: TaskStatus,
    pub blocked_by: Vec<String>,
}

/// What was spent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CostState {
    /// Dollars, all turns.
    pub total: f64,
    /// Dollars of the last turn that ended.
    pub turn: Option<f64>,
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    /// `modelUsage` of the last `result`: cumulative, by model.
    #[cfg_attr(feature = "types", ts(type = "{ [key: string]: unknown } | null"))]
    pub by_model: Option<Value>,
}

/// How full the context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ContextState {
    pub tokens: u64,
    pub window: Option<u64>,
}

/// Counts of messages that were not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DriftState {
    pub unknown: u64,
    pub garbled: u64,
    pub repeated: u64,
    pub foreign: u64,
}

/// Facts of a session: models, commands, servers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Facts {
    pub session_id: String,
    pub commands: Vec<CommandInfo>,
    pub models: Vec<ModelInfo>,
    pub tools: Vec<String>,
    pub agents: Vec<String>,
    pub skills: Vec<String>,
    pub plugins: Vec<PluginInfo>,
    pub servers: Vec<ServerInfo>,
    pub style: Option<String>,
    pub capabilities: Vec<String>,
    pub version: Option<String>,
    pub cwd: Option<String>,
}

/// A slash command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CommandInfo {
    pub name: String,
    pub description: Option<String>,
    pub hint: Option<String>,
}

/// A model that may be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    pub value: String,
    pub name: String,
}

/// A plugin that was loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PluginInfo {
    pub name: String,
    /// The folder it lies in.
    pub path: Option<String>,
}

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    pub name: String,
    pub status: String,
}
