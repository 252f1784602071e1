//! The hook events a session raises, and what it does with the answers. Hooks themselves are [`sluice_hooks`]; what of them
//! belongs to the state of a session is `hooks`.
//!
//! In reading order:
//!
//! * `told`: the fields every event carries, and what is told of hooks; `run`: beginning the hooks of an event;
//!   `environment`: their variables; `handlers`: hooks that need the session to be run;
//! * `calls`: `PreToolUse`, `PermissionRequest`, `PostToolUse` and its kin; `defer`: a call a hook defers; `tasks`:
//!   `TaskCreated`, `TaskCompleted`;
//! * `turns`: `UserPromptSubmit`, `Stop`, `PreCompact` and their kin; `session`: `SessionStart`, `SessionEnd`,
//!   `ConfigChange`, `FileChanged` and their kin; `switch`: `PreModelSwitch`, `MessageDisplay`;
//! * `consultation`: events raised by work beside the session.
//!
//! Raising an event costs nothing when no hook waits for it. Methods of `SessionLoop` wait for the answer and handle
//! what happens meanwhile; methods of `Session` begin the hooks, and the answer comes back as an event
//! ([`Hooked`](crate::hooks::Hooked)).
//!
//! Subagents are sessions: each has the hooks of the session above it ([`InheritedHooks`]) and its own, is told of as an
//! agent, and ends with `SubagentStop` where a session ends its turn with `Stop`.

mod calls;
mod consultation;
mod defer;
mod environment;
mod handlers;
mod run;
mod session;
mod switch;
mod tasks;
mod told;
mod turns;

use serde_json::Value;
use sluice_hooks::{InheritedHooks, Origin};
use sluice_settings::keys;
use sluice_wire::control::GetHooksListingResponse;

use crate::session::Session;

pub(crate) use turns::AtEnd;

impl Session {
    /// What subagents get: everything but what an agent has for itself alone.
    pub(crate) fn hooks_for_agents(&self) -> InheritedHooks {
        self.hooks.handed_down(self.options.session.keeping.file.as_ref())
    }

    /// Adds the hooks of a plugin, a skill or an agent, if the settings let such hooks run.
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

    /// Takes them away again.
    pub(crate) fn remove_hooks(&mut self, origin: &Origin) {
        self.hooks.list_mut().remove(origin);
    }

    /// What `get_hooks_listing` answers.
    pub(crate) fn hooks_listing(&self) -> GetHooksListingResponse {
        self.hooks.list().listing(&self.options.settings)
    }
}
