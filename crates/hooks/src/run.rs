//! The context of a hook run, and the messages about runs (`hook_started`, `hook_progress`, `hook_response`).

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use sluice_model::{Names, Request};
use sluice_permission::Source;
use sluice_settings::Settings;
use sluice_tools::{Tasks, WebConfig};
use sluice_wire::hook::HookInput;
use sluice_wire::stdout::system::{HookOutcome, HookProgress, HookResponse, HookStarted};
use tokio::sync::mpsc;

use crate::config::{Handler, Hook, Origin};
use crate::event::{AGENT, CALLBACK, Event, MODEL, subject};
use crate::http::{self, Rules};
use crate::merge::{Merged, Refuses, Said};
use crate::output::{Failure, HookAnswer};
use crate::{command, prompt};

/// The context in which hooks of an event run.
#[derive(Debug, Clone)]
pub struct HookRun {
    pub event: Event,
    /// The name of the run, such as `PreToolUse:Bash`.
    pub name: String,
    /// The input of the hooks, as JSON.
    pub input: Arc<str>,
    /// Receives the messages about runs.
    pub reports: Option<Arc<dyn HookReports>>,
    pub tasks: Arc<Tasks>,
    /// The model for prompt hooks.
    pub model: Arc<dyn HookModel>,
    pub cwd: PathBuf,
    pub env: Vec<(OsString, OsString)>,
    pub web: WebConfig,
    pub rules: Rules,
    /// Scopes whose hooks run but cannot allow anything, because the folder is not trusted.
    pub untrusted: Vec<Source>,
    /// Receives the results of async hooks.
    pub late: mpsc::Sender<Late>,
}

/// The result of an async hook that has ended.
#[derive(Debug)]
pub struct Late {
    pub event: Event,
    pub merged: Merged,
    /// Whether the result wakes the model.
    pub rewakes: bool,
}

/// A message to the host about a hook run.
#[derive(Debug)]
pub enum HookReport {
    Started(HookStarted),
    Progress(HookProgress),
    Response(HookResponse),
}

/// Receives the messages about hook runs.
pub trait HookReports: std::fmt::Debug + Send + Sync {
    fn report(&self, report: HookReport) -> BoxFuture<'_, ()>;
}

/// A model for requests outside the conversation.
pub trait HookModel: std::fmt::Debug + Send + Sync {
    /// Sends a request and returns the text of the reply.
    fn answer(&self, request: Request) -> BoxFuture<'_, Result<String, String>>;

    /// Returns the table of model names.
    fn names(&self) -> &Names;
}

/// A hook that is about to run.
#[derive(Debug)]
pub struct Due {
    pub place: usize,
    pub hook: Arc<Hook>,
    /// The id of this run in messages to hosts.
    pub id: String,
}

/// The output of a run.
#[derive(Debug, Default, Clone)]
pub struct Seen {
    pub stdout: String,
    pub stderr: String,
    pub output: String,
    pub exit_code: Option<i32>,
}

impl Seen {
    /// Creates the output of a hook that is not a program.
    pub fn text(text: String) -> Self {
        Self {
            stdout: text.clone(),
            output: text,
            ..Self::default()
        }
    }
}

impl HookRun {
    pub async fn say_started(&self, id: &str) {
        if let Some(reports) = &self.reports {
            let started = HookStarted {
                hook_id: id.to_owned(),
                hook_name: self.name.clone(),
                hook_event: self.event.as_str().to_owned(),
                uuid: fresh_id(),
                ..HookStarted::default()
            };
            reports.report(HookReport::Started(started)).await;
        }
    }

    pub async fn say_progress(&self, id: &str, seen: Seen) {
        if let Some(reports) = &self.reports {
            let progress = HookProgress {
                hook_id: id.to_owned(),
                hook_name: self.name.clone(),
                hook_event: self.event.as_str().to_owned(),
                stdout: seen.stdout,
                stderr: seen.stderr,
                output: seen.output,
                uuid: fresh_id(),
                ..HookProgress::default()
            };
            reports.report(HookReport::Progress(progress)).await;
        }
    }

    pub async fn say_ended(&self, id: &str, seen: Seen, outcome: HookOutcome) {
        if let Some(reports) = &self.reports {
            let response = HookResponse {
                hook_id: id.to_owned(),
                hook_name: self.name.clone(),
                hook_event: self.event.as_str().to_owned(),
                output: seen.output,
                stdout: seen.stdout,
                stderr: seen.stderr,
                exit_code: seen.exit_code.map(i64::from),
                outcome: Some(outcome),
                uuid: fresh_id(),
                ..HookResponse::default()
            };
            reports.report(HookReport::Response(response)).await;
        }
    }
}

impl Due {
    /// Returns the timeout.
    pub fn patience(&self) -> Duration {
        self.hook.timeout.unwrap_or_else(|| match self.hook.handler {
            Handler::Callback(_) => CALLBACK,
            Handler::Prompt { .. } => MODEL,
            Handler::Agent { .. } => AGENT,
            Handler::Command { .. } | Handler::Http { .. } | Handler::McpTool { .. } | Handler::HeldBack => {
                self.hook.event.patience()
            }
        })
    }

    pub fn said(&self, run: &HookRun, what: Result<HookAnswer, Failure>) -> Said {
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
            name: run.name.clone(),
            text: hook.handler.text(),
            origin: hook.origin.clone(),
            refuses,
            what: match &hook.origin {
                Origin::Settings(source) if run.untrusted.contains(source) => what.map(HookAnswer::without_leave),
                _ => what,
            },
        }
    }
}

/// Returns the scopes whose hooks may deny and add context, but not allow, because the folder is not trusted.
pub fn untrusted(settings: &Settings) -> Vec<Source> {
    let waits = |source: &Source| settings.waits(*source);
    [Source::Project, Source::Local].into_iter().filter(waits).collect()
}

/// Returns the name of a run in messages to hosts, such as `PreToolUse:Bash`.
pub fn name_of(event: Event, input: &HookInput) -> String {
    match subject(input) {
        Some(subject) => format!("{}:{subject}", event.as_str()),
        None => event.as_str().to_owned(),
    }
}

/// Returns a unique id.
pub(crate) fn fresh_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// Runs a hook that does not need the session.
///
/// # Errors
/// If the hook has no valid result.
pub async fn run(run: &HookRun, due: &Due) -> Result<HookAnswer, Failure> {
    match &due.hook.handler {
        Handler::Command { .. } => command::run(run, due).await,
        Handler::Http {
            url,
            headers,
            variables,
        } => http::run(run, due, url, headers, variables).await,
        Handler::Prompt {
            prompt,
            model,
            continues,
        } => prompt::run(run, due, prompt, model.as_deref(), *continues).await,
        Handler::HeldBack => Ok(HookAnswer::held_back()),
        Handler::Agent { .. } | Handler::McpTool { .. } | Handler::Callback(_) => Err(Failure::Cancelled),
    }
}
