//! Installed plugins: which are enabled, and their folders.
//!
//! `plugins/installed_plugins.json` in the configuration folder contains the paths of installed plugins;
//! `plugins/known_marketplaces.json` contains the paths of marketplaces, each with a list of its plugins.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};
use sluice_settings::Settings;
use sluice_settings::keys;

use super::manifest::document;
use super::{PluginError, builtin};

/// Returns the plugins that the effective settings enable, as (name, marketplace), sorted by name.
pub(super) fn enabled(settings: &Settings) -> Vec<(String, String)> {
    if settings.plain() {
        return Vec::new();
    }
    let mut settings_values: Map<String, Value> = Map::new();
    for (_, value) in settings.each(&keys::ENABLED_PLUGINS) {
        if let Value::Object(plugins) = value {
            settings_values.extend(plugins.clone());
        }
    }
    enabled_ids(&settings_values)
}

/// Returns the plugins that are only enabled by an untrusted folder.
pub(super) fn held_back(settings: &Settings) -> Vec<(String, String)> {
    if settings.plain() {
        return Vec::new();
    }
    let mut settings_values: Map<String, Value> = Map::new();
    for value in settings.each_held_back(&keys::ENABLED_PLUGINS) {
        if let Value::Object(plugins) = value {
            settings_values.extend(plugins.clone());
        }
    }
    let enabled = enabled(settings);
    let mut held = enabled_ids(&settings_values);
    held.retain(|plugin| !enabled.contains(plugin));
    held
}

/// Returns the enabled plugins, as (name, marketplace), sorted by name, without built-in parts.
fn enabled_ids(settings_values: &Map<String, Value>) -> Vec<(String, String)> {
    let mut on: Vec<(String, String)> = settings_values
        .iter()
        .filter(|(_, on)| !matches!(on, Value::Bool(false) | Value::Null))
        .filter_map(|(id, _)| id.rsplit_once('@'))
        .filter(|(_, marketplace)| *marketplace != builtin::SOURCE)
        .map(|(name, marketplace)| (name.to_owned(), marketplace.to_owned()))
        .collect();
    on.sort();
    on
}

/// The lists of installed plugins and known marketplaces.
pub(super) struct InstalledIndex {
    folder: PathBuf,
    installed: Map<String, Value>,
    marketplaces: Map<String, Value>,
}

impl InstalledIndex {
    /// Reads both lists. A list that cannot be read is empty; each missing plugin is reported later.
    pub(super) fn read(folder: &Path) -> Self {
        let list = |file: &str| document(&folder.join(file)).unwrap_or_default();
        let installed = match list("installed_plugins.json").remove("plugins") {
            Some(Value::Object(plugins)) => plugins,
            _ => Map::new(),
        };
        Self {
            folder: folder.to_owned(),
            installed,
            marketplaces: list("known_marketplaces.json"),
        }
    }

    /// Iterates over the ids of the installed plugins.
    pub(super) fn ids(&self) -> impl Iterator<Item = &String> {
        self.installed.keys()
    }

    /// Returns the folder of an installed plugin, if the list contains it; `None` if the plugin is not installed.
    pub(super) fn installed(&self, id: &str) -> Option<Option<PathBuf>> {
        self.installed.get(id).map(install_path)
    }

    /// Returns the folder of a plugin.
    pub(super) fn find(&self, name: &str, marketplace: &str) -> Result<PathBuf, PluginError> {
        let id = format!("{name}@{marketplace}");
        if let Some(path) = self.installed.get(&id).and_then(install_path)
            && path.is_dir()
        {
            return Ok(path);
        }
        let fails = |kind, message| PluginError {
            plugin: id.clone(),
            kind,
            message,
            path: None,
        };
        let Some(place) = self.marketplace(marketplace) else {
            let message = format!("the marketplace {marketplace} is unknown, and {name} is not installed");
            return Err(fails("marketplace-not-found", message));
        };
        let missing = || {
            let message = format!("{name} is enabled, but is neither installed nor in the marketplace {marketplace}");
            fails("plugin-not-found", message)
        };
        let list = document(&place.join(".claude-plugin").join("marketplace.json"))
            .map_err(|problem| fails("marketplace-load-failed", format!("{}: {problem}", place.display())))?;
        below(&place, &list, name).ok_or_else(missing)
    }

    /// Returns the folder of a marketplace.
    fn marketplace(&self, name: &str) -> Option<PathBuf> {
        let known = self.marketplaces.get(name)?;
        let place = known.get("installLocation").and_then(Value::as_str).map(PathBuf::from);
        let usual = || {
            let single = Path::new(name)
                .components()
                .all(|part| matches!(part, Component::Normal(_)));
            single.then(|| self.folder.join("marketplaces").join(name))
        };
        place.or_else(usual).filter(|place| place.is_dir())
    }
}

/// Returns the folder of an installed plugin. The newer format of the list has one entry per scope.
fn install_path(entry: &Value) -> Option<PathBuf> {
    let entry = match entry {
        Value::Array(entries) => entries.first()?,
        other => other,
    };
    entry.get("installPath").and_then(Value::as_str).map(PathBuf::from)
}

/// Returns the folder of a plugin that is part of the marketplace.
fn below(place: &Path, list: &Map<String, Value>, name: &str) -> Option<PathBuf> {
    let plugins = list.get("plugins")?.as_array()?;
    let entry = plugins
        .iter()
        .find(|entry| entry.get("name").and_then(Value::as_str) == Some(name))?;
    let base = list
        .get("metadata")
        .and_then(|metadata| metadata.get("pluginRoot"))
        .and_then(Value::as_str)
        .unwrap_or("");
    let source = entry.get("source").and_then(Value::as_str)?;
    let relative = Path::new(base).join(source);
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    relative
        .components()
        .all(inside)
        .then(|| place.join(relative))
        .filter(|path| path.is_dir())
}
