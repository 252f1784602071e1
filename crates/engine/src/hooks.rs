//! Hooks: programs, servers, models and hosts that are told what happens and may have a say in it.
//!
//! In reading order:
//!
//! * `event`: what hooks can wait for;
//! * `config`, `matcher`: hooks as they are written down, and which occasions they are for;
//! * `output`: what one hook says; `merge`: what all of them say together. Both pure: deny before ask before allow,
//!   whatever the order;
//! * `told`: what hooks are told, and what is told of them; `run`: the hooks of one event, side by side; `scene`: what they are run with; `command`, `http`, `model`, `agent`, `tool`: how each is asked;
//! * `calls`: around a call: before it, beside an ask, after it; `tool_output`: what they put in the place of its output; `defer`: a call that is put off;
//! * `tasks`: around the task list; `turns`: around a turn: prompts, ends, failures; `session`: around a session: start, end, settings, files; `switch`: around a change of the model and what is shown;
//! * `client`: for those who are not the session; `sessionless`: around calls where there is no session;
//! * `listing`: what there is, for hosts that ask.
//!
//! # For other parts
//!
//! Bringing hooks: `session.add_hooks(origin, config)` takes an [`Origin`] (a plugin, a skill in use, an agent) and what
//! stands under `hooks` in its file; `session.remove_hooks(origin)` takes them away again. What is wrong with them is told
//! with the problems of the settings. Whether such hooks run at all is decided there, by the settings.
//!
//! Telling hooks. All of these do nothing, at no cost, when no hook waits for them, and all keep listening to the host
//! while hooks run; they are for places where the session may wait, not for what `wait_for` calls.
//!
//! * `session.hook_session_start(source)`: `clear`, `compact`; what hooks say goes to the model by itself;
//!   `session.hook_session_end(reason)`: `clear`, `logout`;
//! * `session.hook_setup(trigger)`: `init`, `maintenance`;
//! * `session.hook_pre_compact(trigger, instructions)`: `Ok(further instructions)`, or `Err(why)` when a hook forbids it;
//!   `session.hook_post_compact(trigger, summary)`;
//! * `session.hook_expansion(command, args, source)`: `Err(told)` when a command must not become a prompt;
//! * `session.hook_switch(switch)`: `Err(why)` when the model has to stay; `session.change_model(&switch)` changes, `session.hook_switched(from, switch)` tells;
//! * `hooks.client()`: for who is not the session and waits for hooks all the same: [`HookClient`] answers a server in the person's
//!   place, and makes work trees;
//! * `session.hook_directory_added(path, source)`, `session.hook_notification(message, title, kind)`: only told, and
//!   from anywhere.
//!
//! Subagents are sessions: each has the hooks of the session above it ([`Heirs`]) and its own, is told of as an agent, and
//! ends with `SubagentStop` where a session ends its turn with `Stop`.

mod agent;
mod calls;
mod client;
mod command;
mod config;
mod defer;
mod event;
mod http;
mod listing;
mod matcher;
mod merge;
mod model;
mod output;
mod run;
mod scene;
mod session;
mod sessionless;
mod switch;
mod tasks;
mod told;
mod tool;
mod tool_output;
mod turns;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use sluice_permission::Source;
use sluice_settings::Settings;
use sluice_settings::keys;
use sluice_wire::control::HookMatcher;
use sluice_wire::stdout::system::Informational;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::call::Deferred;
use crate::catalogue::plugins::Plugin;
use crate::memory::{Brought, Memory};
use crate::session::Session;

pub(crate) use calls::{changed, denied_by_hook};
pub(crate) use client::HookClient;
pub(crate) use config::Origin;

pub(crate) use run::Hooked;
use session::Instructions;
pub(crate) use sessionless::{Before, SessionlessHooks, Watched};
pub(crate) use switch::{Answers, Switch};
pub(crate) use turns::AtEnd;

use client::Consultation;
use config::{Handler, Hook, Reader};
use event::Event;

/// How many hooks that go on by themselves may have ended without having been heard.
const LATE_DEPTH: usize = 32;

/// The hooks of a session, and those of them that run.
#[derive(Default)]
pub(crate) struct Hooks {
    /// From the weakest origin to the strongest.
    list: Vec<Arc<Hook>>,
    /// Those that run.
    work: Work,
    /// What they said about the turn at hand.
    turn: OfTurn,
    /// Whose session it is, if a subagent's.
    agent: OfAgent,
    /// What they were told of.
    seen: Seen,
    /// A call that an earlier session has put off.
    pub(crate) deferred_call: Option<Deferred>,
    /// An earlier session is gone on with; whether under another id.
    pub(crate) resumed: Option<bool>,
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
    late: mpsc::Sender<Hooked>,
    late_heard: mpsc::Receiver<Hooked>,
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
    watched: Option<session::Watched>,
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
    /// Adds hooks; gives what is wrong with them.
    fn add(&mut self, origin: &Origin, config: &Value, cwd: &Path, home: &Path) -> Vec<String> {
        let (hooks, problems) = Reader { cwd, home }.read(origin, config);
        self.insert(hooks);
        problems
    }

