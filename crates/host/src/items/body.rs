//! The content of items other than tool calls.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sluice_wire::stdout::TerminalReason;
use sluice_wire::stdout::system::TaskOutcome;

use super::ItemId;
use crate::conversation::{Exit, Time, Tokens};

/// A prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptItem {
    /// The uuid of the prompt, if it has one.
    pub uuid: Option<Box<str>>,
    /// The text.
    pub text: String,
    /// The number of images in it.
    pub images: u32,
    /// The source of the prompt.
    pub source: PromptSource,
    /// The name of the sender, if it is known.
    pub sender: Option<Box<str>>,
}

/// Where a prompt comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptSource {
    /// This host sent it.
    Host,
    /// Somebody else sent it to the same agent.
    Other,
    /// The agent repeated a prompt that this host does not know, for example one of an earlier process.
    Replayed,
    /// The agent gave it to a subagent.
    Agent,
}

/// Thinking of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thinking {
    /// The text. Empty if only the API can read it.
    pub text: String,
    /// How long the model thought.
    pub duration: Option<Duration>,
    /// The number of tokens, as the agent estimates it.
    pub tokens: Option<u64>,
}

/// A local command of the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// The name without the slash; empty if only the output is known.
    pub name: String,
    /// The arguments.
    pub arguments: String,
    /// The output.
    pub output: Option<String>,
}

/// A compaction of the context.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// Whether a person asked for it.
    pub manual: bool,
    /// The number of tokens before.
    pub before: Option<u64>,
    /// The number of tokens after.
    pub after: Option<u64>,
    /// How long it took.
    pub duration: Option<Duration>,
    /// The summary that replaces the conversation.
    pub summary: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
}

/// A request to the model that failed and is tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// The error.
    pub error: String,
    /// The HTTP status, if the server answered.
    pub status: Option<u16>,
    /// The number of the attempt that follows.
    pub attempt: u64,
    /// The maximum number of attempts.
    pub max: u64,
    /// When the next attempt starts.
    pub next: Time,
}

/// A request to the model that failed for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestError {
    /// What the agent says about it.
    pub text: String,
    /// The kind of error, as the agent names it.
    pub kind: Option<Box<str>>,
    /// The number of attempts that failed before.
    pub retries: u64,
}

/// A limit of the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateLimit {
    /// Whether requests pass.
    pub status: RateLimitStatus,
    /// The limit, as the agent names it.
    pub limit: Option<Box<str>>,
    /// The used part in percent.
    pub used_percent: Option<u32>,
    /// When the limit is reset, in seconds since 1970.
    pub resets_at: Option<u64>,
}

/// Whether requests pass a limit of the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateLimitStatus {
    /// They do.
    Allowed,
    /// They do, but the limit is near.
    Warning,
    /// They do not.
    Rejected,
}

/// A message of the agent about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The subject of the notice.
    pub kind: NoticeKind,
    /// How important it is.
    pub level: NoticeLevel,
    /// The text.
    pub text: String,
    /// The tool call it is about.
    pub call: Option<ItemId>,
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// A message for the person.
    Message,
    /// Who answered a permission request.
    Answered,
    /// A message for the model, which the person need not see.
    Context,
    /// A person stopped the turn.
    Stopped,
    /// A message to be shown for a moment.
    Notification,
    /// A summary of tool calls.
    Summary,
    /// Text of a shortened output mode.
    Shortened,
    /// The conversation was cleared.
    Cleared,
    /// Memories were added to the context.
    Memory,
    /// A plugin is being installed.
    Plugin,
    /// Files were stored elsewhere.
    FilesStored,
    /// The authentication changed.
    Authentication,
    /// The goal of the session changed.
    Goal,
    /// The transcript cannot be written.
    WritesLost,
    /// A copy of the transcript cannot be written.
    MirrorFailed,
    /// The process is about to end.
    ShuttingDown,
    /// The model refused to answer.
    Refusal,
}

/// How important a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    /// Information.
    Info,
    /// Something to look at.
    Notice,
    /// A warning.
    Warning,
    /// An error.
    Error,
}

/// A run of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookRun {
    /// The name: `Event:matcher`.
    pub name: Box<str>,
    /// The event.
    pub event: Box<str>,
    /// The state of the run.
    pub outcome: HookStatus,
    /// The exit code.
    pub exit_code: Option<i32>,
    /// The output.
    pub output: String,
}

/// The state of a run of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookStatus {
    /// It runs.
    Running,
    /// It succeeded.
    Succeeded,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
}

/// Another model answers from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelChange {
    /// The model before.
    pub from: Option<Box<str>>,
    /// The model from here on.
    pub to: Option<Box<str>>,
    /// Why.
    pub reason: ModelChangeReason,
    /// What the agent says about it.
    pub text: String,
}

/// Why another model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelChangeReason {
    /// A person chose it.
    Chosen,
    /// The model before was not available.
    Unavailable,
    /// The model before refused.
    Refused,
}

/// The end of a task in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskEnd {
    /// The id of the task.
    pub task: Box<str>,
    /// The tool call that started it.
    pub call: Option<ItemId>,
    /// The outcome of the task.
    pub outcome: TaskOutcome,
    /// What the task was about, in one line.
    pub subject: String,
    /// What the agent says about the end.
    pub summary: String,
    /// The file with the output, if there is one.
    pub output: Option<Box<str>>,
}

/// Files were restored from a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilesRewound {
    /// The files.
    pub files: Vec<String>,
    /// The number of lines that were added.
    pub added: u64,
    /// The number of lines that were removed.
    pub removed: u64,
}

/// The agent's process started or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessChange {
    /// It started.
    Started {
        /// Whether it continues the conversation of an earlier process.
        resumed: bool,
    },
    /// It ended.
    Exited(Exit),
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnEnd {
    /// The outcome of the turn.
    pub outcome: TurnOutcome,
    /// What went wrong.
    pub errors: Vec<String>,
    /// How long the turn took, without the time in which it waited for a person.
    pub duration: Duration,
    /// How long it waited for a person.
    pub waited: Duration,
    /// How long requests to the model took.
    pub api: Duration,
    /// The cost in dollars. `None` if the agent did not report it.
    pub cost: Option<f64>,
    /// The tokens, if the agent reported them.
    pub tokens: Option<Tokens>,
    /// The number of tool calls of the main conversation and its subagents.
    pub calls: u64,
    /// The files that were changed, ordered by path.
    pub files: Vec<FileCount>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnOutcome {
    /// Completed.
    Completed,
    /// A person stopped it.
    Stopped,
    /// The maximum number of requests to the model was reached.
    MaxTurns,
    /// The maximum cost was reached.
    MaxBudget,
    /// It failed.
    Failed {
        /// Why, if the agent reported it.
        reason: Option<TerminalReason>,
    },
    /// The agent did not report how it ended.
    Unreported,
    /// The process ended.
    Died(Exit),
}

/// The lines that were changed in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileCount {
    /// The path, as the tool reported it.
    pub path: String,
    /// The number of lines that were added.
    pub added: u64,
    /// The number of lines that were removed.
    pub removed: u64,
}
