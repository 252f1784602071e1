//! The content of items other than tool calls.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sluice_wire::stdout::system::TaskOutcome;

use super::{ItemId, Permission, Text, millis};
use crate::conversation::Time;

/// A prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PromptItem {
    /// The uuid of the prompt, if it has one.
    pub uuid: Option<Box<str>>,
    /// The text.
    pub text: Text,
    /// The images.
    pub images: Vec<Picture>,
    /// The source of the prompt.
    pub source: PromptSource,
    /// Who sent it, if that is known.
    pub sender: Option<Sender>,
    /// Whether the agent has it.
    pub delivery: Delivery,
    /// Whether it was read during a turn that another prompt had started.
    pub steered: bool,
}

/// A person, or the device that they use.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Sender {
    /// The name.
    pub name: Box<str>,
    /// The id of the device, where the host has several.
    pub device: Option<Box<str>>,
}

impl Sender {
    /// A sender of whom only the name is known.
    pub(crate) fn named(name: Box<str>) -> Self {
        Self { name, device: None }
    }
}

/// Whether the agent has a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// It has.
    #[default]
    Delivered,
    /// The process ended before it could tell.
    Indeterminate,
    /// It has not, and never will.
    Failed,
}

/// An image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// The media type.
    pub mime_type: Box<str>,
    /// The content in base64, or the place where it is stored.
    pub data: Text,
}

/// Where a prompt comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Thinking {
    /// The text. Empty if only the API can read it.
    pub text: Text,
    /// How long the model thought.
    #[serde(with = "millis::optional")]
    #[cfg_attr(feature = "types", ts(type = "number | null"))]
    pub duration: Option<Duration>,
    /// The number of tokens, as the agent estimates it.
    pub tokens: Option<u64>,
}

/// A local command of the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(rename = "CommandItem"))]
#[serde(rename_all = "camelCase")]
pub struct Command {
    /// The name without the slash; empty if only the output is known.
    pub name: String,
    /// The arguments.
    pub arguments: String,
    /// The output.
    pub output: Option<Text>,
    /// Whether it failed.
    pub failed: bool,
}

/// A compaction of the context.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Compaction {
    /// Whether a person asked for it.
    pub manual: bool,
    /// The number of tokens before.
    pub before: Option<u64>,
    /// The number of tokens after.
    pub after: Option<u64>,
    /// How long it took.
    #[serde(with = "millis::optional")]
    #[cfg_attr(feature = "types", ts(type = "number | null"))]
    pub duration: Option<Duration>,
    /// The summary that replaces the conversation.
    pub summary: Option<Text>,
    /// Why it failed.
    pub error: Option<String>,
}

/// A request to the model that failed and is tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(rename = "RetryItem"))]
#[serde(rename_all = "camelCase")]
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RequestError {
    /// What the agent says about it.
    pub text: String,
    /// The kind of error, as the agent names it.
    pub kind: Option<Box<str>>,
    /// The HTTP status, if the server answered.
    pub status: Option<u16>,
    /// The number of attempts that failed before.
    pub retries: u64,
}

/// A limit of the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
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
    /// The agent does not know the conversation any more; a new one was started.
    Forgotten,
    /// Messages of another program were added.
    Imported,
    /// A line of the agent was too long and was left out.
    LineTooLong,
    /// The disk is full; the agent waits.
    DiskFull,
    /// There is room on the disk again.
    DiskFree,
    /// The agent waits until its output is stored.
    LogFull,
    /// The last line of the log was incomplete and was left out.
    LogCut,
}

/// How important a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HookRun {
    /// The name: `Event:matcher`.
    pub name: Box<str>,
    /// The event.
    pub event: Box<str>,
    /// The state of the run.
    pub outcome: HookStatus,
    /// The exit code.
    pub exit_code: Option<i32>,
    /// The output: what it wrote to standard error, or else to standard output.
    pub output: Text,
}

/// The state of a run of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HookStatus {
    /// It runs.
    Running,
    /// It succeeded.
    Succeeded,
    /// It blocked what it was asked about.
    Blocked,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
}

/// Another model answers from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TaskEnd {
    /// The id of the task.
    pub task: Box<str>,
    /// The tool call that started it.
    pub call: Option<ItemId>,
    /// The outcome of the task.
    #[cfg_attr(feature = "types", ts(type = "string"))]
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
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FilesRewound {
    /// The files.
    pub files: Vec<String>,
    /// The number of lines that were added.
    pub added: u64,
    /// The number of lines that were removed.
    pub removed: u64,
}

/// A request of the agent to a person that belongs to no tool call, such as a form of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(rename = "RequestItem"))]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// What sends it: the name of an MCP server or of a tool.
    pub from: Box<str>,
    /// The outcome.
    pub permission: Permission,
}
