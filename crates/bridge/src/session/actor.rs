//! The session task: what it waits for, one step of the conversation, and the effects of a step.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sluice_host::conversation::{self, Change, ConversationEvent, ConversationState, Effect, Time, What};
use sluice_host::wire::control::{Request, RequestId, Subtype};
use sluice_host::wire::{Frame, MessageType};
use sluice_runner::ToRunner;
use sluice_store::{AskRow, PromptRow, SessionRow};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::feed::Feed;
use super::process::{Connecting, Ending};
use super::records::Records;
use super::{Command, Listener};
use crate::api::{Retry, SessionInfo, SimpleStatus, Standing};
use crate::hub::{Note, Shared};
use crate::link::Link;

/// How long a session stays in memory when nobody listens and nothing runs.
const LINGERS: Duration = Duration::from_secs(30);
/// How often the state is told at most.
const STATE_EVERY: Duration = Duration::from_millis(50);
/// How often the list is told at most, when the word for the session has not changed.
const INFO_EVERY: Duration = Duration::from_secs(1);
/// How often the list is told that something still moves: every screen pays for it.
const FLOW_EVERY: Duration = Duration::from_secs(10);
/// How many lines stay in the runner's log though they are stored: with them a lost database is rebuilt.
const KEPT: u64 = 2000;
/// When a store that failed is tried again.
const STORE_AGAIN: Duration = Duration::from_millis(500);

/// A session.
pub(crate) struct Actor {
    pub(super) shared: Arc<Shared>,
    pub(super) id: String,
    pub(super) s: u32,
    pub(super) row: SessionRow,
    pub(super) extra: Extra,
    pub(super) state: ConversationState,
    pub(super) records: Records,
    pub(super) feed: Feed,
    /// When the transcript was last written that other programs' messages were read from.
    pub(super) transcript_read_at: i64,
    pub(super) listeners: Vec<Listener>,

    // The way to the runner.
    pub(super) link: Option<Link>,
    pub(super) connecting: Option<Connecting>,
    /// Whether what was read is news: everything before was caught up with.
    pub(super) caught_up: bool,
    /// The agent's process, as the runner said when it was reached.
    pub(super) running: Option<u32>,
    /// Lines that were handed to the runner, by number, until it says that it has them.
    pub(super) unwritten: VecDeque<(u64, Arc<str>)>,
    pub(super) next_write: u64,
    /// Lines the runner could not take, tried again.
    pub(super) refused: VecDeque<Arc<str>>,
    pub(super) ending: Option<Ending>,
    /// Commands that wait for the end of the agent.
    pub(super) stopping: Vec<super::Reply<()>>,
    /// When a runner that does not end is killed.
    pub(super) kill_at: Option<Instant>,
    /// Whether the runner is stopped by a signal.
    pub(super) paused: bool,
    pub(super) runner_checked: Instant,
    pub(super) greeting: Greeting,
    pub(super) stderr: VecDeque<String>,
    pub(super) lost_since: Option<i64>,

    // What people want.
    pub(super) queue: Vec<PromptRow>,
    /// Who wrote what was sent: rows of prompts the machine has.
    pub(super) sent: HashMap<String, PromptRow>,
    pub(super) ledger: HashMap<String, AskRow>,
    pub(super) deciding: HashMap<String, super::asks::Deciding>,
    pub(super) waiters: HashMap<RequestId, super::requests::Waiter>,
    /// Requests for an agent that is being started.
    pub(super) held: Vec<(Request, super::Reply<serde_json::Value>)>,
    pub(super) jobs: JoinSet<super::requests::Done>,
    /// The turn somebody interrupted.
    pub(super) interrupted_turn: Option<usize>,

