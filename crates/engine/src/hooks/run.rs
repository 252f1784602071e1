//! The hooks of one event: which are meant, each once, all side by side.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use serde_json::Value;
use sluice_permission::Source;
use sluice_settings::Settings;
use sluice_tools::{Tasks, WebConfig};
use sluice_wire::control::{ControlRequest, HookCallback, RequestId};
use sluice_wire::hook::HookInput;
use sluice_wire::stdout::system::{HookOutcome, HookProgress, HookResponse, HookStarted};
use tokio::sync::{mpsc, oneshot};

use super::client::Consultation;
use super::config::{Handler, Hook, Origin};
use super::event::{AGENT, CALLBACK, Event, MODEL, subject};
use super::http::Rules;
use super::merge::{Merged, Refuses, Said, merge};
use super::output::{Failure, HookAnswer, of_value};
use super::switch::Switch;
use super::{agent, command, http, model, tool};
use crate::messages;
use crate::out::Out;
use crate::services::ToolServices;
use crate::session::Session;

/// Hooks that ran beside the session are done.
#[derive(Debug)]
pub(crate) struct Hooked {
    pub(super) event: Event,
    pub(super) purpose: Purpose,
    pub(super) merged: Merged,
}

impl Hooked {
    /// Nothing ran yet: somebody who is not the session has something to tell.
    pub(super) fn of_consultation(consultation: Consultation) -> Self {
        Self {
            event: Event::of(&consultation.input).unwrap_or(Event::Notification),
            purpose: Purpose::Consult(Box::new(consultation)),
            merged: Merged::default(),
        }
    }

    /// Nothing ran yet: an ask is still open.
    pub(super) fn of_unanswered(request_id: String, message: String) -> Self {
        Self {
            event: Event::Notification,
            purpose: Purpose::Unanswered(request_id, message),
            merged: Merged::default(),
        }
    }

    /// Nothing ran: files have changed.
    pub(super) fn of_files(changed: Vec<(PathBuf, &'static str)>) -> Self {
        Self {
            event: Event::FileChanged,
            purpose: Purpose::Files(changed),
            merged: Merged::default(),
        }
    }
}

/// What their end is waited for by.
#[derive(Debug)]
pub(super) enum Purpose {
    /// The call of this id may begin.
    Before(String),
    /// The result of this call is told.
    After(String),
    /// The task this call noted or ended is as it says.
    Task(String),
    /// The ask of this request may be answered by it.
    Asked(String),
    /// The settings change to these.
    Settings(Box<Settings>),
    /// The model changes, as this request asks.
    Switch(Box<(RequestId, Switch)>),
    /// The ask of this request has waited long enough to be told of, in these words.
    Unanswered(String, String),
    /// Watched files have changed.
    Files(Vec<(PathBuf, &'static str)>),
    /// Somebody has something to tell.
    Consult(Box<Consultation>),
    /// Somebody waits for what they say.
    Consulted(oneshot::Sender<Merged>),
    /// It went on by itself; whether it wakes the model.
    Late { rewakes: bool },
    /// Nothing.
    Told,
}

/// What hooks are run with.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub(super) event: Event,
    /// `PreToolUse:Bash`.
    pub(super) name: String,
    /// What they are told.
    pub(super) input: Arc<str>,
    pub(super) out: Out,
    pub(super) tasks: Arc<Tasks>,
    pub(super) tool_services: Arc<ToolServices>,
    pub(super) cwd: PathBuf,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) web: WebConfig,
    pub(super) rules: Rules,
    /// Files of settings whose hooks run and allow nothing: their folder is not trusted.
    pub(super) untrusted: Vec<Source>,
    /// Hosts are told of starts and ends.
    pub(super) told: bool,
    pub(super) late: mpsc::Sender<Hooked>,
}

/// A hook that is about to run.
pub(super) struct Due {
    pub(super) place: usize,
    pub(super) hook: Arc<Hook>,
    /// By which hosts know this run of it.
    pub(super) id: String,
}

/// What is seen of a run.
#[derive(Debug, Default, Clone)]
pub(super) struct Seen {
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) output: String,
    pub(super) exit_code: Option<i32>,
}

impl Seen {
    /// A text, where there is no program.
    pub(super) fn text(text: String) -> Self {
        Self {
            stdout: text.clone(),
            output: text,
            ..Self::default()
        }
    }
}

