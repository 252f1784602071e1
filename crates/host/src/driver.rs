//! The driver: the one task that owns a conversation, and the tasks around it.
//!
//! ```text
//! agent ─▶ reader ─▶ ┌───────┐ ─▶ writer ─▶ agent
//! agent ─▶ stderr ─▶ │ owner │ ─▶ log ─▶ listeners
//! clients ─────────▶ └───────┘ ◀─▶ callbacks
//! ```
//!
//! The owner decides nothing: [`crate::conversation`] does, from events to effects. It never waits for a listener, nor for
//! an agent that does not read, so the agent is always read.

mod answering;
mod arriving;
mod commands;
mod live;
mod pipes;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize as _;
use sluice_wire::control::{ControlResponse, Initialize, InterruptResponse, RequestId, Response, Success};
use sluice_wire::{Frame, ToHost};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::Instant;

use crate::conversation::{
    self, AskAnswer, AskVerdict, ConversationState, Effect, OwnRequest, PromptState, RequestOutcome, Rung, Signal,
    Time, What,
};
use crate::error::{Error, ErrorKind};
use crate::event::{Event, Step};
use crate::log::Log;
use crate::options::{Deadlines, Options};
use crate::store::Mirror;
use crate::transport::{BoxFuture, Link, Transport};

use answering::Answerers;
use arriving::Arriving;
pub(crate) use commands::ClientCommand;
pub use commands::{Ended, Stopped};
use live::{Live, News};
pub(crate) use pipes::is_harmless;

/// How long the output of an agent that has ended may stay open.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The owner.
pub(crate) struct Owner {
    state: ConversationState,
    log: Log,
    clock: Clock,
    transport: Arc<dyn Transport>,
    answerers: Answerers,
    /// Where what the agent writes down is kept too.
    mirror: Option<Mirror>,
    /// What every agent is told first; nothing when this side only watches.
    greeting: Option<Initialize>,
    deadlines: Deadlines,
    line_cap: usize,
    outbox_cap: usize,
    live: Option<Live>,
    /// The agent is being reached again.
    connecting: Option<BoxFuture<'static, Result<Link, Error>>>,
    resuming: Option<Arc<str>>,
    /// Whether the agent keeps its sessions, so that one started again can go on.
    keeps: bool,
    /// Whether the agent begins anew because it knew nothing of the session.
    anew: bool,
    /// The agent is there and has not yet greeted back.
    arriving: Option<Arriving>,
    outbox: VecDeque<Arc<str>>,
    outbox_bytes: usize,
    waiters: HashMap<RequestId, oneshot::Sender<Result<Success, Error>>>,
    /// Callbacks that are about to answer.
    answering: JoinSet<AskVerdict>,
    asked: HashMap<Id, RequestId>,
    answerer_of: HashMap<RequestId, AbortHandle>,
    stops: Vec<Stop>,
    rung: Option<Rung>,
    ends: Vec<(String, oneshot::Sender<Result<Ended, Error>>)>,
    respawns: Vec<oneshot::Sender<Result<(), Error>>>,
    closing: Option<Vec<oneshot::Sender<()>>>,
    next_id: u64,
    /// The last words the agent wrote beside the protocol, for errors.
    stderr_tail: VecDeque<Arc<str>>,
}

/// Someone who waits for a turn to be stopped.
struct Stop {
    id: RequestId,
    reply: oneshot::Sender<Result<Stopped, Error>>,
    answered: bool,
    highest: Option<Rung>,
    still_queued: Vec<String>,
}

impl Owner {
    pub(crate) fn new(options: &Options, transport: Arc<dyn Transport>, log: Log) -> Self {
        let store = options.session_store.clone();
        Self {
            mirror: store.map(|store| Mirror::new(store, options.eager_session_store, log.clone())),
            state: ConversationState::new(options.patience()),
            log,
            clock: Clock::new(),
            transport,
            answerers: Answerers {
                callbacks: options.callbacks.clone(),
                servers: options.sdk_servers.clone(),
            },
            greeting: Some(options.greeting()),
            deadlines: options.deadlines,
            line_cap: options.line_cap,
            outbox_cap: options.outbox_cap,
            live: None,
            connecting: None,
            resuming: None,
            keeps: options.persist_session,
            anew: false,
            arriving: None,
            outbox: VecDeque::new(),
            outbox_bytes: 0,
            waiters: HashMap::new(),
            answering: JoinSet::new(),
            asked: HashMap::new(),
            answerer_of: HashMap::new(),
            stops: Vec::new(),
            rung: None,
            ends: Vec::new(),
            respawns: Vec::new(),
            closing: None,
            next_id: 0,
            stderr_tail: VecDeque::new(),
        }
    }

