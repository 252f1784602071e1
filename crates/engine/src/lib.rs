//! The agent: a session takes prompts, requests messages from the model, runs tools, and reports to its host.
//!
//! A door starts a session with [`start`] and keeps its [`Port`]: [`Input`] carries messages of the host in, and
//! [`sluice_wire::ToHost`] carries messages of the session out. There is no other, internal event type.
//!
//! In reading order:
//!
//! * `options`, `port`: what a session is given at its start, and its two channels;
//! * `catalogue`: slash commands, skills, output styles and plugins on disk; [`checkup()`]: problems with them;
//! * `queue`: prompts that wait, pure;
//! * `session`: the state of a session, in parts (`host_line`, `conversation`, `tooling`, `account`, `requests`,
//!   `calls`,
//!   `turn`, `hooks`, `agents`, `commands`, `background`);
//! * `events`: the events a session handles; `session_loop`: the one place where it waits; `play`: from a prompt to its
//!   turn; `configuration`: settings that changed take effect;
//! * `slash_commands`: slash commands, skills, files a prompt mentions (`@`);
//! * `control`: control requests of the host; `model_choice`: which model answers;
//! * `turn_loop`, `guard`: the loop from a prompt to its one `result`;
//! * `model_request`: one request to the model, and broken streams; `retries`: requests that failed;
//! * [`mcp`], `mcp_session`: MCP servers in a session; `host_requests`: control requests to the host;
//! * `tool_calls`: the tool calls of a message, driven along their state machine ([`sluice_call`]); `policy`,
//!   `permissions`: permission decisions; `effects`: effects of calls on the session; `sandbox`: the sandbox of
//!   commands;
//! * [`Guarded`]: tool calls for a door that has no session;
//! * `goals`: the turn continues until a goal is met;
//! * `hook_events`: the hook events of a session, and how it applies their results;
//! * [`held_back`]: customizations of an untrusted folder that are not applied; [`problems`]: files with errors;
//! * `summary`: `system/init` and `result`; [`OutputSchema`], `structured`: structured output;
//! * `services`: services of the session for its tools;
//! * `subagents`: sessions that a session starts; `worktrees`: git worktrees for them and for the session itself;
//! * `tool_reports`: reports of tools on background tasks; `note`: notes about them for the model; `orphans`: tasks of
//!   an
//!   earlier process; `wakeups`: prompts that the model schedules;
//! * `history`, `prompt`, `memory`, `memories`, `notes`: the content of model requests;
//! * `compact`: compaction (`sluice_model::compaction` decides when);
//! * `record`: writing the [`transcript`]; `resume`, `await_history`, `shown`: resuming one;
//! * `ledger`: tokens used and their cost;
//! * `checkpoints`, `rewinding`: file checkpoints, and putting files back;
//! * `suggestions`: suggested next prompts;
//! * `messages`, `out`: messages to the host.

mod catalogue;
mod checkup;
mod options;
mod plugin_archives;
mod port;
mod queue;

mod account;
mod configuration;
mod conversation;
mod events;
mod host_line;
mod play;
mod session;
mod session_loop;
mod tooling;

mod commands;
mod control;
mod model_choice;
mod requests;
mod slash_commands;

mod guard;
mod turn;
mod turn_loop;

mod model_request;
mod retries;

mod host_requests;
pub mod mcp;
mod mcp_session;

mod calls;
mod doctor;
mod effects;
mod goals;
mod hook_events;
mod hooks;
mod permissions;
mod policy;
mod sandbox;
mod tool_calls;

mod guarded;
mod services;
mod untrusted;

mod structured;
mod summary;

mod agents;
mod background;
mod orphans;
mod subagents;
mod tool_reports;
mod wakeups;
mod worktrees;

mod compact;
mod history;
mod memories;
mod memory;
mod note;
mod notes;
mod prompt;

mod checkpoints;
mod recall;
mod record;
mod resume;
mod rewinding;
mod shown;

mod ledger;
mod limits;

mod messages;
mod out;
mod suggestions;

pub use agents::agent_problems;
pub use checkup::{CheckedPlugin, Checkup, Validation, checkup, validate_plugin};
pub use doctor::problems;
pub use guarded::{Guarded, GuardedAnswer, GuardedCall, Question, Ran};
pub use options::{
    AgentOptions, Asker, ConversationOptions, Folders, HostOptions, KeySource, LimitOptions, ModelOptions, Options,
    PermissionOptions, Preloaded, PromptOptions, SessionOptions, Setup, StateEvents, SystemPrompt, Thinking,
    ToolOptions,
};
pub use plugin_archives::{PluginArchive, unpack_plugins};
pub use policy::for_now;
pub use port::{Exit, Input, Port, Signal};
pub use sandbox::sandbox;
pub use shown::shown_to_model;
pub use sluice_catalogue::CatalogueOptions;
pub use sluice_catalogue::memory::MemoryOptions;
pub use sluice_catalogue::plugins::PluginDir;
pub use sluice_catalogue::plugins::library;
pub use sluice_model::compaction::Compaction;
pub use sluice_model::{Auth as ModelAuth, Config as ModelConfig, Error as ModelError};
/// Settings files of all scopes.
pub use sluice_settings as settings;
pub use sluice_tools::Toolbox;
pub use sluice_tools::WebConfig;
pub use sluice_tools::worktree;
pub use sluice_tools::{OutputSchema, SchemaError};
pub use sluice_transcript as transcript;

pub use untrusted::{held, held_back};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The protocol version of this engine, numbered like the versions of the reference CLI.
pub const PROTOCOL_VERSION: &str = messages::PROTOCOL_VERSION;

/// The line for a host if no session can start: a `result` with the reason as text and as `startup_failure_reason`.
#[must_use]
pub fn startup_failure(session_id: &str, reason: &str, text: &str) -> String {
    let mut result = messages::refusal(text);
    session_id.clone_into(&mut result.session_id);
    result.startup_failure_reason = Some(reason.to_owned());
    serde_json::to_string(&sluice_wire::ToHost::from(result)).unwrap_or_default()
}

/// Starts a session on the current runtime.
///
/// # Errors
/// Returns an error if the model's address or the proxies are invalid.
pub fn start(options: Options) -> Result<Port, ModelError> {
    let client = std::sync::Arc::new(options.client()?);
    let (input, inbox) = mpsc::channel(port::INPUT_DEPTH);
    let (messages, output) = mpsc::channel(port::OUTPUT_DEPTH);
    let quit = CancellationToken::new();
    let out = out::Out::new(messages, &options.session.id, quit.clone());
    let session = session::Session::new(options, client, out.clone(), quit.clone());
    let open_turn = session.line.open_turn();
    let session = session_loop::SessionLoop::new(session, inbox);
    let done = tokio::spawn(guard::catch_session_panic(session.run(), out, open_turn));
    Ok(Port {
        input,
        output,
        quit,
        done,
    })
}