impl Scene {
    pub(super) async fn say_started(&self, id: &str) {
        if self.told {
            let started = HookStarted {
                hook_id: id.to_owned(),
                hook_name: self.name.clone(),
                hook_event: self.event.as_str().to_owned(),
                uuid: messages::fresh_id(),
                ..HookStarted::default()
            };
            self.out.say(started).await;
        }
    }

    pub(super) async fn say_progress(&self, id: &str, seen: Seen) {
        if self.told {
            let progress = HookProgress {
                hook_id: id.to_owned(),
                hook_name: self.name.clone(),
                hook_event: self.event.as_str().to_owned(),
                stdout: seen.stdout,
                stderr: seen.stderr,
                output: seen.output,
                uuid: messages::fresh_id(),
                ..HookProgress::default()
            };
            self.out.say(progress).await;
        }
    }

    pub(super) async fn say_ended(&self, id: &str, seen: Seen, outcome: HookOutcome) {
        if self.told {
            let response = HookResponse {
                hook_id: id.to_owned(),
                hook_name: self.name.clone(),
                hook_event: self.event.as_str().to_owned(),
                output: seen.output,
                stdout: seen.stdout,
                stderr: seen.stderr,
                exit_code: seen.exit_code.map(i64::from),
                outcome: Some(outcome),
                uuid: messages::fresh_id(),
                ..HookResponse::default()
            };
            self.out.say(response).await;
        }
    }
}

impl Due {
    /// How long it has.
    pub(super) fn patience(&self) -> Duration {
        self.hook.timeout.unwrap_or_else(|| match self.hook.handler {
            Handler::Callback(_) => CALLBACK,
            Handler::Prompt { .. } => MODEL,
            Handler::Agent { .. } => AGENT,
            Handler::Command { .. } | Handler::Http { .. } | Handler::McpTool { .. } => self.hook.event.patience(),
        })
    }

    pub(super) fn said(&self, scene: &Scene, what: Result<HookAnswer, Failure>) -> Said {
        let hook = &self.hook;
        let refuses = match (hook.refuses_on_failure, &hook.origin) {
            (Some(true), _) => Refuses::Always,
            (Some(false), _) => Refuses::Never,
            (None, origin) if origin.is_managed() => Refuses::Always,
            (None, Origin::Host) => Refuses::Silence,
            (None, _) => Refuses::Never,
        };
        Said {
            place: self.place,
            name: scene.name.clone(),
            text: hook.handler.text(),
            origin: hook.origin.clone(),
            refuses,
            what: match &hook.origin {
                Origin::Settings(source) if scene.untrusted.contains(source) => what.map(HookAnswer::without_leave),
                _ => what,
            },
        }
    }
}

/// The files of settings whose hooks may forbid and tell, and not allow.
pub(super) fn untrusted(settings: &Settings) -> Vec<Source> {
    let waits = |source: &Source| settings.waits(*source);
    [Source::Project, Source::Local].into_iter().filter(waits).collect()
}

/// Runs one hook that needs nothing of the session.
pub(super) async fn run(scene: &Scene, due: &Due) -> Result<HookAnswer, Failure> {
    match &due.hook.handler {
        Handler::Command { .. } => command::run(scene, due).await,
        Handler::Http {
            url,
            headers,
            variables,
        } => http::run(scene, due, url, headers, variables).await,
        Handler::Prompt {
            prompt,
            model,
            continues,
        } => model::run(scene, due, prompt, model.as_deref(), *continues).await,
        Handler::Agent { .. } | Handler::McpTool { .. } | Handler::Callback(_) => Err(Failure::Cancelled),
    }
}

/// A callback of the host, once it was asked.
async fn callback(
    scene: &Scene,
    request_id: &str,
    answer: Option<oneshot::Receiver<Result<Value, String>>>,
    limit: Duration,
) -> Result<HookAnswer, Failure> {
    let Some(answer) = answer else {
        return Err(Failure::Cancelled);
    };
    match tokio::time::timeout(limit, answer).await {
        Err(_) => {
            scene.out.say(messages::cancel(request_id)).await;
            Err(Failure::TimedOut)
        }
        Ok(Err(_)) => Err(Failure::Cancelled),
        Ok(Ok(Err(error))) => Err(Failure::Broken(format!("the host replied with an error: {error}"))),
        Ok(Ok(Ok(value))) => of_value(scene.event, &value),
    }
}