    /// Takes a link that is there, greets, and gives where the answer to the greeting will come.
    pub(crate) fn begin(&mut self, link: Link) -> Option<oneshot::Receiver<Result<Success, Error>>> {
        self.attach(link, None)
    }

    /// Says nothing to agents by itself.
    pub(crate) fn only_watch(&mut self) {
        self.greeting = None;
    }

    /// Runs until the agent is gone for good.
    pub(crate) async fn run(mut self, mut commands: mpsc::Receiver<ClientCommand>) {
        let mut clients = true;
        let mut alarm = std::pin::pin!(tokio::time::sleep_until(Instant::now()));
        let mut set: Option<Instant> = None;
        while !self.is_over() {
            self.log.wake();
            // Nearly every line moves the deadline on. An alarm that is set too early is left alone: it looks again.
            let deadline = self.next_deadline();
            if let Some(at) = deadline.filter(|at| set.is_none_or(|set| *at < set)) {
                alarm.as_mut().reset(at);
                set = Some(at);
            } else if deadline.is_none() && set.take().is_some() {
                // With nothing to wait for, an alarm would only wake an idle process.
                alarm.set(tokio::time::sleep_until(Instant::now()));
            }
            tokio::select! {
                command = commands.recv(), if clients => match command {
                    Some(command) => self.obey(command),
                    // Nobody is left who could say more.
                    None => {
                        clients = false;
                        self.close(None);
                    }
                },
                news = live::news(&mut self.live, !self.outbox.is_empty()) => match news {
                    News::Heard(heard) => self.take(heard).await,
                    News::Room(permit) => self.write(permit),
                    News::Aside(said) => self.take_stderr(said),
                    News::Exited(exit) => self.take_exit(exit),
                },
                Some(done) = self.answering.join_next_with_id() => self.take_answer(done),
                link = connected(&mut self.connecting) => self.take_link(link),
                () = &mut alarm, if set.is_some() => {
                    set = None;
                    if deadline.is_some_and(|at| at <= Instant::now()) {
                        self.tick();
                    }
                }
            }
        }
        if let Some(mirror) = self.mirror.take() {
            mirror.finish().await;
        }
        self.finish();
    }

