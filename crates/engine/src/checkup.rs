//! Checks the customizations of a user, a project and plugins without a session, and reports problems.
//!
//! Everything is loaded with the same code as in a session.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::agents;
use crate::catalogue::entry::Kind;
use crate::catalogue::plugins::{self, Plugin, Plugins};
use crate::doctor;
use crate::hooks;
use crate::mcp;
use crate::options::Options;
use sluice_catalogue::plugins::PluginDir;

/// The result of [`checkup`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checkup {
    /// The number of slash commands.
    pub commands: usize,
    /// The number of skills.
    pub skills: usize,
    /// The kinds of agents, including the built-in ones.
    pub agents: Vec<String>,
    /// The plugins that are loaded.
    pub plugins: Vec<CheckedPlugin>,
    /// Problems, each a sentence that names the file.
    pub problems: Vec<String>,
}

/// A loaded plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedPlugin {
    /// The plugin name, which prefixes the names of its parts.
    pub name: String,
    /// `name@marketplace`.
    pub source: String,
    /// The version in its manifest.
    pub version: Option<String>,
    /// The folder of the plugin.
    pub path: PathBuf,
}

/// Checks all customizations that a session with these options would load.
#[must_use]
pub fn checkup(options: &Options) -> Checkup {
    let catalogue = options.load_catalogue();
    let roster = agents::of_files(options, &catalogue);
    let mut problems = doctor::problems(options);
    problems.extend(of_plugins(&catalogue.plugins, options));
    let count = |kind: Kind| catalogue.entries.iter().filter(|entry| entry.kind == kind).count();
    Checkup {
        commands: count(Kind::Command),
        skills: count(Kind::Skill),
        agents: roster.names(),
        plugins: catalogue.plugins.list.iter().map(checked).collect(),
        problems,
    }
}

fn checked(plugin: &Plugin) -> CheckedPlugin {
    CheckedPlugin {
        name: plugin.name.clone(),
        source: plugin.source.clone(),
        version: plugin.version.clone(),
        path: plugin.root.clone(),
    }
}

fn of_plugins(plugins: &Plugins, options: &Options) -> Vec<String> {
    let mut problems = Vec::new();
    for plugin in &plugins.list {
        let hooks = plugin.hooks_broken().into_iter().chain(hooks::plugin_problems(
            plugin,
            &options.settings,
            &options.cwd,
            &options.folders.home,
        ));
        problems.extend(hooks.map(|problem| format!("plugin {}: hooks: {problem}", plugin.name)));
    }
    for (name, config) in mcp::plugin_configs(&plugins.list, &options.settings) {
        if let Err(error) = config {
            problems.push(format!("The server {name}: {error}"));
        }
    }
    problems
}

/// Problems of a plugin folder or of a marketplace file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validation {
    /// The name of the plugin or marketplace.
    pub name: String,
    /// Errors that prevent it, or a part of it, from being loaded.
    pub errors: Vec<String>,
    /// Warnings about input that is accepted but probably unintended.
    pub warnings: Vec<String>,
}

/// Known fields of a plugin manifest.
const MANIFEST: &[&str] = &[
    "$schema",
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "commands",
    "agents",
    "skills",
    "outputStyles",
    "hooks",
    "mcpServers",
    "lspServers",
    "displayName",
    "strict",
    "category",
    "tags",
];

/// Validates the plugin in this folder, or the marketplace file if there is one. `options` specify the folders of the
/// session.
#[must_use]
pub fn validate_plugin(path: &Path, options: &Options) -> Validation {
    let folder = path.join(".claude-plugin");
    if folder.join("marketplace.json").is_file() && !folder.join("plugin.json").is_file() {
        return validate_marketplace(&folder.join("marketplace.json"));
    }
    let mut options = options.clone();
    options.catalogue.plugin_dirs = vec![PluginDir {
        path: path.to_owned(),
        without_mcp: false,
        failed: None,
    }];
    options.catalogue.without_commands = false;
    options.catalogue.skills = None;
    options.settings = options.settings.plainly();
    let settings_problems = options.settings.problems().len();
    let checkup = checkup(&options);
    let mut found = Validation {
        name: checkup
            .plugins
            .first()
            .map(|plugin| plugin.name.clone())
            .unwrap_or_default(),
        errors: checkup.problems.into_iter().skip(settings_problems).collect(),
        warnings: Vec::new(),
    };
    let file = folder.join("plugin.json");
    match plugins::manifest(&file) {
        Ok(manifest) if manifest.is_empty() && !file.exists() => {
            found.warnings.push(format!(
                "{} is missing; the folder's name is used as the plugin's name",
                file.display()
            ));
        }
        Ok(manifest) => found.warnings.extend(manifest_warnings(&manifest)),
        // Already reported by `checkup`.
        Err(_) => {}
    }
    let parts = checkup.commands + checkup.skills;
    let brings = ["agents", "hooks", ".mcp.json", "output-styles"];
    if found.errors.is_empty() && parts == 0 && !brings.iter().any(|name| path.join(name).exists()) {
        found
            .warnings
            .push("it contains no command, skill, agent, output style, hook or MCP server".to_owned());
    }
    found
}

