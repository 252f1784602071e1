//! `Flags`: a typed field for every flag of the table.

use clap_complete::Shell;

/// A command line once read. An absent flag is `None`, `false` or empty; an empty value is kept as such.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Flags {
    // What to do at all.
    pub(crate) subcommand: Option<Subcommand>,
    pub(crate) prompt: Option<String>,
    pub(crate) print: bool,
    pub(crate) version: bool,
    pub(crate) help: bool,
    /// The help of the subcommand that was asked about.
    pub(crate) help_of: Option<String>,

    // The shape of input and output.
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

    // The model and how hard it thinks.
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

    // What the model is told.
    pub(crate) system_prompt: Option<String>,
    pub(crate) system_prompt_file: Option<String>,
    pub(crate) append_system_prompt: Option<String>,
    pub(crate) append_system_prompt_file: Option<String>,
    pub(crate) system_prompt_snapshot: Option<String>,
    pub(crate) exclude_dynamic_system_prompt_sections: bool,

    // Tools and who may run them.
    /// `Some` and empty: no built-in tool at all. `["default"]`: the usual set.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) allowed_tools: Vec<String>,
    pub(crate) disallowed_tools: Vec<String>,
    /// In the spelling of the wire: the command line's `manual` is `default` here.
    pub(crate) permission_mode: Option<String>,
    pub(crate) permission_prompt_tool: Option<String>,
    pub(crate) permission_prompts: Option<String>,
    pub(crate) allow_dangerously_skip_permissions: bool,
    pub(crate) dangerously_skip_permissions: bool,
    pub(crate) restricted: bool,
    pub(crate) brief: bool,
    /// The folder is trusted for this run, whatever is written down.
    pub(crate) trust_folder: bool,

    // Which conversation.
    pub(crate) continue_session: bool,
    /// `Some("")` when `--resume` stands alone: choose from a list.
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
    /// The host that starts this agent, if it is one of ours: `page`.
    pub(crate) own_host: Option<String>,
    pub(crate) managed_settings: Option<String>,
    pub(crate) managed_settings_in_initialize: bool,
    /// `Some` and empty: no settings file is read.
    pub(crate) setting_sources: Option<Vec<String>>,
    pub(crate) add_dir: Vec<String>,
    pub(crate) project_config_root: Option<String>,
    pub(crate) mcp_config: Vec<String>,
    pub(crate) strict_mcp_config: bool,
    pub(crate) plugin_dir: Vec<String>,
    pub(crate) plugin_dir_no_mcp: Vec<String>,
    pub(crate) plugin_url: Vec<String>,
    /// What became of the plugins in archives; no flag says it.
    pub(crate) plugins_brought: Vec<sluice_engine::PluginDir>,
    pub(crate) agent: Option<String>,
    /// Another agent, as a program with its first words, for the terminal to show.
    pub(crate) agent_command: Option<String>,
    pub(crate) agents: Option<String>,
    pub(crate) disable_slash_commands: bool,

    // How the process is started and watched.
    pub(crate) await_initialize: bool,
    pub(crate) await_claim: bool,
    /// `Some("")` when `--worktree` stands alone: a name is made up.
    pub(crate) worktree: Option<String>,
    pub(crate) screen_reader: bool,
    pub(crate) bare: bool,
    pub(crate) safe_mode: bool,
    /// `Some("")` when `--debug` stands alone: everything.
    pub(crate) debug: Option<String>,
    pub(crate) debug_file: Option<String>,
}

/// How much context there may be before it is summarised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    /// As much as the model takes, whatever else says otherwise.
    Auto,
    /// So many tokens.
    Tokens(u64),
}

impl Window {
    /// Reads `auto`, `500k`, `1M`, `200000`, or `200` for 200k.
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

/// What the first word asks for when it is not a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subcommand {
    Sim(Sim),
    Doctor,
    /// Puts the terminal right.
    Repair,
    Mcp(Mcp),
    Plugin(Plugin),
    /// What there is to sign in with.
    AuthStatus {
        /// As a sentence instead of JSON.
        text: bool,
    },
    /// The bridge.
    Serve(Box<Serve>),
    /// A session a bridge carries, on this terminal.
    Attach {
        session: Option<String>,
        state: Option<String>,
    },
    /// What a shell can complete.
    Completions(Shell),
    /// The manual page.
    Man,
}

/// The bridge: how it is to be, or what is asked of one that runs.
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

/// What is asked of a bridge that runs.
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

/// Plugins, without a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Plugin {
    /// Those a session in this folder would load.
    List { json: bool },
    /// What is wrong with the one in a folder.
    Validate { path: String, strict: bool, json: bool },
}

/// MCP servers: ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mcp {
    /// Be one: the tools, or the agent.
    Serve { agent: bool },
    /// Write one down.
    Add(Box<McpAdd>),
    /// Those there are, and how they stand.
    List,
    /// One of them.
    Get { name: String },
    /// Take one out.
    Remove { name: String, scope: Option<String> },
    /// Ask again about the servers of this project.
    ResetProjectChoices,
}

/// A server to write down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct McpAdd {
    pub(crate) name: String,
    /// `local`, `project` or `user`.
    pub(crate) scope: String,
    /// `stdio`, `http` or `sse`.
    pub(crate) transport: Option<String>,
    /// `NAME=value`, each.
    pub(crate) env: Vec<String>,
    /// `Name: value`, each.
    pub(crate) headers: Vec<String>,
    /// A command and its arguments, or an address.
    pub(crate) words: Vec<String>,
    /// The whole of it, in place of all that.
    pub(crate) json: Option<String>,
}

/// The stand-ins: a scripted end of the wire, and the file that holds the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sim {
    Model { script: String },
    Agent { script: String },
}

/// What is written on stdout.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    #[default]
    Text,
    Json,
    StreamJson,
}

/// What is read from stdin.
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
    /// Whether a person sits in front of it: neither print mode nor a host that speaks stream-json.
    ///
    /// The official SDKs never say `--print`; the formats alone make a session headless.
    pub(crate) fn interactive(&self) -> bool {
        !self.print
            && !self.init_only
            && self.output_format == OutputFormat::Text
            && self.input_format == InputFormat::Text
    }
}
