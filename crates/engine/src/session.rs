//! The session: one task that owns the whole state of a conversation.
//!
//! It rests until something arrives, plays turns while prompts wait, and leaves when the input
//! has ended and nothing is owed.

use std::collections::VecDeque;
use std::sync::Arc;

use sluice_model::Client;
use sluice_permission::PermissionMode;
use sluice_servers::{Servers, Start};
use sluice_tools::sandbox::Sandbox;
use sluice_tools::{Cwd, FileState, Lists, Tasks, Tool, ToolEvent, Web, WebConfig};
use sluice_transcript::Transcript;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::agents::Agents;
use crate::background::Background;
use crate::calls::Calls;
use crate::catalogue::Catalogue;
use crate::checkpoints;
use crate::commands::Commands;
use crate::compact::Compactions;
use crate::control::aside::Asides;
use crate::control::spending::Lines;
use crate::control::suggest::Names;
use crate::guard::Owed;
use crate::history::History;
use crate::hooks::Hooks;
use crate::host_requests::{HostRequests, Said};
use crate::ledger::SharedLedger;
use crate::mcp::HostOfServers;
use crate::messages;
use crate::notes;
use crate::options::{Options, StateEvents};
use crate::out::Out;
use crate::planner;
use crate::policy;
use crate::port::{Exit, Input};
use crate::queue::Queue;
use crate::recall::Recall;
use crate::sandbox;
use crate::services::ToolServices;
use crate::suggestions::Suggestions;
use crate::turn::{Stop, Turn};

/// All that a conversation is.
pub(crate) struct Session {
    pub(crate) options: Options,
    pub(crate) out: Out,
    pub(crate) client: Arc<Client>,
    pub(crate) ledger: SharedLedger,
    /// Time spent in model requests, all turns together.
    pub(crate) api_ms: u64,

    pub(crate) model: String,
    /// The model that answers in plan mode, where that is another one.
    pub(crate) planner: Option<String>,
    pub(crate) state: messages::State,

    pub(crate) queue: Queue,
    pub(crate) history: History,
    /// The conversation before it, while it is being read.
    pub(crate) recall: Option<Recall>,
    /// What stands before the conversation: made once, since its bytes must not change.
    pub(crate) system: Option<Vec<serde_json::Value>>,
    pub(crate) transcript: Transcript,
    pub(crate) turn: Turn,
    pub(crate) owed: Owed,
    pub(crate) calls: Calls,
    pub(crate) hooks: Hooks,
    pub(crate) background: Background,
    pub(crate) agents: Agents,
    pub(crate) policy: sluice_permission::Policy,
    pub(crate) initialized: bool,
    pub(crate) reminded_of_plan: bool,
    pub(crate) reminded_of_memory: bool,
    /// What files bring with them when they are touched.
    pub(crate) nearby: crate::memory::Nearby,
    /// Problems of the settings files that were told already.
    pub(crate) told_problems: Vec<String>,

    pub(crate) stop: Option<Stop>,
    /// The turn stops when the model has finished its message, or then.
    pub(crate) stop_by: Option<Instant>,
    pub(crate) eof: bool,
    /// Nobody is left who could say anything.
    pub(crate) deaf: bool,
    /// The exit code, once the session has to go.
    pub(crate) leave: Option<i32>,
    pub(crate) last_failed: bool,
    pub(crate) results: u64,

    pub(crate) cwd: Arc<Cwd>,
    pub(crate) files: Arc<FileState>,
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) lists: Arc<Lists>,
    pub(crate) sandbox: Option<Arc<Sandbox>>,
    pub(crate) web: Arc<Web>,
    pub(crate) tool_services: Arc<ToolServices>,
    /// Commands, skills, styles and plugins that were found.
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) commands: Commands,
    /// Tools this session alone has: a server's, and those whose description depends on what it found.
    pub(crate) extras: Vec<Arc<dyn Tool>>,
    /// The way to the host for those who are not the session.
    pub(crate) host_requests: Arc<HostRequests>,
    pub(crate) servers: Servers,
    /// What a server's tool says about calls, where it stands in the person's place.
    pub(crate) verdicts: JoinSet<(String, Said)>,
    /// Tools a search has turned up: they are offered from then on.
    pub(crate) loaded: Vec<String>,
    /// The mode to go back to when a plan is done.
    pub(crate) before_plan: Option<PermissionMode>,
    pub(crate) tool_events: mpsc::Sender<ToolEvent>,

    pub(crate) inbox: mpsc::Receiver<Vec<Input>>,
    pub(crate) unread: VecDeque<Input>,
    pub(crate) events: mpsc::Receiver<ToolEvent>,
    pub(crate) settings_changes: Option<mpsc::Receiver<()>>,
    pub(crate) quit: CancellationToken,

    /// Requests that take a while.
    pub(crate) asides: Asides,
    /// File names for a person who types one.
    pub(crate) names: Names,
    pub(crate) began: std::time::Instant,
    /// How hard the launch said to try.
    pub(crate) launch_effort: Option<String>,
    /// What the last answer of the model used.
    pub(crate) last_usage: Option<serde_json::Value>,
    /// What calls have changed.
    pub(crate) lines: Lines,
    pub(crate) compactions: Compactions,
    /// What the person may ask next.
    pub(crate) suggestions: Suggestions,
    /// How files stood before each prompt, if that is wanted.
    pub(crate) checkpoints: Option<checkpoints::Shelf>,
}

