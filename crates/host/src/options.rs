//! Options of an agent before it starts: those of the official SDKs, by the same names.

mod argv;
mod greeting;
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

/// Options of an agent: how it is started and what `initialize` says. Nothing is set that is not asked for.
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

/// Methods that set one field each: a value, something that may be missing, a list, a map.
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
    (@ maybe $field:ident $ty:ty, $($doc:literal)+) => {
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
    /// The agent's program; a bare name is looked for on `PATH`. Without it: `sluice`.
    is program: PathBuf;
    /// What stands before every flag, such as the script when the program is an interpreter.
    list program_args: OsString;
    /// Starts with an empty environment instead of this program's.
    is clear_env: bool;
    /// The folder the agent works in.
    maybe cwd: PathBuf;
    /// The number of the user the agent runs as.
    number user: u32;
    /// What transcripts say about where a session came from. Without it: `sdk-rs`.
    is entrypoint: String;
    /// The name of this program, for the model's provider.
    maybe client_app: String;
    /// Keeps copies of changed files, so that they can be put back.
    is enable_file_checkpointing: bool;
    /// How previews in questions are written: `html` or `markdown`.
    maybe question_preview_format: String;
    /// The system prompt.
    is system_prompt: SystemPrompt;
    /// The built-in tools that are enabled.
    maybe tools: Tools;
    /// Rules of calls that run without asking.
    list allowed_tools: String;
    /// Rules of calls that never run.
    list disallowed_tools: String;
    /// How many requests to the model a turn may make.
    number max_turns: u64;
    /// How much a session may cost.
    number max_budget_usd: f64;
    /// How many tokens a task may use.
    number task_budget: u64;
    /// The model.
    maybe model: String;
    /// Models to fall back to, in order.
    list fallback_model: String;
    /// Betas of the API.
    list betas: String;
    /// A tool of an MCP server that answers asks, instead of this program.
    maybe permission_prompt_tool_name: String;
    /// Nobody answers asks: they are denied at once.
    is permission_prompts_none: bool;
    /// How much the agent may do without asking.
    maybe permission_mode: PermissionMode;
    /// Lets the mode become `bypassPermissions`.
    is allow_dangerously_skip_permissions: bool;
    /// Asks come as events and are answered with [`Client::answer`](crate::Client::answer); no callback is needed.
    is asks: bool;
    /// Goes on with the newest session of the folder.
    is continue_conversation: bool;
    /// Goes on with this session: its id or title.
    maybe resume: String;
    /// Goes on as a new session and leaves the old one as it is.
    is fork_session: bool;
    /// Forgets what came after this entry.
    maybe resume_session_at: String;
    /// Refuses to, unless all of it belongs to this prompt.
    maybe resume_drops_turn: String;
    /// The id of the new session.
    maybe session_id: String;
    /// Whether the session is kept on disk.
    is persist_session: bool;
    /// Lets the agent send every entry of its transcript.
    is session_mirror: bool;
    /// Hands what is written down to the store at once, instead of when a turn ends.
    is eager_session_store: bool;
    /// The agent's configuration folder, instead of the person's own.
    maybe config_dir: PathBuf;
    /// Where a session of a store is laid out for the agent. Without it: `/tmp`.
    maybe scratch_dir: PathBuf;
    /// A settings file, or settings.
    maybe settings: Settings;
    /// The `sandbox` part of the settings.
    maybe sandbox: Value;
    /// Settings that win over all others.
    maybe managed_settings: Value;
    /// More folders to work in.
    list add_dirs: PathBuf;
    /// Where a project's configuration is, when that is not its folder.
    maybe project_config_root: PathBuf;
    /// A file of MCP servers.
    maybe mcp_config: PathBuf;
    /// No MCP servers but those named here.
    is strict_mcp_config: bool;
    /// Plugins.
    list plugins: Plugin;
    /// Names the plugins in the greeting instead of on the command line.
    is plugins_in_greeting: bool;
    /// Passes on every event of the model's stream.
    is include_partial_messages: bool;
    /// Tells when hooks run.
    is include_hook_events: bool;
    /// Lets the agent repeat each prompt as it takes it in: the only proof of that older ones give. On unless switched off.
    is replay_user_messages: bool;
    /// The agent that leads the session.
    maybe agent: String;
    /// Extended thinking.
    maybe thinking: Thinking;
    /// How many tokens it may think; older agents know only this.
    number max_thinking_tokens: u64;
    /// How hard it tries: `low`, `medium`, `high`, `xhigh`, `max`.
    maybe effort: String;
    /// The JSON schema the answer shall have.
    maybe output_schema: Value;
    /// Writes what happens inside the agent to its stderr.
    is debug: bool;
    /// The same, to a file.
    maybe debug_file: PathBuf;
    /// The title of the session.
    maybe title: String;
    /// The skills that are enabled.
    maybe skills: Skills;
    /// What plan mode tells the model.
    maybe plan_mode_instructions: String;
    /// Suggests what to ask next.
    maybe prompt_suggestions: bool;
    /// Sums up what subagents do.
    maybe agent_progress_summaries: bool;
    /// Passes on what subagents say.
    maybe forward_subagent_text: bool;
    /// This host can stop one background task: an interrupt then leaves them alone.
    maybe per_task_stop_affordance: bool;
    /// Leaves what changes from folder to folder out of the system prompt.
    maybe exclude_dynamic_sections: bool;
    /// Keeps the system prompt of a session's start.
    maybe system_prompt_snapshot: bool;
    /// The longest line of the agent that is taken, in bytes; a longer one is reported and passed over.
    number line_cap: usize;
    /// How many bytes of events are kept for those who listen slowly.
    number log_cap: usize;
    /// How many bytes may wait for an agent that does not read; prompts and requests over it are refused.
    number outbox_cap: usize;
    /// How long the agent may take.
    is deadlines: Deadlines;
}

