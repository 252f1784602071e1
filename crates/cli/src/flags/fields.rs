//! `Flags`: a typed field for each flag of the table.

use clap_complete::Shell;

/// A parsed command line. An absent flag is `None`, `false` or empty; an empty value is kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Flags {
    // Command to run.
    pub(crate) subcommand: Option<Subcommand>,
    pub(crate) prompt: Option<String>,
    pub(crate) print: bool,
    pub(crate) version: bool,
    pub(crate) help: bool,
    /// Subcommand whose help was requested.
    pub(crate) help_of: Option<String>,

    // Format of input and output.
    pub(crate) output_format: OutputFormat,
    pub(crate) input_format: InputFormat,
    pub(crate) verbose: bool,
    pub(crate) include_partial_messages: bool,
    pub(crate) include_hook_events: bool,
    pub(crate) init: bool,
    pub(crate) init_only: bool,
    pub(crate) maintenance: bool,
    pub(crate) replay_user_messages: bool,
    pub(crate) forward_subagent_text: bool,
    pub(crate) prompt_suggestions: Option<String>,
    pub(crate) json_schema: Option<String>,

    // Model and effort.
    pub(crate) model: Option<String>,
    pub(crate) fallback_model: Option<Vec<String>>,
    pub(crate) betas: Option<Vec<String>>,
    pub(crate) effort: Option<String>,
    pub(crate) thinking: Option<String>,
    pub(crate) thinking_display: Option<String>,
    pub(crate) max_thinking_tokens: Option<u32>,

    // Limits. `--max-turns 0` means no limit, as in the reference CLI.
    pub(crate) max_turns: Option<u32>,
    pub(crate) max_budget_usd: Option<f64>,
    pub(crate) task_budget: Option<u64>,
    pub(crate) autocompact: Option<Window>,

    // System prompt.
    pub(crate) system_prompt: Option<String>,
    pub(crate) system_prompt_file: Option<String>,
    pub(crate) append_system_prompt: Option<String>,
    pub(crate) append_system_prompt_file: Option<String>,
    pub(crate) system_prompt_snapshot: Option<String>,
    pub(crate) exclude_dynamic_system_prompt_sections: bool,

    // Tools and permissions.
    /// An empty list disables all built-in tools; `["default"]` is the default set.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) allowed_tools: Vec<String>,
    pub(crate) disallowed_tools: Vec<String>,
    /// In wire spelling: `manual` on the command line is `default` here.
    pub(crate) permission_mode: Option<String>,
    pub(crate) permission_prompt_tool: Option<String>,
    pub(crate) permission_prompts: Option<String>,
    pub(crate) allow_dangerously_skip_permissions: bool,
    pub(crate) dangerously_skip_permissions: bool,
    pub(crate) restricted: bool,
    pub(crate) brief: bool,
    /// Trust the folder for this run, regardless of the saved list.
    pub(crate) trust_folder: bool,

    // Conversation.
    pub(crate) continue_session: bool,
    /// `Some("")` for `--resume` without a value: choose from a list.
    pub(crate) resume: Option<String>,
    pub(crate) fork_session: bool,
    pub(crate) resume_session_at: Option<String>,
    pub(crate) resume_drops_turn: Option<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) session_mirror: bool,
    pub(crate) no_session_persistence: bool,
    pub(crate) name: Option<String>,

    // Settings, folders, servers, plugins, agents.
    pub(crate) settings: Option<String>,
    pub(crate) ignore_invalid_settings: bool,
    /// Identifies the host if it belongs to this project: `page`.
    pub(crate) own_host: Option<String>,
    pub(crate) managed_settings: Option<String>,
    pub(crate) managed_settings_in_initialize: bool,
    /// An empty list disables all settings files.
    pub(crate) setting_sources: Option<Vec<String>>,
    pub(crate) add_dir: Vec<String>,
    pub(crate) project_config_root: Option<String>,
    pub(crate) mcp_config: Vec<String>,
    pub(crate) strict_mcp_config: bool,
    pub(crate) plugin_dir: Vec<String>,
    pub(crate) plugin_dir_no_mcp: Vec<String>,
    pub(crate) plugin_url: Vec<String>,
    /// Plugins unpacked from archives; not a flag.
    pub(crate) plugins_brought: Vec<sluice_engine::PluginDir>,
    pub(crate) agent: Option<String>,
    /// Command line of another agent to use with this terminal.
    pub(crate) agent_command: Option<String>,
    pub(crate) agents: Option<String>,
    pub(crate) disable_slash_commands: bool,

    // How the process is started and observed.
    pub(crate) await_initialize: bool,
    pub(crate) await_claim: bool,
    /// `Some("")` for `--worktree` without a value: generate a name.
    pub(crate) worktree: Option<String>,
    pub(crate) screen_reader: bool,
    pub(crate) bare: bool,
    pub(crate) safe_mode: bool,
    /// `Some("")` for `--debug` without a value: all categories.
    pub(crate) debug: Option<String>,
    pub(crate) debug_file: Option<String>,
}

/// Size of the context at which the conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    /// The context window of the model, regardless of other settings.
    Auto,
    /// A number of tokens.
    Tokens(u64),
}