    /// Takes one step of the machine and does what it asks for.
    fn step(&mut self, what: What) {
        let event = conversation::ConversationEvent::new(self.clock.now(), what);
        let effects = conversation::step(&mut self.state, event);
        for effect in effects {
            self.perform(effect);
        }
        self.watch_ladder();
        self.watch_ends();
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Send(line) => self.post(line.as_str().into()),
            Effect::Asked(at) => self.begin_answer(at),
            Effect::Settled(at) => {
                let id = self.state.asks().get(at).map(|ask| ask.id.clone());
                if let Some(handle) = id.and_then(|id| self.answerer_of.remove(&id)) {
                    handle.abort();
                }
            }
            Effect::Replied { request, reply } => self.take_reply(&request, reply),
            Effect::TooLate(_) => {}
            Effect::Signal(signal) => self.signal(signal),
            Effect::Respawn => {
                self.log.push(Event::Ladder(Step::Respawn));
                self.respawn();
            }
            Effect::Changed(change) => self.log.add(Event::Changed(change)),
        }
    }

    fn post(&mut self, line: Arc<str>) {
        self.outbox_bytes += line.len();
        self.outbox.push_back(line);
    }

    fn write(&mut self, permit: Option<mpsc::OwnedPermit<Arc<str>>>) {
        let line = self.outbox.pop_front();
        self.outbox_bytes -= line.as_ref().map_or(0, |line| line.len());
        match (permit, line) {
            (Some(permit), Some(line)) => {
                permit.send(line);
            }
            // The writer has ended: so has the agent's input. What waits is told by the machine once its end is known.
            (None, _) => {
                self.outbox.clear();
                self.outbox_bytes = 0;
            }
            (Some(_), None) => {}
        }
        self.end_input();
    }

    fn begin_answer(&mut self, at: usize) {
        let Some(ask) = self.state.asks().get(at) else { return };
        let Some(answer) = self.answerers.begin(ask) else {
            return;
        };
        let id = ask.id.clone();
        let handle = self.answering.spawn(answer);
        self.asked.insert(handle.id(), id.clone());
        self.answerer_of.insert(id, handle);
    }

    fn take_answer(&mut self, done: Result<(Id, AskVerdict), JoinError>) {
        let (task, verdict) = match done {
            Ok((task, verdict)) => (task, verdict),
            Err(error) if error.is_cancelled() => {
                self.asked.remove(&error.id());
                return;
            }
            Err(error) => (error.id(), AskVerdict::Refuse("the host's callback failed".into())),
        };
        let Some(ask) = self.asked.remove(&task) else { return };
        self.answerer_of.remove(&ask);
        self.step(What::Answer(AskAnswer {
            ask,
            verdict,
            by: Some("callback".into()),
        }));
    }

    fn take_reply(&mut self, request: &RequestId, reply: RequestOutcome) {
        let answer = match reply {
            RequestOutcome::Answered(frame) => read_reply(&frame),
            RequestOutcome::Expired => Err(Error::new(
                ErrorKind::Timeout,
                "the agent did not answer in time; an older one may not know the request",
            )),
            RequestOutcome::Died => Err(self.died()),
        };
        for stop in self.stops.iter_mut().filter(|stop| stop.id == *request) {
            stop.answered = true;
            let response = answer.as_ref().ok().and_then(|success| success.response.as_ref());
            let response = response.and_then(|it| InterruptResponse::deserialize(it).ok());
            stop.still_queued = response.and_then(|it| it.still_queued).unwrap_or_default();
        }
        if self.arriving.as_ref().is_some_and(|arriving| arriving.is(request)) {
            self.arrived(answer.as_ref().err());
        }
        if let Some(waiter) = self.waiters.remove(request) {
            // Nobody waits any more: the answer is dropped.
            waiter.send(answer).ok();
        }
    }

    /// Why the agent is not there, with its own last words.
    fn died(&self) -> Error {
        if let Some(error) = self.arriving.as_ref().and_then(Arriving::refused) {
            return error;
        }
        let mut text = "the agent ended before it answered".to_owned();
        for line in &self.stderr_tail {
            text.push_str("; it said: ");
            text.push_str(line);
        }
        Error::new(ErrorKind::Gone, text)
    }

    fn signal(&mut self, signal: Signal) {
        match self.live.as_ref().and_then(|live| live.process.as_ref()) {
            Some(process) => match signal {
                Signal::Terminate => process.terminate(),
                Signal::Kill => process.kill(),
            },
            // Nothing to signal: leaving it is all that can be done.
            None => {
                self.watch_ladder();
                self.lose();
            }
        }
    }

    fn watch_ladder(&mut self) {
        let rung = self.state.interruption().map(|interruption| interruption.rung);
        if rung != self.rung {
            if let Some(rung) = rung {
                self.log.push(Event::Ladder(Step::Rung(rung)));
                for stop in &mut self.stops {
                    stop.highest = stop.highest.max(Some(rung));
                }
            }
            self.rung = rung;
        }
        let settled = rung.is_none() && self.connecting.is_none() && self.arriving.is_none();
        if !settled || self.stops.is_empty() {
            return;
        }
        let (done, waiting) = std::mem::take(&mut self.stops)
            .into_iter()
            .partition(|stop| stop.answered);
        self.stops = waiting;
        let done: Vec<Stop> = done;
        if !done.is_empty() {
            self.log.push(Event::Ladder(Step::Stopped));
        }
        for stop in done {
            let stopped = Stopped {
                rung: stop.highest,
                still_queued: stop.still_queued,
            };
            stop.reply.send(Ok(stopped)).ok();
        }
    }

    fn watch_ends(&mut self) {
        if self.ends.is_empty() {
            return;
        }
        let position = self.log.next_number();
        let mut waiting = Vec::new();
        for (uuid, reply) in std::mem::take(&mut self.ends) {
            let ended = commands::ended(&self.state, &uuid, position).or_else(|| self.abandoned(&uuid));
            match ended {
                Some(ended) => {
                    reply.send(ended).ok();
                }
                None => waiting.push((uuid, reply)),
            }
        }
        self.ends = waiting;
    }

    /// Whether nobody is left who could say what became of a prompt, or is going to.
    fn abandoned(&self, uuid: &str) -> Option<Result<Ended, Error>> {
        let prompt = self.state.prompt(uuid)?;
        let gone = self.live.is_none() && self.connecting.is_none();
        let exited = matches!(self.state.process(), conversation::ProcessStatus::Exited { .. });
        // One that keeps nothing takes with it whether it had read what it was sent.
        let doubtful = prompt.state == PromptState::Indeterminate;
        let lost = !self.keeps && doubtful && self.live.is_none();
        if (gone && exited && prompt.turn.is_none()) || lost {
            let text = "the agent ended before it said whether it had read the prompt";
            return Some(Err(Error::new(ErrorKind::Gone, text)));
        }
        // It is there, can say so, and is not about to be told once more.
        let silent = self.live.is_some() && self.state.transport() == conversation::TransportStatus::Connected;
        (doubtful && silent && !prompt.again).then(|| {
            let text = "the agent gave no sign of the prompt in time; it may have read it and be working on it";
            Err(Error::new(ErrorKind::Timeout, text))
        })
    }

    fn fresh_id(&mut self) -> RequestId {
        self.next_id += 1;
        let (random, ..) = uuid::Uuid::new_v4().as_fields();
        RequestId::new(format!("req_{}_{random:08x}", self.next_id))
    }

    fn request(
        &mut self,
        id: RequestId,
        request: impl Into<sluice_wire::control::Request>,
        within: Duration,
    ) -> oneshot::Receiver<Result<Success, Error>> {
        let (reply, answer) = oneshot::channel();
        self.waiters.insert(id.clone(), reply);
        let own = OwnRequest {
            within: Some(within),
            ..OwnRequest::new(id, request)
        };
        self.step(What::Request(own));
        answer
    }

    fn next_deadline(&self) -> Option<Instant> {
        let machine = self.state.deadline().map(|time| self.clock.instant(time));
        let leaving = self.live.as_ref().and_then(Live::deadline);
        machine.into_iter().chain(leaving).min()
    }

    fn tick(&mut self) {
        if self
            .live
            .as_ref()
            .and_then(Live::deadline)
            .is_some_and(|at| at <= Instant::now())
        {
            self.press();
        }
        self.step(What::Tick);
    }
}

