//! Hook state of a session: registered hooks, running hooks, and their results for the current turn.
//!
//! [`sluice_hooks`] parses, matches and runs hooks; `hook_events` raises the events of a session and applies the
//! results. Doors without a session use [`SessionlessHooks`].

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

pub(crate) use done::{HookOutcome, Purpose};
pub(crate) use files::{Instructions, WatchedFiles};
pub(crate) use sessionless::{BeforeCall, HookedCall, SessionlessHooks};

/// Capacity of the channel for results of asynchronous hooks.
const LATE_DEPTH: usize = 32;

/// The registered and running hooks of a session.
#[derive(Default)]
pub(crate) struct Hooks {
    /// Registered hooks, in ascending order of precedence.
    list: HookList,
    /// Running hooks.
    work: Work,
    /// Results for the current turn.
    turn: OfTurn,
    /// State that is only used in a subagent.
    agent: OfAgent,
    /// Information that hooks have received or will receive.
    notices: HookNotices,
    /// A call that an earlier process deferred.
    deferred_call: Option<Deferred>,
    /// Whether the session is resumed; the value is true if it is forked.
    resumed: Option<bool>,
    /// The file in which hooks may set variables.
    env_file: Option<PathBuf>,
}

/// Running hooks.
struct Work {
    /// Senders for open callbacks, by request id.
    callbacks: HashMap<String, oneshot::Sender<Result<Value, String>>>,
    /// Hooks around calls, which are cancelled at the end of their turn.
    around: JoinSet<HookOutcome>,
    /// Other hooks that run concurrently with the session.
    running: JoinSet<HookOutcome>,
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

/// Results of hooks for the current turn.
#[derive(Default)]
struct OfTurn {
    /// Texts to add to the conversation before the next model request.
    contexts: Vec<String>,
    /// The reason for which a hook ends the turn.
    halt: Option<String>,
    /// Id of the call whose permission request is being shown to hooks.
    asked_for: Option<String>,
    /// Message about a blocked prompt, to send once its turn is announced.
    blocked: Option<Informational>,
    /// Start times of calls, by id.
    began: HashMap<String, Instant>,
    /// Number of consecutive times that hooks have continued the turn at its end.
    stop_blocks: u32,
}

/// Hook state of a subagent's session.
#[derive(Default)]
struct OfAgent {
    /// The subagent inherits only `PreToolUse` hooks.
    narrow: bool,
    /// Id and type of this subagent.
    speaker: Option<(String, String)>,
    /// Transcript of the top session.
    top_transcript: Option<PathBuf>,
}

/// Information that hooks have received or will receive.
#[derive(Default)]
struct HookNotices {
    /// The working directory that hooks received last.
    last_cwd: Option<PathBuf>,
    watched: Option<WatchedFiles>,
    /// Problems with hooks of the settings files.
    problems: Vec<String>,
    /// Problems with hooks of plugins, skills and agents.
    brought_problems: Vec<String>,
    /// Memory files that were read and have not been reported to hooks yet.
    instructions: Vec<Instructions>,
    /// Whether memory files have been reported before.
    instructed: bool,
}

impl Hooks {
    pub(crate) fn list(&self) -> &HookList {
        &self.list
    }

    pub(crate) fn list_mut(&mut self) -> &mut HookList {
        &mut self.list
    }

    /// Id and type of this subagent; `None` in the top session.
    pub(crate) fn speaker(&self) -> Option<&(String, String)> {
        self.agent.speaker.as_ref()
    }

    /// The hooks that subagents inherit; `file` is the transcript of this session.
    pub(crate) fn handed_down(&self, file: Option<&PathBuf>) -> InheritedHooks {
        InheritedHooks {
            list: self.list.handed_down(),
            narrow: self.agent.narrow,
            transcript: self.transcript(file).cloned(),
        }
    }

    /// Transcript of the top session; `file` is the transcript of this session.
    pub(crate) fn transcript<'a>(&'a self, file: Option<&'a PathBuf>) -> Option<&'a PathBuf> {
        self.agent.top_transcript.as_ref().or(file)
    }

    /// Marks the session as resumed, with the call that the earlier process deferred.
    pub(crate) fn resume(&mut self, is_fork: bool, deferred: Option<Deferred>) {
        self.resumed = Some(is_fork);
        self.deferred_call = deferred;
    }

