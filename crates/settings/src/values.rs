//! The merged value of each setting.

use std::path::PathBuf;

use serde_json::{Map, Value};
use sluice_permission::path::absolute;
use sluice_permission::{Behavior, PermissionMode, Rule, Source};

use super::Settings;
use super::keys::{self, Key, PermissionKey, permissions};
use super::layer::Layer;
use super::merge::merge;
use super::rules::{known_mode, rules};

impl Settings {
    /// The value of a setting in the strongest layer that may set it and does: policy, flag, local, project, user.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&Value> {
        self.sayers(key).rev().find_map(|layer| {
            let found = layer.in_force().get(key.name)?;
            (!found.is_null()).then_some(found)
        })
    }

    /// The value of a setting inside `permissions` in the strongest layer that has it.
    #[must_use]
    pub fn permission(&self, key: &PermissionKey) -> Option<&Value> {
        self.sayers(&keys::PERMISSIONS).rev().find_map(|layer| {
            let found = layer.in_force().get(keys::PERMISSIONS.name)?.get(key.name)?;
            (!found.is_null()).then_some(found)
        })
    }

    /// The value of a setting in every layer that may set it and does, from the weakest to the strongest.
    pub fn each(&self, key: &Key) -> Vec<(Source, &Value)> {
        self.sayers(key)
            .filter_map(|layer| layer.in_force().get(key.name).map(|value| (layer.source, value)))
            .collect()
    }

    /// The value of a setting in the administrator's settings only.
    #[must_use]
    pub fn policy(&self, key: &Key) -> Option<&Value> {
        self.layers
            .iter()
            .rev()
            .filter(|layer| layer.source == Source::Policy)
            .find_map(|layer| layer.in_force().get(key.name))
    }

    /// The text of a setting.
    #[must_use]
    pub fn string(&self, key: &Key) -> Option<&str> {
        self.get(key).and_then(Value::as_str)
    }

    /// The yes or no of a setting.
    #[must_use]
    pub fn bool(&self, key: &Key) -> Option<bool> {
        self.get(key).and_then(Value::as_bool)
    }

    /// The number of a setting.
    #[must_use]
    pub fn number(&self, key: &Key) -> Option<f64> {
        self.get(key).and_then(Value::as_f64)
    }

    /// The layers that may set a key, from the weakest to the strongest.
    fn sayers(&self, key: &Key) -> impl DoubleEndedIterator<Item = &Layer> {
        let scopes = key.scopes;
        self.layers.iter().filter(move |layer| scopes.hold(layer.source))
    }

    /// All layers merged: objects key by key, lists one after the other. What waits for trust is left out.
    #[must_use]
    pub fn effective(&self) -> Value {
        let mut merged = Map::new();
        for layer in &self.layers {
            merge(&mut merged, layer.in_force());
        }
        Value::Object(merged)
    }

    /// The settings of each scope, whether they apply or not, from the weakest to the strongest; empty scopes are left
    /// out.
    #[must_use]
    pub fn sources(&self) -> Vec<(Source, Value)> {
        let mut sources: Vec<(Source, Map<String, Value>)> = Vec::new();
        for layer in &self.layers {
            match sources.last_mut() {
                Some((source, value)) if *source == layer.source => merge(value, &layer.value),
                _ => sources.push((layer.source, layer.value.clone())),
            }
        }
        sources
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(source, value)| (source, Value::Object(value)))
            .collect()
    }

    /// The rules of all scopes that are in force.
    #[must_use]
    pub fn rules(&self) -> Vec<Rule> {
        let layers = self.layers.iter();
        layers
            .flat_map(|layer| rules(layer.in_force(), layer.source, &layer.root))
            .filter(|rule| self.may_apply(rule))
            .collect()
    }

    /// Whether the administrator lets a rule apply. Others may still forbid when only the administrator may permit.
    #[must_use]
    pub fn may_apply(&self, rule: &Rule) -> bool {
        rule.behavior != Behavior::Allow
            || rule.source == Source::Policy
            || !self.managed_only(&keys::ALLOW_MANAGED_PERMISSION_RULES_ONLY)
    }

    /// The allow rules that wait until the folder is trusted.
    #[must_use]
    pub fn waiting_rules(&self) -> Vec<Rule> {
        let layers = self.layers.iter().filter(|layer| layer.waits());
        layers
            .flat_map(|layer| {
                let mut waiting = rules(&layer.value, layer.source, &layer.root);
                let applied = rules(layer.in_force(), layer.source, &layer.root);
                waiting.retain(|rule| rule.behavior == Behavior::Allow && !applied.contains(rule));
                waiting
            })
            .collect()
    }

    /// The mode a session starts in. `bypassPermissions` also needs the launch to have allowed it, which is
    /// not known here.
    #[must_use]
    pub fn default_mode(&self) -> Option<PermissionMode> {
        self.layers.iter().rev().find_map(|layer| {
            let mode = known_mode(
                layer
                    .in_force()
                    .get(keys::PERMISSIONS.name)?
                    .get(permissions::DEFAULT_MODE.name)?,
            )?;
            let off = match mode {
                PermissionMode::BypassPermissions => self.bypass_disabled(),
                PermissionMode::Auto => self.auto_disabled(),
                _ => false,
            };
            (!off).then_some(mode)
        })
    }

    /// Whether any scope turned `bypassPermissions` off.
    #[must_use]
    pub fn bypass_disabled(&self) -> bool {
        self.turned_off(keys::DISABLE_BYPASS_PERMISSIONS_MODE.name)
    }

    /// Whether any scope turned `auto` off.
    #[must_use]
    pub fn auto_disabled(&self) -> bool {
        self.turned_off(keys::DISABLE_AUTO_MODE.name)
    }

    /// The folders a session may also work in.
    #[must_use]
    pub fn additional_directories(&self) -> Vec<PathBuf> {
        self.directories().into_iter().map(|(_, directory)| directory).collect()
    }

    /// The same, each with the weakest scope that names it.
    #[must_use]
    pub fn directories(&self) -> Vec<(Source, PathBuf)> {
        let mut directories: Vec<(Source, PathBuf)> = Vec::new();
        for layer in &self.layers {
            let list = layer
                .in_force()
                .get(keys::PERMISSIONS.name)
                .and_then(|said| said.get(permissions::ADDITIONAL_DIRECTORIES.name))
                .and_then(Value::as_array);
            for text in list.into_iter().flatten().filter_map(Value::as_str) {
                let directory = match text.strip_prefix("~/") {
                    Some(rest) => absolute(&self.places.home, rest),
                    None if text == "~" => self.places.home.clone(),
                    None => absolute(&self.places.cwd, text),
                };
                if !text.is_empty() && !directories.iter().any(|(_, known)| *known == directory) {
                    directories.push((layer.source, directory));
                }
            }
        }
        directories
    }

    /// The variables to set, each once.
    #[must_use]
    pub fn env(&self) -> Vec<(String, String)> {
        let mut merged = Map::new();
        for (_, value) in self.each(&keys::ENV) {
            merged.extend(value.as_object().cloned().unwrap_or_default());
        }
        merged
            .into_iter()
            .filter_map(|(name, value)| match value {
                Value::String(text) => Some((name, text)),
                Value::Number(_) | Value::Bool(_) => Some((name, value.to_string())),
                Value::Null | Value::Array(_) | Value::Object(_) => None,
            })
            .filter(|(name, value)| {
                let fits = |text: &str| !text.contains('\0');
                !name.is_empty() && !name.contains('=') && fits(name) && fits(value)
            })
            .collect()
    }

    /// The hooks of every scope that may have any, from the weakest to the strongest.
    #[must_use]
    pub fn hooks(&self) -> Vec<(Source, &Value)> {
        if self.policy(&keys::DISABLE_ALL_HOOKS).and_then(Value::as_bool) == Some(true) {
            return Vec::new();
        }
        let only_managed = self.only_managed_hooks();
        self.each(&keys::HOOKS)
            .into_iter()
            .filter(|(source, _)| !only_managed || *source == Source::Policy)
            .collect()
    }

    /// The hooks that would run if the folder were trusted.
    #[must_use]
    pub fn held_back_hooks(&self) -> Vec<(Source, &Value)> {
        if self.only_managed_hooks() {
            return Vec::new();
        }
        let held = |layer: &&Layer| layer.waits() && !layer.in_force().contains_key(keys::HOOKS.name);
        let layers = self.layers.iter().filter(held);
        layers
            .filter_map(|layer| Some((layer.source, layer.value.get(keys::HOOKS.name)?)))
            .collect()
    }

    /// The values of a key that would apply if the folder were trusted, weakest file first.
    #[must_use]
    pub fn each_held_back(&self, key: &keys::Key) -> Vec<&Value> {
        let held = |layer: &&Layer| layer.waits() && !layer.in_force().contains_key(key.name);
        let layers = self.layers.iter().filter(held);
        layers.filter_map(|layer| layer.value.get(key.name)).collect()
    }

    /// Whether no hooks run but those of the administrator.
    fn only_managed_hooks(&self) -> bool {
        self.managed_only(&keys::ALLOW_MANAGED_HOOKS_ONLY)
            || self.bool(&keys::DISABLE_ALL_HOOKS) == Some(true)
            || self.plain()
    }

    /// The command that prints the key for the model.
    #[must_use]
    pub fn api_key_helper(&self) -> Option<&str> {
        self.string(&keys::API_KEY_HELPER)
            .filter(|text| !text.trim().is_empty())
    }

    /// The ids that are sent for models, by the ids of the models.
    #[must_use]
    pub fn model_overrides(&self) -> Map<String, Value> {
        let overrides = self.get(&keys::MODEL_OVERRIDES).and_then(Value::as_object);
        overrides.cloned().unwrap_or_default()
    }

    /// The output style.
    #[must_use]
    pub fn output_style(&self) -> Option<&str> {
        self.string(&keys::OUTPUT_STYLE)
    }

    /// The model to ask.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.string(&keys::MODEL)
    }

    fn managed_only(&self, key: &Key) -> bool {
        self.policy(key).and_then(Value::as_bool) == Some(true)
    }

    fn turned_off(&self, key: &str) -> bool {
        let says = |value: Option<&Value>| value.and_then(Value::as_str) == Some("disable");
        self.layers.iter().any(|layer| {
            let permissions = layer.in_force().get(keys::PERMISSIONS.name);
            says(layer.in_force().get(key)) || says(permissions.and_then(|permissions| permissions.get(key)))
        })
    }
}
