//! The agent's process, behind its runner: started, reached again, lost, ended.

use std::path::PathBuf;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sluice_host::conversation::{Exit, ProcessStatus, What};
use sluice_runner::{Record, StartError, ToRunner, registry};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::actor::{Actor, Greeting, now};
use super::records::kind;
use super::starts::has_process;
use crate::agents::{Begin, Wish};
use crate::api::{Code, Problem};
use crate::link::{Link, left_behind, runs};
use crate::session::Own;

/// How long an agent is given to end.
const GRACE: Duration = Duration::from_secs(10);

/// How long after that the runner itself is killed.
const KILL_MARGIN: Duration = Duration::from_secs(2);
/// Interval between two checks of a runner that something is expected of.
const CHECK_RUNNER: Duration = Duration::from_secs(2);

/// Why the agent is being ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// Nothing was to do for long.
    Retired,
    /// A person wanted it; who.
    Stopped(String),
    /// The state folder is a copy: the agent belongs to the original.
    Copied,
    /// A person resumed the session while the agent was ending: it starts again afterwards.
    Restarted,
}

/// The result of connecting to a runner.
pub(super) enum Connected {
    /// It is there.
    Linked(Link),
    /// The runner is gone; what it left behind.
    Gone(mpsc::Receiver<Record>),
    /// The agent could not be started.
    Failed(Problem),
}

pub(super) type Connecting = BoxFuture<'static, Connected>;

impl Actor {
    /// Where the runner of this session keeps its things.
    pub(super) fn runner_dir(&self) -> PathBuf {
        self.shared.config.runner_dir(&self.id)
    }

    pub(super) fn state_is_up(&self) -> bool {
        matches!(self.state.process(), ProcessStatus::Up { .. })
    }

    /// After loading: connects to the runner, or reads what it left behind, if the row, the records or the runner itself
    /// show a process. They differ where the last changes were not stored, or were lost with a damaged database.
    pub(super) fn reach_runner(&mut self) {
        if !has_process(&self.row) && !self.state_is_up() && !runs(&self.runner_dir()) {
            return;
        }
        self.step(now(), What::CatchingUp);
        self.connect_again();
    }

    /// Reaches the runner, or reads what it left behind.
    pub(super) fn connect_again(&mut self) {
        let (dir, term) = (self.runner_dir(), self.shared.next_term());
        let from = u64::try_from(self.records.position().safe).unwrap_or(0) + 1;
        self.caught_up = false;
        self.connecting = Some(
            async move {
                for wait in [0, 20, 100, 300] {
                    tokio::time::sleep(Duration::from_millis(wait)).await;
                    if let Ok(link) = Link::connect(&dir, term, from).await {
                        return Connected::Linked(link);
                    }
                    if !runs(&dir) {
                        break;
                    }
                }
                Connected::Gone(left_behind(dir, from))
            }
            .boxed(),
        );
    }

    /// Starts the agent, to go on with the conversation when there is one.
    pub(super) fn start_agent(&mut self) {
        let begin = match &self.row.provider_id {
            Some(id) if self.has_spoken() => Begin::Resume(id.clone()),
            _ => Begin::New(uuid::Uuid::new_v4().to_string()),
        };
        self.begin(&begin);
    }

    /// Whether the agent ever took up a prompt under its id; one that never did does not know it.
    pub(super) fn has_spoken(&self) -> bool {
        self.extra.imported || !self.state.turns().is_empty()
    }

