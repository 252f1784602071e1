//! The state of a session. The task that owns it is [`SessionLoop`](crate::session_loop::SessionLoop).

use std::sync::Arc;

use sluice_model::Client;
use sluice_servers::{Servers, Start};
use sluice_tools::Tasks;
use tokio_util::sync::CancellationToken;

use crate::account::Account;
use crate::agents::Agents;
use crate::background::Background;
use crate::calls::Calls;
use crate::commands::Commands;
use crate::conversation::Conversation;
use crate::hooks::Hooks;
use crate::host_line::HostLine;
use crate::mcp::HostOfServers;
use crate::messages;
use crate::model_choice::ModelChoice;
use crate::notes;
use crate::options::Options;
use crate::out::Out;
use crate::policy;
use crate::queue::Queue;
use crate::requests::Requests;
use crate::sandbox;
use crate::services::ToolServices;
use crate::tooling::Tooling;
use crate::turn::Turn;
use crate::worktrees::Worktrees;

/// The state of a session.
pub(crate) struct Session {
    pub(crate) options: Options,
    /// The connection to the host.
    pub(crate) line: HostLine,
    /// Queued prompts.
    pub(crate) queue: Queue,
    /// The conversation and its transcript.
    pub(crate) conversation: Conversation,
    /// The running turn, or a closed one between turns.
    pub(crate) turn: Turn,
    /// The tool calls of the latest message.
    pub(crate) calls: Calls,
    /// Resources of tools.
    pub(crate) tooling: Tooling,
    /// Permission rules and mode.
    pub(crate) policy: Arc<sluice_permission::Policy>,
    pub(crate) hooks: Hooks,
    /// The current model.
    pub(crate) model: ModelChoice,
    /// Usage and cost.
    pub(crate) account: Account,
    /// Slash commands and skills.
    pub(crate) commands: Commands,
    /// Subagents.
    pub(crate) agents: Agents,
    /// Background tasks.
    pub(crate) background: Background,
    /// Control requests that run concurrently.
    pub(crate) requests: Requests,
}

impl Session {
    pub(crate) fn new(options: Options, client: Arc<Client>, out: Out, quit: CancellationToken) -> Self {
        let plan_file = options.folders.plans.join(format!("{}.md", plan_name()));
        let services = Arc::new(ToolServices::new(client.clone(), plan_file.clone()));
        let line = HostLine::new(out, quit, options.session.refusal.is_some(), options.host.state_events);
        let hooks = Hooks::default();
        let tasks = Arc::new(Tasks::default());
        let servers = Servers::new(Start {
            options: &options.servers,
            settings: &options.settings,
            cwd: &options.cwd,
            add_dirs: &options.folders.added,
            env: &options.env,
            model: &options.model.config,
            tasks: &tasks,
            quit: line.quit(),
            host: Arc::new(HostOfServers {
                host_requests: line.requests().clone(),
                out: line.out().clone(),
                hook_client: hooks.client(),
            }),
        });
        let worktrees = Worktrees::new(hooks.client());
        let tooling = Tooling::new(&options, services, tasks, servers, worktrees);
        tooling.trust(options.settings.runs_projects());
        let mut policy = policy::policy(&options);
        policy.plan_file = Some(plan_file);
        policy.notes = notes::folder(&options);
        policy.sandboxed = sandbox::runs_unasked(tooling.sandbox().map(Arc::as_ref));
        Self {
            line,
            queue: Queue::default(),
            conversation: Conversation::new(&options),
            turn: Turn::none(),
            calls: Calls::default(),
            tooling,
            policy: Arc::new(policy),
            hooks,
            model: ModelChoice::new(&options, client),
            account: Account::new(options.model.key_source),
            commands: Commands::default(),
            agents: Agents::default(),
            background: Background::default(),
            requests: Requests::default(),
            options,
        }
    }

    /// Changes the permission policy, within the limits of managed settings. Running calls keep the policy they started
    /// with.
    pub(crate) fn change_policy<T>(&mut self, change: impl FnOnce(&mut sluice_permission::Policy) -> T) -> T {
        let policy = Arc::make_mut(&mut self.policy);
        let changed = change(policy);
        policy::apply_managed_limits(policy, &self.options);
        changed
    }

    /// Changes the state and notifies the host, if it asked for state changes.
    pub(crate) async fn enter(&mut self, state: messages::State) {
        self.line.enter(state).await;
    }

    pub(crate) async fn emit(&self, message: impl messages::Outgoing) {
        self.line.out().emit(message).await;
    }
}

/// Generates a readable, unique name for a plan.
fn plan_name() -> String {
    const SIZES: [&str; 8] = ["brisk", "calm", "clear", "deep", "keen", "quiet", "steady", "swift"];
    const WATERS: [&str; 8] = ["brook", "canal", "creek", "delta", "ford", "harbour", "river", "weir"];
    let id = uuid::Uuid::new_v4();
    let pick = |words: &[&'static str; 8], at: usize| {
        let byte = id.as_bytes().get(at).copied().unwrap_or_default();
        words.get(usize::from(byte % 8)).copied().unwrap_or("plan")
    };
    let tail: String = id.simple().to_string().chars().take(6).collect();
    format!("{}-{}-{tail}", pick(&SIZES, 8), pick(&WATERS, 12))
}
