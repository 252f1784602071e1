//! The hook events that a session raises, and how it applies the results. [`sluice_hooks`] parses and runs hooks;
//! `hooks` holds their state in a session.
//!
//! In reading order:
//!
//! * `input`: the fields that all events share, and reports of hook results; `run`: starting the hooks of an event;
//!   `environment`: their variables; `handlers`: hooks that need the session to run;
//! * `calls`: `PreToolUse`, `PermissionRequest`, `PostToolUse` and related events; `defer`: calls that a hook defers;
//!   `tasks`:
//!   `TaskCreated`, `TaskCompleted`;
//! * `turns`: `UserPromptSubmit`, `Stop`, `PreCompact` and their kin; `session`: `SessionStart`, `SessionEnd`,
//!   `ConfigChange`, `FileChanged` and their kin; `switch`: `PreModelSwitch`, `MessageDisplay`;
//! * `consultation`: events raised by work that runs concurrently with the session.
//!
//! Raising an event costs nothing if no hook is registered for it. Methods of `SessionLoop` wait for the result while
//! handling other events; methods of `Session` start the hooks, and the result arrives as an event
//! ([`HookOutcome`](crate::hooks::Hooked)).
//!
//! Subagents are sessions: each has the hooks of its parent session ([`InheritedHooks`]) and its own ones. Its events
//! contain its agent id, and it ends with `SubagentStop` where a session ends a turn with `Stop`.

mod calls;
mod consultation;
mod defer;
mod environment;
mod handlers;
mod input;
mod run;
mod session;
mod switch;
mod tasks;
mod turns;

use serde_json::Value;
use sluice_hooks::{InheritedHooks, Origin};
use sluice_settings::keys;
use sluice_wire::control::GetHooksListingResponse;

use crate::session::Session;

pub(crate) use turns::TurnEnd;

impl Session {
    /// The hooks that subagents inherit: all except those of an agent definition.
    pub(crate) fn hooks_for_agents(&self) -> InheritedHooks {
        self.hooks.handed_down(self.options.session.keeping.file.as_ref())
    }

    /// Adds the hooks of a plugin, a skill or an agent, unless the settings disable them.
    pub(crate) fn add_hooks(&mut self, origin: &Origin, config: &Value, trusted: bool) {
        let settings = &self.options.settings;
        let says = |value: Option<&Value>| value.and_then(Value::as_bool) == Some(true);
        if says(settings.get(&keys::DISABLE_ALL_HOOKS)) || says(settings.policy(&keys::ALLOW_MANAGED_HOOKS_ONLY)) {
            return;
        }
        let (cwd, home) = (&self.options.cwd, &self.options.folders.home);
        let list = self.hooks.list_mut();
        let problems = match trusted {
            true => list.add(origin, config, cwd, home),
            false => list.add_held_back(origin, config, cwd, home),
        };
        self.hooks.add_problems(problems);
    }

    /// Removes the hooks of an origin.
    pub(crate) fn remove_hooks(&mut self, origin: &Origin) {
        self.hooks.list_mut().remove(origin);
    }

    /// The response to `get_hooks_listing`.
    pub(crate) fn hooks_listing(&self) -> GetHooksListingResponse {
        self.hooks.list().listing(&self.options.settings)
    }
}
