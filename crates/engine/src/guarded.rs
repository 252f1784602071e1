//! Runs tools without a session: each call is validated, decided, possibly asked about, and run.
//!
//! For doors that offer the tools themselves. A call takes the same steps as in a session, with the same policy,
//! settings files, hooks and sandbox; there is no other way to run a tool.

use std::ffi::OsString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use passage::Passage;
use serde_json::Value;
use sluice_permission::{Decision, PermissionMode, PermissionUpdate, Policy, Source, ToolFacts};
use sluice_tools::sandbox::Sandbox;
use sluice_tools::{Context, Cwd, Descriptor, FileState, Lists, Outcome, Pinned, Pins, Tasks, ToolEvent, Web, World};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::hooks::SessionlessHooks;
use crate::options::{KeySource, Options};
use crate::policy;
use crate::sandbox;
use crate::services::ToolServices;

mod passage;

/// Capacity of the channel for events of calls, which are dropped.
const EVENTS: usize = 64;

/// One use of a tool.
#[derive(Debug, Clone)]
pub struct GuardedCall {
    /// The unique id of this call.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its input.
    pub input: Value,
    /// Cancels the call and the permission request about it.
    pub cancel: CancellationToken,
}

/// A permission request for a call.
#[derive(Debug, Clone)]
pub struct Question {
    /// The tool.
    pub tool: &'static str,
    /// The validated input: defaults are filled in, paths are absolute.
    pub input: Value,
    /// The decision that led to the request, with suggested rules.
    pub decision: Decision,
}

/// An answer to a [`Question`].
#[derive(Debug, Clone, PartialEq)]
pub enum GuardedAnswer {
    /// Allows the call.
    Allow,
    /// Allows the call and applies the suggested rules until the process ends.
    AllowFromNowOn,
    /// Denies the call, with the message for the caller.
    Deny(String),
    /// The call was cancelled before the request was answered.
    Withdrawn,
}

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Ran {
    /// No tool of that name is offered.
    Unknown,
    /// The call was denied; the text is the reason.
    Denied(String),
    /// The call ran, or the tool rejected its input.
    Done(Outcome),
}

/// The tools of one working folder, with its permissions.
#[derive(Debug)]
pub struct Guarded {
    options: Arc<Options>,
    /// The environment of commands.
    env: Arc<Vec<(OsString, OsString)>>,
    rules: Mutex<Rules>,
    cwd: Arc<Cwd>,
    files: Arc<FileState>,
    tasks: Arc<Tasks>,
    lists: Arc<Lists>,
    web: Arc<Web>,
    tool_services: Arc<ToolServices>,
    events: mpsc::Sender<ToolEvent>,
}

/// State that may change while calls run.
#[derive(Debug)]
struct Rules {
    /// Reloaded when a settings file changes.
    options: Arc<Options>,
    policy: Arc<Policy>,
    hooks: SessionlessHooks,
    changes: mpsc::Receiver<()>,
    sandbox: Option<Arc<Sandbox>>,
}

impl Guarded {
    /// Loads settings, rules and hooks. Must be called on a Tokio runtime.
    ///
    /// # Errors
    /// Returns an error if the model's address or the proxies are invalid.
    pub fn new(options: Options) -> Result<Self, sluice_model::Error> {
        let client = Arc::new(options.client()?);
        let sandbox = sandbox::sandbox(&options);
        let mut policy = policy::policy(&options);
        policy.sandboxed = sandbox::runs_unasked(sandbox.as_deref());
        let model = client.names().resolve(options.model.name.as_deref());
        let tool_services = ToolServices::new(client, options.folders.plans.join("none.md"));
        tool_services.update(policy.mode.as_str(), &model, Vec::new());
        let (events, mut happened) = mpsc::channel(EVENTS);
        // Events of background tasks are dropped; callers read the results with TaskOutput.
        tokio::spawn(async move { while happened.recv().await.is_some() {} });
        let (tasks, tool_services) = (Arc::new(Tasks::default()), Arc::new(tool_services));
        let mut hooks = SessionlessHooks::new(&tasks, &tool_services);
        hooks.load(&options);
        let options = Arc::new(options);
        let rules = Rules {
            hooks,
            changes: sluice_settings::watch::watch(options.settings.paths()),
            sandbox,
            options: options.clone(),
            policy: Arc::new(policy),
        };
        Ok(Self {
            rules: Mutex::new(rules),
            cwd: Arc::new(Cwd::new(options.cwd.clone())),
            files: Arc::new(FileState::default()),
            tasks,
            lists: Arc::new(Lists::default()),
            web: Arc::new(Web::new(options.web_config())),
            tool_services,
            events,
            env: options.env.clone(),
            options,
        })
    }