/// Returns warnings about missing and unknown fields of a manifest.
fn manifest_warnings(manifest: &Map<String, Value>) -> Vec<String> {
    let lacks = ["name", "version", "description"]
        .into_iter()
        .filter(|key| !manifest.contains_key(*key));
    let lacks = lacks.map(|key| format!("plugin.json has no `{key}`"));
    let unknown = manifest.keys().filter(|key| !MANIFEST.contains(&key.as_str()));
    let unknown = unknown.map(|key| format!("plugin.json: `{key}` is not a known key"));
    lacks.chain(unknown).collect()
}

/// Validates a marketplace file: each entry needs a unique name and a source.
fn validate_marketplace(file: &Path) -> Validation {
    let mut found = Validation::default();
    let list = match plugins::manifest(file) {
        Ok(list) => list,
        Err(problem) => {
            found.errors.push(format!("{}: {problem}", file.display()));
            return found;
        }
    };
    match list.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) {
        Some(name) => name.clone_into(&mut found.name),
        None => found.errors.push("marketplace.json has no `name`".to_owned()),
    }
    if list.get("owner").and_then(|owner| owner.get("name")).is_none() {
        found
            .warnings
            .push("marketplace.json has no `owner` with a `name`".to_owned());
    }
    let Some(entries) = list.get("plugins").and_then(Value::as_array) else {
        found.errors.push("marketplace.json has no list `plugins`".to_owned());
        return found;
    };
    let root = file.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    let mut names: Vec<&str> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let Some(name) = entry.get("name").and_then(Value::as_str) else {
            found.errors.push(format!("plugins[{at}] has no `name`"));
            continue;
        };
        if names.contains(&name) {
            found
                .errors
                .push(format!("plugins[{at}]: the name {name} is used twice"));
        }
        names.push(name);
        match entry.get("source") {
            None => found.errors.push(format!("{name} has no `source`")),
            Some(Value::String(place)) if place.starts_with("./") && !root.join(place).is_dir() => {
                found.errors.push(format!("{name}: there is no folder {place}"));
            }
            Some(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;
    use sluice_settings::{Chosen, Places, Settings};

    use super::*;

    fn options(root: &Path) -> Options {
        let places = Places {
            cwd: root.join("work"),
            home: root.join("home"),
            config_dir: root.join("home/.claude"),
            managed: root.join("managed.json"),
            global: root.join(".claude.json"),
        };
        let config = sluice_model::Config::new("http://127.0.0.1:1", sluice_model::Auth::None);
        Options::new(Settings::load(&places, &Chosen::ALL, None, None), config)
    }

    fn put(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn checkup_reports_every_problem() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        put(&root, "work/.claude/commands/good.md", "Do it.");
        put(
            &root,
            "work/.claude/agents/bad.md",
            "---\nname: bad\n---\nNo description.",
        );
        put(&root, "work/.claude/settings.json", "{ \"permissions\": ");
        put(
            &root,
            "home/.claude/settings.json",
            &json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "nonsense"}]}]}}).to_string(),
        );
        let found = checkup(&options(&root));
        assert_eq!(found.commands, 1);
        for part in ["bad.md", "settings.json", "nonsense"] {
            assert!(
                found.problems.iter().any(|problem| problem.contains(part)),
                "{part}: {:?}",
                found.problems
            );
        }
        let clean = tempfile::tempdir().unwrap();
        assert_eq!(checkup(&options(clean.path())).problems, Vec::<String>::new());
    }

    #[test]
    fn plugin_validation_reports_errors_and_warnings() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (good, bad) = (root.join("good"), root.join("bad"));
        let manifest = json!({"name": "good", "version": "1.0.0", "description": "d"});
        put(&good, ".claude-plugin/plugin.json", &manifest.to_string());
        put(&good, "commands/one.md", "One.");
        let found = validate_plugin(&good, &options(&root));
        assert_eq!(
            (found.name.as_str(), found.errors, found.warnings),
            ("good", vec![], vec![])
        );
        let manifest = json!({"name": "bad", "colour": "red", "commands": "../elsewhere"});
        put(&bad, ".claude-plugin/plugin.json", &manifest.to_string());
        put(&bad, "hooks/hooks.json", "{");
        put(&bad, ".mcp.json", "[]");
        let found = validate_plugin(&bad, &options(&root));
        assert_eq!(found.errors.len(), 3, "{found:?}");
        assert!(
            found.warnings.iter().any(|warning| warning.contains("colour")),
            "{found:?}"
        );
        assert!(!validate_plugin(&root.join("none"), &options(&root)).errors.is_empty());
    }

    #[test]
    fn marketplace_validation_reports_missing_and_duplicate_fields() {
        let dir = tempfile::tempdir().unwrap();
        let list = json!({"name": "shop", "owner": {"name": "o"}, "plugins": [
            {"name": "a", "source": "./a"},
            {"name": "b", "source": {"source": "github", "repo": "o/b"}},
            {"name": "b"},
            {},
        ]});
        put(dir.path(), ".claude-plugin/marketplace.json", &list.to_string());
        let found = validate_plugin(dir.path(), &options(dir.path()));
        assert_eq!((found.name.as_str(), found.errors.len()), ("shop", 4), "{found:?}");
    }
}
