//! What hooks are run with, which of them are meant, and what hosts are told of their runs.

use super::config::{Handler, Hook, Origin};
use super::event::{AGENT, CALLBACK, Event, MODEL, subject};
use super::http::Rules;
use super::merge::{Refuses, Said};
use super::output::{Failure, HookAnswer};
use super::run::Hooked;
use crate::messages;
use crate::out::Out;
use crate::services::ToolServices;
use serde_json::Value;
use sluice_permission::{Source, ToolFacts};
use sluice_settings::Settings;
use sluice_tools::{AnyTool, Tasks, WebConfig};
use sluice_wire::hook::HookInput;
use sluice_wire::stdout::system::{HookOutcome, HookProgress, HookResponse, HookStarted};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

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

/// The hooks that are meant, in the order of their places; of those that do the same, the strongest. What a call touches
/// its tool says, which `known` finds by its name.
pub(super) fn meant(
    list: &[Arc<Hook>],
    event: Event,
    input: &HookInput,
    cwd: &Path,
    known: impl Fn(&str) -> Option<AnyTool>,
) -> Vec<Due> {
    let subject = subject(input);
    let call = call_of(input).map(|(name, input)| (name, known(name), input));
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
                (Some(condition), Some((name, tool, input))) => {
                    let facts = tool.as_ref().map(|tool| tool.descriptor().facts());
                    condition.meets(facts.unwrap_or_else(|| ToolFacts::unknown(name)), input, cwd)
                }
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

/// The folder by which the same line means something else.
fn root_of(origin: &Origin) -> Option<PathBuf> {
    match origin {
        Origin::Plugin { root, .. } | Origin::Skill { root, .. } => Some(root.clone()),
        Origin::Settings(_) | Origin::Host | Origin::Agent { .. } => None,
    }
}
