//! The hooks of a session, from the weakest source to the strongest, and which of them an event runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use sluice_permission::{Source, ToolFacts};
use sluice_settings::Settings;
use sluice_tools::AnyTool;
use sluice_wire::control::HookMatcher;
use sluice_wire::hook::HookInput;

use crate::config::{self, Handler, Hook, Origin, Reader};
use crate::event::{Event, subject};
use crate::run::{Due, fresh_id};

/// The hooks in force, from the weakest origin to the strongest.
#[derive(Debug, Clone, Default)]
pub struct HookList(Vec<Arc<Hook>>);

/// The hooks a session hands down to its subagents.
#[derive(Debug, Clone, Default)]
pub struct InheritedHooks {
    pub list: HookList,
    /// Only hooks before calls, for an agent that answers a hook.
    pub narrow: bool,
    /// Where the conversation of the session at the top is kept.
    pub transcript: Option<PathBuf>,
}

impl HookList {
    /// Adds hooks; gives what is wrong with them.
    pub fn add(&mut self, origin: &Origin, config: &Value, cwd: &Path, home: &Path) -> Vec<String> {
        let (hooks, problems) = Reader { cwd, home }.read(origin, config);
        self.insert(hooks);
        problems
    }

    /// Adds hooks of an untrusted folder: they do not run, and calls that they cover need permission.
    /// Returns the problems of the hooks.
    pub fn add_held_back(&mut self, origin: &Origin, config: &Value, cwd: &Path, home: &Path) -> Vec<String> {
        let (hooks, problems) = Reader { cwd, home }.read_held_back(origin, config);
        self.insert(hooks);
        problems
    }

    /// Replaces the hooks of the settings files; returns their problems.
    pub fn lay_out(&mut self, settings: &Settings, cwd: &Path, home: &Path) -> Vec<String> {
        self.0.retain(|hook| !matches!(hook.origin, Origin::Settings(_)));
        let mut problems = Vec::new();
        for (source, config) in settings.hooks() {
            problems.extend(self.add(&Origin::Settings(source), config, cwd, home));
        }
        for (source, config) in settings.held_back_hooks() {
            problems.extend(self.add_held_back(&Origin::Settings(source), config, cwd, home));
        }
        problems
    }

    /// Replaces the callbacks of the host; returns their problems.
    pub fn register<'a>(&mut self, events: impl Iterator<Item = (&'a str, &'a [HookMatcher])>) -> Vec<String> {
        self.0.retain(|hook| hook.origin != Origin::Host);
        let (hooks, problems) = config::of_host(events);
        self.insert(hooks);
        problems
    }

    /// Replaces the hooks of the parent session; an agent's own stay.
    pub fn inherit(&mut self, above: &Self, narrow: bool) {
        self.0.retain(|hook| matches!(hook.origin, Origin::Agent { .. }));
        let handed_down = above.0.iter().filter(|hook| !narrow || looks_at_inspectors(hook));
        self.0.extend(handed_down.cloned());
        self.0.sort_by_key(|hook| rank(&hook.origin));
    }

    /// What subagents get: everything but what an agent has for itself alone.
    #[must_use]
    pub fn handed_down(&self) -> Self {
        let hooks = self.0.iter();
        Self(
            hooks
                .filter(|hook| !matches!(hook.origin, Origin::Agent { .. }))
                .cloned()
                .collect(),
        )
    }

    /// Takes the hooks of an origin away.
    pub fn remove(&mut self, origin: &Origin) {
        self.0.retain(|hook| hook.origin != *origin);
    }

    /// Whether any hook waits for one of these.
    #[must_use]
    pub fn await_any(&self, events: &[Event]) -> bool {
        self.0.iter().any(|hook| events.contains(&hook.event))
    }

    /// The hooks an event is for; those that run once are gone then.
    pub fn take_due(
        &mut self,
        event: Event,
        input: &HookInput,
        cwd: &Path,
        known: impl Fn(&str) -> Option<AnyTool>,
    ) -> Vec<Due> {
        let due = meant(&self.0, event, input, cwd, known);
        self.0
            .retain(|hook| !hook.once || !due.iter().any(|due| Arc::ptr_eq(&due.hook, hook)));
        due
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Hook>> {
        self.0.iter()
    }

    fn insert(&mut self, hooks: Vec<Hook>) {
        self.0.extend(hooks.into_iter().map(Arc::new));
        self.0.sort_by_key(|hook| rank(&hook.origin));
    }
}

impl InheritedHooks {
    /// Only those that look at calls before they run, and no agents: an agent that answers a hook is looked at as any
    /// other, and never by another of its kind.
    #[must_use]
    pub fn before_calls(mut self) -> Self {
        self.narrow = true;
        self.list.0.retain(|hook| looks_at_inspectors(hook));
        self
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

/// The hooks that are meant, in the order of their places; of those that do the same, the strongest. What a call touches
/// its tool says, which `known` finds by its name.
pub fn meant(
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
                id: fresh_id(),
            });
        }
    }
    due.reverse();
    due
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
