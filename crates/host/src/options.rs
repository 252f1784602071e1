//! The options an agent is started with: those of the official SDKs, with the same names.

mod argv;
mod greeting;
mod setters;
mod values;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use sluice_wire::control::{
    AgentDefinition, Elicitation, ElicitationResponse, RequestUserDialog, RequestUserDialogResponse,
};
use sluice_wire::hook::{HookInput, HookOutput};
use sluice_wire::mode::PermissionMode;
use sluice_wire::{DEFAULT_CAP, Map};

pub use values::{Deadlines, Plugin, Settings, Skills, SystemPrompt, Thinking, Tools};

use crate::callbacks::{Callbacks, Hook, PermissionAsk, PermissionDecision, callback};
use crate::mcp::McpServer;
use crate::store::SessionStore;

/// The options of an agent: how it is started, and the content of `initialize`. Options that are not set are not sent.
///
/// ```
/// use sluice_host::{PermissionDecision, Options, SystemPrompt};
/// let options = Options::new()
///     .cwd("/srv/project")
///     .model("claude-sonnet-4-5")
///     .system_prompt(SystemPrompt::preset())
///     .allowed_tools(["Read", "Bash(git status)"])
///     .max_turns(10)
///     .on_permission(|ask| async move {
///         if ask.tool_name() == "Write" { PermissionDecision::allow() } else { PermissionDecision::deny("only files") }
///     });
/// # drop(options);
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) program: PathBuf,
    pub(crate) program_args: Vec<OsString>,
    pub(crate) env: BTreeMap<OsString, Option<OsString>>,
    pub(crate) clear_env: bool,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) user: Option<u32>,
    pub(crate) entrypoint: String,
    pub(crate) client_app: Option<String>,
    pub(crate) enable_file_checkpointing: bool,
    pub(crate) question_preview_format: Option<String>,

    pub(crate) system_prompt: SystemPrompt,
    pub(crate) tools: Option<Tools>,
    pub(crate) allowed_tools: Vec<String>,
    pub(crate) disallowed_tools: Vec<String>,
    pub(crate) max_turns: Option<u64>,
    pub(crate) max_budget_usd: Option<f64>,
    pub(crate) task_budget: Option<u64>,
    pub(crate) model: Option<String>,
    pub(crate) fallback_model: Vec<String>,
    pub(crate) betas: Vec<String>,
    pub(crate) permission_prompt_tool_name: Option<String>,
    pub(crate) permission_prompts_none: bool,
    pub(crate) permission_mode: Option<PermissionMode>,
    pub(crate) allow_dangerously_skip_permissions: bool,
    pub(crate) asks: bool,

    pub(crate) continue_conversation: bool,
    pub(crate) resume: Option<String>,
    pub(crate) fork_session: bool,
    pub(crate) resume_session_at: Option<String>,
    pub(crate) resume_drops_turn: Option<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) persist_session: bool,
    pub(crate) session_mirror: bool,
    pub(crate) session_store: Option<Arc<dyn SessionStore>>,
    pub(crate) eager_session_store: bool,
    pub(crate) config_dir: Option<PathBuf>,
    pub(crate) scratch_dir: Option<PathBuf>,

    pub(crate) settings: Option<Settings>,
    pub(crate) sandbox: Option<Value>,
    pub(crate) managed_settings: Option<Value>,
    pub(crate) setting_sources: Option<Vec<String>>,
    pub(crate) add_dirs: Vec<PathBuf>,
    pub(crate) project_config_root: Option<PathBuf>,

    pub(crate) mcp_servers: Map<Value>,
    pub(crate) mcp_config: Option<PathBuf>,
    pub(crate) strict_mcp_config: bool,
    pub(crate) sdk_servers: Vec<McpServer>,
    pub(crate) plugins: Vec<Plugin>,
    pub(crate) plugins_in_greeting: bool,

    pub(crate) include_partial_messages: bool,
    pub(crate) include_hook_events: bool,
    pub(crate) replay_user_messages: bool,
    pub(crate) agent: Option<String>,
    pub(crate) agents: Map<AgentDefinition>,
    pub(crate) thinking: Option<Thinking>,
    pub(crate) max_thinking_tokens: Option<u64>,
    pub(crate) effort: Option<String>,
    pub(crate) output_schema: Option<Value>,
    pub(crate) debug: bool,
    pub(crate) debug_file: Option<PathBuf>,
    pub(crate) extra_args: Map<Option<String>>,

    pub(crate) title: Option<String>,
    pub(crate) skills: Option<Skills>,
    pub(crate) tool_aliases: Map<String>,
    pub(crate) plan_mode_instructions: Option<String>,
    pub(crate) prompt_suggestions: Option<bool>,
    pub(crate) agent_progress_summaries: Option<bool>,
    pub(crate) forward_subagent_text: Option<bool>,
    pub(crate) per_task_stop_affordance: Option<bool>,
    pub(crate) supported_dialog_kinds: Vec<String>,
    pub(crate) exclude_dynamic_sections: Option<bool>,
    pub(crate) system_prompt_snapshot: Option<bool>,

    pub(crate) callbacks: Callbacks,
    pub(crate) line_cap: usize,
    pub(crate) log_cap: usize,
    pub(crate) outbox_cap: usize,
    pub(crate) deadlines: Deadlines,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            program: PathBuf::from("sluice"),
            program_args: Vec::new(),
            env: BTreeMap::new(),
            clear_env: false,
            cwd: None,
            user: None,
            entrypoint: "sdk-rs".to_owned(),
            client_app: None,
            enable_file_checkpointing: false,
            question_preview_format: None,
            system_prompt: SystemPrompt::None,
            tools: None,
            allowed_tools: Vec::new(),
            disallowed_tools: Vec::new(),
            max_turns: None,
            max_budget_usd: None,
            task_budget: None,
            model: None,
            fallback_model: Vec::new(),
            betas: Vec::new(),
            permission_prompt_tool_name: None,
            permission_prompts_none: false,
            permission_mode: None,
            allow_dangerously_skip_permissions: false,
            asks: false,
            continue_conversation: false,
            resume: None,
            fork_session: false,
            resume_session_at: None,
            resume_drops_turn: None,
            session_id: None,
            persist_session: true,
            session_mirror: false,
            session_store: None,
            eager_session_store: false,
            config_dir: None,
            scratch_dir: None,
            settings: None,
            sandbox: None,
            managed_settings: None,
            setting_sources: None,
            add_dirs: Vec::new(),
            project_config_root: None,
            mcp_servers: Map::default(),
            mcp_config: None,
            strict_mcp_config: false,
            sdk_servers: Vec::new(),
            plugins: Vec::new(),
            plugins_in_greeting: false,
            include_partial_messages: false,
            include_hook_events: false,
            replay_user_messages: true,
            agent: None,
            agents: Map::default(),
            thinking: None,
            max_thinking_tokens: None,
            effort: None,
            output_schema: None,
            debug: false,
            debug_file: None,
            extra_args: Map::default(),
            title: None,
            skills: None,
            tool_aliases: Map::default(),
            plan_mode_instructions: None,
            prompt_suggestions: None,
            agent_progress_summaries: None,
            forward_subagent_text: None,
            per_task_stop_affordance: None,
            supported_dialog_kinds: Vec::new(),
            exclude_dynamic_sections: None,
            system_prompt_snapshot: None,
            callbacks: Callbacks::default(),
            line_cap: DEFAULT_CAP,
            log_cap: 32 * 1024 * 1024,
            outbox_cap: 64 * 1024 * 1024,
            deadlines: Deadlines::default(),
        }
    }
}

