//! The session: one task that owns the whole state of a conversation.
//!
//! It rests until something arrives, plays turns while prompts wait, and leaves when the input
//! has ended and nothing is owed. While a turn runs it goes on listening: [`Session::hear`] is
//! the one place where it waits, and everything that may happen meanwhile is handled there.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;

use sluice_model::Client;
use sluice_model::cost::Ledger;
use sluice_permission::PermissionMode;
use sluice_tools::sandbox::Sandbox;
use sluice_tools::{Cwd, FileState, Lists, Outcome, Tasks, ToolEvent, Web, WebConfig};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::asking;
use crate::background::Background;
use crate::calls::Calls;
use crate::confine;
use crate::guard::Owed;
use crate::history::History;
use crate::memory;
use crate::obey::aside::{Aside, Asides};
use crate::obey::spending::Lines;
use crate::options::{Options, StateEvents};
use crate::out::Out;
use crate::port::{Exit, Input, Signal};
use crate::prompt;
use crate::queue::{Accepted, Batch, Priority, Queue, blocks_of};
use crate::say;
use crate::services::Desk;
use crate::settings;
use crate::transcript::Transcript;
use crate::turn::{Stop, Turn};

/// All that a conversation is.
pub(crate) struct Session {
    pub(crate) options: Options,
    pub(crate) out: Out,
    pub(crate) client: Arc<Client>,
    pub(crate) ledger: Ledger,
    /// Time spent in model requests, all turns together.
    pub(crate) api_ms: u64,

    pub(crate) model: String,
    pub(crate) state: say::State,

    pub(crate) queue: Queue,
    pub(crate) history: History,
    /// What stands before the conversation: made once, since its bytes must not change.
    pub(crate) system: Option<Vec<serde_json::Value>>,
    pub(crate) transcript: Transcript,
    pub(crate) turn: Turn,
    pub(crate) owed: Owed,
    pub(crate) calls: Calls,
    pub(crate) background: Background,
    pub(crate) policy: sluice_permission::Policy,
    pub(crate) initialized: bool,
    reminded_of_plan: bool,
    reminded_of_memory: bool,
    /// Problems of the settings files that were told already.
    pub(crate) told_problems: Vec<String>,

    pub(crate) stop: Option<Stop>,
    /// The turn stops when the model has finished its message, or then.
    pub(crate) stop_by: Option<Instant>,
    pub(crate) eof: bool,
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
    pub(crate) desk: Arc<Desk>,
    /// Tools a search has turned up: they are offered from then on.
    pub(crate) loaded: Vec<String>,
    /// The mode to go back to when a plan is done.
    pub(crate) before_plan: Option<PermissionMode>,
    pub(crate) tool_events: mpsc::Sender<ToolEvent>,

    inbox: mpsc::Receiver<Vec<Input>>,
    unread: VecDeque<Input>,
    events: mpsc::Receiver<ToolEvent>,
    settings_changes: Option<mpsc::Receiver<()>>,
    pub(crate) quit: CancellationToken,

    /// Requests that take a while.
    pub(crate) asides: Asides,
    pub(crate) began: std::time::Instant,
    /// How hard the launch said to try.
    pub(crate) launch_effort: Option<String>,
    /// What the last answer of the model used.
    pub(crate) last_usage: Option<serde_json::Value>,
    /// What calls have changed.
    pub(crate) lines: Lines,
}

/// How long an interrupted turn waits for what came with the interrupt.
const LINGER: std::time::Duration = std::time::Duration::from_millis(3);

/// What ended a wait.
pub(crate) enum Heard<T> {
    /// What was waited for.
    Ready(T),
    /// Every call has its result.
    CallsDone,
    /// The turn has to stop; [`Session::stop`] says why.
    Stopped,
}

/// What may happen while waiting.
enum Happening<T> {
    Ready(T),
    Heard(Option<Vec<Input>>),
    Ran(usize, Outcome),
    Tool(Option<ToolEvent>),
    Settings,
    Aside(Box<Aside>),
    Launch,
    Enough,
    Quit,
}

