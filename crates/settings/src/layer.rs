//! A settings layer: the settings of one file, and the part of them that applies.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use sluice_permission::Source;

use super::Opener;
use super::keys::{self, Untrusted, permissions};

/// The settings of one file, or of one flag.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// The scope.
    pub source: Source,
    /// The file, if the settings come from a file.
    pub path: Option<PathBuf>,
    /// The folder to which paths like `/x` in rules are relative.
    pub root: PathBuf,
    /// The content of the file, whether it applies or not.
    pub value: Map<String, Value>,
    in_force: Map<String, Value>,
    waits: bool,
    /// Whether the file is in the user's configuration folder.
    own: bool,
}

impl Layer {
    pub(super) fn new(source: Source, path: Option<PathBuf>, root: PathBuf, value: Map<String, Value>) -> Self {
        Self {
            source,
            path,
            root,
            in_force: Map::new(),
            value,
            waits: false,
            own: false,
        }
    }

    /// Marks the layer as a file of the user's configuration folder, which needs no trust.
    pub(super) fn owned(self, own: bool) -> Self {
        Self { own, ..self }
    }

    /// Returns the settings that apply now.
    #[must_use]
    pub fn in_force(&self) -> &Map<String, Value> {
        &self.in_force
    }

    /// Whether settings of this layer may be held back because the folder is not trusted.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// Determines the settings that apply. Allow rules in `accepted` apply even if the folder is not trusted.
    pub(super) fn hold_back(&mut self, trusted: bool, opener: Opener, accepted: &[String]) {
        // The name of a file does not show who wrote it, so trust depends on the folder only.
        let projects = matches!(self.source, Source::Project | Source::Local) && !self.own;
        self.waits = projects && !trusted;
        self.in_force = if self.waits {
            untrusted(&self.value, opener)
        } else {
            self.value.clone()
        };
        if self.waits && self.source == Source::Local {
            let list: Vec<Value> = self.allowed().filter(|it| contains(accepted, it)).cloned().collect();
            if !list.is_empty() {
                let permissions = self.in_force.entry(keys::PERMISSIONS.name).or_insert_with(|| json!({}));
                if let Value::Object(permissions) = permissions {
                    permissions.insert(permissions::ALLOW.name.to_owned(), list.into());
                }
            }
        }
    }

    /// Iterates over the allow rules of the file, whether they apply or not.
    pub(super) fn allowed(&self) -> impl Iterator<Item = &Value> {
        let permissions = self.value.get(keys::PERMISSIONS.name);
        let allow = permissions.and_then(|value| value.get(permissions::ALLOW.name));
        allow.and_then(Value::as_array).into_iter().flatten()
    }
}

fn contains(rules: &[String], rule: &Value) -> bool {
    rules.iter().any(|it| rule == it)
}

fn untrusted(value: &Map<String, Value>, opener: Opener) -> Map<String, Value> {
    let open = |key: &str| match keys::find(key).map(|key| key.untrusted) {
        Some(Untrusted::Counts) => true,
        Some(Untrusted::CountsForHosts) => opener == Opener::Host,
        Some(Untrusted::Waits) | None => false,
    };
    let mut applied: Map<String, Value> = value
        .iter()
        .filter(|(key, _)| open(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let mut restrictions = only_restrictions(value);
    if let Some(Value::Object(mut permissions)) = restrictions.shift_remove(keys::PERMISSIONS.name) {
        // Even a restrictive mode is left out: it might replace a more restrictive one.
        permissions.shift_remove(permissions::DEFAULT_MODE.name);
        if !permissions.is_empty() {
            applied.insert(keys::PERMISSIONS.name.to_owned(), permissions.into());
        }
    }
    applied
}

/// Returns only the restrictions among the settings.
pub(super) fn only_restrictions(value: &Map<String, Value>) -> Map<String, Value> {
    let restricts = |key: &str, value: &Value| permissions::find(key).is_some_and(|key| key.restricts.by(value));
    let mut restrictions = Map::new();
    if let Some(Value::Object(all)) = value.get(keys::PERMISSIONS.name) {
        let restricting: Map<String, Value> = all
            .iter()
            .filter(|(key, value)| restricts(key, value))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if !restricting.is_empty() {
            restrictions.insert(keys::PERMISSIONS.name.to_owned(), restricting.into());
        }
    }
    restrictions
}
