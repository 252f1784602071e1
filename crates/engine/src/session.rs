//! The session: the whole state of a conversation, and what happens to it. The task that owns it is
//! [`SessionLoop`](crate::session_loop::SessionLoop).

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

/// All that a conversation is.
pub(crate) struct Session {
    pub(crate) options: Options,
    /// What the host is told, and what it has said.
    pub(crate) line: HostLine,
    /// Prompts that wait.
    pub(crate) queue: Queue,
    /// What the model is shown, and what is kept of it.
    pub(crate) conversation: Conversation,
    /// The turn that runs; a closed one between turns.
    pub(crate) turn: Turn,
    /// The tool calls of the last message.
    pub(crate) calls: Calls,
    /// What tools work with.
    pub(crate) tooling: Tooling,
    /// What may run.
    pub(crate) policy: Arc<sluice_permission::Policy>,
    pub(crate) hooks: Hooks,
    /// Who answers.
    pub(crate) model: ModelChoice,
    /// What it has cost.
    pub(crate) account: Account,
    /// Slash commands and skills.
    pub(crate) commands: Commands,
    /// Subagents.
    pub(crate) agents: Agents,
    /// Work that outlives its call.
    pub(crate) background: Background,
    /// Requests of the host that take a while.
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

    /// Changes the rules in force, within what the administrator's settings permit. Calls that run keep those they began
    /// with.
    pub(crate) fn change_policy<T>(&mut self, change: impl FnOnce(&mut sluice_permission::Policy) -> T) -> T {
        let policy = Arc::make_mut(&mut self.policy);
        let changed = change(policy);
        policy::clamp(policy, &self.options);
        changed
    }

    /// Tells of a change of state, to those who asked to be told.
    pub(crate) async fn enter(&mut self, state: messages::State) {
        self.line.enter(state).await;
    }

    pub(crate) async fn say(&self, message: impl messages::Signed) {
        self.line.out().say(message).await;
    }
}

/// A name for a plan that a person can tell from others.
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