impl Options {
    /// Creates the default options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a variable in the agent's environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), Some(value.into()));
        self
    }

    /// Removes a variable from the agent's environment.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), None);
        self
    }

    /// Sets which settings files are used: `user`, `project`, `local`. An empty list disables all.
    #[must_use]
    pub fn setting_sources(mut self, sources: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.setting_sources = Some(sources.into_iter().map(Into::into).collect());
        self
    }

    /// Adds an MCP server outside this program, in the format of a configuration file.
    #[must_use]
    pub fn mcp_server_config(mut self, name: impl Into<String>, config: Value) -> Self {
        self.mcp_servers.insert(name.into(), config);
        self
    }

    /// Adds an MCP server inside this program.
    #[must_use]
    pub fn mcp_server(mut self, server: McpServer) -> Self {
        self.sdk_servers.push(server);
        self
    }

    /// Adds a subagent definition.
    #[must_use]
    pub fn subagent(mut self, name: impl Into<String>, definition: AgentDefinition) -> Self {
        self.agents.insert(name.into(), definition);
        self
    }

    /// Adds another flag, without its dashes, and its value.
    #[must_use]
    pub fn extra_arg(mut self, flag: impl Into<String>, value: Option<&str>) -> Self {
        self.extra_args.insert(flag.into(), value.map(str::to_owned));
        self
    }

    /// Adds another name for a tool.
    #[must_use]
    pub fn tool_alias(mut self, alias: impl Into<String>, tool: impl Into<String>) -> Self {
        self.tool_aliases.insert(alias.into(), tool.into());
        self
    }

    /// Copies the agent's transcripts to a [store](crate::store), and resumes sessions from there.
    #[must_use]
    pub fn session_store(mut self, store: impl SessionStore) -> Self {
        self.session_store = Some(Arc::new(store));
        self
    }

    /// Answers permission requests (`can_use_tool`) with a callback.
    #[must_use]
    pub fn on_permission<F>(mut self, call: impl Fn(PermissionAsk) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = PermissionDecision> + Send + 'static,
    {
        self.callbacks.permission = Some(callback(call));
        self
    }

    /// Answers elicitations of MCP servers with a callback. Without one they are declined.
    #[must_use]
    pub fn on_elicitation<F>(mut self, call: impl Fn(Elicitation) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitationResponse> + Send + 'static,
    {
        self.callbacks.elicitation = Some(callback(call));
        self
    }

    /// Answers dialogs of these kinds with a callback.
    #[must_use]
    pub fn on_dialog<F>(
        mut self,
        kinds: impl IntoIterator<Item = impl Into<String>>,
        call: impl Fn(RequestUserDialog) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = RequestUserDialogResponse> + Send + 'static,
    {
        self.supported_dialog_kinds = kinds.into_iter().map(Into::into).collect();
        self.callbacks.dialog = Some(callback(call));
        self
    }

    /// Calls a function for a hook event such as `PreToolUse`. `matcher` selects the tools.
    #[must_use]
    pub fn hook<F>(
        self,
        event: impl Into<String>,
        matcher: Option<&str>,
        call: impl Fn(HookInput) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = HookOutput> + Send + 'static,
    {
        self.hook_within(event, matcher, None, call)
    }

    /// Like [`Options::hook`], with the timeout after which the agent continues without the function.
    #[must_use]
    pub fn hook_within<F>(
        mut self,
        event: impl Into<String>,
        matcher: Option<&str>,
        timeout: Option<Duration>,
        call: impl Fn(HookInput) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = HookOutput> + Send + 'static,
    {
        self.callbacks.hooks.push(Hook {
            event: event.into(),
            matcher: matcher.map(str::to_owned),
            timeout_s: timeout.map(|timeout| timeout.as_secs_f64()),
            block_on_failure: false,
            call: callback(call),
        });
        self
    }

    /// Makes the hook that was added last block the call if the hook fails or times out.
    #[must_use]
    pub fn or_block(mut self) -> Self {
        if let Some(hook) = self.callbacks.hooks.last_mut() {
            hook.block_on_failure = true;
        }
        self
    }
}
