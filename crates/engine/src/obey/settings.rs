//! The settings and rules that hold: shown, laid over, written.

use serde_json::{Map, Value, json};
use sluice_model::models;
use sluice_permission::Source;
use sluice_wire::Raw;
use sluice_wire::control::{
    AppliedSettings, GetSettingsResponse, ListPermissionRulesResponse, PermissionRulesState, RequestId, RuleEntry,
    UpdateSettings, WorkspaceDirectory,
};
use sluice_wire::permission_update::Behavior;

use super::aside::{Aside, given};
use crate::asking::lay_out;
use crate::confine;
use crate::say;
use crate::session::Session;
use crate::settings;

impl Session {
    pub(super) async fn get_settings(&mut self, id: &RequestId) {
        let settings = &self.options.settings;
        let sources = settings.sources().into_iter();
        let response = GetSettingsResponse {
            effective: Raw::of(&settings.effective()),
            sources: sources
                .map(|(source, value)| Raw::of(&json!({"source": source.as_str(), "settings": value})))
                .collect(),
            applied: Some(AppliedSettings {
                model: Some(self.model.clone()),
                effort: Some(Raw::of(&self.options.effort)),
                ..AppliedSettings::default()
            }),
            ..GetSettingsResponse::default()
        };
        self.say(say::success(id, &response)).await;
    }

    /// Lays settings over those of the files, for this session.
    pub(super) async fn apply_flag_settings(&mut self, id: &RequestId, changes: &Raw) {
        let Ok(changes) = changes.parse::<Map<String, Value>>() else {
            let text = "apply_flag_settings: settings must be an object";
            return self.say(say::error(id, text)).await;
        };
        let misshapen = misshapen(&changes);
        if !misshapen.is_empty() {
            let text = format!(
                "apply_flag_settings: nothing was changed, because these have not the shape they must have: {}",
                misshapen.join(", ")
            );
            return self.say(say::error(id, text)).await;
        }
        self.options.settings.set_flag(&changes);
        lay_out(&mut self.policy, &self.options);
        self.lay_out_hooks();
        if changes.contains_key("sandbox") {
            self.sandbox = confine::sandbox(&self.options);
            self.policy.sandboxed = confine::runs_unasked(self.sandbox.as_deref());
        }
        if changes.contains_key("model") {
            let name = self.options.settings.model().or(self.options.model.as_deref());
            self.model = models::resolve(name.filter(|name| *name != "default"));
        }
        if changes.contains_key("effortLevel") {
            let level = self.options.settings.string("effortLevel").map(str::to_owned);
            self.options.effort = level.or_else(|| self.launch_effort.clone());
        }
        self.say(say::ok(id)).await;
        self.say_settings_problems().await;
    }

    /// Writes to a settings file of the person's.
    pub(super) async fn update_settings(&mut self, id: &RequestId, request: &UpdateSettings) {
        let source = match request.source.as_str() {
            "userSettings" => Source::User,
            "localSettings" => Source::Local,
            other => {
                let text = format!("update_settings: source must be userSettings or localSettings, not {other:?}");
                return self.say(say::error(id, text)).await;
            }
        };
        let Ok(changes) = request.settings.parse::<Map<String, Value>>() else {
            let text = "update_settings: settings must be an object";
            return self.say(say::error(id, text)).await;
        };
        let (id, places) = (id.clone(), self.options.settings.places().clone());
        self.asides
            .spawn_blocking(&id.clone(), move || match settings::update(&places, source, &changes) {
                Ok(_) => Aside {
                    wrote_settings: true,
                    ..given(&id, &json!({}))
                },
                Err(error) => say::error(&id, format!("update_settings: {error}")).into(),
            });
    }

    pub(super) async fn list_rules(&mut self, id: &RequestId) {
        let settings = &self.options.settings;
        let rules = self.policy.rules.iter().map(|rule| RuleEntry {
            behavior: Behavior::from(rule.behavior.as_str()),
            source: rule.source.as_str().to_owned(),
            rule: rule.text(),
            editability: Some(editability(rule.source).to_owned()),
            ..RuleEntry::default()
        });
        let configured = settings.directories();
        let directories = self.policy.roots.iter().filter(|root| **root != self.options.cwd);
        let directories = directories.map(|root| {
            let of_file = configured.iter().find(|(_, directory)| directory == root);
            let source = match of_file {
                _ if self.options.add_dirs.contains(root) => Source::CliArg,
                Some((source, _)) => *source,
                None => Source::Session,
            };
            WorkspaceDirectory {
                path: root.display().to_string(),
                source: source.as_str().to_owned(),
                ..WorkspaceDirectory::default()
            }
        });
        let state = PermissionRulesState {
            rules: rules.collect(),
            workspace_directories: directories.collect(),
            original_cwd: self.options.cwd.display().to_string(),
            managed_only: settings.policy("allowManagedPermissionRulesOnly") == Some(&Value::Bool(true)),
            ..PermissionRulesState::default()
        };
        let response = ListPermissionRulesResponse {
            state,
            ..ListPermissionRulesResponse::default()
        };
        self.say(say::success(id, &response)).await;
    }
}

/// Whether a host can take a rule back, and how long that lasts.
fn editability(source: Source) -> &'static str {
    match source {
        Source::User | Source::Project | Source::Local => "persistent",
        Source::Session => "session",
        Source::Policy | Source::Flag | Source::CliArg | Source::Command => "readonly",
    }
}

/// The settings among these that are plainly of another kind than they must be; `null` takes one back.
fn misshapen(changes: &Map<String, Value>) -> Vec<&str> {
    let fits = |key: &str, value: &Value| match key {
        "permissions" | "env" | "hooks" | "sandbox" | "modelOverrides" | "statusLine" => value.is_object(),
        "model" | "outputStyle" | "agent" | "apiKeyHelper" | "effortLevel" | "language" => value.is_string(),
        "disableAllHooks" | "includeCoAuthoredBy" | "enableAllProjectMcpServers" => value.is_boolean(),
        _ => true,
    };
    let wrong = |(key, value): (&'_ String, &Value)| !value.is_null() && !fits(key, value);
    changes
        .iter()
        .filter(|entry| wrong(*entry))
        .map(|(key, _)| key.as_str())
        .collect()
}
