//! The driver: the task that owns a conversation, and the tasks around it.
//!
//! ```text
//! agent ─▶ reader ─▶ ┌───────┐ ─▶ writer ─▶ agent
//! agent ─▶ stderr ─▶ │ owner │ ─▶ log ─▶ listeners
//! clients ─────────▶ └───────┘ ◀─▶ callbacks
//! ```
//!
//! All decisions are made by the state machine in [`crate::conversation`]; the owner feeds it events and performs its
//! effects. It never waits for a subscriber or for an agent that does not read its input, so the agent is always read.

mod agent_requests;
mod commands;
mod connection;
mod handshake;
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

use agent_requests::RequestHandlers;
pub(crate) use commands::ClientCommand;
pub use commands::{Ended, Stopped};
use connection::{AgentEvent, Connection};
use handshake::Handshake;
pub(crate) use pipes::is_harmless;

/// How long the output of an exited agent may stay open before the rest is discarded.
const OUTPUT_DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// The owner of the conversation.
pub(crate) struct Owner {
    state: ConversationState,
    log: Log,
    clock: Clock,
    transport: Arc<dyn Transport>,
    handlers: RequestHandlers,
    /// Copies the agent's transcripts to a store, if one is configured.
    mirror: Option<Mirror>,
    /// The `initialize` request for every started agent; `None` if this host only observes.
    initialize: Option<Initialize>,
    deadlines: Deadlines,
    line_cap: usize,
    outbox_cap: usize,
    connection: Option<Connection>,
    /// The running attempt to reconnect to the agent.
    connecting: Option<BoxFuture<'static, Result<Link, Error>>>,
    resuming: Option<Arc<str>>,
    /// Whether the agent saves its sessions, so that a restarted agent can resume.
    saves_sessions: bool,
    /// Whether the agent is being started with a new session because it did not know the previous one.
    starting_over: bool,
    /// The agent is connected and has not yet answered `initialize`.
    handshake: Option<Handshake>,
    outbox: VecDeque<Arc<str>>,
    outbox_bytes: usize,
    waiters: HashMap<RequestId, oneshot::Sender<Result<Success, Error>>>,
    /// Running callbacks.
    answering: JoinSet<AskVerdict>,
    answer_tasks: HashMap<Id, RequestId>,
    answer_handles: HashMap<RequestId, AbortHandle>,
    stops: Vec<Stop>,
    rung: Option<Rung>,
    turn_waiters: Vec<(String, oneshot::Sender<Result<Ended, Error>>)>,
    respawns: Vec<oneshot::Sender<Result<(), Error>>>,
    closing: Option<Vec<oneshot::Sender<()>>>,
    next_id: u64,
    /// The last lines that the agent wrote to standard error, for error messages.
    stderr_tail: VecDeque<Arc<str>>,
}