    /// Whether the session is forked; `None` if it is not resumed.
    pub(crate) fn resumed(&self) -> Option<bool> {
        self.resumed
    }

    /// Removes and returns the call that an earlier process deferred.
    pub(crate) fn take_deferred(&mut self) -> Option<Deferred> {
        self.deferred_call.take()
    }

    /// Sets the file in which hooks may set variables.
    pub(crate) fn set_env_file(&mut self, file: PathBuf) {
        self.env_file = Some(file);
    }

    pub(crate) fn take_env_file(&mut self) -> Option<PathBuf> {
        self.env_file.take()
    }

    /// Runs hooks concurrently with the session. Those around calls are cancelled at the end of their turn.
    pub(crate) fn spawn(&mut self, around: bool, work: impl Future<Output = HookOutcome> + Send + 'static) {
        let set = if around {
            &mut self.work.around
        } else {
            &mut self.work.running
        };
        set.spawn(work);
    }

    /// Cancels the hooks around calls.
    pub(crate) fn cancel_call_hooks(&mut self) {
        self.work.around.abort_all();
    }

    /// Sender for the results of asynchronous hooks.
    pub(crate) fn late(&self) -> mpsc::Sender<Late> {
        self.work.late.clone()
    }

    /// Registers a callback request. Returns the receiver of the answer.
    pub(crate) fn await_callback(&mut self, request_id: &str) -> oneshot::Receiver<Result<Value, String>> {
        let (answer, answered) = oneshot::channel();
        self.work.callbacks.retain(|_, waiting| !waiting.is_closed());
        self.work.callbacks.insert(request_id.to_owned(), answer);
        answered
    }

    /// Resets the state of the previous turn.
    pub(crate) fn begin_turn(&mut self) {
        self.turn.halt = None;
        self.turn.stop_blocks = 0;
        self.turn.began.clear();
    }

    /// Stores the reason for ending the turn, if there is one.
    pub(crate) fn halt(&mut self, why: Option<String>) {
        if why.is_some() {
            self.turn.halt = why;
        }
    }

    /// Removes and returns the reason for which a hook ends the turn.
    pub(crate) fn take_halt(&mut self) -> Option<String> {
        self.turn.halt.take()
    }

    /// Records the start time of a call.
    pub(crate) fn call_begins(&mut self, id: &str) {
        self.turn.began.insert(id.to_owned(), Instant::now());
    }

    /// The start time of a call of this turn.
    pub(crate) fn began(&self, id: &str) -> Option<Instant> {
        self.turn.began.get(id).copied()
    }

    /// Stores the id of the call whose permission request is being shown to hooks.
    pub(crate) fn show_ask_of(&mut self, call: String) {
        self.turn.asked_for = Some(call);
    }

    /// Id of the call whose permission request is being shown to hooks.
    pub(crate) fn asked_for(&self) -> Option<String> {
        self.turn.asked_for.clone()
    }

    /// Removes and returns the texts to add to the conversation.
    pub(crate) fn take_contexts(&mut self) -> Vec<String> {
        std::mem::take(&mut self.turn.contexts)
    }

    /// Removes and returns the last `count` texts, which are not for the conversation.
    pub(crate) fn take_back(&mut self, count: usize) -> Vec<String> {
        let own = self.turn.contexts.len().saturating_sub(count);
        self.turn.contexts.split_off(own)
    }

    /// Stores the message about a blocked prompt, to send once its turn is announced.
    pub(crate) fn block(&mut self, message: Informational) {
        self.turn.blocked = Some(message);
    }

    pub(crate) fn take_blocked(&mut self) -> Option<Informational> {
        self.turn.blocked.take()
    }

    /// Counts that a hook continued the turn at its end. Returns the number of consecutive times.
    pub(crate) fn count_stop_block(&mut self) -> u32 {
        self.turn.stop_blocks += 1;
        self.turn.stop_blocks
    }

    pub(crate) fn has_stop_blocks(&self) -> bool {
        self.turn.stop_blocks > 0
    }

    /// Replaces the problems with hooks of the settings files.
    pub(crate) fn set_problems(&mut self, problems: Vec<String>) {
        self.notices.problems = problems;
    }

    /// Adds problems with hooks of plugins, skills and agents, without duplicates: a skill adds its hooks on every
    /// invocation.
    pub(crate) fn add_problems(&mut self, problems: Vec<String>) {
        for problem in problems {
            if !self.notices.brought_problems.contains(&problem) {
                self.notices.brought_problems.push(problem);
            }
        }
    }

