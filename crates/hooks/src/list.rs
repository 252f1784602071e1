//! The hooks of a session, from the weakest origin to the strongest, and the selection of those that an event runs.

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

/// The effective hooks, from the weakest origin to the strongest.
#[derive(Debug, Clone, Default)]
pub struct HookList(Vec<Arc<Hook>>);

/// The hooks that a subagent inherits from its session.
#[derive(Debug, Clone, Default)]
pub struct InheritedHooks {
    pub list: HookList,
    /// Whether only `PreToolUse` hooks are inherited, for the agent of an agent hook.
    pub narrow: bool,
    /// The transcript of the top-level session.
    pub transcript: Option<PathBuf>,
}

impl HookList {
    /// Adds hooks. Returns their problems.
    pub fn add(&mut self, origin: &Origin, config: &Value, cwd: &Path, home: &Path) -> Vec<String> {
        let (hooks, problems) = Reader { cwd, home }.read(origin, config);
        self.insert(hooks);
        problems
    }

    /// Adds hooks of an untrusted folder. They do not run, and calls that they match need permission.
    /// Returns their problems.
    pub fn add_held_back(&mut self, origin: &Origin, config: &Value, cwd: &Path, home: &Path) -> Vec<String> {
        let (hooks, problems) = Reader { cwd, home }.read_held_back(origin, config);
        self.insert(hooks);
        problems
    }

    /// Replaces the hooks of the settings files. Returns their problems.
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

    /// Replaces the callbacks of the host. Returns their problems.
    pub fn register<'a>(&mut self, events: impl Iterator<Item = (&'a str, &'a [HookMatcher])>) -> Vec<String> {
        self.0.retain(|hook| hook.origin != Origin::Host);
        let (hooks, problems) = config::of_host(events);
        self.insert(hooks);
        problems
    }

    /// Replaces the inherited hooks. Hooks of the agent itself are preserved.
    pub fn inherit(&mut self, above: &Self, narrow: bool) {
        self.0.retain(|hook| matches!(hook.origin, Origin::Agent { .. }));
        let handed_down = above.0.iter().filter(|hook| !narrow || checks_hook_agents(hook));
        self.0.extend(handed_down.cloned());
        self.0.sort_by_key(|hook| rank(&hook.origin));
    }

    /// Returns the hooks that subagents inherit: all except those of agent definitions.
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

    /// Removes the hooks of an origin.
    pub fn remove(&mut self, origin: &Origin) {
        self.0.retain(|hook| hook.origin != *origin);
    }

    /// Whether there is a hook for one of these events.
    #[must_use]
    pub fn await_any(&self, events: &[Event]) -> bool {
        self.0.iter().any(|hook| events.contains(&hook.event))
    }

    /// Returns the hooks to run for an event. Hooks that run only once are removed from the list.
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

    /// Iterates over all hooks.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Hook>> {
        self.0.iter()
    }

    fn insert(&mut self, hooks: Vec<Hook>) {
        self.0.extend(hooks.into_iter().map(Arc::new));
        self.0.sort_by_key(|hook| rank(&hook.origin));
    }
}

impl InheritedHooks {
    /// Restricts the hooks to `PreToolUse` hooks other than agent hooks: the calls of the agent of a hook are checked
    /// by hooks, but not by another agent hook.
    #[must_use]
    pub fn before_calls(mut self) -> Self {
        self.narrow = true;
        self.list.0.retain(|hook| checks_hook_agents(hook));
        self
    }
}

/// Whether a hook checks the calls of the agent of an agent hook.
fn checks_hook_agents(hook: &Hook) -> bool {
    hook.event == Event::PreToolUse && !matches!(hook.handler, Handler::Agent { .. })
}

/// Returns the strength of an origin.
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

/// Selects the hooks to run for an event, in their order. Of several hooks with the same action, only the strongest
/// runs. `known` finds a tool by its name; the tool declares what a call touches.
pub fn meant(
    list: &[Arc<Hook>],
    event: Event,
    input: &HookInput,
    cwd: &Path,
    known: impl Fn(&str) -> Option<AnyTool>,
) -> Vec<Due> {
    let subject = subject(input);
    let call = call_of(input).map(|(name, input)| (name, known(name), input));
    // Instructions that are loaded at the start count as loaded before the host connected.
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
    // An async hook, or one whose failure is ignored, must not replace one that protects.
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

/// Returns the tool and input of the call that the event is about.
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

/// Returns the folder of the origin: the same command in another folder is another hook.
fn root_of(origin: &Origin) -> Option<PathBuf> {
    match origin {
        Origin::Plugin { root, .. } | Origin::Skill { root, .. } => Some(root.clone()),
        Origin::Settings(_) | Origin::Host | Origin::Agent { .. } => None,
    }
}