impl Options {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a variable of the agent's environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), Some(value.into()));
        self
    }

    /// Takes a variable out of the agent's environment.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), None);
        self
    }

    /// Which settings files count: `user`, `project`, `local`; none for an empty list.
    #[must_use]
    pub fn setting_sources(mut self, sources: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.setting_sources = Some(sources.into_iter().map(Into::into).collect());
        self
    }

    /// An MCP server outside this program, as in a configuration file.
    #[must_use]
    pub fn mcp_server_config(mut self, name: impl Into<String>, config: Value) -> Self {
        self.mcp_servers.insert(name.into(), config);
        self
    }

    /// An MCP server inside this program.
    #[must_use]
    pub fn mcp_server(mut self, server: McpServer) -> Self {
        self.sdk_servers.push(server);
        self
    }

    /// A kind of subagent.
    #[must_use]
    pub fn subagent(mut self, name: impl Into<String>, definition: AgentDefinition) -> Self {
        self.agents.insert(name.into(), definition);
        self
    }

    /// Any other flag, without its dashes, and its value.
    #[must_use]
    pub fn extra_arg(mut self, flag: impl Into<String>, value: Option<&str>) -> Self {
        self.extra_args.insert(flag.into(), value.map(str::to_owned));
        self
    }

    /// Another name for a tool.
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

    /// Answers permission requests (`can_use_tool`).
    #[must_use]
    pub fn on_permission<F>(mut self, call: impl Fn(PermissionAsk) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = PermissionDecision> + Send + 'static,
    {
        self.callbacks.permission = Some(callback(call));
        self
    }

    /// Answers elicitations of MCP servers. Without it they are declined.
    #[must_use]
    pub fn on_elicitation<F>(mut self, call: impl Fn(Elicitation) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitationResponse> + Send + 'static,
    {
        self.callbacks.elicitation = Some(callback(call));
        self
    }

    /// Shows dialogs of these kinds.
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

    /// Calls a function when something happens, such as `PreToolUse`; `matcher` says for which tools.
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

    /// The same, with how long the agent waits for it.
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

    /// Makes the last hook block when it fails or times out: the call does not run.
    #[must_use]
    pub fn or_block(mut self) -> Self {
        if let Some(hook) = self.callbacks.hooks.last_mut() {
            hook.block_on_failure = true;
        }
        self
    }
}
