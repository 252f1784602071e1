//! The hooks of a session: those in force, those that run, and what they said about the turn at hand.
//!
//! How a hook is read, matched and run is [`sluice_hooks`]; which events a session raises and what it does with the
//! answers is `hook_events`. A door without a session has [`SessionlessHooks`].

mod done;
mod files;
mod sessionless;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;
use sluice_call::Deferred;
use sluice_hooks::config::Reader;
use sluice_hooks::{Consultation, Event, HookClient, HookList, InheritedHooks, Late, Origin};
use sluice_settings::Settings;
use sluice_wire::stdout::system::Informational;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::catalogue::plugins::Plugin;
use crate::memory::{Brought, Memory};
use crate::options::Options;

pub(crate) use done::{Hooked, Purpose};
pub(crate) use files::{Instructions, WatchedFiles};
pub(crate) use sessionless::{Before, SessionlessHooks, Watched};

/// How many hooks that go on by themselves may have ended without having been heard.
const LATE_DEPTH: usize = 32;

/// The hooks of a session, and those of them that run.
#[derive(Default)]
pub(crate) struct Hooks {
    /// From the weakest origin to the strongest.
    list: HookList,
    /// Those that run.
    work: Work,
    /// What they said about the turn at hand.
    turn: OfTurn,
    /// Whose session it is, if a subagent's.
    agent: OfAgent,
    /// What they were told of.
    seen: Seen,
    /// A call that an earlier session has put off.
    deferred_call: Option<Deferred>,
    /// An earlier session is gone on with; whether under another id.
    resumed: Option<bool>,
    /// The file in which hooks may leave variables.
    env_file: Option<PathBuf>,
}

/// Hooks that run.
struct Work {
    /// Callbacks the host has not answered yet, by request.
    callbacks: HashMap<String, oneshot::Sender<Result<Value, String>>>,
    /// Hooks around calls: they end with their turn.
    around: JoinSet<Hooked>,
    /// Other hooks that run beside the session.
    running: JoinSet<Hooked>,
    late: mpsc::Sender<Late>,
    late_heard: mpsc::Receiver<Late>,
    hook_client: HookClient,
    consulted: mpsc::Receiver<Consultation>,
}

impl Default for Work {
    fn default() -> Self {
        let (late, late_heard) = mpsc::channel(LATE_DEPTH);
        let (hook_client, consulted) = HookClient::new();
        Self {
            callbacks: HashMap::new(),
            around: JoinSet::new(),
            running: JoinSet::new(),
            late,
            late_heard,
            hook_client,
            consulted,
        }
    }
}

/// What hooks said about the turn at hand.
#[derive(Default)]
struct OfTurn {
    /// What the model is told before it is asked again.
    contexts: Vec<String>,
    /// A hook wants the turn to end; why.
    halt: Option<String>,
    /// The call of the ask that is just being shown to hooks.
    asked_for: Option<String>,
    /// What is said of a prompt that was refused, once its turn is announced.
    blocked: Option<Informational>,
    /// When calls were begun.
    began: HashMap<String, Instant>,
    /// How often in a row the turn was not let go.
    held_up: u32,
}

/// The hooks of a subagent's session.
#[derive(Default)]
struct OfAgent {
    /// Only hooks before calls are handed down to it.
    narrow: bool,
    /// The subagent this session is: its id and its type.
    speaker: Option<(String, String)>,
    /// Where the conversation of the session at the top is kept.
    top_transcript: Option<PathBuf>,
}

/// What hooks were told of, and what is to be told of them.
#[derive(Default)]
struct Seen {
    /// The directory hooks were last told of.
    last_cwd: Option<PathBuf>,
    watched: Option<WatchedFiles>,
    /// What is wrong with the hooks of the settings files.
    problems: Vec<String>,
    /// What is wrong with those that came from elsewhere.
    brought_problems: Vec<String>,
    /// Files of instructions that were read, and why.
    instructions: Vec<Instructions>,
    /// They were read before.
    instructed: bool,
}

impl Hooks {
    /// The hooks in force.
    pub(crate) fn list(&self) -> &HookList {
        &self.list
    }

    pub(crate) fn list_mut(&mut self) -> &mut HookList {
        &mut self.list
    }

    /// The subagent this session is: its id and its type.
    pub(crate) fn speaker(&self) -> Option<&(String, String)> {
        self.agent.speaker.as_ref()
    }

    /// What the subagents of this session get, whose conversation is kept in `file`.
    pub(crate) fn handed_down(&self, file: Option<&PathBuf>) -> InheritedHooks {
        InheritedHooks {
            list: self.list.handed_down(),
            narrow: self.agent.narrow,
            transcript: self.transcript(file).cloned(),
        }
    }

    /// Where the conversation of the session at the top is kept; `file` is where this one is.
    pub(crate) fn transcript<'a>(&'a self, file: Option<&'a PathBuf>) -> Option<&'a PathBuf> {
        self.agent.top_transcript.as_ref().or(file)
    }

