//! Applies changed settings from any source: a file, a control request, `/config`, a permission answer saved as
//! a rule, or the parent session of a subagent. What is already running is not affected.

use std::sync::Arc;

use serde_json::{Map, Value};
use sluice_settings::Settings;
use sluice_settings::keys::{self, Concerns};

use crate::policy;
use crate::sandbox;
use crate::session::Session;

/// Consequences of changed settings beyond rules and hooks.
#[derive(Debug, Default, PartialEq)]
struct Changed {
    /// Variables that are new or have a new value.
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
    /// Applies these settings.
    pub(crate) fn apply_settings(&mut self, settings: Settings) {
        let changed = Changed::between(&self.options.settings, &settings);
        self.options.settings = settings;
        for (name, value) in changed.env {
            self.options.set_env(name, value);
        }
        self.commands.forget_held_back();
        self.tooling.trust(self.options.settings.runs_projects());
        policy::apply_settings(Arc::make_mut(&mut self.policy), &self.options);
        if changed.sandbox {
            self.tooling.recreate_sandbox(&self.options);
            let unasked = sandbox::runs_unasked(self.tooling.sandbox().map(Arc::as_ref));
            self.change_policy(|policy| policy.sandboxed = unasked);
        }
        // A subagent uses the hooks and servers of its parent session.
        if self.agents.id().is_none() {
            if changed.servers {
                self.tooling
                    .servers_mut()
                    .apply_settings(&self.options.settings, &self.options.servers);
            }
            self.load_hooks();
        }
    }

    /// Applies settings of changed files that no hook rejected.
    pub(crate) async fn apply_settings_change(&mut self, settings: Settings) {
        self.apply_settings(settings);
        self.report_settings_problems().await;
    }

    /// Reads the settings files again and applies them.
    pub(crate) fn reread_settings(&mut self) {
        let mut settings = self.options.settings.clone();
        settings.reload();
        self.apply_settings(settings);
    }

    /// Overrides settings of the files for this session. The model, the effort and the output style in them apply to
    /// this session, whereas a change of them in a file applies only to sessions that start later. Returns the model to
    /// use from now on, if one was set. Hooks may reject it.
    pub(crate) fn override_settings(&mut self, changes: &Map<String, Value>) -> Option<String> {
        let mut settings = self.options.settings.clone();
        settings.set_flag(changes);
        self.apply_settings(settings);
        if changes.contains_key(keys::EFFORT_LEVEL.name) {
            let level = self.options.settings.string(&keys::EFFORT_LEVEL).map(str::to_owned);
            self.options.model.effort = level.or_else(|| self.model.launch_effort.clone());
        }
        if changes.contains_key(keys::OUTPUT_STYLE.name) {
            // The output style is part of the system prompt.
            self.conversation.forget_system();
        }
        changes.get(keys::MODEL.name)?;
        let name = self.options.settings.model().or(self.options.model.name.as_deref());
        Some(self.model.resolve(name.filter(|name| *name != "default")))
    }
}
