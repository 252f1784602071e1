//! Everything a session is told at its start. The engine reads no flag and no environment itself.

mod conversation;
mod parts;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sluice_catalogue::memory::MemoryOptions;
use sluice_catalogue::{Catalogue, CatalogueOptions};
use sluice_servers::ServerOptions;
use sluice_settings::Settings;
use sluice_tools::WebConfig;
use sluice_transcript::{Earlier, Keeping, Projects, Stamp, Transcript};
use sluice_wire::mode::PermissionMode;

pub use conversation::ConversationOptions;
pub(crate) use parts::Place;
pub use parts::{AgentOptions, Compaction, Looked, SystemPrompt};

use crate::schema::OutputSchema;

/// What of a project is set up before the session begins, by its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    /// Everything.
    Init,
    /// Everything, and nothing is done after it.
    InitOnly,
    /// What has to be done from time to time.
    Maintenance,
}

impl Setup {
    /// What hooks are told.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Init | Self::InitOnly => "init",
            Self::Maintenance => "maintenance",
        }
    }
}

/// What a session is told at its start.
#[derive(Debug, Clone)]
pub struct Options {
    /// The session's id, a uuid.
    pub session_id: String,
    /// How it is kept.
    pub keeping: Keeping,
    /// What it goes on with.
    pub earlier: Option<Earlier>,
    /// Why it cannot go on with what it was to go on with: the host is told so, and the session ends.
    pub refusal: Option<String>,
    /// Where it works.
    pub cwd: PathBuf,
    /// Further directories it may work in.
    pub add_dirs: Vec<PathBuf>,
    /// The person's home.
    pub home: PathBuf,
    /// What the settings files say.
    pub settings: Settings,
    /// Where copies of edited files are kept, so that they can be put back; none keeps none.
    pub checkpoints: Option<PathBuf>,
    /// Where plans are kept.
    pub plans_dir: PathBuf,
    /// Whether the agent keeps notes about the project, unless a settings file says otherwise.
    pub notes: bool,
    /// Where outputs too large for a message go.
    pub output_dir: PathBuf,
    /// The environment of commands.
    pub env: Vec<(OsString, OsString)>,
    /// The day, for the prompt.
    pub date: String,

    /// How the model is reached.
    pub model_config: sluice_model::Config,
    /// The model asked for: an alias or an id; none is the default.
    pub model: Option<String>,
    /// Models to go on with when the first is overloaded.
    pub fallback_models: Vec<String>,
    /// How often a failed request is repeated.
    pub max_retries: u32,
    /// How much the model may think.
    pub thinking: Thinking,
    /// How hard it should try.
    pub effort: Option<String>,
    /// Where the key comes from, as `init` tells it.
    pub key_source: KeySource,

    /// Plugins, and which commands and skills there may be.
    pub catalogue: CatalogueOptions,
    /// What stands before the conversation.
    pub system_prompt: SystemPrompt,
    /// Which memory files are read.
    pub memory: MemoryOptions,
    /// The servers of the Model Context Protocol.
    pub servers: ServerOptions,
    /// The tools offered; none means all.
    pub tools: Option<Vec<String>>,
    /// The older todo list in place of the task list.
    pub todo_list: bool,
    /// Rules that allow.
    pub allowed: Vec<String>,
    /// Rules that deny.
    pub disallowed: Vec<String>,
    /// The mode to begin in; none is what the settings say.
    pub mode: Option<PermissionMode>,
    /// Whether `bypassPermissions` may be switched on.
    pub bypass_launched: bool,
    /// Nothing that runs programs unless `tools` names it, and no file outside the working directories.
    pub restricted: bool,
    /// Who answers asks.
    pub asker: Asker,

    /// Model requests a turn may make; none or zero is no limit.
    pub max_turns: Option<u32>,
    /// What the session may cost.
    pub max_budget_usd: Option<f64>,
    /// When a conversation is summarised.
    pub compaction: Compaction,

    /// What is wished beyond that.
    pub conversation: ConversationOptions,

    /// What is asked about subagents.
    pub agents: AgentOptions,

    /// The shape the answer of every turn has to have.
    pub output_schema: Option<OutputSchema>,

    /// Stream the model's events to the host.
    pub partial: bool,
    /// Tell hosts of every hook that starts, reports or ends.
    pub hook_events: bool,
    /// What is set up first.
    pub setup: Option<Setup>,
    /// Echo what the host sends.
    pub replay: bool,
    /// Tell when the session is busy, waiting or at rest.
    pub state_events: StateEvents,
    /// What is called when the model calls something else.
    pub tool_aliases: BTreeMap<String, String>,
    /// How long to wait for background work after the input ended; none is for ever.
    pub background_wait: Option<std::time::Duration>,
    /// What was looked at already.
    pub looked: Option<Looked>,
}