impl Window {
    /// Parses `auto`, `500k`, `1M`, `200000`, or `200` for 200k.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if text == "auto" {
            return Some(Self::Auto);
        }
        let (digits, unit) = match text.strip_suffix('k') {
            Some(digits) => (digits, 1_000),
            None => match text.strip_suffix('m') {
                Some(digits) => (digits, 1_000_000),
                None => (text.as_str(), 1),
            },
        };
        let number: u64 = digits.parse().ok()?;
        let unit = if unit == 1 && (100..=1_000).contains(&number) {
            1_000
        } else {
            unit
        };
        let tokens = number.checked_mul(unit)?;
        (100_000..=1_000_000).contains(&tokens).then_some(Self::Tokens(tokens))
    }
}

/// A subcommand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subcommand {
    Sim(Sim),
    Doctor,
    /// Repairs the terminal.
    Repair,
    Mcp(Mcp),
    Plugin(Plugin),
    /// Reports the available credentials.
    AuthStatus {
        /// As text instead of JSON.
        text: bool,
    },
    /// Runs or controls the bridge.
    Serve(Box<Serve>),
    /// Opens a session of a bridge in this terminal.
    Attach {
        session: Option<String>,
        state: Option<String>,
    },
    /// Prints shell completions.
    Completions(Shell),
    /// Prints the manual page.
    Man,
}

/// Configuration of a bridge, or a request to a running one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Serve {
    pub(crate) ask: Option<ServeAsk>,
    pub(crate) port: Option<u16>,
    pub(crate) bind: Vec<String>,
    pub(crate) hosts: Vec<String>,
    pub(crate) roots: Vec<String>,
    pub(crate) state: Option<String>,
    pub(crate) agents: Vec<String>,
    pub(crate) tls: bool,
    pub(crate) tls_cert: Option<String>,
    pub(crate) tls_key: Option<String>,
    pub(crate) behind_proxy: bool,
    pub(crate) metrics_addr: Option<String>,
    pub(crate) idle: Option<std::time::Duration>,
    pub(crate) retain_days: Option<u64>,
    pub(crate) expire_days: Option<u64>,
    pub(crate) qr: bool,
    pub(crate) log_format: Option<String>,
    pub(crate) verbose: bool,
}

/// A request to a running bridge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ServeAsk {
    Status { json: bool },
    Pair { scope: Option<String> },
    Token { name: String, scope: Option<String> },
    Devices { json: bool, revoke: Option<String> },
    Stop,
    Upgrade,
    Unit,
    Backup { file: String },
    Restore { file: String },
}

/// Plugin commands that need no session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Plugin {
    /// Lists the plugins that a session in this folder would load.
    List { json: bool },
    /// Validates the plugin in a folder.
    Validate { path: String, strict: bool, json: bool },
}

/// MCP commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mcp {
    /// Runs an MCP server with the tools or the agent.
    Serve { agent: bool },
    /// Adds a server to the configuration.
    Add(Box<McpAdd>),
    /// Lists the configured servers and their status.
    List,
    /// Shows one server.
    Get { name: String },
    /// Removes a server.
    Remove { name: String, scope: Option<String> },
    /// Resets the approvals for servers of this project.
    ResetProjectChoices,
}

/// A server to add.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct McpAdd {
    pub(crate) name: String,
    /// `local`, `project` or `user`.
    pub(crate) scope: String,
    /// `stdio`, `http` or `sse`.
    pub(crate) transport: Option<String>,
    /// Entries of the form `NAME=value`.
    pub(crate) env: Vec<String>,
    /// Entries of the form `Name: value`.
    pub(crate) headers: Vec<String>,
    /// A command with arguments, or a URL.
    pub(crate) words: Vec<String>,
    /// Complete configuration as JSON, instead of the other fields.
    pub(crate) json: Option<String>,
}

/// Simulators: a scripted model or agent, and the script file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sim {
    Model { script: String },
    Agent { script: String },
}

/// Format of standard output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    #[default]
    Text,
    Json,
    StreamJson,
}

/// Format of standard input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum InputFormat {
    #[default]
    Text,
    StreamJson,
}

impl OutputFormat {
    pub(super) const CHOICES: &[&str] = &["text", "json", "stream-json"];

    pub(super) fn read(text: &str) -> Option<Self> {
        match text {
            "text" => Some(Self::Text),
            "json" => Some(Self::Json),
            "stream-json" => Some(Self::StreamJson),
            _ => None,
        }
    }
}

impl InputFormat {
    pub(super) const CHOICES: &[&str] = &["text", "stream-json"];

    pub(super) fn read(text: &str) -> Option<Self> {
        match text {
            "text" => Some(Self::Text),
            "stream-json" => Some(Self::StreamJson),
            _ => None,
        }
    }
}

impl Flags {
    /// True for an interactive session: neither print mode nor a host that uses stream-json.
    ///
    /// The official SDKs do not pass `--print`; the formats alone make a session headless.
    pub(crate) fn interactive(&self) -> bool {
        !self.print
            && !self.init_only
            && self.output_format == OutputFormat::Text
            && self.input_format == InputFormat::Text
    }
}
