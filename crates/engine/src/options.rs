//! Everything a session is told at its start. The engine reads no flag and no environment itself.

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

/// What a session is told at its start, by what it is about.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which session it is, and what it goes on with.
    pub session: SessionOptions,
    /// Where it works.
    pub cwd: PathBuf,
    /// The other folders.
    pub folders: Folders,
    /// What the settings files say.
    pub settings: Settings,
    /// The environment of commands.
    pub env: Arc<Vec<(OsString, OsString)>>,
    /// Who answers.
    pub model: ModelOptions,
    /// What stands before the conversation.
    pub prompt: PromptOptions,
    /// What is wished of the conversation.
    pub conversation: ConversationOptions,
    /// Plugins, and which commands and skills there may be.
    pub catalogue: CatalogueOptions,
    /// The servers of the Model Context Protocol.
    pub servers: ServerOptions,
    /// Which tools there are.
    pub tools: ToolOptions,
    /// What they may do.
    pub permissions: PermissionOptions,
    /// What is asked about subagents.
    pub agents: AgentOptions,
    /// When it stops.
    pub limits: LimitOptions,
    /// What the host is told besides.
    pub host: HostOptions,
}

impl Options {
    /// A session at the place the settings were read for, with nothing special about it: not kept, and with nobody who
    /// answers asks. What has to be otherwise is laid over it.
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

    /// The way to the model. Its environment says what models are called there.
    ///
    /// # Errors
    /// When the address or the proxies cannot be used.
    pub(crate) fn client(&self) -> Result<Client, sluice_model::Error> {
        let mut config = self.model.config.clone();
        config.names = config.names.within(&self.env);
        Client::new(config)
    }

    /// The way to the web, as the way to the model.
    pub(crate) fn web_config(&self) -> WebConfig {
        let proxy = &self.model.config.network.proxy;
        WebConfig {
            extra_roots: self.model.config.network.extra_roots.clone(),
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
            date: &self.prompt.date,
            notes,
            language: self.settings.string(&keys::LANGUAGE),
        }
    }

    /// What lies in folders for such a session to use.
    pub(crate) fn load_catalogue(&self) -> Catalogue {
        Catalogue::load(&self.catalogue, &self.settings, &self.folders.added)
    }

    /// The transcript of such a session; `version` is that of the protocol it speaks.
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