    /// An earlier session is gone on with: whether under another id, and the call it has put off.
    pub(crate) fn resume(&mut self, is_fork: bool, deferred: Option<Deferred>) {
        self.resumed = Some(is_fork);
        self.deferred_call = deferred;
    }

    /// Whether an earlier session is gone on with under another id; none where there is none.
    pub(crate) fn resumed(&self) -> Option<bool> {
        self.resumed
    }

    /// The call an earlier session has put off.
    pub(crate) fn take_deferred(&mut self) -> Option<Deferred> {
        self.deferred_call.take()
    }

    /// The file in which hooks may leave variables.
    pub(crate) fn set_env_file(&mut self, file: PathBuf) {
        self.env_file = Some(file);
    }

    pub(crate) fn take_env_file(&mut self) -> Option<PathBuf> {
        self.env_file.take()
    }

    /// Runs hooks beside the session; those around calls end with their turn.
    pub(crate) fn spawn(&mut self, around: bool, work: impl Future<Output = Hooked> + Send + 'static) {
        let set = if around {
            &mut self.work.around
        } else {
            &mut self.work.running
        };
        set.spawn(work);
    }

    /// Ends the hooks around calls.
    pub(crate) fn abort_around(&mut self) {
        self.work.around.abort_all();
    }

    /// Where hooks that go on by themselves tell how they ended.
    pub(crate) fn late(&self) -> mpsc::Sender<Late> {
        self.work.late.clone()
    }

    /// The host is asked by this request.
    pub(crate) fn await_callback(&mut self, request_id: &str) -> oneshot::Receiver<Result<Value, String>> {
        let (answer, answered) = oneshot::channel();
        self.work.callbacks.retain(|_, waiting| !waiting.is_closed());
        self.work.callbacks.insert(request_id.to_owned(), answer);
        answered
    }

    /// Another turn begins.
    pub(crate) fn begin_turn(&mut self) {
        self.turn.halt = None;
        self.turn.held_up = 0;
        self.turn.began.clear();
    }

    /// A hook wants the turn to end, perhaps.
    pub(crate) fn halt(&mut self, why: Option<String>) {
        if why.is_some() {
            self.turn.halt = why;
        }
    }

    /// Why the turn has to end, if a hook wants it to.
    pub(crate) fn take_halt(&mut self) -> Option<String> {
        self.turn.halt.take()
    }

    /// This call is about to run.
    pub(crate) fn call_begins(&mut self, id: &str) {
        self.turn.began.insert(id.to_owned(), Instant::now());
    }

    /// When this call of the turn began.
    pub(crate) fn began(&self, id: &str) -> Option<Instant> {
        self.turn.began.get(id).copied()
    }

    /// The ask of this call is shown to hooks.
    pub(crate) fn show_ask_of(&mut self, call: String) {
        self.turn.asked_for = Some(call);
    }

    /// The call whose ask is shown to hooks.
    pub(crate) fn asked_for(&self) -> Option<String> {
        self.turn.asked_for.clone()
    }

    /// What the model is told before it is asked again.
    pub(crate) fn take_contexts(&mut self) -> Vec<String> {
        std::mem::take(&mut self.turn.contexts)
    }

    /// The last texts hooks said are not for the conversation.
    pub(crate) fn take_back(&mut self, count: usize) -> Vec<String> {
        let own = self.turn.contexts.len().saturating_sub(count);
        self.turn.contexts.split_off(own)
    }

    /// A prompt was refused: this is said once its turn is announced.
    pub(crate) fn block(&mut self, told: Informational) {
        self.turn.blocked = Some(told);
    }

    pub(crate) fn take_blocked(&mut self) -> Option<Informational> {
        self.turn.blocked.take()
    }

    /// The turn is not let go; gives how often in a row.
    pub(crate) fn hold_up(&mut self) -> u32 {
        self.turn.held_up += 1;
        self.turn.held_up
    }

    pub(crate) fn is_held_up(&self) -> bool {
        self.turn.held_up > 0
    }

    /// What is wrong with the hooks of the settings files.
    pub(crate) fn set_problems(&mut self, problems: Vec<String>) {
        self.seen.problems = problems;
    }

    /// What is wrong with hooks that came from elsewhere. A skill brings its hooks each time it is taken up.
    pub(crate) fn add_problems(&mut self, problems: Vec<String>) {
        for problem in problems {
            if !self.seen.brought_problems.contains(&problem) {
                self.seen.brought_problems.push(problem);
            }
        }
    }

    /// Files of instructions that were read since hooks were last told.
    pub(crate) fn take_instructions(&mut self) -> Vec<Instructions> {
        std::mem::take(&mut self.seen.instructions)
    }

    /// Hooks are told of this directory; gives the one they were told of before.
    pub(crate) fn tell_cwd(&mut self, now: PathBuf) -> Option<PathBuf> {
        self.seen.last_cwd.replace(now)
    }

    /// The files hooks wait for a change of.
    pub(crate) fn watched(&mut self) -> &mut Option<WatchedFiles> {
        &mut self.seen.watched
    }

