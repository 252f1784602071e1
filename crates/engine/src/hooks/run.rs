//! The hooks of one event: which are meant, each once, all side by side.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use serde_json::Value;
use sluice_settings::Settings;
use sluice_wire::control::{ControlRequest, HookCallback, RequestId};
use sluice_wire::hook::HookInput;
use tokio::sync::oneshot;

use super::client::Consultation;
use super::config::Handler;
use super::event::Event;
use super::http::Rules;
use super::merge::{Merged, Said, merge};
use super::output::{Failure, HookAnswer, of_value};
use super::scene::{Due, Scene, meant, name_of, untrusted};
use super::switch::Switch;
use super::{agent, command, http, model, tool};
use crate::messages;
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
            work.extend(self.begin_hook(scene, due, &input).await);
        }
        (!work.is_empty()).then(|| async move { merge(event, join_all(work).await) }.boxed())
    }

    /// Begins one hook; nothing where it is not waited for.
    async fn begin_hook(&mut self, scene: Scene, due: Due, input: &HookInput) -> Option<BoxFuture<'static, Said>> {
        let hook = due.hook.clone();
        if !matches!(hook.handler, Handler::Callback(_)) {
            scene.say_started(&due.id).await;
        }
        Some(match &hook.handler {
            Handler::Callback(id) => {
                let request_id = messages::fresh_id();
                let answer = self.call_back(&request_id, id, input).await;
                async move {
                    let what = callback(&scene, &request_id, answer, due.patience()).await;
                    due.said(&scene, what)
                }
                .boxed()
            }
            Handler::Command {
                is_async: true,
                rewakes,
                ..
            } => {
                let (event, rewakes) = (scene.event, *rewakes);
                self.hooks.work.running.spawn(async move {
                    let what = run(&scene, &due).await;
                    let merged = merge(event, vec![due.said(&scene, what)]);
                    Hooked {
                        event,
                        purpose: Purpose::Late { rewakes },
                        merged,
                    }
                });
                return None;
            }
            Handler::Agent { prompt, model } => {
                let inspection = self.inspection(prompt, model.as_deref(), &scene.input);
                async move {
                    let what = agent::run(&scene, &due, inspection).await;
                    due.said(&scene, what)
                }
                .boxed()
            }
            Handler::McpTool {
                server,
                tool: name,
                input: given,
            } => {
                let prepared = self.tool_of_hook(server, name, given, &scene.input);
                async move {
                    let what = tool::run(&scene, &due, prepared).await;
                    due.said(&scene, what)
                }
                .boxed()
            }
            Handler::Command { .. } | Handler::Http { .. } | Handler::Prompt { .. } => async move {
                let what = run(&scene, &due).await;
                due.said(&scene, what)
            }
            .boxed(),
        })
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
            &mut self.hooks.work.around
        } else {
            &mut self.hooks.work.running
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
        let due = meant(&self.hooks.list, event, input, &self.tooling.cwd.get(), |name| {
            self.tool_called(name)
        });
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
            late: self.hooks.work.late.clone(),
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
        self.hooks.work.callbacks.retain(|_, waiting| !waiting.is_closed());
        self.hooks.work.callbacks.insert(request_id.to_owned(), answer);
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

/// Its id. An ask does not carry one in what hooks are told; whose ask it is is noted beside it.
fn call_id_of(input: &HookInput, hooks: &super::Hooks) -> Option<String> {
    match input {
        HookInput::PreToolUse(it) => Some(it.tool_use_id.clone()),
        HookInput::PostToolUse(it) => Some(it.tool_use_id.clone()),
        HookInput::PostToolUseFailure(it) => Some(it.tool_use_id.clone()),
        HookInput::PermissionDenied(it) => Some(it.tool_use_id.clone()),
        HookInput::PermissionRequest(_) => hooks.turn.asked_for.clone(),
        _ => None,
    }
}