    /// Removes and returns the memory files that have not been reported to hooks yet.
    pub(crate) fn take_instructions(&mut self) -> Vec<Instructions> {
        std::mem::take(&mut self.notices.instructions)
    }

    /// Stores the working directory that hooks receive. Returns the previous one.
    pub(crate) fn replace_cwd(&mut self, now: PathBuf) -> Option<PathBuf> {
        self.notices.last_cwd.replace(now)
    }

    /// The files watched for hooks.
    pub(crate) fn watched(&mut self) -> &mut Option<WatchedFiles> {
        &mut self.notices.watched
    }

    /// Client with which work outside the session raises events.
    pub(crate) fn client(&self) -> HookClient {
        self.work.hook_client.clone()
    }

    /// Problems with hooks of all origins.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &str> {
        self.notices
            .problems
            .iter()
            .chain(&self.notices.brought_problems)
            .map(String::as_str)
    }

    /// Stores memory files to report to hooks before the next model request.
    pub(crate) fn note_instructions(&mut self, memories: &[Memory]) {
        let again = std::mem::replace(&mut self.notices.instructed, true);
        if self.await_any(&[Event::InstructionsLoaded]) {
            let reason = if again { "compact" } else { "session_start" };
            self.notices
                .instructions
                .extend(memories.iter().map(|memory| Instructions {
                    path: memory.path.clone(),
                    reason: if memory.parent.is_some() { "include" } else { reason },
                    parent: memory.parent.clone(),
                    ..Instructions::default()
                }));
        }
    }

    /// Adds a text to the conversation before the next model request.
    pub(crate) fn add_context(&mut self, text: String) {
        self.turn.contexts.push(text);
    }

    /// Stores memory files that were loaded because of an accessed file.
    pub(crate) fn note_brought(&mut self, trigger: &Path, brought: &[Brought]) {
        if self.await_any(&[Event::InstructionsLoaded]) {
            self.notices.instructions.extend(brought.iter().map(|one| Instructions {
                path: one.memory.path.clone(),
                reason: one.reason,
                parent: one.memory.parent.clone(),
                globs: one.patterns.clone(),
                trigger: Some(trigger.to_owned()),
            }));
        }
    }

    /// Replaces the inherited hooks; those of the agent itself are kept.
    pub(crate) fn inherit(&mut self, above: &InheritedHooks) {
        self.list.inherit(&above.list, self.agent.narrow);
    }

    /// Creates the hook state of a subagent.
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

    /// True if a hook is registered for any of these events.
    pub(crate) fn await_any(&self, events: &[Event]) -> bool {
        self.list.await_any(events)
    }

    /// Waits for the next result of hooks that ran concurrently.
    pub(crate) async fn next(&mut self) -> Option<HookOutcome> {
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
                changed = files::changes(&mut self.notices.watched) => return Some(HookOutcome::of_files(changed)),
                Some(consultation) = self.work.consulted.recv() => return Some(HookOutcome::of_consultation(consultation)),
                late = self.work.late_heard.recv() => return late.map(HookOutcome::of_late),
            }
        }
    }

    /// Delivers the host's answer to a callback. Returns false if no such callback is open.
    pub(crate) fn answered(&mut self, request_id: &str, answer: Result<Value, String>) -> bool {
        match self.work.callbacks.remove(request_id) {
            // The receiver may be gone.
            Some(waiting) => waiting.send(answer).is_ok(),
            None => false,
        }
    }

    /// Drops all open callbacks. Returns the ids of their requests.
    pub(crate) fn forget_callbacks(&mut self) -> Vec<String> {
        let open = self.work.callbacks.drain().filter(|(_, waiting)| !waiting.is_closed());
        open.map(|(id, _)| id).collect()
    }
}

/// Returns the problems with the hooks of a plugin.
pub(crate) fn plugin_problems(plugin: &Plugin, settings: &Settings, cwd: &Path, home: &Path) -> Vec<String> {
    let origin = Origin::Plugin {
        name: plugin.name.clone(),
        root: plugin.root.clone(),
        data: Some(plugin.data_dir(settings)),
    };
    let read = |hooks: &Value| Reader { cwd, home }.read(&origin, hooks).1;
    plugin.hooks_found().iter().flat_map(read).collect()
}

/// The environment that all hooks share.
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