fn read_reply(frame: &Frame) -> Result<Success, Error> {
    let unreadable = |why: &dyn std::fmt::Display| Error::new(ErrorKind::Unreadable, format!("the answer: {why}"));
    match frame.to_host() {
        Ok(ToHost::ControlResponse(response)) => {
            let response: ControlResponse = *response;
            match response.response {
                Response::Success(success) => Ok(*success),
                Response::Error(failure) => Err(Error::new(ErrorKind::Refused, failure.error)),
                Response::Unknown(_) => Err(unreadable(&"neither success nor error")),
            }
        }
        Ok(_) => Err(unreadable(&"no answer")),
        Err(malformed) => Err(unreadable(&malformed)),
    }
}

/// The clock of the machine: milliseconds since 1970, but never backwards.
struct Clock {
    origin: Instant,
    epoch_ms: u64,
}

impl Clock {
    fn new() -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            origin: Instant::now(),
            epoch_ms: u64::try_from(epoch.as_millis()).unwrap_or(u64::MAX),
        }
    }

    fn now(&self) -> Time {
        let passed = u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX);
        Time(self.epoch_ms.saturating_add(passed))
    }

    fn instant(&self, time: Time) -> Instant {
        // The machine counts whole milliseconds; a tick before its time would come again and again.
        self.origin + Duration::from_millis(time.0.saturating_sub(self.epoch_ms)) + Duration::from_millis(1)
    }
}

async fn connected(connecting: &mut Option<BoxFuture<'static, Result<Link, Error>>>) -> Result<Link, Error> {
    match connecting {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}