impl Session {
    pub(crate) fn new(
        options: Options,
        client: Client,
        out: Out,
        inbox: mpsc::Receiver<Vec<Input>>,
        quit: CancellationToken,
    ) -> Self {
        let (tool_events, events) = mpsc::channel(256);
        let client = Arc::new(client);
        let plan_file = options.plans_dir.join(format!("{}.md", plan_name()));
        let desk = Arc::new(Desk::new(client.clone(), plan_file.clone()));
        let mut policy = asking::policy(&options);
        policy.plan_file = Some(plan_file);
        let sandbox = confine::sandbox(&options);
        policy.sandboxed = confine::runs_unasked(sandbox.as_deref());
        let model = sluice_model::models::resolve(options.model.as_deref());
        Self {
            client,
            ledger: Ledger::default(),
            api_ms: 0,
            model,
            state: say::State::Idle,
            queue: Queue::default(),
            history: History::default(),
            transcript: Transcript::new(&options),
            turn: Turn::none(),
            owed: Owed::default(),
            system: None,
            calls: Calls::default(),
            background: Background::default(),
            policy,
            initialized: false,
            reminded_of_plan: false,
            reminded_of_memory: false,
            told_problems: Vec::new(),
            settings_changes: None,
            stop: None,
            stop_by: None,
            eof: false,
            leave: None,
            last_failed: options.refusal.is_some(),
            results: 0,
            cwd: Arc::new(Cwd::new(options.cwd.clone())),
            files: Arc::new(FileState::default()),
            tasks: Arc::new(Tasks::default()),
            lists: Arc::new(Lists::default()),
            sandbox,
            web: Arc::new(Web::new(web_config(&options))),
            desk,
            loaded: Vec::new(),
            before_plan: None,
            tool_events,
            inbox,
            unread: VecDeque::new(),
            events,
            quit,
            asides: Asides::default(),
            began: std::time::Instant::now(),
            launch_effort: options.effort.clone(),
            last_usage: None,
            lines: Lines::default(),
            out,
            options,
        }
    }

    /// Lives until the host is done with it.
    pub(crate) async fn run(mut self) -> Exit {
        self.settings_changes = Some(settings::watch::watch(self.options.settings.paths()));
        self.take_up();
        self.tell_title().await;
        let code = loop {
            if let Some(code) = self.leave {
                break code;
            }
            if let Some(batch) = self.queue.next() {
                self.play(batch).await;
            } else if let Some(note) = self.background.owed() {
                self.play_note(note).await;
            } else if let Some(input) = self.unread.pop_front() {
                self.take(input).await;
            } else {
                self.enter(say::State::Idle).await;
                if self.eof && self.asides.is_empty() && !self.awaits_background() {
                    break i32::from(self.last_failed);
                }
                self.rest().await;
            }
        };
        self.tasks.kill_all().await;
        Exit { code }
    }

    /// Waits for anything at all.
    async fn rest(&mut self) {
        let deadline = self.background_deadline();
        tokio::select! {
            biased;
            () = self.quit.cancelled() => self.leave = Some(self.leave.unwrap_or(0)),
            event = self.events.recv() => self.heed(event).await,
            () = changed(&mut self.settings_changes) => self.settings_changed().await,
            Some(aside) = self.asides.next() => self.tell_aside(aside).await,
            inputs = self.inbox.recv(), if !self.eof => match inputs {
                Some(inputs) => self.unread.extend(inputs),
                None => self.take(Input::Eof).await,
            },
            () = sleep_until(deadline) => self.background.give_up(),
        }
    }

    /// Waits for `awaited`, or for the calls when there is none, and handles all else.
    pub(crate) async fn hear<F: Future>(&mut self, mut awaited: Option<Pin<&mut F>>) -> Heard<F::Output> {
        loop {
            if self.stop.is_some() {
                self.linger().await;
                return Heard::Stopped;
            }
            if awaited.is_none() && self.stop_by.take().is_some() {
                self.stop = Some(Stop::Interrupt);
                return Heard::Stopped;
            }
            if awaited.is_none() && self.calls.all_done() {
                return Heard::CallsDone;
            }
            let (launch_at, stop_by) = (self.calls.launch_at, self.stop_by);
            let happening = tokio::select! {
                biased;
                () = self.quit.cancelled() => Happening::Quit,
                inputs = self.inbox.recv(), if !self.eof => Happening::Heard(inputs),
                event = self.events.recv() => Happening::Tool(event),
                () = changed(&mut self.settings_changes) => Happening::Settings,
                Some(aside) = self.asides.next() => Happening::Aside(Box::new(aside)),
                Some(done) = self.calls.running.join_next() => match done {
                    Ok((index, outcome)) => Happening::Ran(index, outcome),
                    Err(_) => continue,
                },
                output = poll_opt(&mut awaited) => Happening::Ready(output),
                () = sleep_until(launch_at) => Happening::Launch,
                () = sleep_until(stop_by) => Happening::Enough,
            };
            match happening {
                Happening::Ready(output) => return Heard::Ready(output),
                Happening::Heard(Some(inputs)) => {
                    self.unread.extend(inputs);
                    self.read().await;
                }
                Happening::Heard(None) => self.take(Input::Eof).await,
                Happening::Tool(event) => self.heed(event).await,
                Happening::Settings => self.settings_changed().await,
                Happening::Aside(aside) => self.tell_aside(*aside).await,
                Happening::Ran(index, outcome) if awaited.is_some() => self.hold(index, outcome),
                Happening::Ran(index, outcome) => {
                    self.drain_events().await;
                    self.finish_run(index, outcome).await;
                    self.launch().await;
                }
                Happening::Launch => self.launch().await,
                Happening::Enough => self.stop = Some(Stop::Interrupt),
                Happening::Quit => {
                    self.leave = Some(self.leave.unwrap_or(0));
                    self.stop = Some(Stop::Leave);
                }
            }
        }
    }

