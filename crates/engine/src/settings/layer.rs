//! One file's settings, and what of them is in force.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sluice_permission::Source;

use super::{Opener, tracked};

/// What an untrusted project may say about the session. None of it runs a program, reaches a host, sends a
/// request elsewhere, touches what is kept, or takes a question away; a key not named here waits for trust.
const HARMLESS: &[&str] = &[
    "$schema",
    "alwaysThinkingEnabled",
    "attribution",
    "autoCompactEnabled",
    "autoCompactWindow",
    "companyAnnouncements",
    "deniedMcpServers",
    "deniedModels",
    "disabledMcpjsonServers",
    "effortLevel",
    "fallbackModel",
    "includeCoAuthoredBy",
    "includeGitInstructions",
    "language",
    "maxEffortLevel",
    "model",
    "outputStyle",
    "prefersReducedMotion",
    "respectGitignore",
    "showThinkingSummaries",
    "spinnerTipsEnabled",
    "syntaxHighlightingDisabled",
    "theme",
    "timeFormat",
    "verbose",
    "viewMode",
];

/// What runs in an untrusted project when a program chose the folder.
const FOR_HOSTS: &[&str] = &["enableAllProjectMcpServers", "enabledMcpjsonServers", "hooks"];

/// Modes that allow nothing by themselves.
const ASKING_MODES: &[&str] = &["default", "dontAsk", "manual", "plan"];

/// The settings of one file, or of one flag.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// The scope.
    pub source: Source,
    /// The file, where there is one.
    pub path: Option<PathBuf>,
    /// What `/x` in its rules is relative to.
    pub root: PathBuf,
    /// What the file says, in force or not.
    pub value: Map<String, Value>,
    in_force: Map<String, Value>,
    waits: bool,
    planted: bool,
}

impl Layer {
    pub(super) fn new(source: Source, path: Option<PathBuf>, root: PathBuf, value: Map<String, Value>) -> Self {
        // A file that came with the repository is the project's, whatever its name says.
        let planted = source == Source::Local && path.as_deref().is_some_and(came_with_the_project);
        Self {
            source,
            path,
            root,
            in_force: Map::new(),
            value,
            waits: false,
            planted,
        }
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

    pub(super) fn hold_back(&mut self, trusted: bool, opener: Opener) {
        let projects = self.source == Source::Project || self.planted;
        self.waits = projects && !trusted;
        self.in_force = if self.waits {
            untrusted(&self.value, opener)
        } else {
            self.value.clone()
        };
    }

    /// The list of rules that is waiting.
    pub(super) fn waiting_allow(&self) -> usize {
        let allow = self.value.get("permissions").and_then(|value| value.get("allow"));
        match allow {
            Some(Value::Array(list)) if self.waits => list.len(),
            _ => 0,
        }
    }
}

fn untrusted(value: &Map<String, Value>, opener: Opener) -> Map<String, Value> {
    let open = |key: &str| HARMLESS.contains(&key) || (opener == Opener::Host && FOR_HOSTS.contains(&key));
    let mut kept: Map<String, Value> = value
        .iter()
        .filter(|(key, _)| open(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let mut restrictions = only_restrictions(value);
    if let Some(permissions) = restrictions.shift_remove("permissions") {
        kept.insert("permissions".to_owned(), permissions);
    }
    kept
}

/// What forbids, and nothing that permits.
pub(super) fn only_restrictions(value: &Map<String, Value>) -> Map<String, Value> {
    let restricts = |key: &str, value: &Value| match key {
        "deny" | "ask" | "disableBypassPermissionsMode" | "disableAutoMode" => true,
        "blockReadsOutsideWorkingDirectories" | "blockWritesOutsideWorkingDirectories" => value == &Value::Bool(true),
        "defaultMode" => value.as_str().is_some_and(|mode| ASKING_MODES.contains(&mode)),
        _ => false,
    };
    let mut kept = Map::new();
    if let Some(Value::Object(permissions)) = value.get("permissions") {
        let permissions: Map<String, Value> = permissions
            .iter()
            .filter(|(key, value)| restricts(key, value))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        if !permissions.is_empty() {
            kept.insert("permissions".to_owned(), permissions.into());
        }
    }
    kept
}

/// A local file is the person's own, unless it is in the repository's index or reached through a link.
fn came_with_the_project(path: &Path) -> bool {
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    is_link(path) || path.parent().is_some_and(is_link) || tracked::is_tracked(path)
}
