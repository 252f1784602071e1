//! Control requests that read and change settings and rules.

use serde_json::{Map, Value, json};
use sluice_permission::{Rule, Source};
use sluice_settings::keys::{self, Untrusted};
use sluice_settings::{Settings, Writer};
use sluice_wire::Raw;
use sluice_wire::control::{
    AppliedSettings, GetSettingsResponse, ListPermissionRulesResponse, PermissionRulesState, RequestId,
    RuleDescription, RuleEntry, SettingsError, SettingsSource, UpdateSettings, UpdateSettingsResponse,
    WorkspaceDirectory,
};
use sluice_wire::permission_update::Behavior;

use super::aside::given;
use crate::messages;
use crate::model_choice::{Answers, Switch};
use crate::requests::RequestOutcome;
use crate::session::Session;

impl Session {
    pub(super) async fn get_settings(&mut self, id: &RequestId) {
        let settings = &self.options.settings;
        let sources = settings.sources().into_iter();
        let mut response = GetSettingsResponse {
            effective: Raw::of(&settings.effective()),
            sources: sources
                .map(|(source, value)| {
                    Raw::of(&SettingsSource {
                        source: source.as_str().to_owned(),
                        settings: Raw::of(&value),
                        ..SettingsSource::default()
                    })
                })
                .collect(),
            applied: Some(AppliedSettings {
                model: Some(self.model.name.clone()),
                effort: Some(Raw::of(&self.options.model.effort)),
                ..AppliedSettings::default()
            }),
            ..GetSettingsResponse::default()
        };
        let errors = settings.problems().iter().map(|problem| {
            Raw::of(&SettingsError {
                file: problem.path.display().to_string(),
                message: problem.message.clone(),
                ..SettingsError::default()
            })
        });
        response.errors = Some(errors.collect()).filter(|errors: &Vec<Raw>| !errors.is_empty());
        self.emit(messages::success(id, &response)).await;
    }

    /// Overrides settings of the files for this session.
    pub(super) async fn apply_flag_settings(&mut self, id: &RequestId, changes: &Raw) {
        let Ok(changes) = changes.parse::<Map<String, Value>>() else {
            let text = "apply_flag_settings: settings must be an object";
            return self.emit(messages::error(id, text)).await;
        };
        let misshapen: Vec<&str> = keys::misshapen(&changes).iter().map(|key| key.name).collect();
        if !misshapen.is_empty() {
            let text = format!(
                "apply_flag_settings: nothing was changed; invalid values: {}",
                misshapen.join(", ")
            );
            return self.emit(messages::error(id, text)).await;
        }
        match self.override_settings(&changes) {
            None => self.emit(messages::ok(id)).await,
            Some(model) => {
                let switch = Switch {
                    to: model,
                    requested: changes.get(keys::MODEL.name).and_then(Value::as_str).map(str::to_owned),
                    source: "sdk",
                    answers: Answers::Settings,
                };
                if !self.hooks_before_switch(id, &switch).await {
                    self.apply_model(id, switch).await;
                }
            }
        }
        self.report_settings_problems().await;
    }

    /// Writes to a settings file. The response names the file and the keys, and says if a value does not apply yet.
    pub(super) async fn update_settings(&mut self, id: &RequestId, request: &UpdateSettings) {
        let writer = self.options.host.writer;
        let Some(source) = writer.files().iter().find(|source| source.as_str() == request.source) else {
            let names: Vec<&str> = writer.files().iter().map(|source| source.as_str()).collect();
            let (names, other) = (names.join(" or "), &request.source);
            let text = format!("update_settings: source must be {names}, not {other:?}");
            return self.emit(messages::error(id, text)).await;
        };
        let Ok(mut changes) = request.settings.parse::<Map<String, Value>>() else {
            let text = "update_settings: settings must be an object";
            return self.emit(messages::error(id, text)).await;
        };
        if let Err(why) = writer.check(*source, &changes) {
            return self.emit(messages::error(id, format!("update_settings: {why}"))).await;
        }
        let settings = &self.options.settings;
        let mut response = UpdateSettingsResponse {
            keys: Some(changes.keys().cloned().collect()),
            warning: without_effect(settings, *source, &changes),
            ..UpdateSettingsResponse::default()
        };
        if let Some(level) = changes.remove(keys::EFFORT_LEVEL.name) {
            // The effort level is stored per model.
            let of_model = json!({(self.model.name.as_str()): {(keys::EFFORT_LEVEL.name): level}});
            changes.insert(keys::MODEL_SETTINGS.name.to_owned(), of_model);
        }
        let (id, places, source) = (id.clone(), settings.places().clone(), *source);
        self.requests.concurrent.spawn_blocking(&id.clone(), move || {
            match sluice_settings::update(&places, source, &changes) {
                Ok(path) => {
                    response.path = Some(path.display().to_string());
                    RequestOutcome {
                        wrote_settings: true,
                        ..match writer {
                            // The documented response of the protocol is empty.
                            Writer::Host => given(&id, &json!({})),
                            Writer::Page | Writer::Terminal => messages::success(&id, &response).into(),
                        }
                    }
                }
                Err(error) => messages::error(&id, format!("update_settings: {error}")).into(),
            }
        });
    }