    /// What is written along with an interrupt belongs to the same turn, a second interrupt included: a
    /// moment is left for it to arrive.
    async fn linger(&mut self) {
        let until = Instant::now() + LINGER;
        while self.stop == Some(Stop::Interrupt)
            && !self.eof
            && let Ok(Some(inputs)) = tokio::time::timeout_at(until, self.inbox.recv()).await
        {
            self.unread.extend(inputs);
            self.read().await;
        }
    }

    /// Reads what has arrived without waiting for more.
    pub(crate) async fn drain(&mut self) {
        tokio::task::yield_now().await;
        while let Ok(inputs) = self.inbox.try_recv() {
            self.unread.extend(inputs);
        }
        self.read().await;
    }

    /// Events a call sent before it returned are told before its result.
    pub(crate) async fn drain_events(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            self.heed(Some(event)).await;
        }
    }

    async fn read(&mut self) {
        while let Some(input) = self.unread.pop_front() {
            self.take(input).await;
        }
    }

    /// Handles one thing from outside.
    pub(crate) async fn take(&mut self, input: Input) {
        match input {
            Input::Message(_) if self.options.refusal.is_some() => self.refuse_to_begin().await,
            Input::Message(message) => self.obey(*message).await,
            Input::BadRequest {
                request_id,
                subtype,
                problem,
            } => {
                self.misread(&request_id, subtype.as_deref(), &problem).await;
            }
            Input::Bad(report) => self.say(say::informational(&report, "warning")).await,
            Input::Eof => {
                self.eof = true;
                self.background.begin_wait(self.options.background_wait);
                self.fail_open_asks().await;
            }
            Input::Signal(Signal::Interrupt) => {
                self.leave = Some(0);
                if self.turn.open {
                    self.withdraw_asks().await;
                    self.stop = Some(Stop::Interrupt);
                }
            }
            Input::Signal(Signal::Leave(code)) => {
                self.leave = Some(code);
                self.stop = Some(Stop::Leave);
            }
        }
    }

    /// There is nothing to go on with: the host learns it from a result, once it listens.
    async fn refuse_to_begin(&mut self) {
        if let (None, Some(why)) = (self.leave, &self.options.refusal) {
            self.say(say::refusal(why)).await;
            self.leave = Some(1);
        }
    }

    /// Takes a prompt in.
    pub(crate) async fn enqueue(&mut self, message: sluice_wire::stdin::User) {
        let prompt = say::prompt(message);
        let uuid = prompt.uuid.clone();
        let echo = self.options.replay && !prompt.synthetic;
        let urgent = prompt.priority == Priority::Now;
        let replay = echo.then(|| say::replay(&prompt.id, &prompt.content, None));
        match self.queue.push(prompt) {
            accepted @ (Accepted::Duplicate | Accepted::Earlier) => {
                if let Some(replay) = replay {
                    self.say(replay).await;
                }
                if let (Accepted::Earlier, Some(uuid)) = (accepted, uuid) {
                    self.say(say::lifecycle(&uuid, "completed")).await;
                }
            }
            Accepted::Queued => {
                // A prompt answers no ask that is open.
                if self.state == say::State::Idle {
                    self.enter(say::State::Running).await;
                }
                if let Some(uuid) = uuid {
                    self.say(say::lifecycle(&uuid, "queued")).await;
                }
                if urgent && self.turn.open && self.stop.is_none() {
                    self.withdraw_asks().await;
                    self.stop = Some(Stop::Supersede);
                }
            }
        }
    }

    /// Plays the turn of these prompts.
    async fn play(&mut self, batch: Batch) {
        let uuids = batch.uuids();
        let query = batch.prompts.iter().any(|prompt| prompt.should_query);
        let origin = batch.prompts.last().and_then(|prompt| prompt.origin.clone());
        self.open_turn(Turn::new(uuids.clone(), origin)).await;

        let Some((last, earlier)) = batch.prompts.split_last() else {
            return;
        };
        for prompt in &batch.prompts {
            self.keep_prompt(prompt).await;
        }
        if self.options.replay {
            for prompt in earlier.iter().filter(|prompt| !prompt.synthetic) {
                self.say(say::replay(&prompt.id, &prompt.content, None)).await;
            }
        }
        for uuid in &uuids {
            self.say(say::lifecycle(uuid, "started")).await;
        }
        self.drain().await;

        let content = say::sanitized(&batch.content());
        self.remind();
        self.history.user(blocks_of(&content));
        if self.options.replay && !last.synthetic {
            self.turn.replay = Some(say::replay(&last.id, &content, Some(&last.timestamp)));
        }
        self.announce().await;
        let ending = self.converse(query).await;
        self.close_turn(ending, &uuids).await;
    }

    /// Plays a turn nobody asked for: background work has ended and the model is told.
    async fn play_note(&mut self, note: crate::background::Note) {
        self.open_turn(Turn::new(Vec::new(), Some(note.origin.clone()))).await;
        self.keep_note(&note.text, &note.origin).await;
        self.history.user_text(&note.text);
        self.drain().await;
        self.announce().await;
        let ending = self.converse(true).await;
        self.close_turn(ending, &[]).await;
    }

    async fn open_turn(&mut self, turn: Turn) {
        self.stop = None;
        self.stop_by = None;
        self.turn = turn;
        self.owed.set(true);
        self.transcript.begin_turn();
        self.enter(say::State::Running).await;
    }

    /// What the model has to know of the session's state, said once where it changes.
    fn remind(&mut self) {
        if !std::mem::replace(&mut self.reminded_of_memory, true) {
            let memories = memory::load(self.options.settings.places(), self.options.settings.chosen());
            if let Some(reminder) = memory::reminder(&memories) {
                self.history.user_text(&reminder);
            }
        }
        let planning = self.policy.mode == PermissionMode::Plan;
        if planning && !std::mem::replace(&mut self.reminded_of_plan, planning) {
            self.history
                .user_text(&prompt::plan_reminder(self.policy.plan_file.as_deref()));
        }
        self.reminded_of_plan = planning;
    }

    /// `system/init`, which opens every turn.
    async fn announce(&mut self) {
        let init = say::init(self);
        self.say(init).await;
        self.say_settings_problems().await;
    }

    /// Tells of a change of state, to those who asked to be told.
    pub(crate) async fn enter(&mut self, state: say::State) {
        if self.state == state {
            return;
        }
        self.state = state;
        if self.options.state_events != StateEvents::Off {
            let host_only = self.options.state_events == StateEvents::HostOnly;
            self.say(say::state(state, host_only)).await;
        }
    }

    pub(crate) async fn say(&self, message: impl say::Signed) {
        self.out.say(message).await;
    }

    fn awaits_background(&self) -> bool {
        self.leave.is_none() && self.background.awaited()
    }

    fn background_deadline(&self) -> Option<Instant> {
        if self.eof { self.background.deadline() } else { None }
    }
}

/// The way to the web, as the way to the model.
fn web_config(options: &Options) -> WebConfig {
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

/// Sleeps until then, or for ever.
async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Waits for a settings file to change.
async fn changed(changes: &mut Option<mpsc::Receiver<()>>) {
    let told = match changes {
        Some(changes) => changes.recv().await,
        None => std::future::pending().await,
    };
    if told.is_none() {
        // The watcher is gone: nothing more will be told.
        *changes = None;
    }
}

/// Awaits what there is to await, or for ever.
async fn poll_opt<F: Future>(awaited: &mut Option<Pin<&mut F>>) -> F::Output {
    match awaited {
        Some(future) => future.as_mut().await,
        None => std::future::pending().await,
    }
}
