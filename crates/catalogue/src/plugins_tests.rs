#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_settings::{Chosen, FlagSettings, Places};
use tempfile::TempDir;

use super::*;

/// A folder with a home folder, a project and the files of a test.
struct TestFolder(TempDir);

impl TestFolder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(TempDir::new().unwrap());
        fs::create_dir_all(folder.at("work")).unwrap();
        for (path, text) in files {
            let path = folder.at(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text.replace("$LAB", &folder.0.path().to_string_lossy())).unwrap();
        }
        folder
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn settings(&self, flag: &Value) -> Settings {
        let places = Places {
            cwd: self.at("work"),
            home: self.at("home"),
            config_dir: self.at("home/.claude"),
            managed: self.at("managed"),
            global: self.at("home/.claude.json"),
        };
        Settings::load(
            &places,
            &Chosen::ALL,
            Some(FlagSettings::Inline(flag.to_string())),
            None,
        )
    }

    fn dir(&self, path: &str) -> PluginDir {
        PluginDir {
            path: self.at(path),
            without_mcp: false,
            failed: None,
        }
    }
}

#[test]
fn a_folder_without_a_manifest_is_a_plugin_with_the_name_of_the_folder() {
    let folder = TestFolder::new(&[("plug/commands/x.md", "X")]);
    let plugins = Plugins::load(&[folder.dir("plug")], &folder.settings(&json!({})));
    assert_eq!(plugins.errors, []);
    let plugin = plugins.named("plug").unwrap();
    assert_eq!(plugin.source, "plug@inline");
    assert_eq!(plugin.commands, [folder.at("plug/commands")]);
    assert_eq!(plugin.agents, [folder.at("plug/agents")]);
    assert_eq!(plugin.hooks, [Configured::File(folder.at("plug/hooks/hooks.json"))]);
    assert_eq!(plugin.mcp_servers, [Configured::File(folder.at("plug/.mcp.json"))]);
}

#[test]
fn a_manifest_adds_to_the_default_paths() {
    let manifest = json!({
        "name": "tool-box", "version": "1.2.3", "commands": ["./more/one.md", "./more"], "agents": "./crew",
        "hooks": {"Stop": []}, "mcpServers": "./servers.json",
    });
    let folder = TestFolder::new(&[
        ("plug/.claude-plugin/plugin.json", &manifest.to_string()),
        ("plug/more/one.md", "1"),
        ("plug/crew/a.md", "A"),
        ("plug/servers.json", "{}"),
    ]);
    let plugins = Plugins::load(&[folder.dir("plug")], &folder.settings(&json!({})));
    assert_eq!(plugins.errors, []);
    let plugin = &plugins.list[0];
    assert_eq!(
        (plugin.name.as_str(), plugin.version.as_deref()),
        ("tool-box", Some("1.2.3"))
    );
    let commands = ["plug/commands", "plug/more/one.md", "plug/more"];
    assert_eq!(plugin.commands, commands.map(|path| folder.at(path)));
    assert_eq!(plugin.agents, ["plug/agents", "plug/crew"].map(|path| folder.at(path)));
    assert_eq!(plugin.hooks[1], Configured::Inline(json!({"Stop": []})));
    assert_eq!(plugin.mcp_servers[1], Configured::File(folder.at("plug/servers.json")));
}

#[test]
fn paths_outside_the_folder_and_missing_paths_are_reported_and_ignored() {
    let manifest = json!({"name": "plug", "commands": ["../other", "/etc", "./gone", 7]});
    let folder = TestFolder::new(&[
        ("plug/.claude-plugin/plugin.json", &manifest.to_string()),
        ("other/x.md", ""),
    ]);
    let plugins = Plugins::load(&[folder.dir("plug")], &folder.settings(&json!({})));
    assert_eq!(plugins.list[0].commands, [folder.at("plug/commands")]);
    let kinds: Vec<&str> = plugins.errors.iter().map(|error| error.kind).collect();
    let invalid = "manifest-validation-error";
    assert_eq!(kinds, [invalid, invalid, "path-not-found", invalid]);
}