impl Session {
    pub(crate) fn new(
        options: Options,
        client: Arc<Client>,
        out: Out,
        inbox: mpsc::Receiver<Vec<Input>>,
        quit: CancellationToken,
    ) -> Self {
        let (tool_events, events) = mpsc::channel(256);
        let plan_file = options.plans_dir.join(format!("{}.md", plan_name()));
        let tool_services = Arc::new(ToolServices::new(client.clone(), plan_file.clone()));
        let mut policy = policy::policy(&options);
        policy.plan_file = Some(plan_file);
        policy.notes = notes::folder(&options);
        let sandbox = sandbox::sandbox(&options);
        policy.sandboxed = sandbox::runs_unasked(sandbox.as_deref());
        let model = sluice_model::models::resolve(options.model.as_deref());
        let planner = planner::planner(options.model.as_deref());
        let host_requests = HostRequests::new(out.clone());
        let tasks = Arc::new(Tasks::default());
        let hooks = Hooks::default();
        let servers = Servers::new(Start {
            options: &options.servers,
            settings: &options.settings,
            cwd: &options.cwd,
            add_dirs: &options.add_dirs,
            env: &options.env,
            model: &options.model_config,
            tasks: &tasks,
            quit: &quit,
            host: Arc::new(HostOfServers {
                host_requests: host_requests.clone(),
                out: out.clone(),
                hook_client: hooks.client(),
            }),
        });
        Self {
            client,
            ledger: SharedLedger::new(options.key_source),
            api_ms: 0,
            model,
            planner,
            state: messages::State::Idle,
            queue: Queue::default(),
            history: History::default(),
            recall: None,
            transcript: options.transcript(messages::PROTOCOL_VERSION),
            turn: Turn::none(),
            owed: Owed::default(),
            system: None,
            calls: Calls::default(),
            hooks,
            background: Background::default(),
            agents: Agents::default(),
            policy,
            initialized: false,
            reminded_of_plan: false,
            reminded_of_memory: false,
            nearby: crate::memory::Nearby::default(),
            told_problems: Vec::new(),
            settings_changes: None,
            stop: None,
            stop_by: None,
            eof: false,
            deaf: false,
            leave: None,
            last_failed: options.refusal.is_some(),
            results: 0,
            cwd: Arc::new(Cwd::new(options.cwd.clone())),
            files: Arc::new(FileState::default()),
            tasks,
            lists: Arc::new(Lists::default()),
            sandbox,
            web: Arc::new(Web::new(web_config(&options))),
            tool_services,
            catalogue: Arc::default(),
            commands: Commands::default(),
            extras: Vec::new(),
            host_requests,
            servers,
            verdicts: JoinSet::new(),
            loaded: Vec::new(),
            before_plan: None,
            tool_events,
            inbox,
            unread: VecDeque::new(),
            events,
            quit,
            asides: Asides::default(),
            names: Names::default(),
            began: std::time::Instant::now(),
            launch_effort: options.effort.clone(),
            last_usage: None,
            lines: Lines::default(),
            compactions: Compactions::default(),
            suggestions: Suggestions::default(),
            checkpoints: checkpoints::open(&options),
            out,
            options,
        }
    }

    /// Lives until the host is done with it.
    pub(crate) async fn run(mut self) -> Exit {
        self.settings_changes = Some(sluice_settings::watch::watch(self.options.settings.paths()));
        self.servers.start();
        self.take_up().await;
        self.open_catalogue();
        self.be_led();
        self.tell_title().await;
        self.hook_begin().await;
        if self.recall.is_none() {
            Box::pin(self.tell_orphans()).await;
        }
        let code = loop {
            if let Some(code) = self.leave {
                break code;
            }
            // Whoever has said hello has hooks to be asked; waiting for more could be waiting for nothing.
            let ready = self.eof || self.initialized || !self.queue.is_empty();
            if self.hooks.deferred_call.is_some() && ready {
                self.play_deferred_call().await;
            } else if let Some(note) = self.note_due() {
                match note.asks {
                    true => Box::pin(self.play_note(note)).await,
                    false => Box::pin(self.play_word(note)).await,
                }
            } else if let Some(batch) = self.queue.next() {
                self.play(batch).await;
            } else if let Some(input) = self.unread.pop_front() {
                self.take(input).await;
            } else {
                self.enter(messages::State::Idle).await;
                if self.eof && self.asides.is_empty() && self.suggestions.is_empty() && !self.awaits_background() {
                    break i32::from(self.last_failed);
                }
                self.wait_idle().await;
            }
        };
        self.eof = true;
        self.hook_session_end("other").await;
        self.host_requests.close();
        self.servers.part().await;
        self.agents.shared.hush();
        self.tasks.kill_all().await;
        match self.leave {
            None => self.see_agents_off().await,
            Some(_) => self.see_commands_off().await,
        }
        Exit { code }
    }

    /// Tells of a change of state, to those who asked to be told.
    pub(crate) async fn enter(&mut self, state: messages::State) {
        if self.state == state {
            return;
        }
        self.state = state;
        if self.options.state_events != StateEvents::Off {
            let host_only = self.options.state_events == StateEvents::HostOnly;
            self.say(messages::state(state, host_only)).await;
        }
    }

    pub(crate) async fn say(&self, message: impl messages::Signed) {
        self.out.say(message).await;
    }
}

/// The way to the web, as the way to the model.
pub(crate) fn web_config(options: &Options) -> WebConfig {
    let proxy = &options.model_config.proxy;
    WebConfig {
        extra_roots: options.model_config.extra_roots.clone(),
        proxy: proxy.https.clone().or_else(|| proxy.all.clone()),
        no_proxy: proxy.no_proxy.clone(),
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
