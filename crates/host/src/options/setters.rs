//! Methods of [`Options`] that set one field.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::Value;
use sluice_wire::mode::PermissionMode;

use super::{Deadlines, Options, Plugin, Settings, Skills, SystemPrompt, Thinking, Tools};

/// Defines methods that set one field each: a value, an optional value, a number, or a list.
macro_rules! setters {
    ($($(#[doc = $doc:literal])+ $kind:ident $field:ident: $ty:ty;)*) => {
        impl Options {
            $(setters!(@ $kind $field $ty, $($doc)+);)*
        }
    };
    (@ is $field:ident $ty:ty, $($doc:literal)+) => {
        $(#[doc = $doc])+
        #[must_use]
        pub fn $field(mut self, $field: impl Into<$ty>) -> Self {
            self.$field = $field.into();
            self
        }
    };
    (@ optional $field:ident $ty:ty, $($doc:literal)+) => {
        $(#[doc = $doc])+
        #[must_use]
        pub fn $field(mut self, $field: impl Into<$ty>) -> Self {
            self.$field = Some($field.into());
            self
        }
    };
    (@ number $field:ident $ty:ty, $($doc:literal)+) => {
        $(#[doc = $doc])+
        #[must_use]
        pub fn $field(mut self, $field: $ty) -> Self {
            self.$field = $field.into();
            self
        }
    };
    (@ list $field:ident $ty:ty, $($doc:literal)+) => {
        $(#[doc = $doc])+
        #[must_use]
        pub fn $field(mut self, $field: impl IntoIterator<Item = impl Into<$ty>>) -> Self {
            self.$field.extend($field.into_iter().map(Into::into));
            self
        }
    };
}

setters! {
    /// The program of the agent; a bare name is searched for on `PATH`. Default: `sluice`.
    is program: PathBuf;
    /// Arguments before all flags, such as the script if the program is an interpreter.
    list program_args: OsString;
    /// Starts with an empty environment instead of that of this program.
    is clear_env: bool;
    /// The working folder of the agent.
    optional cwd: PathBuf;
    /// The id of the user to run the agent as.
    number user: u32;
    /// The entry point that transcripts record for the session. Default: `sdk-rs`.
    is entrypoint: String;
    /// The name of this program, which is sent to the model's provider.
    optional client_app: String;
    /// Saves copies of files before they are changed, so that they can be restored.
    is enable_file_checkpointing: bool;
    /// The format of previews in questions: `html` or `markdown`.
    optional question_preview_format: String;
    /// The system prompt.
    is system_prompt: SystemPrompt;
    /// The built-in tools that are enabled.
    optional tools: Tools;
    /// Rules for calls that run without a permission request.
    list allowed_tools: String;
    /// Rules for calls that are always denied.
    list disallowed_tools: String;
    /// The maximum number of requests to the model per turn.
    number max_turns: u64;
    /// The maximum cost of the session in US dollars.
    number max_budget_usd: f64;
    /// The maximum number of tokens of a task.
    number task_budget: u64;
    /// The model.
    optional model: String;
    /// Fallback models, in order of preference.
    list fallback_model: String;
    /// Betas of the API to enable.
    list betas: String;
    /// A tool of an MCP server that answers permission requests instead of this program.
    optional permission_prompt_tool_name: String;
    /// Denies permission requests immediately, as this host cannot answer them.
    is permission_prompts_none: bool;
    /// The permission mode.
    optional permission_mode: PermissionMode;
    /// Allows changing the mode to `bypassPermissions`.
    is allow_dangerously_skip_permissions: bool;
    /// Delivers permission requests as events, to be answered with [`Client::answer`](crate::Client::answer) instead of a
    /// callback.
    is asks: bool;
    /// Resumes the newest session of the folder.
    is continue_conversation: bool;
    /// Resumes the session with this id or title.
    optional resume: String;
    /// Resumes in a new session and leaves the old one unchanged.
    is fork_session: bool;
    /// Resumes at this entry and drops later ones.
    optional resume_session_at: String;
    /// Fails unless all dropped entries belong to the turn of this prompt.
    optional resume_drops_turn: String;
    /// The id of the new session.
    optional session_id: String;
    /// Whether the session is saved on disk.
    is persist_session: bool;
    /// Makes the agent send every entry of its transcript.
    is session_mirror: bool;
    /// Writes entries to the store immediately instead of at the end of a turn.
    is eager_session_store: bool;
    /// The configuration folder of the agent, instead of the person's.
    optional config_dir: PathBuf;
    /// The folder in which a session of a store is written to files for the agent. Default: `/tmp`.
    optional scratch_dir: PathBuf;
    /// A settings file, or settings as an object.
    optional settings: Settings;
    /// The `sandbox` part of the settings.
    optional sandbox: Value;
    /// Settings that override all others.
    optional managed_settings: Value;
    /// Additional working folders.
    list add_dirs: PathBuf;
    /// The folder of the project's configuration, if it is not the working folder.
    optional project_config_root: PathBuf;
    /// A file with MCP servers.
    optional mcp_config: PathBuf;
    /// Uses only the MCP servers of these options.
    is strict_mcp_config: bool;
    /// Plugins.
    list plugins: Plugin;
    /// Sends the plugins in `initialize` instead of on the command line.
    is plugins_in_greeting: bool;
    /// Makes the agent forward every event of the model's stream.
    is include_partial_messages: bool;
    /// Makes the agent report when hooks run.
    is include_hook_events: bool;
    /// Makes the agent repeat each prompt when it processes it, which is the only confirmation by older agents. Enabled by
    /// default.
    is replay_user_messages: bool;
    /// The agent definition of the main session.
    optional agent: String;
    /// The extended thinking mode.
    optional thinking: Thinking;
    /// The maximum number of thinking tokens. The only thinking option of older agents.
    number max_thinking_tokens: u64;
    /// The effort: `low`, `medium`, `high`, `xhigh`, `max`.
    optional effort: String;
    /// The JSON schema of the answer.
    optional output_schema: Value;
    /// Makes the agent write debug output to its stderr.
    is debug: bool;
    /// Makes the agent write debug output to a file.
    optional debug_file: PathBuf;
    /// The title of the session.
    optional title: String;
    /// The skills that are enabled.
    optional skills: Skills;
    /// The instructions for the model in plan mode.
    optional plan_mode_instructions: String;
    /// Enables suggestions for the next prompt.
    optional prompt_suggestions: bool;
    /// Enables summaries of the progress of subagents.
    optional agent_progress_summaries: bool;
    /// Makes the agent forward the text of subagents.
    optional forward_subagent_text: bool;
    /// Declares that this host can stop single background tasks, so that an interrupt does not stop them.
    optional per_task_stop_affordance: bool;
    /// Omits parts of the system prompt that differ between folders.
    optional exclude_dynamic_sections: bool;
    /// Keeps the system prompt from the start of a session.
    optional system_prompt_snapshot: bool;
    /// The maximum length of a line of the agent in bytes; longer lines are reported and dropped.
    number line_cap: usize;
    /// The maximum size in bytes of events that are stored for slow subscribers.
    number log_cap: usize;
    /// The maximum number of bytes queued for an agent that does not read; prompts and requests beyond it are rejected.
    number outbox_cap: usize;
    /// The timeouts for the agent.
    is deadlines: Deadlines;
}