    /// Puts what the settings files say in the place of what they said before.
    pub(crate) fn lay_out(&mut self, settings: &Settings, cwd: &Path, home: &Path) -> Vec<String> {
        self.list.retain(|hook| !matches!(hook.origin, Origin::Settings(_)));
        let mut problems = Vec::new();
        for (source, config) in settings.hooks() {
            problems.extend(self.add(&Origin::Settings(source), config, cwd, home));
        }
        problems
    }

    /// Puts the callbacks of the host in the place of those it gave before.
    pub(crate) fn register<'a>(&mut self, events: impl Iterator<Item = (&'a str, &'a [HookMatcher])>) -> Vec<String> {
        self.list.retain(|hook| hook.origin != Origin::Host);
        let (hooks, problems) = config::of_host(events);
        self.insert(hooks);
        problems
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
    pub(crate) fn inherit(&mut self, heirs: &Heirs) {
        self.list.retain(|hook| matches!(hook.origin, Origin::Agent { .. }));
        let handed_down = heirs
            .list
            .iter()
            .filter(|hook| !self.agent.narrow || looks_at_inspectors(hook));
        self.list.extend(handed_down.cloned());
        self.list.sort_by_key(|hook| rank(&hook.origin));
    }

    /// Whether any hook waits for one of these.
    fn await_any(&self, events: &[Event]) -> bool {
        self.list.iter().any(|hook| events.contains(&hook.event))
    }

    fn insert(&mut self, hooks: Vec<Hook>) {
        self.list.extend(hooks.into_iter().map(Arc::new));
        self.list.sort_by_key(|hook| rank(&hook.origin));
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
                changed = session::changes(&mut self.seen.watched) => return Some(Hooked::of_files(changed)),
                Some(consultation) = self.work.consulted.recv() => return Some(Hooked::of_consultation(consultation)),
                late = self.work.late_heard.recv() => return late,
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

/// The hooks a session hands down to its subagents.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heirs {
    list: Vec<Arc<Hook>>,
    narrow: bool,
    transcript: Option<PathBuf>,
}

impl Heirs {
    /// Only those that look at calls before they run, and no agents: an agent that answers a hook is looked at as any
    /// other, and never by another of its kind.
    pub(crate) fn before_calls(mut self) -> Self {
        self.narrow = true;
        self.list.retain(|hook| looks_at_inspectors(hook));
        self
    }

    /// The hooks of a subagent.
    pub(crate) fn of_agent(&self, id: &str, kind: &str) -> Hooks {
        Hooks {
            list: self.list.clone(),
            agent: OfAgent {
                narrow: self.narrow,
                speaker: Some((id.to_owned(), kind.to_owned())),
                top_transcript: self.transcript.clone(),
            },
            ..Hooks::default()
        }
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

impl Session {
    /// What subagents get: everything but what an agent has for itself alone.
    pub(crate) fn hooks_for_agents(&self) -> Heirs {
        let hooks = self.hooks.list.iter();
        let file = self
            .hooks
            .agent
            .top_transcript
            .as_ref()
            .or(self.options.session.keeping.file.as_ref());
        Heirs {
            list: hooks
                .filter(|hook| !matches!(hook.origin, Origin::Agent { .. }))
                .cloned()
                .collect(),
            narrow: self.hooks.agent.narrow,
            transcript: file.cloned(),
        }
    }

    /// Adds the hooks of a plugin, a skill or an agent, if the settings let such hooks run.
    pub(crate) fn add_hooks(&mut self, origin: &Origin, config: &Value) {
        let settings = &self.options.settings;
        let says = |value: Option<&Value>| value.and_then(Value::as_bool) == Some(true);
        if says(settings.get(&keys::DISABLE_ALL_HOOKS)) || says(settings.policy(&keys::ALLOW_MANAGED_HOOKS_ONLY)) {
            return;
        }
        let (cwd, home) = (&self.options.cwd, &self.options.folders.home);
        let problems = self.hooks.add(origin, config, cwd, home);
        for problem in problems {
            // A skill brings its hooks each time it is taken up.
            if !self.hooks.seen.brought_problems.contains(&problem) {
                self.hooks.seen.brought_problems.push(problem);
            }
        }
    }

    /// Takes them away again.
    pub(crate) fn remove_hooks(&mut self, origin: &Origin) {
        self.hooks.list.retain(|hook| hook.origin != *origin);
    }
}

/// Whether a hook looks at what an agent that answers a hook does.
fn looks_at_inspectors(hook: &Hook) -> bool {
    hook.event == Event::PreToolUse && !matches!(hook.handler, Handler::Agent { .. })
}

/// Stronger origins come later.
fn rank(origin: &Origin) -> u8 {
    match origin {
        Origin::Settings(Source::User) => 0,
        Origin::Settings(Source::Project) => 1,
        Origin::Settings(Source::Local) => 2,
        Origin::Plugin { .. } => 3,
        Origin::Skill { .. } => 4,
        Origin::Agent { .. } => 5,
        Origin::Settings(Source::Policy) => 8,
        Origin::Settings(_) => 6,
        Origin::Host => 7,
    }
}