    pub(super) fn begin(&mut self, begin: &Begin) {
        if self.connecting.is_some() || self.link.is_some() {
            return;
        }
        let at = now();
        let resumed = matches!(begin, Begin::Resume(_));
        self.extra.reason = None;
        self.stderr.clear();
        self.unwritten.clear();
        self.refused.clear();
        self.starting(at, resumed);
        self.row.status = "starting".into();
        self.dirty.row = true;
        if let Begin::New(id) = begin {
            self.new_provider_id(id);
        }
        let wish = Wish {
            agent: self.row.agent.clone(),
            folder: self.row.folder.clone().into(),
            permission_mode: self.row.permission_mode.clone(),
            model: self.row.model.clone(),
            effort: self.extra.effort.clone(),
        };
        let shared = std::sync::Arc::clone(&self.shared);
        let (dir, begin) = (self.runner_dir(), begin.clone());
        let from = u64::try_from(self.records.position().committed).unwrap_or(0) + 1;
        self.caught_up = false;
        self.connecting = Some(
            async move {
                let mut launch = match shared.agents.launch(&wish, &begin) {
                    Ok((launch, _)) => launch,
                    Err(problem) => return Connected::Failed(problem),
                };
                let sluice = crate::image::of(&shared.config.sluice);
                if std::path::Path::new(&launch.program) == shared.config.sluice {
                    launch.program = sluice.to_string_lossy().into_owned();
                }
                if !wish.folder.is_dir() {
                    let gone = format!("{}: the folder is not there", wish.folder.display());
                    return Connected::Failed(Problem::new(Code::Folder, gone));
                }
                let term = shared.next_term();
                let at = dir.clone();
                let started = tokio::task::spawn_blocking(move || sluice_runner::start(&sluice, &at, &launch)).await;
                match started {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => {
                        // A bridge that was killed had started a runner, which came up later: it is used.
                        if matches!(error, StartError::Locked { .. })
                            && let Ok(link) = Link::connect(&dir, term, from).await
                        {
                            return Connected::Linked(link);
                        }
                        return Connected::Failed(Problem::new(Code::Agent, error.to_string()));
                    }
                    Err(error) => return Connected::Failed(Problem::internal(error)),
                }
                match Link::connect(&dir, term, from).await {
                    Ok(link) => Connected::Linked(link),
                    // It came and went: what it left says why.
                    Err(_) => Connected::Gone(left_behind(dir, from)),
                }
            }
            .boxed(),
        );
    }

    pub(super) async fn take_connection(&mut self, connected: Connected) {
        self.connecting = None;
        match connected {
            Connected::Linked(link) => {
                self.lost_since = None;
                self.link = Some(link);
                self.step(now(), What::CatchingUp);
                if self.ending.is_some() {
                    // It was to end before it was reached.
                    self.shut_down();
                }
            }
            Connected::Gone(mut left) => {
                self.step(now(), What::CatchingUp);
                while let Some(record) = left.recv().await {
                    self.take_record(record).await;
                    if self.records.is_full() {
                        self.settle_records().await;
                    }
                }
                let at = now();
                if !matches!(self.state.process(), ProcessStatus::Exited { .. }) || has_process(&self.row) {
                    // The end of the process was not recorded, or not stored in the row.
                    let reason = if registry::is_copy(&self.runner_dir()) {
                        self.ending = Some(Ending::Copied);
                        "this state folder is a copy or was restored from a backup: the agent was not part of it and was \
                         not touched; resume the session to continue it here"
                    } else {
                        "the runner of this session was ended, and the agent with it"
                    };
                    self.exited(at, Exit::default(), Some(reason.to_owned()));
                }
                self.step(at, What::Connected);
            }
            Connected::Failed(problem) => {
                tracing::warn!(session = %self.id, problem = %problem.message, "an agent did not start");
                self.step(now(), What::Connected);
                let reason = match &problem.hint {
                    Some(hint) => format!("{}: {hint}", problem.message),
                    None => problem.message.clone(),
                };
                self.exited(now(), Exit::default(), Some(reason));
            }
        }
        if self.link.is_none() {
            self.release_held();
        }
        self.idle_since = Instant::now();
    }

    /// The runner is no longer heard. It may live.
    pub(super) fn lose_link(&mut self) {
        self.link = None;
        self.paused = false;
        // A runner that ended before it reported the start of the agent is looked after too.
        if matches!(self.state.process(), ProcessStatus::Exited { .. }) {
            self.idle_since = Instant::now();
            return;
        }
        let at = now();
        self.lost_since = Some(at);
        self.step(at, What::Lost);
        self.connect_again();
    }

    /// The process has ended.
    pub(super) fn exited(&mut self, at: i64, exit: Exit, reason: Option<String>) {
        // While old lines are read, it is another process than the one that runs now.
        let earlier = !self.caught_up && self.running.is_some();
        self.end_process(at, exit, reason, earlier);
    }

