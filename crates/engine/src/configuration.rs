//! Settings take effect here, whoever changed them: a file, a control request, `/config`, an answer that was written
//! down, the session above a subagent. What runs already runs on as it began.

use std::sync::Arc;

use serde_json::{Map, Value};
use sluice_settings::Settings;
use sluice_settings::keys::{self, Concerns};

use crate::policy;
use crate::sandbox;
use crate::session::Session;

/// What other settings change, beyond rules and hooks.
#[derive(Debug, Default, PartialEq)]
struct Changed {
    /// Variables that are new or another.
    env: Vec<(String, String)>,
    sandbox: bool,
    servers: bool,
}

impl Changed {
    fn between(before: &Settings, after: &Settings) -> Self {
        let (was, is) = (before.effective(), after.effective());
        let differs = |concern: Concerns| {
            let mut of_it = keys::TABLE.iter().filter(|key| key.concerns == concern);
            of_it.any(|key| was.get(key.name) != is.get(key.name))
        };
        let known = before.env();
        Self {
            env: after.env().into_iter().filter(|pair| !known.contains(pair)).collect(),
            sandbox: differs(Concerns::Sandbox),
            servers: before.trusted() != after.trusted() || differs(Concerns::Servers),
        }
    }
}

impl Session {
    /// These settings hold from now on.
    pub(crate) fn adopt(&mut self, settings: Settings) {
        let changed = Changed::between(&self.options.settings, &settings);
        self.options.settings = settings;
        for (name, value) in changed.env {
            self.options.set_env(name, value);
        }
        self.commands.forget_held_back();
        self.tooling.trust(self.options.settings.runs_projects());
        policy::lay_out(Arc::make_mut(&mut self.policy), &self.options);
        if changed.sandbox {
            self.tooling.remake_sandbox(&self.options);
            let unasked = sandbox::runs_unasked(self.tooling.sandbox().map(Arc::as_ref));
            self.change_policy(|policy| policy.sandboxed = unasked);
        }
        // A subagent's hooks and servers are those of the session above it.
        if self.agents.id().is_none() {
            if changed.servers {
                self.tooling
                    .servers_mut()
                    .apply_settings(&self.options.settings, &self.options.servers);
            }
            self.lay_out_hooks();
        }
    }

    /// The files say something else, and nobody objects.
    pub(crate) async fn take_settings(&mut self, settings: Settings) {
        self.adopt(settings);
        self.say_settings_problems().await;
    }

    /// The files are read again.
    pub(crate) fn reread_settings(&mut self) {
        let mut settings = self.options.settings.clone();
        settings.reload();
        self.adopt(settings);
    }

    /// Lays settings over those of the files, for this session. The model, the effort and the output style among them are
    /// a choice for this session; in a file they are one for sessions that begin later, since others of the person's run
    /// as well.
    /// Gives the model that is to answer now, if one was named: hooks may object to it.
    pub(crate) fn lay_over(&mut self, changes: &Map<String, Value>) -> Option<String> {
        let mut settings = self.options.settings.clone();
        settings.set_flag(changes);
        self.adopt(settings);
        if changes.contains_key(keys::EFFORT_LEVEL.name) {
            let level = self.options.settings.string(&keys::EFFORT_LEVEL).map(str::to_owned);
            self.options.model.effort = level.or_else(|| self.model.launch_effort.clone());
        }
        if changes.contains_key(keys::OUTPUT_STYLE.name) {
            // It stands in the system prompt.
            self.conversation.forget_system();
        }
        changes.get(keys::MODEL.name)?;
        let name = self.options.settings.model().or(self.options.model.name.as_deref());
        Some(self.model.resolve(name.filter(|name| *name != "default")))
    }
}
