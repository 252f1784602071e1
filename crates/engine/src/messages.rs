//! Messages to the host, built as types of the protocol.

mod control;
mod limits;
mod pastes;
mod result;
mod speech;
mod tasks;

pub(crate) use control::{
    ask, cancel, elicitation_complete, error, ok, permission_denied, refused, request_started, success,
};
pub(crate) use limits::rate_limit_info;
pub(crate) use result::{end, refusal};
pub(crate) use speech::{
    Fallback, MEDIA_DROPPED, MEDIA_REMOVED, aborted_delta, api_error, api_retry, assistant, block_stop, local,
    local_reply, media_removed, message_stop, millis, model_fallback, stream_event, thinking_tokens, whole_envelope,
};
pub(crate) use tasks::{
    agent_notification, agent_updated, background_tasks, call_progress, progress, run_id, task_backgrounded,
    task_notification, task_started, task_updated,
};

use serde_json::{Value, json};
use sluice_tools::AnyTool;
use sluice_wire::content::{Block, Content};
use sluice_wire::mode::PermissionMode;
use sluice_wire::stdout::system::{Informational, Init, Level, SessionState, SessionStateChanged, Status};
use sluice_wire::stdout::{self, CommandLifecycle, CommandState, UserMessage};
use sluice_wire::{ToHost, stdin};

use crate::queue::{Priority, Prompt, is_result};
use crate::turn::Turn;

/// The protocol version of this engine, numbered like the versions of the reference CLI.
pub(crate) const PROTOCOL_VERSION: &str = "2.1.326";

/// Notice in the conversation when an interrupt stopped a response of the model.
pub(crate) const INTERRUPTED: &str = "[Request interrupted by user]";
/// Notice in the conversation when an interrupt stopped tool calls or permission requests.
pub(crate) const INTERRUPTED_TOOLS: &str = "[Request interrupted by user for tool use]";
/// Tool result for the model if an interrupt ended the call.
pub(crate) const REJECTED: &str = "The person stopped this call, so it did not finish and nothing more of it will \
    happen. Do not repeat it: wait for what they say next.";
/// Tool result for the host if an interrupt ended the call.
pub(crate) const REJECTED_RESULT: &str = "User rejected tool use";
/// Prompt that makes the model continue a response after the connection broke.
pub(crate) const CUT_OFF: &str = "[The connection broke while you were answering. What you said so far has arrived. \
    Go on from exactly there, without repeating it.]";
/// Prompt that makes the model continue a response that reached the token limit.
pub(crate) const TRUNCATED: &str = "[You reached the limit of tokens for one answer. Go on from exactly where you \
    stopped, without repeating anything, and keep the rest short.]";
/// Prompt after an empty response of the model.
pub(crate) const SILENT: &str =
    "[Your last answer held nothing a person could read. Go on, and end with a visible answer.]";
/// Prompt after a response that announced a tool call and contains none.
pub(crate) const NO_CALL: &str =
    "[Your last answer ended for a tool call but held none. Make the call, or end with an answer.]";
/// Prompt after the provider's safety system stopped a response.
pub(crate) const REFUSED: &str = "[Your last answer was stopped by the provider's safety system. If the task can be \
    done without what caused that, go on; otherwise say in one sentence what you cannot do.]";
/// Message to the host when the provider's safety system stopped a response.
pub(crate) const REFUSED_NOTICE: &str = "The provider's safety system stopped the answer above; retrying once.";
/// The key that stores tool input that is not valid JSON.
pub(crate) const UNPARSED: &str = "__unparsedToolInput";

/// The state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Idle,
    Running,
    RequiresAction,
}

/// A message that contains the id of its session.
pub(crate) trait Outgoing: Into<ToHost> {
    fn set_session(&mut self, session_id: &str);
}

macro_rules! signed {
    ($($ty:ty),+ $(,)?) => {
        $(impl Outgoing for $ty {
            fn set_session(&mut self, session_id: &str) {
                self.session_id = session_id.to_owned();
            }
        })+
    };
}

