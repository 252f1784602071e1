//! A settings layer: the settings of one file, and which of them apply.

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
    /// The file, where there is one.
    pub path: Option<PathBuf>,
    /// What `/x` in its rules is relative to.
    pub root: PathBuf,
    /// The content of the file, whether it applies or not.
    pub value: Map<String, Value>,
    in_force: Map<String, Value>,
    waits: bool,
    /// It lies in the person's own folder, whichever scope it has.
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

    /// Of the person's own folder: trust is not asked for.
    pub(super) fn owned(self, own: bool) -> Self {
        Self { own, ..self }
    }

    /// What of the file applies now.
    #[must_use]
    pub fn in_force(&self) -> &Map<String, Value> {
        &self.in_force
    }

    /// Whether part of it waits until the folder is trusted.
    #[must_use]
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// Sets what applies. Of the allow rules that wait for trust, those in `accepted` apply already.
    pub(super) fn hold_back(&mut self, trusted: bool, opener: Opener, accepted: &[String]) {
        // A name says nothing about who wrote a file: trust is the folder's.
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

    /// The allow rules of the file, whether they apply or not.
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
    let mut kept: Map<String, Value> = value
        .iter()
        .filter(|(key, _)| open(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let mut restrictions = only_restrictions(value);
    if let Some(Value::Object(mut said)) = restrictions.shift_remove(keys::PERMISSIONS.name) {
        // Even a mode that asks is a choice: it may take the place of one that asks more.
        said.shift_remove(permissions::DEFAULT_MODE.name);
        if !said.is_empty() {
            kept.insert(keys::PERMISSIONS.name.to_owned(), said.into());
        }
    }
    kept
}

/// What forbids, and nothing that permits.
pub(super) fn only_restrictions(value: &Map<String, Value>) -> Map<String, Value> {
    let restricts = |key: &str, value: &Value| permissions::find(key).is_some_and(|key| key.restricts.by(value));
    let mut kept = Map::new();
    if let Some(Value::Object(said)) = value.get(keys::PERMISSIONS.name) {
        let said: Map<String, Value> = said
            .iter()
            .filter(|(key, value)| restricts(key, value))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if !said.is_empty() {
            kept.insert(keys::PERMISSIONS.name.to_owned(), said.into());
        }
    }
    kept
}