impl Options {
    /// A session at the place the settings were read for, with nothing special about it: not kept, and with nobody who
    /// answers asks. What has to be otherwise is laid over it.
    #[must_use]
    pub fn new(settings: Settings, model_config: sluice_model::Config) -> Self {
        let places = settings.places();
        let credentials = places.config_dir.join("mcp-credentials.json");
        Self {
            session_id: uuid::Uuid::new_v4().to_string(),
            keeping: Keeping {
                projects: Projects::new(places.config_dir.join("projects")),
                file: None,
                entrypoint: "sdk-cli".to_owned(),
                git_branch: "HEAD".to_owned(),
                mirror: false,
                title: None,
            },
            earlier: None,
            refusal: None,
            cwd: places.cwd.clone(),
            add_dirs: Vec::new(),
            home: places.home.clone(),
            checkpoints: None,
            plans_dir: places.config_dir.join("plans"),
            notes: true,
            output_dir: places.config_dir.join("outputs"),
            settings,
            env: Vec::new(),
            date: String::new(),
            model_config,
            model: None,
            fallback_models: Vec::new(),
            max_retries: sluice_model::retry::DEFAULT_MAX_RETRIES,
            thinking: Thinking::Default,
            effort: None,
            key_source: KeySource::Environment,
            catalogue: CatalogueOptions::default(),
            system_prompt: SystemPrompt::default(),
            memory: MemoryOptions::default(),
            servers: ServerOptions::new(credentials),
            tools: None,
            todo_list: false,
            allowed: Vec::new(),
            disallowed: Vec::new(),
            mode: None,
            bypass_launched: false,
            restricted: false,
            asker: Asker::Nobody,
            max_turns: None,
            max_budget_usd: None,
            compaction: Compaction::default(),
            conversation: ConversationOptions::default(),
            agents: AgentOptions::default(),
            output_schema: None,
            partial: false,
            hook_events: false,
            setup: None,
            replay: false,
            state_events: StateEvents::Off,
            tool_aliases: BTreeMap::new(),
            background_wait: None,
            looked: None,
        }
    }

    /// The way to the web, as the way to the model.
    pub(crate) fn web_config(&self) -> WebConfig {
        let proxy = &self.model_config.proxy;
        WebConfig {
            extra_roots: self.model_config.extra_roots.clone(),
            proxy: proxy.https.clone().or_else(|| proxy.all.clone()),
            no_proxy: proxy.no_proxy.clone(),
        }
    }

    /// The place of work, as the model is told of it.
    pub(crate) fn place<'a>(&'a self, notes: Option<&'a Path>) -> Place<'a> {
        Place {
            cwd: &self.cwd,
            is_git: self.cwd.join(".git").exists(),
            platform: std::env::consts::OS,
            date: &self.date,
            notes,
            language: self.settings.string("language"),
        }
    }

    /// What lies in folders for such a session to use.
    pub(crate) fn load_catalogue(&self) -> Catalogue {
        Catalogue::load(&self.catalogue, &self.settings, &self.add_dirs)
    }

    /// The transcript of such a session; `version` is that of the protocol it speaks.
    pub(crate) fn transcript(&self, version: &str) -> Transcript {
        let stamp = Stamp {
            session_id: self.session_id.clone(),
            cwd: self.cwd.display().to_string(),
            version: version.to_owned(),
            entrypoint: self.keeping.entrypoint.clone(),
            git_branch: self.keeping.git_branch.clone(),
            agent_id: None,
        };
        Transcript::new(stamp, &self.keeping, self.earlier.as_ref())
    }
}

/// How much the model may think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Thinking {
    /// As the model does by default.
    #[default]
    Default,
    /// Not at all.
    Off,
    /// As much as it sees fit.
    Adaptive,
    /// Up to so many tokens.
    Budget(u32),
}

/// Where the API key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySource {
    /// The environment.
    Environment,
    /// A command that prints it.
    Helper,
    /// There is none: no request is made, and the answer says what to do.
    None,
    /// None is needed: the built-in demo model answers.
    Demo,
}

impl KeySource {
    /// As `init` tells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Environment => "ANTHROPIC_API_KEY",
            Self::Helper => "apiKeyHelper",
            Self::None | Self::Demo => "none",
        }
    }
}

/// Who answers asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asker {
    /// Nobody: what would be asked is denied.
    Nobody,
    /// The host, by `can_use_tool`.
    Host,
    /// A tool of a server, by its full name.
    Tool(String),
    /// Nobody, and that is meant so: the model is told not to try again.
    Refuses,
}

/// Whether `session_state_changed` is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StateEvents {
    /// Not at all.
    #[default]
    Off,
    /// For the SDK alone, which swallows it.
    HostOnly,
    /// For everybody.
    Visible,
}