signed!(
    Init,
    Status,
    Informational,
    SessionStateChanged,
    CommandLifecycle,
    stdout::Assistant,
    stdout::ConversationReset,
    stdout::ActiveGoal,
    stdout::PromptSuggestion,
    stdout::StreamEvent,
    stdout::ToolProgress,
    stdout::TurnResult,
    stdout::system::ApiRetry,
    stdout::system::CompactBoundary,
    stdout::system::BackgroundTasksChanged,
    stdout::system::CommandsChanged,
    stdout::system::ControlRequestProgress,
    stdout::system::ElicitationComplete,
    stdout::system::HookProgress,
    stdout::system::HookResponse,
    stdout::system::HookStarted,
    stdout::system::ModelFallback,
    stdout::system::Notification,
    stdout::system::PermissionDenied,
    stdout::system::SessionTitleChanged,
    stdout::RateLimitEvent,
    stdout::system::TaskNotification,
    stdout::system::TaskProgress,
    stdout::system::TaskStarted,
    stdout::system::TaskUpdated,
    stdout::system::ThinkingTokens,
);

impl Outgoing for stdout::User {
    fn set_session(&mut self, session_id: &str) {
        self.session_id = Some(session_id.to_owned());
    }
}

/// Control messages belong to the process and contain no session id.
macro_rules! unsigned {
    ($($ty:ty),+ $(,)?) => {
        $(impl Outgoing for $ty {
            fn set_session(&mut self, _session_id: &str) {}
        })+
    };
}

unsigned!(
    sluice_wire::control::ControlRequest,
    sluice_wire::control::ControlResponse,
    sluice_wire::control::ControlCancelRequest,
    stdout::TranscriptMirror,
);

pub(crate) fn fresh_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// The current time in the format of the protocol.
pub(crate) fn now() -> String {
    timestamp(jiff::Timestamp::now())
}