#[test]
fn a_plugin_that_cannot_be_loaded_does_not_affect_others() {
    let folder = TestFolder::new(&[
        ("broken/.claude-plugin/plugin.json", "{\"name\": "),
        ("spaced/.claude-plugin/plugin.json", "{\"name\": \"a b\"}"),
        ("good/commands/x.md", "X"),
    ]);
    let dirs = ["broken", "nowhere", "spaced", "good"].map(|path| folder.dir(path));
    let plugins = Plugins::load(&dirs, &folder.settings(&json!({})));
    assert_eq!(plugins.list.len(), 1);
    let errors: Vec<(&str, &str)> = plugins
        .errors
        .iter()
        .map(|error| (error.plugin.as_str(), error.kind))
        .collect();
    let expected = [
        ("broken@inline", "manifest-parse-error"),
        ("nowhere@inline", "path-not-found"),
        ("spaced@inline", "manifest-validation-error"),
    ];
    assert_eq!(errors, expected);
}

#[test]
fn mcp_servers_of_a_plugin_can_be_ignored() {
    let folder = TestFolder::new(&[("plug/.mcp.json", "{}")]);
    let dir = PluginDir {
        without_mcp: true,
        failed: None,
        ..folder.dir("plug")
    };
    let plugins = Plugins::load(&[dir], &folder.settings(&json!({})));
    assert_eq!(plugins.list[0].mcp_servers, []);
}

#[test]
fn installed_plugins_are_loaded_if_they_are_enabled() {
    let folder = TestFolder::new(&[
        (
            "home/.claude/plugins/installed_plugins.json",
            r#"{"version":2,"plugins":{"a@m":[{"scope":"user","installPath":"$LAB/cache/a"}],
               "b@m":{"installPath":"$LAB/cache/b"},"off@m":{"installPath":"$LAB/cache/a"}}}"#,
        ),
        ("cache/a/commands/x.md", "X"),
        ("cache/b/commands/x.md", "X"),
        (
            "home/.claude/plugins/known_marketplaces.json",
            r#"{"m":{"installLocation":"$LAB/market"}}"#,
        ),
        (
            "market/.claude-plugin/marketplace.json",
            r#"{"name":"m","metadata":{"pluginRoot":"./plugins"},"plugins":[{"name":"c","source":"./c"},
               {"name":"out","source":"../../cache/a"}]}"#,
        ),
        ("market/plugins/c/skills/s/SKILL.md", "S"),
    ]);
    let enabled = json!({"enabledPlugins": {
        "a@m": true, "b@m": ["1.0"], "c@m": true, "off@m": false, "gone@m": true, "out@m": true, "x@nowhere": true,
    }});
    let plugins = Plugins::load(&[], &folder.settings(&enabled));
    let roots: Vec<(&str, &Path)> = plugins
        .list
        .iter()
        .map(|plugin| (plugin.source.as_str(), plugin.root.as_path()))
        .collect();
    let (a, b, c) = (
        folder.at("cache/a"),
        folder.at("cache/b"),
        folder.at("market/plugins/./c"),
    );
    assert_eq!(roots, [("a@m", a.as_path()), ("b@m", &b), ("c@m", &c)]);
    let errors: Vec<(&str, &str)> = plugins
        .errors
        .iter()
        .map(|error| (error.plugin.as_str(), error.kind))
        .collect();
    let expected = [
        ("gone@m", "plugin-not-found"),
        ("out@m", "plugin-not-found"),
        ("x@nowhere", "marketplace-not-found"),
    ];
    assert_eq!(errors, expected);
}

#[test]
fn agents_are_found_in_folders_and_files() {
    let manifest = json!({"name": "plug", "agents": "./crew/one.md"});
    let folder = TestFolder::new(&[
        ("plug/.claude-plugin/plugin.json", &manifest.to_string()),
        ("plug/agents/b.md", "B"),
        ("plug/agents/a.md", "A"),
        ("plug/agents/notes.txt", "no agent"),
        ("plug/crew/one.md", "1"),
    ]);
    let plugins = Plugins::load(&[folder.dir("plug")], &folder.settings(&json!({})));
    let files = ["plug/agents/a.md", "plug/agents/b.md", "plug/crew/one.md"];
    assert_eq!(
        plugins.agent_files(),
        files.map(|path| ("plug".to_owned(), folder.at(path)))
    );
}
