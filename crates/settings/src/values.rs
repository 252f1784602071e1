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
    /// Returns the value of a setting from the strongest layer that sets it and may do so: policy, flag, local,
    /// project, user.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&Value> {
        self.layers_allowed_to_set(key).rev().find_map(|layer| {
            let found = layer.in_force().get(key.name)?;
            (!found.is_null()).then_some(found)
        })
    }

    /// Returns the value of a setting inside `permissions` from the strongest layer that sets it.
    #[must_use]
    pub fn permission(&self, key: &PermissionKey) -> Option<&Value> {
        self.layers_allowed_to_set(&keys::PERMISSIONS).rev().find_map(|layer| {
            let found = layer.in_force().get(keys::PERMISSIONS.name)?.get(key.name)?;
            (!found.is_null()).then_some(found)
        })
    }

    /// Returns the values of a setting from all layers that set it and may do so, weakest first.
    pub fn each(&self, key: &Key) -> Vec<(Source, &Value)> {
        self.layers_allowed_to_set(key)
            .filter_map(|layer| layer.in_force().get(key.name).map(|value| (layer.source, value)))
            .collect()
    }

    /// Returns the value of a setting in the managed settings.
    #[must_use]
    pub fn policy(&self, key: &Key) -> Option<&Value> {
        self.layers
            .iter()
            .rev()
            .filter(|layer| layer.source == Source::Policy)
            .find_map(|layer| layer.in_force().get(key.name))
    }

    /// Returns the value of a setting if it is a string.
    #[must_use]
    pub fn string(&self, key: &Key) -> Option<&str> {
        self.get(key).and_then(Value::as_str)
    }

    /// Returns the value of a setting if it is a boolean.
    #[must_use]
    pub fn bool(&self, key: &Key) -> Option<bool> {
        self.get(key).and_then(Value::as_bool)
    }

    /// Returns the value of a setting if it is a number.
    #[must_use]
    pub fn number(&self, key: &Key) -> Option<f64> {
        self.get(key).and_then(Value::as_f64)
    }

    /// Returns the layers that may set a key, weakest first.
    fn layers_allowed_to_set(&self, key: &Key) -> impl DoubleEndedIterator<Item = &Layer> {
        let scopes = key.scopes;
        self.layers.iter().filter(move |layer| scopes.hold(layer.source))
    }

    /// Returns all layers merged: objects key by key, lists concatenated. Held-back settings are left out.
    #[must_use]
    pub fn effective(&self) -> Value {
        let mut merged = Map::new();
        for layer in &self.layers {
            merge(&mut merged, layer.in_force());
        }
        Value::Object(merged)
    }

    /// Returns the settings of each scope, whether they apply or not, weakest first. Empty scopes are left out.
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

    /// Returns the rules of all scopes that apply.
    #[must_use]
    pub fn rules(&self) -> Vec<Rule> {
        let layers = self.layers.iter();
        layers
            .flat_map(|layer| rules(layer.in_force(), layer.source, &layer.root))
            .filter(|rule| self.may_apply(rule))
            .collect()
    }

    /// Whether the managed settings let a rule apply. Deny and ask rules always apply.
    #[must_use]
    pub fn may_apply(&self, rule: &Rule) -> bool {
        rule.behavior != Behavior::Allow
            || rule.source == Source::Policy
            || !self.managed_only(&keys::ALLOW_MANAGED_PERMISSION_RULES_ONLY)
    }

    /// Returns the allow rules that are held back because the folder is not trusted.
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

    /// Returns the permission mode in which a session starts. `bypassPermissions` must also be allowed at launch, which
    /// is not checked here.
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

    /// Whether any scope disables `bypassPermissions`.
    #[must_use]
    pub fn bypass_disabled(&self) -> bool {
        self.is_disabled(keys::DISABLE_BYPASS_PERMISSIONS_MODE.name)
    }

    /// Whether any scope disables `auto`.
    #[must_use]
    pub fn auto_disabled(&self) -> bool {
        self.is_disabled(keys::DISABLE_AUTO_MODE.name)
    }

    /// Returns the additional working folders.
    #[must_use]
    pub fn additional_directories(&self) -> Vec<PathBuf> {
        self.directories().into_iter().map(|(_, directory)| directory).collect()
    }

    /// Returns the additional working folders, each with the weakest scope that lists it.
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

    /// Returns the environment variables to set.
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

    /// Returns the hooks of all scopes that may have hooks, weakest first.
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

    /// Returns the hooks that would run if the folder were trusted.
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

    /// Returns the values of a key that would apply if the folder were trusted, weakest first.
    #[must_use]
    pub fn each_held_back(&self, key: &keys::Key) -> Vec<&Value> {
        let held = |layer: &&Layer| layer.waits() && !layer.in_force().contains_key(key.name);
        let layers = self.layers.iter().filter(held);
        layers.filter_map(|layer| layer.value.get(key.name)).collect()
    }

    /// Whether only the administrator's hooks run.
    fn only_managed_hooks(&self) -> bool {
        self.managed_only(&keys::ALLOW_MANAGED_HOOKS_ONLY)
            || self.bool(&keys::DISABLE_ALL_HOOKS) == Some(true)
            || self.plain()
    }

    /// Returns the command that prints the API key.
    #[must_use]
    pub fn api_key_helper(&self) -> Option<&str> {
        self.string(&keys::API_KEY_HELPER)
            .filter(|text| !text.trim().is_empty())
    }

    /// Returns the model ids to send to the API, by the requested model id.
    #[must_use]
    pub fn model_overrides(&self) -> Map<String, Value> {
        let overrides = self.get(&keys::MODEL_OVERRIDES).and_then(Value::as_object);
        overrides.cloned().unwrap_or_default()
    }

    /// Returns the name of the output style.
    #[must_use]
    pub fn output_style(&self) -> Option<&str> {
        self.string(&keys::OUTPUT_STYLE)
    }

    /// Returns the configured model.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.string(&keys::MODEL)
    }

    fn managed_only(&self, key: &Key) -> bool {
        self.policy(key).and_then(Value::as_bool) == Some(true)
    }

    fn is_disabled(&self, key: &str) -> bool {
        let disables = |value: Option<&Value>| value.and_then(Value::as_str) == Some("disable");
        self.layers.iter().any(|layer| {
            let permissions = layer.in_force().get(keys::PERMISSIONS.name);
            disables(layer.in_force().get(key)) || disables(permissions.and_then(|permissions| permissions.get(key)))
        })
    }
}