    // What is told.
    pub(super) new_entries: Vec<usize>,
    pub(super) retry: Option<Retry>,
    pub(super) by_model: Option<serde_json::Value>,
    pub(super) flow: Flow,
    /// When the agent last said anything of its own.
    pub(super) last_sign: Option<i64>,
    pub(super) standing: (Standing, i64),
    pub(super) dirty: Dirty,
    pub(super) told_info: Option<SessionInfo>,
    /// What lies beside the runner's log.
    pub(super) noted: Option<Note>,
    pub(super) told_status: Option<SimpleStatus>,
    told_state_at: Instant,
    told_info_at: Instant,
    store_again: Option<Instant>,
    pub(super) idle_since: Instant,
    pub(super) leaving: Option<tokio::sync::oneshot::Sender<()>>,
}

/// What a session remembers beyond the columns of its row.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Extra {
    pub(crate) effort: Option<String>,
    pub(crate) thinking: Option<u64>,
    pub(crate) worktree: Option<String>,
    /// Why the agent is not there: what it said last, for a crash.
    pub(crate) reason: Option<String>,
    pub(crate) finished_at: Option<i64>,
    /// The git branch of its folder.
    pub(crate) branch: Option<String>,
    /// Whether its history was made elsewhere.
    pub(crate) imported: bool,
    /// How often it was loaded: see [`super::feed`].
    pub(crate) generation: u64,
    /// Prompts that wait until a person releases them, by id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) held: Vec<String>,
}

/// Whether `initialize` was sent and answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Greeting {
    /// It was not sent yet.
    Owed,
    /// This request was sent.
    Sent(RequestId),
    /// It has answered, or never will.
    Done,
}

/// Whether a line to the agent is the `initialize` request. Only its subtype is read: heavy fields may be stored apart.
pub(super) fn is_greeting(frame: &Frame) -> bool {
    frame.message_type() == MessageType::ControlRequest && frame.request_subtype() == Some(Subtype::Initialize)
}

/// What has changed and must be sent to listeners.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Dirty {
    pub(super) state: bool,
    pub(super) facts: bool,
    pub(super) row: bool,
    /// Something of the summary may have changed.
    pub(super) info: bool,
}

/// Lines of the last minute, by second.
#[derive(Debug, Clone, Default)]
pub(super) struct Flow {
    second: i64,
    counts: VecDeque<u32>,
}

impl Flow {
    pub(super) fn count(&mut self, now: i64) {
        self.advance(now);
        if let Some(last) = self.counts.back_mut() {
            *last += 1;
        }
    }

    pub(super) fn advance(&mut self, now: i64) {
        let second = now / 1000;
        let behind = (second - self.second).clamp(0, 60);
        for _ in 0..behind {
            self.counts.push_back(0);
        }
        while self.counts.len() > 60 {
            self.counts.pop_front();
        }
        self.second = self.second.max(second);
    }

    pub(super) fn numbers(&self) -> Vec<u32> {
        self.counts.iter().copied().collect()
    }
}

/// The number of a turn in the store, where turns count from 1.
pub(super) fn number(turn: usize) -> i64 {
    i64::try_from(turn).map_or(i64::MAX, |turn| turn + 1)
}

/// Now, in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A moment as the conversation state has it.
pub(crate) fn time(at: i64) -> Time {
    Time(u64::try_from(at).unwrap_or(0))
}

/// And back.
pub(crate) fn millis(at: Time) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

/// What an actor begins with, when it was loaded.
pub(super) struct Loaded {
    pub(super) row: SessionRow,
    pub(super) extra: Extra,
    pub(super) state: ConversationState,
    pub(super) records: Records,
    pub(super) feed: Feed,
    pub(super) queue: Vec<PromptRow>,
    pub(super) sent: HashMap<String, PromptRow>,
    pub(super) ledger: HashMap<String, AskRow>,
    pub(super) greeting: Greeting,
    pub(super) by_model: Option<serde_json::Value>,
}