/// Formats a time for the protocol.
pub(crate) fn timestamp(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The value of `fast_mode_state`: fast mode is not supported.
pub(crate) const NO_FAST_MODE: &str = "not_supported";

/// Capabilities that hosts may rely on.
pub(crate) const CAPABILITIES: &[&str] = &[
    "interrupt_receipt_v1",
    "interrupt_cancel_queued_v1",
    "msg_lifecycle_v1",
    "sdk_mcp_tools_list_changed",
    "sdk_mcp_manifests",
    "mcp_read_resource_v1",
    "mcp_call_check_permissions_v1",
];

/// Converts a message of the host into a prompt for the queue.
pub(crate) fn prompt(message: stdin::User) -> Prompt {
    let uuid = message.uuid.filter(|uuid| !uuid.is_empty());
    let mut content = serde_json::to_value(&message.message.content).unwrap_or_default();
    pastes::append(&mut content, message.pasted_content.as_ref());
    Prompt {
        id: uuid.clone().unwrap_or_else(fresh_id),
        uuid,
        content,
        priority: Priority::from_wire(message.priority.as_ref().map(stdin::Priority::as_str)),
        synthetic: message.is_synthetic == Some(true),
        should_query: message.should_query != Some(false),
        alone: false,
        verbatim: message.client_composed == Some(true),
        resumes: false,
        origin: match message.origin {
            Some(origin) => serde_json::to_value(origin).ok(),
            None if message.is_synthetic == Some(true) => Some(json!({"kind": "unclassified"})),
            None => None,
        },
        timestamp: now(),
    }
}

/// The echo of a prompt.
pub(crate) fn replay(id: &str, content: &Value, timestamp: Option<&str>) -> stdout::User {
    stdout::User {
        message: UserMessage::new(content_of(content)),
        uuid: Some(id.to_owned()),
        timestamp: timestamp.map(str::to_owned),
        is_replay: Some(true),
        ..stdout::User::default()
    }
}

fn content_of(content: &Value) -> Content {
    serde_json::from_value(content.clone()).unwrap_or_default()
}

/// Replaces blocks that servers reject by text: invalid images, and results of calls that the model has not made (hosts
/// do not run tool calls).
pub(crate) fn sanitized(content: &Value) -> Value {
    let sanitize = |block: &Value| match is_result(block) {
        true => json!({"type": "text", "text": STRAY_RESULT}),
        false => sluice_model::sanitize(block.clone()),
    };
    match content {
        Value::Array(blocks) => blocks.iter().map(sanitize).collect(),
        other => other.clone(),
    }
}

/// Replacement for the result of an unknown call.
const STRAY_RESULT: &str =
    "[The result of a tool call stood here that is not part of this conversation. It was left out.]";

/// A notice on the user side that no person wrote.
pub(crate) fn notice(text: &str) -> stdout::User {
    stdout::User {
        message: UserMessage::new(vec![Block::text(text)]),
        uuid: Some(fresh_id()),
        timestamp: Some(now()),
        ..stdout::User::default()
    }
}

/// A prompt from the engine that makes the model continue.
pub(crate) fn nudge(text: &str) -> stdout::User {
    stdout::User {
        is_synthetic: Some(true),
        ..notice(text)
    }
}

/// The output of a local command, as a message of the conversation.
pub(crate) fn local_output(text: &str) -> stdout::User {
    let content = Content::Text(format!("<local-command-stdout>{text}</local-command-stdout>"));
    stdout::User {
        message: UserMessage::new(content),
        uuid: Some(fresh_id()),
        timestamp: Some(now()),
        is_replay: Some(true),
        ..stdout::User::default()
    }
}

/// A slash command as recorded in the conversation.
pub(crate) fn command_echo(name: &str, args: &str) -> String {
    format!(
        "<command-name>/{name}</command-name>\n            <command-message>{name}</command-message>\n            \
         <command-args>{args}</command-args>"
    )
}

/// The result of a tool call.
pub(crate) fn tool_result(id: &str, block: &Value, result: Value, meta: Option<Value>) -> stdout::User {
    let meta = meta.and_then(|mut meta| {
        meta.as_object_mut()?.insert("id".to_owned(), json!(id));
        serde_json::from_value(meta).ok()
    });
    let block = serde_json::from_value(block.clone()).unwrap_or_else(|_| Block::text(""));
    stdout::User {
        message: UserMessage::new(vec![block]),
        uuid: Some(fresh_id()),
        timestamp: Some(now()),
        tool_use_result: Some(result),
        tool_result_meta: meta.map(|meta| vec![meta]),
        ..stdout::User::default()
    }
}

/// A change in the processing of a prompt.
pub(crate) fn lifecycle(uuid: &str, state: &str) -> CommandLifecycle {
    CommandLifecycle {
        command_uuid: uuid.to_owned(),
        state: CommandState::from(state),
        uuid: fresh_id(),
        ..CommandLifecycle::default()
    }
}

/// Status message: a model request is being sent.
pub(crate) fn requesting(turn: &Turn) -> Status {
    Status {
        status: Some(stdout::system::Activity::Requesting),
        uuid: fresh_id(),
        user_message_uuids: (!turn.prompts.uuids.is_empty()).then(|| turn.prompts.uuids.clone()),
        ..Status::default()
    }
}

/// Status message: the permission mode has changed.
pub(crate) fn mode(mode: &PermissionMode) -> Status {
    Status {
        permission_mode: Some(mode.clone()),
        uuid: fresh_id(),
        ..Status::default()
    }
}

pub(crate) fn state(state: State, host_only: bool) -> SessionStateChanged {
    SessionStateChanged {
        state: match state {
            State::Idle => SessionState::Idle,
            State::Running => SessionState::Running,
            State::RequiresAction => SessionState::RequiresAction,
        },
        uuid: fresh_id(),
        sdk_host_only: host_only.then_some(true),
        ..SessionStateChanged::default()
    }
}

/// A message to display in the conversation.
pub(crate) fn informational(content: &str, level: &str) -> Informational {
    Informational {
        content: content.to_owned(),
        level: Level::from(level),
        uuid: fresh_id(),
        ..Informational::default()
    }
}

/// A tool definition for the model.
pub(crate) fn tool(tool: &AnyTool) -> Value {
    let descriptor = tool.descriptor();
    json!({"name": descriptor.name, "description": descriptor.description, "input_schema": descriptor.schema})
}

/// The text blocks of a message's content.
pub(crate) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