    /// Ends the process. `earlier`: whether a later process of this session has started.
    pub(super) fn end_process(&mut self, at: i64, exit: Exit, reason: Option<String>, earlier: bool) {
        self.lost_since = None;
        self.kill_at = self.kill_at.filter(|_| earlier);
        let in_turn = self.state.open_turn().is_some();
        let greeted = self.greeting == Greeting::Done;
        let ending = self.ending.take_if(|_| !earlier);
        let forgot = !earlier && self.forgot(greeted);
        if !earlier {
            for reply in self.stopping.drain(..) {
                reply.send(Ok(())).ok();
            }
        }
        self.keep_unfinished(at);
        self.keep_process(at, &serde_json::json!({"exited": exit}));
        self.step(at, What::Exited(exit));
        self.records.nothing_is_written();
        if !earlier {
            self.lines_did_not_arrive(at);
        }
        self.greeting = Greeting::Owed;
        self.retry = None;
        if let Some(link) = self.link.as_ref().filter(|_| !earlier) {
            link.say(ToRunner::Shutdown { grace_ms: 0 });
        }
        if forgot && ending.is_none() {
            self.forgotten();
            return;
        }
        let clean = exit.code == Some(0) && !in_turn && greeted;
        let (status, state) = match &ending {
            Some(Ending::Retired) => ("retired", "retired"),
            Some(Ending::Stopped(_)) => ("stopped", "stopped"),
            Some(Ending::Copied) => ("stopped", "stopped"),
            Some(Ending::Restarted) => ("retired", "exited"),
            None if clean => ("retired", "exited"),
            None => ("crashed", "exited"),
        };
        let by = match &ending {
            Some(Ending::Stopped(by)) => Some(format!("stopped by {by}")),
            _ => None,
        };
        let reason = reason.or(by);
        self.row.status = status.into();
        self.extra.reason = match status {
            "crashed" => Some(reason.clone().unwrap_or_else(|| self.words_of_exit(exit))),
            _ => reason.clone(),
        };
        self.dirty.row = true;
        let own = Own::Process {
            state: state.into(),
            crashed: status == "crashed",
            code: exit.code,
            signal: exit.signal,
            stderr: self.stderr.iter().cloned().collect(),
            reason,
        };
        self.keep_own(at, None, &own, None);
        self.idle_since = Instant::now();
        if ending == Some(Ending::Restarted) {
            self.respawn();
        }
    }

    fn words_of_exit(&self, exit: Exit) -> String {
        let how = match (exit.code, exit.signal) {
            (_, Some(9)) => "killed by signal 9, usually out of memory".to_owned(),
            (_, Some(signal)) => format!("killed by signal {signal}"),
            (Some(code), None) => format!("exited with code {code}"),
            (None, None) => "ended".to_owned(),
        };
        match self.stderr.back() {
            Some(last) => format!("{how}: {last}"),
            None => how,
        }
    }

    /// Whether an agent that was to go on with a conversation said that it does not know it.
    fn forgot(&self, greeted: bool) -> bool {
        if greeted {
            return false;
        }
        let said = self
            .state
            .entries()
            .iter()
            .rev()
            .take(3)
            .map(|entry| entry.line.as_str());
        let mut all = said.chain(self.stderr.iter().rev().take(5).map(String::as_str));
        all.any(|line| line.contains("No conversation found"))
    }

    /// The agent knows nothing of the conversation: it begins anew, and everybody is told.
    fn forgotten(&mut self) {
        tracing::warn!(session = %self.id, "the agent does not know its conversation any more; it begins anew");
        let text = "The agent no longer has this session. A new one was started; it does not know what is above.";
        let note = Own::Note {
            kind: "forgotten".into(),
            text: text.into(),
        };
        self.keep_own(now(), None, &note, None);
        self.link = None;
        self.begin(&Begin::New(uuid::Uuid::new_v4().to_string()));
    }

    pub(super) fn respawn(&mut self) {
        self.link = None;
        self.connecting = None;
        self.start_agent();
    }

    pub(super) fn signal(&mut self, signal: sluice_host::conversation::Signal) {
        use sluice_host::conversation::Signal::{Kill, Terminate};
        let signal = match signal {
            Terminate => sluice_runner::Signal::Terminate,
            Kill => sluice_runner::Signal::Kill,
        };
        if let Some(link) = &self.link {
            link.say(ToRunner::Signal(signal));
        }
    }

