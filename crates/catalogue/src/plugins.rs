//! Plugins: folders that bring commands, skills, agents, styles, hooks and MCP servers.
//!
//! This module finds them and says where their parts lie; each part is read by whoever uses it. A plugin is named
//! on the command line, or lies in the person's configuration folder and is switched on in a settings file.
//! What cannot be loaded is named and takes nothing from the others.

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

/// A plugin folder the host or the command line named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginDir {
    /// The folder.
    pub path: PathBuf,
    /// Whether its MCP servers are left out.
    pub without_mcp: bool,
    /// Why there is nothing in it, where it could not be brought here.
    pub failed: Option<String>,
}

impl PluginDir {
    /// A folder with all it brings.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            without_mcp: false,
            failed: None,
        }
    }
}

/// Something a plugin configures: a file of its own, or a part of its manifest.
#[derive(Debug, Clone, PartialEq)]
pub enum Configured {
    /// A JSON file, which need not be there.
    File(PathBuf),
    /// What the manifest says.
    Inline(Value),
}

/// One plugin, and where its parts lie. Folders need not exist.
#[derive(Debug, Clone, PartialEq)]
pub struct Plugin {
    /// What its parts are named after: `name:command`.
    pub name: String,
    /// Its folder.
    pub root: PathBuf,
    /// `name@marketplace`, or `name@inline` for one the host named.
    pub source: String,
    /// What its manifest says.
    pub version: Option<String>,
    /// Folders of commands, or single files.
    pub commands: Vec<PathBuf>,
    /// Folders of agents, or single files.
    pub agents: Vec<PathBuf>,
    /// Folders of skills, or single skills' folders.
    pub skills: Vec<PathBuf>,
    /// Folders of output styles, or single files.
    pub output_styles: Vec<PathBuf>,
    /// Hooks: `hooks/hooks.json` and what the manifest adds.
    pub hooks: Vec<Configured>,
    /// MCP servers: `.mcp.json` and what the manifest adds.
    pub mcp_servers: Vec<Configured>,
}

impl Plugin {
    /// The folder it may keep things in.
    pub fn data_dir(&self, settings: &Settings) -> PathBuf {
        let data = settings.places().config_dir.join("plugins").join("data");
        data.join(self.source.replace('@', "-"))
    }

    /// The values of `hooks` in its files and its manifest. A file that cannot be read has none.
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

    /// Files of hooks that cannot be read, and why.
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

/// A manifest; one that is not there is an empty one.
pub fn manifest(path: &Path) -> Result<serde_json::Map<String, Value>, String> {
    manifest::document(path)
}

/// Why a plugin, or a part of it, is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginError {
    /// Its name and source, as far as they are known.
    pub plugin: String,
    /// The kind of failure, as in `init`.
    pub kind: &'static str,
    /// What happened.
    pub message: String,
    /// Where.
    pub path: Option<PathBuf>,
}

/// All plugins of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plugins {
    /// Those that were found.
    pub list: Vec<Plugin>,
    /// Those that only an untrusted folder enables. They are not loaded, and calls that their hooks cover need
    /// permission.
    pub held_back: Vec<Plugin>,
    /// Those that could not be loaded.
    pub errors: Vec<PluginError>,
}

impl Plugins {
    /// Finds the plugins the command line named and those the settings switch on. Looks at no folder when there
    /// are neither.
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
            found.take(&dir.path, &named, "inline");
            if dir.without_mcp
                && let Some(plugin) = found.list.iter_mut().find(|plugin| plugin.root == dir.path)
            {
                plugin.mcp_servers.clear();
            }
        }
        let (enabled, held_back) = (installed::enabled(settings), installed::held_back(settings));
        if !enabled.is_empty() || !held_back.is_empty() {
            let shelf = installed::Shelf::read(&settings.places().config_dir.join("plugins"));
            for (name, marketplace) in enabled {
                match shelf.find(&name, &marketplace) {
                    Ok(root) => found.take(&root, &name, &marketplace),
                    Err(error) => found.errors.push(error),
                }
            }
            // What cannot be read brings no hooks; it is an error once the folder is trusted.
            for (name, marketplace) in held_back {
                let root = shelf.find(&name, &marketplace);
                let read = root.and_then(|root| manifest::read(&root, &name, &marketplace));
                found.held_back.extend(read.ok().map(|(plugin, _)| plugin));
            }
        }
        found
    }

    /// The files of all agents, each with the name of its plugin.
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

    /// The plugin of this name.
    pub fn named(&self, name: &str) -> Option<&Plugin> {
        self.list.iter().find(|plugin| plugin.name == name)
    }

    /// Takes the plugin of a folder. The first of a name is the one that counts.
    fn take(&mut self, root: &Path, called: &str, marketplace: &str) {
        match manifest::read(root, called, marketplace) {
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