impl Session {
    /// Begins the hooks that are meant by `input`; nothing if there are none. Everything hosts are told of their
    /// beginning has been said when this returns, and whoever drops what it gives ends them.
    pub(super) async fn begin_hooks(&mut self, input: HookInput) -> Option<BoxFuture<'static, Merged>> {
        let event = Event::of(&input)?;
        if !self.hooks.await_any(&[event]) {
            return None;
        }
        let due = self.due(event, &input);
        if due.is_empty() {
            return None;
        }
        let scene = self.scene(event, &input);
        let mut work: Vec<BoxFuture<'static, Said>> = Vec::new();
        for due in due {
            let mut scene = scene.clone();
            // A model's opinion is no program whose run could be watched.
            scene.told &= !matches!(due.hook.handler, Handler::Prompt { .. });
            match &due.hook.handler {
                Handler::Callback(id) => {
                    let request_id = messages::fresh_id();
                    let answer = self.call_back(&request_id, id, &input).await;
                    work.push(
                        async move {
                            let what = callback(&scene, &request_id, answer, due.patience()).await;
                            due.said(&scene, what)
                        }
                        .boxed(),
                    );
                }
                Handler::Command {
                    is_async: true,
                    rewakes,
                    ..
                } => {
                    let rewakes = *rewakes;
                    scene.say_started(&due.id).await;
                    self.hooks.running.spawn(async move {
                        let what = run(&scene, &due).await;
                        let merged = merge(event, vec![due.said(&scene, what)]);
                        Hooked {
                            event,
                            purpose: Purpose::Late { rewakes },
                            merged,
                        }
                    });
                }
                Handler::Agent { prompt, model } => {
                    scene.say_started(&due.id).await;
                    let inspection = self.inspection(prompt, model.as_deref(), &scene.input);
                    work.push(
                        async move {
                            let what = agent::run(&scene, &due, inspection).await;
                            due.said(&scene, what)
                        }
                        .boxed(),
                    );
                }
                Handler::McpTool {
                    server,
                    tool: name,
                    input: given,
                } => {
                    scene.say_started(&due.id).await;
                    let prepared = self.tool_of_hook(server, name, given, &scene.input);
                    work.push(
                        async move {
                            let what = tool::run(&scene, &due, prepared).await;
                            due.said(&scene, what)
                        }
                        .boxed(),
                    );
                }
                Handler::Command { .. } | Handler::Http { .. } | Handler::Prompt { .. } => {
                    scene.say_started(&due.id).await;
                    work.push(
                        async move {
                            let what = run(&scene, &due).await;
                            due.said(&scene, what)
                        }
                        .boxed(),
                    );
                }
            }
        }
        (!work.is_empty()).then(|| async move { merge(event, join_all(work).await) }.boxed())
    }

    /// Runs hooks beside the session; false if there are none to run.
    pub(super) async fn spawn_hooks(&mut self, input: HookInput, purpose: Purpose) -> bool {
        self.try_spawn_hooks(input, purpose).await.is_ok()
    }

    /// The same; gives back what their end would have been waited for by, if there are none to run.
    pub(super) async fn try_spawn_hooks(&mut self, input: HookInput, purpose: Purpose) -> Result<(), Purpose> {
        let Some(event) = Event::of(&input) else {
            return Err(purpose);
        };
        let Some(work) = self.begin_hooks(input).await else {
            return Err(purpose);
        };
        let around = matches!(
            purpose,
            Purpose::Before(_) | Purpose::After(_) | Purpose::Task(_) | Purpose::Asked(_)
        );
        let set = if around {
            &mut self.hooks.around
        } else {
            &mut self.hooks.running
        };
        set.spawn(async move {
            Hooked {
                event,
                purpose,
                merged: work.await,
            }
        });
        Ok(())
    }

    /// The hooks that are meant; those that run once are gone then.
    fn due(&mut self, event: Event, input: &HookInput) -> Vec<Due> {
        let due = meant(&self.hooks.list, event, input, &self.tooling.cwd.get());
        self.hooks
            .list
            .retain(|hook| !hook.once || !due.iter().any(|due| Arc::ptr_eq(&due.hook, hook)));
        due
    }

    fn scene(&mut self, event: Event, input: &HookInput) -> Scene {
        Scene {
            event,
            name: name_of(event, input),
            input: serde_json::to_string(input).unwrap_or_default().into(),
            out: self.line.out.clone(),
            tasks: self.tooling.tasks.clone(),
            tool_services: self.tooling.services.clone(),
            cwd: self.tooling.cwd.get(),
            env: self.hook_env(event),
            web: self.options.web_config(),
            rules: Rules::of(&self.options.settings),
            untrusted: untrusted(&self.options.settings),
            told: self.options.hook_events && event.is_told() || event.always_told(),
            late: self.hooks.late.clone(),
        }
    }

    /// Asks the host, if there still is one.
    async fn call_back(
        &mut self,
        request_id: &str,
        callback_id: &str,
        input: &HookInput,
    ) -> Option<oneshot::Receiver<Result<Value, String>>> {
        if self.line.eof {
            return None;
        }
        let (answer, answered) = oneshot::channel();
        self.hooks.callbacks.retain(|_, waiting| !waiting.is_closed());
        self.hooks.callbacks.insert(request_id.to_owned(), answer);
        let tool_use_id = match call_id_of(input, &self.hooks) {
            Some(id) => id,
            None => messages::fresh_id(),
        };
        let request = HookCallback {
            callback_id: callback_id.to_owned(),
            input: input.clone(),
            tool_use_id: Some(tool_use_id),
            ..HookCallback::default()
        };
        self.say(ControlRequest::new(request_id, request)).await;
        Some(answered)
    }
}