    /// For those who are not the session and have something to tell.
    pub(crate) fn client(&self) -> HookClient {
        self.work.hook_client.clone()
    }

    /// What is wrong with the hooks of files.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &str> {
        self.seen
            .problems
            .iter()
            .chain(&self.seen.brought_problems)
            .map(String::as_str)
    }

    /// Files of instructions were read; hooks are told before the model is asked.
    pub(crate) fn note_instructions(&mut self, memories: &[Memory]) {
        let again = std::mem::replace(&mut self.seen.instructed, true);
        if self.await_any(&[Event::InstructionsLoaded]) {
            let reason = if again { "compact" } else { "session_start" };
            self.seen
                .instructions
                .extend(memories.iter().map(|memory| Instructions {
                    path: memory.path.clone(),
                    reason: if memory.parent.is_some() { "include" } else { reason },
                    parent: memory.parent.clone(),
                    ..Instructions::default()
                }));
        }
    }

    /// The model is told this before it is asked again.
    pub(crate) fn say_besides(&mut self, text: String) {
        self.turn.contexts.push(text);
    }

    /// A touched file has brought files of instructions.
    pub(crate) fn note_brought(&mut self, trigger: &Path, brought: &[Brought]) {
        if self.await_any(&[Event::InstructionsLoaded]) {
            self.seen.instructions.extend(brought.iter().map(|one| Instructions {
                path: one.memory.path.clone(),
                reason: one.reason,
                parent: one.memory.parent.clone(),
                globs: one.patterns.clone(),
                trigger: Some(trigger.to_owned()),
            }));
        }
    }

    /// Puts the hooks of the session above in the place of those it had before; an agent's own stay.
    pub(crate) fn inherit(&mut self, above: &InheritedHooks) {
        self.list.inherit(&above.list, self.agent.narrow);
    }

    /// The hooks of a subagent.
    pub(crate) fn of_agent(above: &InheritedHooks, id: &str, kind: &str) -> Self {
        Self {
            list: above.list.clone(),
            agent: OfAgent {
                narrow: above.narrow,
                speaker: Some((id.to_owned(), kind.to_owned())),
                top_transcript: above.transcript.clone(),
            },
            ..Self::default()
        }
    }

    /// Whether any hook waits for one of these.
    pub(crate) fn await_any(&self, events: &[Event]) -> bool {
        self.list.await_any(events)
    }

    /// The next hooks that are done beside the session.
    pub(crate) async fn next(&mut self) -> Option<Hooked> {
        loop {
            tokio::select! {
                biased;
                Some(done) = self.work.around.join_next() => match done {
                    Ok(hooked) => return Some(hooked),
                    Err(_) => continue,
                },
                Some(done) = self.work.running.join_next() => match done {
                    Ok(hooked) => return Some(hooked),
                    Err(_) => continue,
                },
                changed = files::changes(&mut self.seen.watched) => return Some(Hooked::of_files(changed)),
                Some(consultation) = self.work.consulted.recv() => return Some(Hooked::of_consultation(consultation)),
                late = self.work.late_heard.recv() => return late.map(Hooked::of_late),
            }
        }
    }

    /// The host answers a callback; false if it is none that is open.
    pub(crate) fn answered(&mut self, request_id: &str, answer: Result<Value, String>) -> bool {
        match self.work.callbacks.remove(request_id) {
            // Who asked may have given up.
            Some(waiting) => waiting.send(answer).is_ok(),
            None => false,
        }
    }

    /// Nobody will answer any more; gives the requests that were still open.
    pub(crate) fn forget_callbacks(&mut self) -> Vec<String> {
        let open = self.work.callbacks.drain().filter(|(_, waiting)| !waiting.is_closed());
        open.map(|(id, _)| id).collect()
    }
}

/// What is wrong with the hooks of a plugin.
pub(crate) fn plugin_problems(plugin: &Plugin, settings: &Settings, cwd: &Path, home: &Path) -> Vec<String> {
    let origin = Origin::Plugin {
        name: plugin.name.clone(),
        root: plugin.root.clone(),
        data: Some(plugin.data_dir(settings)),
    };
    let read = |hooks: &Value| Reader { cwd, home }.read(&origin, hooks).1;
    plugin.hooks_found().iter().flat_map(read).collect()
}

/// The environment of hooks, whatever they are told.
pub(crate) fn environment(options: &Options) -> Vec<(OsString, OsString)> {
    let mut env = options.env.to_vec();
    let set = [
        ("CLAUDE_PROJECT_DIR", options.settings.project(&options.cwd).into()),
        ("CLAUDECODE", "1".into()),
        (
            "CLAUDE_CODE_ENTRYPOINT",
            options.session.keeping.entrypoint.clone().into(),
        ),
        ("CLAUDE_CODE_SESSION_ID", options.session.id.clone().into()),
        ("CLAUDE_PID", std::process::id().to_string().into()),
    ];
    env.retain(|(known, _)| set.iter().all(|(name, _)| *known != *name));
    env.extend(set.map(|(name, value): (&str, OsString)| (name.into(), value)));
    env
}
