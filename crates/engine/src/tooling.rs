//! Resources of tools in a session: folders, files read, tasks, lists, sandbox, web, MCP servers.

use std::path::PathBuf;
use std::sync::Arc;

use sluice_checkpoints::Shelf;
use sluice_servers::Servers;
use sluice_tools::sandbox::Sandbox;
use sluice_tools::{Context, Cwd, FileState, Lists, Tasks, Tool, ToolEvent, Web};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::agents::BriefTools;
use crate::checkpoints;
use crate::options::Options;
use crate::sandbox;
use crate::services::ToolServices;
use crate::wakeups::{Wakeups, schedule_tools};
use crate::worktrees::{Worktrees, worktree_tools};

/// Capacity of the channel for reports of calls.
const REPORT_CAPACITY: usize = 256;

/// Resources of tools.
pub(crate) struct Tooling {
    cwd: Arc<Cwd>,
    files: Arc<FileState>,
    tasks: Arc<Tasks>,
    lists: Arc<Lists>,
    sandbox: Option<Arc<Sandbox>>,
    web: Arc<Web>,
    services: Arc<ToolServices>,
    /// Sender for reports of calls.
    reports: mpsc::Sender<ToolEvent>,
    /// Receiver for reports of calls.
    reported: mpsc::Receiver<ToolEvent>,
    /// Tools of this session only: those of MCP servers, and those whose description depends on loaded files.
    extras: Vec<Arc<dyn Tool>>,
    /// Deferred tools that the model has loaded.
    loaded: Vec<String>,
    /// File checkpoints, if they are enabled.
    checkpoints: Option<Shelf>,
    servers: Servers,
    worktrees: Arc<Worktrees>,
    wakeups: Arc<Wakeups>,
}

/// An event of the resources.
#[derive(Debug)]
pub(crate) enum ToolingEvent {
    /// A report of a call.
    Reported(Option<Box<ToolEvent>>),
    /// A change of MCP servers.
    Servers,
}

impl Tooling {
    pub(crate) fn new(
        options: &Options,
        services: Arc<ToolServices>,
        tasks: Arc<Tasks>,
        servers: Servers,
        worktrees: Arc<Worktrees>,
    ) -> Self {
        let (reports, reported) = mpsc::channel(REPORT_CAPACITY);
        let wakeups = Wakeups::new();
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
            extras: worktree_tools(&worktrees)
                .into_iter()
                .chain(schedule_tools(&wakeups))
                .collect(),
            loaded: Vec::new(),
            checkpoints: checkpoints::open(options),
            servers,
            worktrees,
            wakeups,
        }
    }

    /// Uses the resources of the parent session; for a subagent. Returns the servers that belong to the subagent
    /// itself.
    pub(crate) fn share(&mut self, brief: &BriefTools) -> Servers {
        self.tasks = brief.tasks.clone();
        self.web = brief.web.clone();
        self.sandbox.clone_from(&brief.sandbox);
        self.extras.clone_from(&brief.extras);
        std::mem::replace(&mut self.servers, brief.servers.for_subagent())
    }

    /// Resets the resources for a new conversation.
    pub(crate) fn clear(&mut self, options: &Options) {
        self.checkpoints = checkpoints::open(options);
        self.files.clear();
        self.lists = Arc::new(Lists::default());
        self.loaded.clear();
    }

    /// The context for a call.
    pub(crate) fn context(&self, call_id: &str, cancel: CancellationToken) -> Context {
        Context {
            call_id: call_id.to_owned(),
            cwd: self.cwd.clone(),
            files: self.files.clone(),
            cancel,
            events: self.reports.clone(),
            tasks: self.tasks.clone(),
            services: self.services.clone(),
            lists: self.lists.clone(),
            web: self.web.clone(),
            sandbox: self.sandbox.clone(),
            roots: Vec::new(),
            env: Arc::default(),
            output_dir: PathBuf::new(),
            hidden: None,
            pins: None,
            policy: None,
            takes_shared: false,
        }
    }

    /// Waits for the next event. Cancel safe.
    pub(crate) async fn next(&mut self) -> ToolingEvent {
        tokio::select! {
            biased;
            event = self.reported.recv() => ToolingEvent::Reported(event.map(Box::new)),
            () = self.servers.changed() => ToolingEvent::Servers,
        }
    }

    /// Waits for the next report of a call.
    pub(crate) async fn next_report(&mut self) -> Option<ToolEvent> {
        self.reported.recv().await
    }

    /// Returns a report that has arrived already.
    pub(crate) fn try_next_report(&mut self) -> Option<ToolEvent> {
        self.reported.try_recv().ok()
    }

    /// Sender for reports of calls.
    pub(crate) fn reports(&self) -> mpsc::Sender<ToolEvent> {
        self.reports.clone()
    }

    pub(crate) fn cwd(&self) -> &Arc<Cwd> {
        &self.cwd
    }

    pub(crate) fn files(&self) -> &Arc<FileState> {
        &self.files
    }

    pub(crate) fn tasks(&self) -> &Arc<Tasks> {
        &self.tasks
    }

    pub(crate) fn lists(&self) -> &Lists {
        &self.lists
    }

    pub(crate) fn web(&self) -> &Arc<Web> {
        &self.web
    }

    pub(crate) fn services(&self) -> &Arc<ToolServices> {
        &self.services
    }

    pub(crate) fn servers(&self) -> &Servers {
        &self.servers
    }

    pub(crate) fn servers_mut(&mut self) -> &mut Servers {
        &mut self.servers
    }

    pub(crate) fn checkpoints(&self) -> Option<&Shelf> {
        self.checkpoints.as_ref()
    }

    pub(crate) fn checkpoints_mut(&mut self) -> Option<&mut Shelf> {
        self.checkpoints.as_mut()
    }

    pub(crate) fn sandbox(&self) -> Option<&Arc<Sandbox>> {
        self.sandbox.as_ref()
    }

    /// The prompts that the model has scheduled.
    pub(crate) fn wakeups(&self) -> &Wakeups {
        &self.wakeups
    }

    /// Sets whether the project is trusted to run programs.
    pub(crate) fn trust(&self, runs_projects: bool) {
        self.worktrees.trust(runs_projects);
    }

    /// Recreates the sandbox after a change of settings.
    pub(crate) fn recreate_sandbox(&mut self, options: &Options) {
        self.sandbox = sandbox::sandbox(options);
    }

    /// Tools of this session only.
    pub(crate) fn extras(&self) -> &[Arc<dyn Tool>] {
        &self.extras
    }

    /// Replaces the session's own tools that `replaced` selects.
    pub(crate) fn replace_extras(
        &mut self,
        replaced: impl Fn(&dyn Tool) -> bool,
        tools: impl IntoIterator<Item = Arc<dyn Tool>>,
    ) {
        self.extras.retain(|tool| !replaced(tool.as_ref()));
        self.extras.extend(tools);
    }

    /// Marks deferred tools as loaded.
    pub(crate) fn load(&mut self, names: Vec<String>) {
        self.loaded.extend(names);
    }

    pub(crate) fn is_loaded(&self, name: &str) -> bool {
        self.loaded.iter().any(|loaded| loaded == name)
    }
}
