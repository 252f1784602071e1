//! What the tools of a session work with: folders, files they have read, tasks, lists, sandbox, the web, MCP servers.

use std::sync::Arc;

use sluice_checkpoints::Shelf;
use sluice_servers::Servers;
use sluice_tools::sandbox::Sandbox;
use sluice_tools::{Cwd, FileState, Lists, Tasks, Tool, ToolEvent, Web};
use tokio::sync::mpsc;

use crate::checkpoints;
use crate::options::Options;
use crate::sandbox;
use crate::services::ToolServices;

/// How many events of calls may wait for the session.
const REPORTS: usize = 256;

/// What tools work with.
pub(crate) struct Tooling {
    pub(crate) cwd: Arc<Cwd>,
    pub(crate) files: Arc<FileState>,
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) lists: Arc<Lists>,
    pub(crate) sandbox: Option<Arc<Sandbox>>,
    pub(crate) web: Arc<Web>,
    pub(crate) services: Arc<ToolServices>,
    /// Where calls tell of themselves.
    pub(crate) reports: mpsc::Sender<ToolEvent>,
    /// What they told.
    pub(crate) reported: mpsc::Receiver<ToolEvent>,
    /// Tools this session alone has: a server's, and those whose description depends on what it found.
    pub(crate) extras: Vec<Arc<dyn Tool>>,
    /// Tools a search has turned up: they are offered from then on.
    pub(crate) loaded: Vec<String>,
    /// How files stood before each prompt, if that is wanted.
    pub(crate) checkpoints: Option<Shelf>,
    pub(crate) servers: Servers,
}

impl Tooling {
    pub(crate) fn new(options: &Options, services: Arc<ToolServices>, tasks: Arc<Tasks>, servers: Servers) -> Self {
        let (reports, reported) = mpsc::channel(REPORTS);
        Self {
            cwd: Arc::new(Cwd::new(options.cwd.clone())),
            files: Arc::new(FileState::default()),
            tasks,
            lists: Arc::new(Lists::default()),
            sandbox: sandbox::sandbox(options),
            web: Arc::new(Web::new(options.web_config())),
            services,
            reports,
            reported,
            extras: Vec::new(),
            loaded: Vec::new(),
            checkpoints: checkpoints::open(options),
            servers,
        }
    }
}