    /// Returns the available tools in the order in which they are listed.
    #[must_use]
    pub fn tools(&self) -> Vec<&'static Descriptor> {
        let rules = self.rules();
        let all = self.options.tools.toolbox.iter().map(|tool| tool.descriptor());
        all.filter(|tool| self.offers(&rules.policy, tool)).collect()
    }

    /// Validates a call, calls `ask` if the policy requires it, and runs the call.
    pub async fn call<A>(&self, call: GuardedCall, ask: A) -> Ran
    where
        A: AsyncFnOnce(Question) -> GuardedAnswer,
    {
        let found = self.options.tools.toolbox.find(&call.tool).filter(|tool| {
            let rules = self.rules();
            self.offers(&rules.policy, tool.descriptor())
        });
        match found {
            None => Ran::Unknown,
            Some(tool) => Passage::new(self, call, tool, ask).run().await,
        }
    }

    /// Kills all background tasks.
    pub async fn close(&self) {
        self.tasks.kill_all().await;
    }

    fn offers(&self, policy: &Policy, tool: &Descriptor) -> bool {
        let can = self.options.model.key_source != KeySource::None || !tool.needs_model;
        can && !tool.needs_person && !tool.of_conversation && policy::is_available(&self.options, policy, tool)
    }

    fn decide(&self, tool: ToolFacts<'_>, input: &Value, pins: &Pins) -> Decision {
        let rules = self.rules();
        sandbox::decide(
            &rules.policy,
            rules.sandbox.as_deref(),
            &self.cwd.get(),
            (tool, input),
            Pinned { pins, env: &self.env },
        )
    }

    /// Applies suggested rules until the process ends; they are not saved.
    fn allow(&self, suggestions: Vec<PermissionUpdate>) {
        let cwd = self.options.cwd.clone();
        let mut rules = self.rules();
        for update in suggestions {
            let update = policy::for_now(update);
            // A rule that cannot be applied only means another permission request.
            let policy = Arc::make_mut(&mut rules.policy);
            let _refused = sluice_permission::apply(policy, &update, &|_: Source| cwd.clone(), &World);
            policy::apply_managed_limits(policy, &self.options);
        }
    }

    /// Locks the rules, after reloading the settings files if they have changed.
    fn rules(&self) -> MutexGuard<'_, Rules> {
        let mut guard = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = &mut *guard;
        if rules.changes.try_recv().is_ok() && Arc::make_mut(&mut rules.options).settings.reload() {
            // Running calls keep their own snapshot.
            let policy = Arc::make_mut(&mut rules.policy);
            policy::apply_settings(policy, &rules.options);
            rules.hooks.load(&rules.options);
            rules.sandbox = sandbox::sandbox(&rules.options);
            policy.sandboxed = sandbox::runs_unasked(rules.sandbox.as_deref());
        }
        guard
    }

    fn context(&self, call: &GuardedCall, pins: Pins) -> Context {
        let roots = std::iter::once(&self.options.cwd).chain(&self.options.folders.added);
        let (policy, sandbox) = {
            let rules = self.rules();
            (rules.policy.clone(), rules.sandbox.clone())
        };
        Context {
            call_id: call.id.clone(),
            cwd: self.cwd.clone(),
            roots: roots.cloned().collect(),
            env: self.env.clone(),
            files: self.files.clone(),
            output_dir: self.options.folders.outputs.clone(),
            cancel: call.cancel.clone(),
            events: self.events.clone(),
            tasks: self.tasks.clone(),
            takes_shared: policy.mode == PermissionMode::BypassPermissions,
            policy: Some(policy.clone()),
            hidden: Some(policy::hidden_by(policy)),
            pins: Some(pins),
            services: self.tool_services.clone(),
            lists: self.lists.clone(),
            web: self.web.clone(),
            sandbox,
        }
    }
}