impl Actor {
    pub(super) fn of(shared: Arc<Shared>, s: u32, loaded: Loaded) -> Self {
        let at = loaded.row.last_activity_at;
        Self {
            shared,
            id: loaded.row.id.clone(),
            s,
            row: loaded.row,
            extra: loaded.extra,
            state: loaded.state,
            records: loaded.records,
            feed: loaded.feed,
            transcript_read_at: 0,
            listeners: Vec::new(),
            link: None,
            connecting: None,
            caught_up: false,
            running: None,
            unwritten: VecDeque::new(),
            next_write: 0,
            refused: VecDeque::new(),
            ending: None,
            stopping: Vec::new(),
            kill_at: None,
            paused: false,
            runner_checked: Instant::now(),
            greeting: loaded.greeting,
            stderr: VecDeque::new(),
            lost_since: None,
            queue: loaded.queue,
            sent: loaded.sent,
            ledger: loaded.ledger,
            deciding: HashMap::new(),
            waiters: HashMap::new(),
            held: Vec::new(),
            jobs: JoinSet::new(),
            interrupted_turn: None,
            new_entries: Vec::new(),
            retry: None,
            by_model: loaded.by_model,
            flow: Flow::default(),
            last_sign: None,
            standing: (Standing::Idle, at),
            dirty: Dirty {
                state: true,
                ..Dirty::default()
            },
            told_info: None,
            noted: None,
            told_status: None,
            told_state_at: Instant::now() - STATE_EVERY,
            told_info_at: Instant::now() - INFO_EVERY,
            store_again: None,
            idle_since: Instant::now(),
            leaving: None,
        }
    }

