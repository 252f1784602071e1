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
    pub(crate) list: HookList,
    /// Those that run.
    pub(crate) work: Work,
    /// What they said about the turn at hand.
    pub(crate) turn: OfTurn,
    /// Whose session it is, if a subagent's.
    pub(crate) agent: OfAgent,
    /// What they were told of.
    pub(crate) seen: Seen,
    /// A call that an earlier session has put off.
    pub(crate) deferred_call: Option<Deferred>,
    /// An earlier session is gone on with; whether under another id.
    pub(crate) resumed: Option<bool>,
    /// The file in which hooks may leave variables.
    pub(crate) env_file: Option<PathBuf>,
}

/// Hooks that run.
pub(crate) struct Work {
    /// Callbacks the host has not answered yet, by request.
    pub(crate) callbacks: HashMap<String, oneshot::Sender<Result<Value, String>>>,
    /// Hooks around calls: they end with their turn.
    pub(crate) around: JoinSet<Hooked>,
    /// Other hooks that run beside the session.
    pub(crate) running: JoinSet<Hooked>,
    pub(crate) late: mpsc::Sender<Late>,
    pub(crate) late_heard: mpsc::Receiver<Late>,
    pub(crate) hook_client: HookClient,
    pub(crate) consulted: mpsc::Receiver<Consultation>,
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
pub(crate) struct OfTurn {
    /// What the model is told before it is asked again.
    pub(crate) contexts: Vec<String>,
    /// A hook wants the turn to end; why.
    pub(crate) halt: Option<String>,
    /// The call of the ask that is just being shown to hooks.
    pub(crate) asked_for: Option<String>,
    /// What is said of a prompt that was refused, once its turn is announced.
    pub(crate) blocked: Option<Informational>,
    /// When calls were begun.
    pub(crate) began: HashMap<String, Instant>,
    /// How often in a row the turn was not let go.
    pub(crate) held_up: u32,
}

/// The hooks of a subagent's session.
#[derive(Default)]
pub(crate) struct OfAgent {
    /// Only hooks before calls are handed down to it.
    pub(crate) narrow: bool,
    /// The subagent this session is: its id and its type.
    pub(crate) speaker: Option<(String, String)>,
    /// Where the conversation of the session at the top is kept.
    pub(crate) top_transcript: Option<PathBuf>,
}

/// What hooks were told of, and what is to be told of them.
#[derive(Default)]
pub(crate) struct Seen {
    /// The directory hooks were last told of.
    pub(crate) last_cwd: Option<PathBuf>,
    pub(crate) watched: Option<WatchedFiles>,
    /// What is wrong with the hooks of the settings files.
    pub(crate) problems: Vec<String>,
    /// What is wrong with those that came from elsewhere.
    pub(crate) brought_problems: Vec<String>,
    /// Files of instructions that were read, and why.
    pub(crate) instructions: Vec<Instructions>,
    /// They were read before.
    pub(crate) instructed: bool,
}

impl Hooks {
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
    let mut env = options.env.clone();
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