/// The hooks that are meant, in the order of their places; of those that do the same, the strongest.
pub(super) fn meant(list: &[Arc<Hook>], event: Event, input: &HookInput, cwd: &Path) -> Vec<Due> {
    let subject = subject(input);
    let call = call_of(input);
    // What every session reads first counts as read before any host came.
    let came_before_hosts = matches!(
        input,
        HookInput::InstructionsLoaded(it) if it.trigger_file_path.is_none() && it.load_reason != "compact"
    );
    let meant = |hook: &Hook| {
        hook.event == event
            && hook.matcher.meets(subject)
            && !(came_before_hosts && matches!(hook.handler, Handler::Callback(_)))
            && match (&hook.condition, &call) {
                (Some(condition), Some((tool, input))) => condition.meets(tool, input, cwd),
                (Some(_), None) => false,
                (None, _) => true,
            }
    };
    // One that is not waited for, or may fail, does not stand for one that guards.
    let same = |one: &Hook, other: &Hook| {
        one.handler == other.handler
            && root_of(&one.origin) == root_of(&other.origin)
            && one.timeout == other.timeout
            && one.refuses_on_failure == other.refuses_on_failure
    };
    let mut due: Vec<Due> = Vec::new();
    for (place, hook) in list.iter().enumerate().rev() {
        if meant(hook) && !due.iter().any(|known| same(&known.hook, hook)) {
            due.push(Due {
                place,
                hook: hook.clone(),
                id: messages::fresh_id(),
            });
        }
    }
    due.reverse();
    due
}

/// How hosts know the hooks of an event: `PreToolUse:Bash`.
pub(super) fn name_of(event: Event, input: &HookInput) -> String {
    match subject(input) {
        Some(subject) => format!("{}:{subject}", event.as_str()),
        None => event.as_str().to_owned(),
    }
}

/// The call an event is about.
fn call_of(input: &HookInput) -> Option<(&str, Value)> {
    match input {
        HookInput::PreToolUse(it) => Some((&it.tool_name, it.tool_input.to_value())),
        HookInput::PostToolUse(it) => Some((&it.tool_name, it.tool_input.to_value())),
        HookInput::PostToolUseFailure(it) => Some((&it.tool_name, it.tool_input.to_value())),
        HookInput::PermissionRequest(it) => Some((&it.tool_name, it.tool_input.to_value())),
        HookInput::PermissionDenied(it) => Some((&it.tool_name, it.tool_input.to_value())),
        _ => None,
    }
}

/// Its id. An ask does not carry one in what hooks are told; whose ask it is is noted beside it.
fn call_id_of(input: &HookInput, hooks: &super::Hooks) -> Option<String> {
    match input {
        HookInput::PreToolUse(it) => Some(it.tool_use_id.clone()),
        HookInput::PostToolUse(it) => Some(it.tool_use_id.clone()),
        HookInput::PostToolUseFailure(it) => Some(it.tool_use_id.clone()),
        HookInput::PermissionDenied(it) => Some(it.tool_use_id.clone()),
        HookInput::PermissionRequest(_) => hooks.asked_for.clone(),
        _ => None,
    }
}

/// The folder by which the same line means something else.
fn root_of(origin: &Origin) -> Option<PathBuf> {
    match origin {
        Origin::Plugin { root, .. } | Origin::Skill { root, .. } => Some(root.clone()),
        Origin::Settings(_) | Origin::Host | Origin::Agent { .. } => None,
    }
}
