//! Plugins: folders with commands, skills, agents, styles, hooks and MCP servers.
//!
//! This module finds plugins and the paths of their parts; other modules read the parts. A plugin is given on the
//! command line, or is installed in the user's configuration folder and enabled in a settings file.
//! A plugin that cannot be loaded is reported and does not affect others.

pub mod archive;
pub mod builtin;
mod contents;
mod installed;
pub mod library;
mod manifest;

use std::path::{Path, PathBuf};

use serde_json::Value;

use sluice_settings::Settings;

/// The placeholder for a plugin's folder in its hooks, servers, commands and skills.
pub const ROOT_MARK: &str = "${CLAUDE_PLUGIN_ROOT}";

/// A plugin folder from the host or the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginDir {
    /// The folder.
    pub path: PathBuf,
    /// Whether its MCP servers are ignored.
    pub without_mcp: bool,
    /// The error if the plugin could not be downloaded or unpacked.
    pub failed: Option<String>,
}

impl PluginDir {
    /// Creates the value for a folder with all its parts.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            without_mcp: false,
            failed: None,
        }
    }
}

/// A configuration of a plugin: a separate file, or a part of the manifest.
#[derive(Debug, Clone, PartialEq)]
pub enum Configured {
    /// A JSON file, which need not exist.
    File(PathBuf),
    /// A value in the manifest.
    Inline(Value),
}

/// A plugin and the paths of its parts. The folders need not exist.
#[derive(Debug, Clone, PartialEq)]
pub struct Plugin {
    /// The name, which is the prefix of its parts: `name:command`.
    pub name: String,
    /// The folder of the plugin.
    pub root: PathBuf,
    /// `name@marketplace`, or `name@inline` for a plugin from the host or the command line.
    pub source: String,
    /// The version in the manifest.
    pub version: Option<String>,
    /// Folders or files of commands.
    pub commands: Vec<PathBuf>,
    /// Folders or files of agents.
    pub agents: Vec<PathBuf>,
    /// Folders of skills, or the folder of a single skill.
    pub skills: Vec<PathBuf>,
    /// Folders or files of output styles.
    pub output_styles: Vec<PathBuf>,
    /// Hooks: `hooks/hooks.json` and those of the manifest.
    pub hooks: Vec<Configured>,
    /// MCP servers: `.mcp.json` and those of the manifest.
    pub mcp_servers: Vec<Configured>,
}

impl Plugin {
    /// Returns the folder for the plugin's data.
    pub fn data_dir(&self, settings: &Settings) -> PathBuf {
        let data = settings.places().config_dir.join("plugins").join("data");
        data.join(self.source.replace('@', "-"))
    }

    /// Returns the values of `hooks` in its files and its manifest. Files that cannot be read are skipped.
    pub fn hooks_found(&self) -> Vec<Value> {
        let mut found = Vec::new();
        for configured in &self.hooks {
            let value = match configured {
                Configured::File(path) => manifest::document(path).map(Value::Object).unwrap_or_default(),
                Configured::Inline(value) => value.clone(),
            };
            let hooks = value.get("hooks").unwrap_or(&value);
            if hooks.as_object().is_some_and(|events| !events.is_empty()) {
                found.push(hooks.clone());
            }
        }
        found
    }

    /// Returns the errors of hook files that cannot be read.
    pub fn hooks_broken(&self) -> Vec<String> {
        let broken = |configured: &Configured| match configured {
            Configured::File(path) => {
                let problem = manifest::document(path).err()?;
                Some(format!("{}: {problem}", path.display()))
            }
            Configured::Inline(_) => None,
        };
        self.hooks.iter().filter_map(broken).collect()
    }
}

/// Reads a manifest. A missing file gives an empty one.
pub fn manifest(path: &Path) -> Result<serde_json::Map<String, Value>, String> {
    manifest::document(path)
}

/// Why a plugin, or a part of it, was not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginError {
    /// The name and source of the plugin, as far as they are known.
    pub plugin: String,
    /// The kind of error, as in `init`.
    pub kind: &'static str,
    /// The error message.
    pub message: String,
    /// The affected path.
    pub path: Option<PathBuf>,
}

/// All plugins of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plugins {
    /// The loaded plugins.
    pub list: Vec<Plugin>,
    /// Plugins that only an untrusted folder enables. They are not loaded, and calls that match their hooks need
    /// permission.
    pub held_back: Vec<Plugin>,
    /// The errors of plugins that could not be loaded.
    pub errors: Vec<PluginError>,
}

impl Plugins {
    /// Loads the plugins of the command line and those that the settings enable. Reads no folder if there are none.
    pub fn load(dirs: &[PluginDir], settings: &Settings) -> Self {
        let mut found = Self::default();
        for (number, dir) in dirs.iter().enumerate() {
            if let Some(why) = &dir.failed {
                found.errors.push(PluginError {
                    plugin: format!("inline[{number}]"),
                    kind: "generic-error",
                    message: format!("Failed to load plugin: {why}"),
                    path: None,
                });
                continue;
            }
            let named = dir.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.load_plugin(&dir.path, &named, "inline");
            if dir.without_mcp
                && let Some(plugin) = found.list.iter_mut().find(|plugin| plugin.root == dir.path)
            {
                plugin.mcp_servers.clear();
            }
        }
        let (enabled, held_back) = (installed::enabled(settings), installed::held_back(settings));
        if !enabled.is_empty() || !held_back.is_empty() {
            let index = installed::InstalledIndex::read(&settings.places().config_dir.join("plugins"));
            for (name, marketplace) in enabled {
                match index.find(&name, &marketplace) {
                    Ok(root) => found.load_plugin(&root, &name, &marketplace),
                    Err(error) => found.errors.push(error),
                }
            }
            // A plugin that cannot be read has no hooks. It is reported once the folder is trusted.
            for (name, marketplace) in held_back {
                let root = index.find(&name, &marketplace);
                let read = root.and_then(|root| manifest::read(&root, &name, &marketplace));
                found.held_back.extend(read.ok().map(|(plugin, _)| plugin));
            }
        }
        found
    }

    /// Returns the files of all agents, each with the name of its plugin.
    pub fn agent_files(&self) -> Vec<(String, PathBuf)> {
        let mut files = Vec::new();
        for plugin in &self.list {
            for place in &plugin.agents {
                let mut found: Vec<PathBuf> = match std::fs::read_dir(place) {
                    Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
                    Err(_) if place.is_file() => vec![place.clone()],
                    Err(_) => Vec::new(),
                };
                found.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
                found.sort();
                files.extend(found.into_iter().map(|path| (plugin.name.clone(), path)));
            }
        }
        files
    }

    /// Returns the plugin with this name.
    pub fn named(&self, name: &str) -> Option<&Plugin> {
        self.list.iter().find(|plugin| plugin.name == name)
    }

    /// Loads the plugin of a folder. Of several plugins with the same name, the first counts.
    fn load_plugin(&mut self, root: &Path, name: &str, marketplace: &str) {
        match manifest::read(root, name, marketplace) {
            Ok((plugin, errors)) => {
                if self.named(&plugin.name).is_none() {
                    self.list.push(plugin);
                    self.errors.extend(errors);
                }
            }
            Err(error) => self.errors.push(error),
        }
    }
}

#[cfg(test)]
#[path = "plugins_tests.rs"]
mod tests;
