//! Runs the hooks of one event concurrently.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use serde_json::Value;
use sluice_hooks::config::Handler;
use sluice_hooks::event::Event;
use sluice_hooks::http::Rules;
use sluice_hooks::merge::{Merged, Said, merge};
use sluice_hooks::output::{Failure, HookAnswer, of_value};
use sluice_hooks::{Due, HookReports, HookRun, agent, name_of, tool, untrusted};
use sluice_wire::control::{ControlRequest, HookCallback};
use sluice_wire::hook::HookInput;
use tokio::sync::oneshot;

use crate::hooks::{HookOutcome, Purpose};
use crate::messages;
use crate::out::Out;
use crate::session::Session;

/// Waits for the host's answer to a callback.
async fn callback(
    (run, out): (&HookRun, &Out),
    request_id: &str,
    answer: Option<oneshot::Receiver<Result<Value, String>>>,
    limit: Duration,
) -> Result<HookAnswer, Failure> {
    let Some(answer) = answer else {
        return Err(Failure::Cancelled);
    };
    match tokio::time::timeout(limit, answer).await {
        Err(_) => {
            out.emit(messages::cancel(request_id)).await;
            Err(Failure::TimedOut)
        }
        Ok(Err(_)) => Err(Failure::Cancelled),
        Ok(Ok(Err(error))) => Err(Failure::Broken(format!("the host replied with an error: {error}"))),
        Ok(Ok(Ok(value))) => of_value(run.event, &value),
    }
}

impl Session {
    /// Starts the hooks that match `input`; returns `None` if there are none. Messages about their start have been sent
    /// when this returns. Dropping the future cancels the hooks.
    pub(super) async fn begin_hooks(&mut self, input: HookInput) -> Option<BoxFuture<'static, Merged>> {
        let event = Event::of(&input)?;
        if !self.hooks.await_any(&[event]) {
            return None;
        }
        let mut list = std::mem::take(self.hooks.list_mut());
        let cwd = self.tooling.cwd().get();
        let due = list.take_due(event, &input, &cwd, |name| self.tool_called(name));
        *self.hooks.list_mut() = list;
        if due.is_empty() {
            return None;
        }
        let run = self.hook_run(event, &input);
        let mut work: Vec<BoxFuture<'static, Said>> = Vec::new();
        for due in due {
            let mut run = run.clone();
            // Prompt hooks are not reported: they are model requests, not programs.
            if matches!(due.hook.handler, Handler::Prompt { .. } | Handler::HeldBack) {
                run.reports = None;
            }
            work.extend(self.begin_hook(run, due, &input).await);
        }
        (!work.is_empty()).then(|| async move { merge(event, join_all(work).await) }.boxed())
    }

    /// Starts one hook. Returns `None` if the result is not awaited.
    async fn begin_hook(&mut self, run: HookRun, due: Due, input: &HookInput) -> Option<BoxFuture<'static, Said>> {
        let hook = due.hook.clone();
        if !matches!(hook.handler, Handler::Callback(_)) {
            run.say_started(&due.id).await;
        }
        Some(match &hook.handler {
            Handler::Callback(id) => {
                let request_id = messages::fresh_id();
                let answer = self.call_back(&request_id, id, input).await;
                let out = self.line.out().clone();
                async move {
                    let what = callback((&run, &out), &request_id, answer, due.patience()).await;
                    due.said(&run, what)
                }
                .boxed()
            }
            Handler::Command {
                is_async: true,
                rewakes,
                ..
            } => {
                let (event, rewakes) = (run.event, *rewakes);
                self.hooks.spawn(false, async move {
                    let what = sluice_hooks::run(&run, &due).await;
                    let merged = merge(event, vec![due.said(&run, what)]);
                    HookOutcome {
                        event,
                        purpose: Purpose::Late { rewakes },
                        merged,
                    }
                });
                return None;
            }
            Handler::Agent { prompt, model } => {
                let inspection = self.inspection(prompt, model.as_deref(), &run.input);
                async move {
                    let what = agent::run(&run, &due, inspection).await;
                    due.said(&run, what)
                }
                .boxed()
            }
            Handler::McpTool {
                server,
                tool: name,
                input: given,
            } => {
                let prepared = self.tool_of_hook(server, name, given, &run.input);
                async move {
                    let what = tool::run(&run, &due, prepared).await;
                    due.said(&run, what)
                }
                .boxed()
            }
            Handler::Command { .. } | Handler::Http { .. } | Handler::Prompt { .. } | Handler::HeldBack => async move {
                let what = sluice_hooks::run(&run, &due).await;
                due.said(&run, what)
            }
            .boxed(),
        })
    }

    /// Runs hooks concurrently with the session. Returns false if there are none.
    pub(super) async fn spawn_hooks(&mut self, input: HookInput, purpose: Purpose) -> bool {
        self.try_spawn_hooks(input, purpose).await.is_ok()
    }

    /// Like [`Self::spawn_hooks`], but returns `purpose` if there are no hooks.
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
        self.hooks.spawn(around, async move {
            HookOutcome {
                event,
                purpose,
                merged: work.await,
            }
        });
        Ok(())
    }

    /// Creates the context in which the hooks of an event run.
    fn hook_run(&mut self, event: Event, input: &HookInput) -> HookRun {
        let is_reported = self.options.host.hook_events && event.is_told() || event.always_told();
        HookRun {
            event,
            name: name_of(event, input),
            input: serde_json::to_string(input).unwrap_or_default().into(),
            reports: is_reported.then(|| Arc::new(self.line.out().clone()) as Arc<dyn HookReports>),
            tasks: self.tooling.tasks().clone(),
            model: self.tooling.services().clone(),
            cwd: self.tooling.cwd().get(),
            env: self.hook_env(event),
            web: self.options.web_config(),
            rules: Rules::of(&self.options.settings),
            untrusted: untrusted(&self.options.settings),
            late: self.hooks.late(),
        }
    }

    /// Sends a callback to the host, unless its input has ended.
    async fn call_back(
        &mut self,
        request_id: &str,
        callback_id: &str,
        input: &HookInput,
    ) -> Option<oneshot::Receiver<Result<Value, String>>> {
        if self.line.input_ended() {
            return None;
        }
        let answered = self.hooks.await_callback(request_id);
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
        self.emit(ControlRequest::new(request_id, request)).await;
        Some(answered)
    }
}

/// The id of the call that an event is about. The input of a permission request does not contain it; the session stores
/// it.
fn call_id_of(input: &HookInput, hooks: &crate::hooks::Hooks) -> Option<String> {
    match input {
        HookInput::PreToolUse(it) => Some(it.tool_use_id.clone()),
        HookInput::PostToolUse(it) => Some(it.tool_use_id.clone()),
        HookInput::PostToolUseFailure(it) => Some(it.tool_use_id.clone()),
        HookInput::PermissionDenied(it) => Some(it.tool_use_id.clone()),
        HookInput::PermissionRequest(_) => hooks.asked_for(),
        _ => None,
    }
}