    /// Ends the agent and remembers why.
    pub(super) fn end_agent(&mut self, ending: Ending) {
        if !self.state_is_up() && self.connecting.is_none() {
            return;
        }
        self.ending = Some(ending);
        self.dirty.state = true;
        self.shut_down();
        self.check_runner();
    }

    fn shut_down(&mut self) {
        if let Some(link) = &self.link {
            let grace_ms = u64::try_from(GRACE.as_millis()).unwrap_or(u64::MAX);
            link.say(ToRunner::Shutdown { grace_ms });
        }
        self.kill_at = Some(Instant::now() + GRACE + KILL_MARGIN);
    }

    /// When the runner has to be checked next: while something is expected of it.
    pub(super) fn check_runner_at(&self) -> Option<Instant> {
        let expected =
            self.paused || self.ending.is_some() || !self.unwritten.is_empty() || self.state.open_turn().is_some();
        (self.link.is_some() && expected).then(|| self.runner_checked + CHECK_RUNNER)
    }

    /// Looks whether the runner is stopped by a signal: it then accepts everything and reacts to nothing. The session is
    /// shown as disconnected until the runner continues. A runner that is to end and does not is killed.
    pub(super) fn check_runner(&mut self) {
        self.runner_checked = Instant::now();
        if self.link.is_none() {
            return;
        }
        let dir = self.runner_dir();
        let paused = registry::is_paused(&dir);
        let overdue = self.kill_at.is_some_and(|at| at <= Instant::now());
        if self.ending.is_some() && (paused || overdue) {
            tracing::warn!(session = %self.id, paused, "a runner does not end; it is killed");
            tokio::task::spawn_blocking(move || registry::kill(&dir));
            return;
        }
        if paused == self.paused {
            return;
        }
        self.paused = paused;
        let at = now();
        if paused {
            tracing::warn!(session = %self.id, "a runner is stopped by a signal");
            self.lost_since = Some(at);
            self.step(at, What::Lost);
        } else {
            self.lost_since = None;
            self.step(at, What::Connected);
        }
        self.dirty.state = true;
    }

    /// When the agent has been idle long enough to be ended.
    pub(super) fn retires_at(&self) -> Option<Instant> {
        let idle = self.state_is_up()
            && self.link.is_some()
            && self.ending.is_none()
            && self.state.activity().is_idle()
            && self.queue.is_empty()
            && self.state.queue().next().is_none()
            && !self.state.tasks().iter().any(sluice_host::conversation::Task::is_open);
        let after = self.shared.config.idle_after?;
        idle.then(|| self.idle_since + after)
    }

    pub(super) fn retire(&mut self) {
        tracing::info!(session = %self.id, "an idle agent is ended; the next prompt starts it again");
        self.end_agent(Ending::Retired);
    }

    fn new_provider_id(&mut self, id: &str) {
        if self.row.provider_id.as_deref() == Some(id) {
            return;
        }
        self.row.provider_id = Some(id.to_owned());
        self.dirty.row = true;
        let (store, session, id) = (self.shared.store.clone(), self.id.clone(), id.to_owned());
        self.jobs.spawn(async move {
            if let Err(error) = store.add_provider_id(&session, &id, now()).await {
                tracing::error!(%session, %error, "the agent's id could not be kept");
            }
            super::requests::Done::Nothing
        });
    }

    /// Model, commands, servers or the agent's id changed.
    pub(super) fn facts_changed(&mut self) {
        self.dirty.facts = true;
        let session = self.state.session();
        if let Some(id) = session.id().map(str::to_owned) {
            self.new_provider_id(&id);
        }
        let session = self.state.session();
        if let Some(mode) = &session.mode {
            let mode = mode.to_string();
            if mode != self.row.permission_mode {
                self.row.permission_mode = mode;
                self.dirty.row = true;
            }
        }
        let title = session.title.as_deref().map(str::to_owned);
        if let Some(title) = title.filter(|title| !title.is_empty() && !self.row.title_by_person)
            && self.row.title.as_deref() != Some(&title)
        {
            self.row.title = Some(title);
            self.dirty.row = true;
        }
    }

    pub(super) fn keep_process(&mut self, at: i64, body: &serde_json::Value) {
        self.keep(super::records::New {
            at,
            kind: kind::PROCESS,
            body: body.to_string(),
            ..super::records::New::default()
        });
    }
}