/// A caller that waits for a turn to be stopped.
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
            handlers: RequestHandlers {
                callbacks: options.callbacks.clone(),
                servers: options.sdk_servers.clone(),
            },
            initialize: Some(options.greeting()),
            deadlines: options.deadlines,
            line_cap: options.line_cap,
            outbox_cap: options.outbox_cap,
            connection: None,
            connecting: None,
            resuming: None,
            saves_sessions: options.persist_session,
            starting_over: false,
            handshake: None,
            outbox: VecDeque::new(),
            outbox_bytes: 0,
            waiters: HashMap::new(),
            answering: JoinSet::new(),
            answer_tasks: HashMap::new(),
            answer_handles: HashMap::new(),
            stops: Vec::new(),
            rung: None,
            turn_waiters: Vec::new(),
            respawns: Vec::new(),
            closing: None,
            next_id: 0,
            stderr_tail: VecDeque::new(),
        }
    }

    /// Attaches the first connection and sends `initialize`. Returns a receiver for the response.
    pub(crate) fn attach_first(&mut self, link: Link) -> Option<oneshot::Receiver<Result<Success, Error>>> {
        self.attach(link, None)
    }

    /// Disables `initialize`: this host only observes.
    pub(crate) fn set_passive(&mut self) {
        self.initialize = None;
    }

    /// Runs until the client is closed and the agent has exited.
    pub(crate) async fn run(mut self, mut commands: mpsc::Receiver<ClientCommand>) {
        let mut clients = true;
        let mut timer = std::pin::pin!(tokio::time::sleep_until(Instant::now()));
        let mut timer_at: Option<Instant> = None;
        while !self.is_finished() {
            self.log.wake();
            // Nearly every line moves the deadline. A timer that fires too early is not reset; it checks the deadline again.
            let deadline = self.next_deadline();
            if let Some(at) = deadline.filter(|at| timer_at.is_none_or(|timer_at| *at < timer_at)) {
                timer.as_mut().reset(at);
                timer_at = Some(at);
            } else if deadline.is_none() && timer_at.take().is_some() {
                // Without a deadline, the timer would only wake an idle process.
                timer.set(tokio::time::sleep_until(Instant::now()));
            }
            tokio::select! {
                command = commands.recv(), if clients => match command {
                    Some(command) => self.handle_command(command),
                    // The last client was dropped.
                    None => {
                        clients = false;
                        self.close(None);
                    }
                },
                event = connection::next_event(&mut self.connection, !self.outbox.is_empty()) => match event {
                    AgentEvent::Lines(batch) => self.on_lines(batch).await,
                    AgentEvent::WriteSlot(permit) => self.write(permit),
                    AgentEvent::Stderr(line) => self.on_stderr(line),
                    AgentEvent::Exited(exit) => self.on_exit(exit),
                },
                Some(done) = self.answering.join_next_with_id() => self.on_answer(done),
                link = wait_for_connection(&mut self.connecting) => self.on_connected(link),
                () = &mut timer, if timer_at.is_some() => {
                    timer_at = None;
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

    /// Feeds an event to the state machine and performs its effects.
    fn step(&mut self, what: What) {
        let event = conversation::ConversationEvent::new(self.clock.now(), what);
        let effects = conversation::step(&mut self.state, event);
        for effect in effects {
            self.perform(effect);
        }
        self.update_interrupts();
        self.update_turn_waiters();
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Send(line) => self.enqueue(line.as_str().into()),
            Effect::Asked(at) => self.start_answer(at),
            Effect::Settled(at) => {
                let id = self.state.asks().get(at).map(|ask| ask.id.clone());
                if let Some(handle) = id.and_then(|id| self.answer_handles.remove(&id)) {
                    handle.abort();
                }
            }
            Effect::Replied { request, reply } => self.on_reply(&request, reply),
            Effect::TooLate(_) => {}
            Effect::Signal(signal) => self.signal(signal),
            Effect::Respawn => {
                self.log.push(Event::Ladder(Step::Respawn));
                self.respawn();
            }
            Effect::Changed(change) => self.log.add(Event::Changed(change)),
        }
    }

    fn enqueue(&mut self, line: Arc<str>) {
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
            // The writer has ended, and with it the agent's input. The state machine reports undelivered messages once the agent's
            // exit is known.
            (None, _) => {
                self.outbox.clear();
                self.outbox_bytes = 0;
            }
            (Some(_), None) => {}
        }
        self.end_input();
    }

    fn start_answer(&mut self, at: usize) {
        let Some(ask) = self.state.asks().get(at) else { return };
        let Some(answer) = self.handlers.start(ask) else {
            return;
        };
        let id = ask.id.clone();
        let handle = self.answering.spawn(answer);
        self.answer_tasks.insert(handle.id(), id.clone());
        self.answer_handles.insert(id, handle);
    }

    fn on_answer(&mut self, done: Result<(Id, AskVerdict), JoinError>) {
        let (task, verdict) = match done {
            Ok((task, verdict)) => (task, verdict),
            Err(error) if error.is_cancelled() => {
                self.answer_tasks.remove(&error.id());
                return;
            }
            Err(error) => (error.id(), AskVerdict::Refuse("the host's callback failed".into())),
        };
        let Some(ask) = self.answer_tasks.remove(&task) else {
            return;
        };
        self.answer_handles.remove(&ask);
        self.step(What::Answer(AskAnswer {
            ask,
            verdict,
            by: Some("callback".into()),
        }));
    }

    fn on_reply(&mut self, request: &RequestId, reply: RequestOutcome) {
        let answer = match reply {
            RequestOutcome::Answered(frame) => read_reply(&frame),
            RequestOutcome::Expired => Err(Error::new(
                ErrorKind::Timeout,
                "the agent did not answer in time; an older one may not know the request",
            )),
            RequestOutcome::Died => Err(self.exit_error()),
        };
        for stop in self.stops.iter_mut().filter(|stop| stop.id == *request) {
            stop.answered = true;
            let response = answer.as_ref().ok().and_then(|success| success.response.as_ref());
            let response = response.and_then(|it| InterruptResponse::deserialize(it).ok());
            stop.still_queued = response.and_then(|it| it.still_queued).unwrap_or_default();
        }
        if self.handshake.as_ref().is_some_and(|handshake| handshake.is(request)) {
            self.on_handshake_done(answer.as_ref().err());
        }
        if let Some(waiter) = self.waiters.remove(request) {
            // The requester may be gone, then the response is dropped.
            waiter.send(answer).ok();
        }
    }

    /// Returns an error that describes why the agent is not running, with the end of its standard error.
    fn exit_error(&self) -> Error {
        if let Some(error) = self.handshake.as_ref().and_then(Handshake::exit_error) {
            return error;
        }
        let mut text = "the agent exited before it answered".to_owned();
        for line in &self.stderr_tail {
            text.push_str("; standard error: ");
            text.push_str(line);
        }
        Error::new(ErrorKind::Gone, text)
    }

    fn signal(&mut self, signal: Signal) {
        match self
            .connection
            .as_ref()
            .and_then(|connection| connection.process.as_ref())
        {
            Some(process) => match signal {
                Signal::Terminate => process.terminate(),
                Signal::Kill => process.kill(),
            },
            // Without a process, dropping the connection is the only option.
            None => {
                self.update_interrupts();
                self.drop_connection();
            }
        }
    }

    fn update_interrupts(&mut self) {
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
        let settled = rung.is_none() && self.connecting.is_none() && self.handshake.is_none();
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

    fn update_turn_waiters(&mut self) {
        if self.turn_waiters.is_empty() {
            return;
        }
        let position = self.log.next_number();
        let mut waiting = Vec::new();
        for (uuid, reply) in std::mem::take(&mut self.turn_waiters) {
            let ended = commands::turn_outcome(&self.state, &uuid, position).or_else(|| self.lost_prompt_error(&uuid));
            match ended {
                Some(ended) => {
                    reply.send(ended).ok();
                }
                None => waiting.push((uuid, reply)),
            }
        }
        self.turn_waiters = waiting;
    }

    /// Returns an error if it will never be known whether a prompt was read.
    fn lost_prompt_error(&self, uuid: &str) -> Option<Result<Ended, Error>> {
        let prompt = self.state.prompt(uuid)?;
        let gone = self.connection.is_none() && self.connecting.is_none();
        let exited = matches!(self.state.process(), conversation::ProcessStatus::Exited { .. });
        // If an agent without saved sessions exits, nothing reveals whether it had read the prompt.
        let unconfirmed = prompt.state == PromptState::Indeterminate;
        let lost = !self.saves_sessions && unconfirmed && self.connection.is_none();
        if (gone && exited && prompt.turn.is_none()) || lost {
            let text = "the agent exited before it confirmed the prompt";
            return Some(Err(Error::new(ErrorKind::Gone, text)));
        }
        // The agent is connected, could report the prompt, and the prompt is not about to be sent again.
        let could_report =
            self.connection.is_some() && self.state.transport() == conversation::TransportStatus::Connected;
        (unconfirmed && could_report && !prompt.again).then(|| {
            let text = "the agent did not confirm the prompt in time; it may have read it and be processing it";
            Err(Error::new(ErrorKind::Timeout, text))
        })
    }

    fn new_id(&mut self) -> RequestId {
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
        let state_deadline = self.state.deadline().map(|time| self.clock.instant(time));
        let shutting_down = self.connection.as_ref().and_then(Connection::deadline);
        state_deadline.into_iter().chain(shutting_down).min()
    }

    fn tick(&mut self) {
        if self
            .connection
            .as_ref()
            .and_then(Connection::deadline)
            .is_some_and(|at| at <= Instant::now())
        {
            self.continue_shutdown();
        }
        self.step(What::Tick);
    }
}

fn read_reply(frame: &Frame) -> Result<Success, Error> {
    let invalid = |reason: &dyn std::fmt::Display| Error::new(ErrorKind::Unreadable, format!("the response: {reason}"));
    match frame.to_host() {
        Ok(ToHost::ControlResponse(response)) => {
            let response: ControlResponse = *response;
            match response.response {
                Response::Success(success) => Ok(*success),
                Response::Error(failure) => Err(Error::new(ErrorKind::Refused, failure.error)),
                Response::Unknown(_) => Err(invalid(&"it is neither a success nor an error")),
            }
        }
        Ok(_) => Err(invalid(&"it is not a control response")),
        Err(malformed) => Err(invalid(&malformed)),
    }
}

/// The clock for the state machine: milliseconds since 1970, monotonic.
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
        // The state machine counts whole milliseconds; a tick before the deadline would be repeated in a loop.
        self.origin + Duration::from_millis(time.0.saturating_sub(self.epoch_ms)) + Duration::from_millis(1)
    }
}

async fn wait_for_connection(connecting: &mut Option<BoxFuture<'static, Result<Link, Error>>>) -> Result<Link, Error> {
    match connecting {
        Some(future) => future.await,
        None => std::future::pending().await,
    }
}