    pub(super) async fn list_rules(&mut self, id: &RequestId) {
        let settings = &self.options.settings;
        let order = |rule: &Rule| {
            let behavior = match rule.behavior {
                sluice_permission::Behavior::Allow => 0,
                sluice_permission::Behavior::Ask => 1,
                sluice_permission::Behavior::Deny => 2,
            };
            let source = match rule.source {
                Source::User => 0,
                Source::Project => 1,
                Source::Local => 2,
                Source::Flag => 3,
                Source::Policy => 4,
                Source::CliArg => 5,
                Source::Command => 6,
                Source::Session => 7,
                Source::Server => 8,
            };
            (behavior, source)
        };
        let waiting = settings.waiting_rules();
        let applied = self.policy.rules.iter().map(|rule| (rule, None));
        let mut rules: Vec<(&Rule, Option<bool>)> =
            applied.chain(waiting.iter().map(|rule| (rule, Some(true)))).collect();
        rules.sort_by_key(|(rule, _)| order(rule));
        let rules = rules.into_iter().map(|(rule, not_in_effect)| RuleEntry {
            behavior: Behavior::from(rule.behavior.as_str()),
            source: rule.source.as_str().to_owned(),
            rule: rule.text(),
            description: described(rule).as_ref().map(Raw::of),
            editability: Some(editability(rule.source).to_owned()),
            not_in_effect,
            ..RuleEntry::default()
        });
        let configured = settings.directories();
        let directories = self.policy.roots.iter().filter(|root| **root != self.options.cwd);
        let directories = directories.map(|root| {
            let of_file = configured.iter().find(|(_, directory)| directory == root);
            let source = match of_file {
                _ if self.options.folders.added.contains(root) => Source::CliArg,
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
            managed_only: settings.policy(&keys::ALLOW_MANAGED_PERMISSION_RULES_ONLY) == Some(&Value::Bool(true)),
            ..PermissionRulesState::default()
        };
        let response = ListPermissionRulesResponse {
            state,
            ..ListPermissionRulesResponse::default()
        };
        self.emit(messages::success(id, &response)).await;
    }
}

/// Whether a host can remove a rule, and whether the removal is permanent.
fn editability(source: Source) -> &'static str {
    match source {
        Source::User | Source::Project | Source::Local => "persistent",
        Source::Session | Source::CliArg => "session",
        Source::Policy | Source::Flag | Source::Command | Source::Server => "readonly",
    }
}

/// Describes a rule in words, if that is clearer than its text.
fn described(rule: &Rule) -> Option<RuleDescription> {
    let worded = |prefix: &str, emphasis: &str| RuleDescription {
        prefix: prefix.to_owned(),
        emphasis: emphasis.to_owned(),
        ..RuleDescription::default()
    };
    if rule.whole() {
        return Some(RuleDescription {
            suffix: Some(" tool".to_owned()),
            ..worded("Any use of the ", &rule.tool)
        });
    }
    let content = rule.content.as_deref().filter(|_| rule.tool == "Bash")?;
    let prefix = content.strip_suffix(" *").or_else(|| content.strip_suffix(":*"));
    Some(match prefix.filter(|prefix| !prefix.contains('*')) {
        Some(prefix) => worded("Any Bash command starting with ", prefix),
        None if content.contains('*') => return None,
        None => worded("The Bash command ", content),
    })
}

/// Describes changes that are saved but do not apply: a stronger scope sets the key too, or the folder is untrusted.
fn without_effect(settings: &Settings, source: Source, changes: &Map<String, Value>) -> Option<String> {
    let known = changes.keys().filter_map(|name| keys::find(name));
    let sentences: Vec<String> = known
        .filter_map(|key| {
            let name = key.name;
            if let Some(above) = settings.overriding(key, source).filter(|_| key.merge_replaces()) {
                return Some(format!("{name} does not apply: {} sets it too", above.as_str()));
            }
            let waits = matches!(source, Source::Project | Source::Local)
                && !settings.trusted()
                && key.untrusted != Untrusted::Counts;
            waits.then(|| format!("{name} applies once the folder is trusted"))
        })
        .collect();
    (!sentences.is_empty()).then(|| sentences.join("; "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;

    use super::*;

    #[test]
    fn rules_are_described_in_words() {
        let of = |text: &str| {
            let rule = Rule::parse(sluice_permission::Behavior::Allow, Source::User, Path::new("/"), text);
            described(&rule.unwrap()).map(|description| description.emphasis)
        };
        assert_eq!(of("Bash(git *)").as_deref(), Some("git"));
        assert_eq!(of("Bash(npm run:*)").as_deref(), Some("npm run"));
        assert_eq!(of("Bash(ls)").as_deref(), Some("ls"));
        assert_eq!(of("Read").as_deref(), Some("Read"));
        assert_eq!(of("Edit(src/**)"), None);
    }
}