    /// Runs until nothing is left to do and nobody listens.
    pub(crate) async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        self.reach_runner();
        loop {
            self.feed_agent();
            self.send_items();
            self.tell();
            if self.store_again.is_none() {
                self.records.store(&self.shared.store);
            }
            if self.may_leave() && self.shared.let_go(&self.id, &commands) {
                break;
            }
            let wake = self.next_wake();
            tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => self.obey(command).await,
                    None => break,
                },
                frames = next_frames(&mut self.link), if !self.records.is_full() => match frames {
                    Some(frames) => self.take_frames(frames).await,
                    None => self.lose_link(),
                },
                stored = self.records.stored_now() => self.take_stored(&stored),
                connected = connected(&mut self.connecting) => self.take_connection(connected).await,
                Some(done) = self.jobs.join_next() => {
                    if let Ok(done) = done {
                        self.take_done(done);
                    }
                }
                () = tokio::time::sleep_until(wake) => self.tick(),
            }
            if self.leaving.is_some() && self.records.is_settled() && self.jobs.is_empty() {
                break;
            }
        }
        if let Some(reply) = self.leaving.take() {
            reply.send(()).ok();
        }
    }

    /// The number of the turn that is open.
    pub(super) fn open_turn_number(&self) -> Option<i64> {
        self.state.open_turn().map(number)
    }

    /// Applies an event to the conversation state, at the time of the event.
    pub(super) fn step(&mut self, at: i64, what: What) {
        let effects = conversation::step(&mut self.state, ConversationEvent::new(time(at), what));
        for effect in effects {
            self.perform(effect);
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Send(line) => self.send(line.as_str().into()),
            Effect::Asked(at) => self.asked(at),
            Effect::Settled(at) => self.settled(at),
            Effect::Replied { request, reply } => self.take_reply(&request, reply),
            Effect::TooLate(_) => {}
            Effect::Signal(signal) => self.signal(signal),
            Effect::Respawn => self.respawn(),
            Effect::Changed(change) => self.changed(change),
        }
    }

    fn changed(&mut self, change: Change) {
        // A text that grows is told by its deltas.
        if !matches!(change, Change::Draft(_)) {
            self.dirty.state = true;
            self.dirty.info = true;
        }
        match change {
            Change::Entry(at) => self.new_entries.push(at),
            Change::Prompt(at) => self.prompt_changed(at),
            Change::Turn(at) => self.turn_changed(at),
            Change::Session => self.facts_changed(),
            _ => {}
        }
    }

    fn next_wake(&self) -> Instant {
        let now = Instant::now();
        let far = now + Duration::from_secs(3600);
        let mut wake = far;
        if let Some(deadline) = self.state.deadline() {
            let wait = u64::try_from(millis(deadline) - crate::session::actor::now()).unwrap_or(0);
            wake = wake.min(now + Duration::from_millis(wait));
        }
        if self.dirty.state {
            wake = wake.min(self.told_state_at + STATE_EVERY);
        }
        if self.dirty.info {
            wake = wake.min(self.told_info_at + INFO_EVERY);
        } else if self.is_moving() {
            wake = wake.min(self.told_info_at + FLOW_EVERY);
        }
        if let Some(again) = self.store_again {
            wake = wake.min(again);
        }
        if !self.refused.is_empty() {
            wake = wake.min(now + STORE_AGAIN);
        }
        if let Some(at) = self.retires_at() {
            wake = wake.min(at);
        }
        if let Some(at) = self.check_runner_at() {
            wake = wake.min(at);
        }
        if self.could_leave() {
            wake = wake.min(self.idle_since + LINGERS);
        }
        wake
    }

    fn tick(&mut self) {
        let at = now();
        if self.state.deadline().is_some_and(|deadline| millis(deadline) <= at) {
            self.step(at, What::Tick);
        }
        if self.store_again.is_some_and(|again| again <= Instant::now()) {
            self.store_again = None;
            self.records.retry(&self.shared.store);
        }
        self.write_refused();
        if self.check_runner_at().is_some_and(|at| at <= Instant::now()) {
            self.check_runner();
        }
        if self.retires_at().is_some_and(|at| at <= Instant::now()) {
            self.retire();
        }
    }

    /// Whether the list should be told regularly: something goes on.
    fn is_moving(&self) -> bool {
        matches!(
            self.standing.0,
            Standing::Running | Standing::Stalled | Standing::Retrying | Standing::Stopping
        )
    }

    /// Tells listeners and the list what changed, not more often than a person can see.
    fn tell(&mut self) {
        let now = Instant::now();
        let at = self::now();
        let standing = self.work_out_standing(at);
        if standing != self.standing.0 {
            self.standing = (standing, at);
            self.dirty.state = true;
            self.dirty.info = true;
        }
        let due = now >= self.told_state_at + STATE_EVERY;
        if self.dirty.state && due {
            self.dirty.state = false;
            self.told_state_at = now;
            self.tell_state(at);
        }
        if self.dirty.facts {
            self.dirty.facts = false;
            self.tell_facts();
        }
        let word = self
            .told_info
            .as_ref()
            .is_none_or(|told| told.standing != self.standing.0);
        let every = if self.dirty.info { INFO_EVERY } else { FLOW_EVERY };
        if word || ((self.dirty.info || self.is_moving()) && now >= self.told_info_at + every) {
            self.told_info_at = now;
            self.dirty.info = false;
            self.tell_info(at);
        }
        if self.dirty.row {
            self.dirty.row = false;
            self.dirty.info = true;
            self.store_row();
        }
    }

    fn take_stored(&mut self, stored: &Result<i64, sluice_store::StoreError>) {
        self.records.take_stored(stored);
        match stored {
            Ok(_) => {
                let stored = u64::try_from(self.records.stored()).unwrap_or(0);
                if let Some(link) = self.link.as_ref().filter(|_| stored > KEPT) {
                    link.say(ToRunner::Trim { below: stored - KEPT });
                }
            }
            Err(error) => {
                tracing::error!(session = %self.id, %error, "records cannot be stored; they are tried again");
                self.store_again = Some(Instant::now() + STORE_AGAIN);
            }
        }
    }

    /// Whether there is nothing to do and nobody to do it for.
    fn could_leave(&self) -> bool {
        self.listeners.is_empty()
            && self.link.is_none()
            && self.connecting.is_none()
            && self.jobs.is_empty()
            && self.records.is_settled()
            && !self.state_is_up()
    }

    fn may_leave(&self) -> bool {
        self.could_leave() && Instant::now() >= self.idle_since + LINGERS
    }
}

async fn next_frames(link: &mut Option<Link>) -> Option<Vec<sluice_runner::FromRunner>> {
    match link {
        Some(link) => link.next().await,
        None => std::future::pending().await,
    }
}

async fn connected(connecting: &mut Option<Connecting>) -> super::process::Connected {
    match connecting {
        Some(connecting) => connecting.await,
        None => std::future::pending().await,
    }
}
