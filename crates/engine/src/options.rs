//! The options of a session. The engine itself reads no flags and no environment variables.

mod conversation;
mod host;
mod limits;
mod model;
mod parts;
mod permissions;
mod session;
mod tools;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sluice_catalogue::memory::MemoryOptions;
use sluice_catalogue::{Catalogue, CatalogueOptions};
use sluice_model::Client;
use sluice_servers::ServerOptions;
use sluice_settings::Settings;
use sluice_settings::keys;
use sluice_tools::WebConfig;
use sluice_transcript::{Keeping, Projects, Stamp, Transcript};

pub use conversation::ConversationOptions;
pub use host::{HostOptions, StateEvents};
pub use limits::LimitOptions;
pub use model::{KeySource, ModelOptions, Thinking};
pub(crate) use parts::Place;
pub use parts::{AgentOptions, Folders, Preloaded, PromptOptions, SystemPrompt};
pub use permissions::{Asker, PermissionOptions};
pub use session::{SessionOptions, Setup};
pub use tools::ToolOptions;

/// The options of a session, grouped by subject.
#[derive(Debug, Clone)]
pub struct Options {
    /// The identity of the session and the conversation that it resumes.
    pub session: SessionOptions,
    /// The working folder.
    pub cwd: PathBuf,
    /// Other folders.
    pub folders: Folders,
    /// The loaded settings files.
    pub settings: Settings,
    /// The environment of commands.
    pub env: Arc<Vec<(OsString, OsString)>>,
    /// The model.
    pub model: ModelOptions,
    /// The system prompt.
    pub prompt: PromptOptions,
    /// Options of the conversation.
    pub conversation: ConversationOptions,
    /// Plugins, and which commands and skills are available.
    pub catalogue: CatalogueOptions,
    /// MCP servers.
    pub servers: ServerOptions,
    /// The available tools.
    pub tools: ToolOptions,
    /// Permissions.
    pub permissions: PermissionOptions,
    /// Subagents.
    pub agents: AgentOptions,
    /// Limits.
    pub limits: LimitOptions,
    /// Messages and permissions of the host.
    pub host: HostOptions,
}

impl Options {
    /// Returns default options for the folder of these settings: the session is not saved, and permission requests are
    /// denied. Callers change the fields that differ.
    #[must_use]
    pub fn new(settings: Settings, model_config: sluice_model::Config) -> Self {
        let places = settings.places();
        let credentials = places.config_dir.join("mcp-credentials.json");
        Self {
            session: SessionOptions {
                id: uuid::Uuid::new_v4().to_string(),
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
                setup: None,
                resume_interrupted: false,
                parked: false,
            },
            cwd: places.cwd.clone(),
            folders: Folders {
                added: Vec::new(),
                home: places.home.clone(),
                checkpoints: None,
                plans: places.config_dir.join("plans"),
                outputs: places.config_dir.join("outputs"),
                preloaded: None,
            },
            settings,
            env: Arc::default(),
            model: ModelOptions::new(model_config),
            prompt: PromptOptions {
                words: SystemPrompt::default(),
                memory: MemoryOptions::default(),
                notes: true,
                date: String::new(),
            },
            conversation: ConversationOptions::default(),
            catalogue: CatalogueOptions::default(),
            servers: ServerOptions::new(credentials),
            tools: ToolOptions::default(),
            permissions: PermissionOptions::default(),
            agents: AgentOptions::default(),
            limits: LimitOptions::default(),
            host: HostOptions::default(),
        }
    }

    /// Sets a variable in the environment of commands.
    pub(crate) fn set_env(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let (name, env) = (name.into(), Arc::make_mut(&mut self.env));
        env.retain(|(known, _)| *known != name);
        env.push((name, value.into()));
    }

    /// Creates the client for the model. The environment may redefine model aliases.
    ///
    /// # Errors
    /// Returns an error if the address or the proxies are invalid.
    pub(crate) fn client(&self) -> Result<Client, sluice_model::Error> {
        let mut config = self.model.config.clone();
        config.names = config.names.within(&self.env);
        Client::new(config)
    }

    /// The network configuration of web tools, with the same proxies as the model client.
    pub(crate) fn web_config(&self) -> WebConfig {
        let proxy = &self.model.config.network.proxy;
        WebConfig {
            extra_roots: self.model.config.network.extra_roots.clone(),
            proxy: proxy.https.clone().or_else(|| proxy.all.clone()),
            no_proxy: proxy.no_proxy.clone(),
        }
    }

    /// Facts about the working folder for the system prompt.
    pub(crate) fn place<'a>(&'a self, notes: Option<&'a Path>) -> Place<'a> {
        Place {
            cwd: &self.cwd,
            is_git: self.cwd.join(".git").exists(),
            platform: std::env::consts::OS,
            date: &self.prompt.date,
            notes,
            language: self.settings.string(&keys::LANGUAGE),
        }
    }

    /// Loads commands, skills, styles and plugins.
    pub(crate) fn load_catalogue(&self) -> Catalogue {
        Catalogue::load(&self.catalogue, &self.settings, &self.folders.added)
    }

    /// Creates the transcript. `version` is the protocol version.
    pub(crate) fn transcript(&self, version: &str) -> Transcript {
        let stamp = Stamp {
            session_id: self.session.id.clone(),
            cwd: self.cwd.display().to_string(),
            version: version.to_owned(),
            entrypoint: self.session.keeping.entrypoint.clone(),
            git_branch: self.session.keeping.git_branch.clone(),
            agent_id: None,
        };
        Transcript::new(stamp, &self.session.keeping, self.session.earlier.as_ref())
    }
}
