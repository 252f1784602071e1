//! Installed plugins: which are enabled, and where they lie.
//!
//! `plugins/installed_plugins.json` of the configuration folder says where an installed copy is;
//! `plugins/known_marketplaces.json` says where a marketplace is, which has a list of its plugins.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};
use sluice_settings::Settings;
use sluice_settings::keys;

use super::manifest::document;
use super::{PluginError, builtin};

/// The plugins the settings in force switch on, as (name, marketplace), by name.
pub(super) fn enabled(settings: &Settings) -> Vec<(String, String)> {
    if settings.plain() {
        return Vec::new();
    }
    let mut switched: Map<String, Value> = Map::new();
    for (_, value) in settings.each(&keys::ENABLED_PLUGINS) {
        if let Value::Object(plugins) = value {
            switched.extend(plugins.clone());
        }
    }
    named(&switched)
}

/// The plugins that an untrusted folder would enable, and that are not enabled without it.
pub(super) fn held_back(settings: &Settings) -> Vec<(String, String)> {
    if settings.plain() {
        return Vec::new();
    }
    let mut switched: Map<String, Value> = Map::new();
    for value in settings.each_held_back(&keys::ENABLED_PLUGINS) {
        if let Value::Object(plugins) = value {
            switched.extend(plugins.clone());
        }
    }
    let enabled = enabled(settings);
    let mut held = named(&switched);
    held.retain(|plugin| !enabled.contains(plugin));
    held
}

/// The plugins that are switched on, as (name, marketplace), by name. Built-in parts are none.
fn named(switched: &Map<String, Value>) -> Vec<(String, String)> {
    let mut on: Vec<(String, String)> = switched
        .iter()
        .filter(|(_, on)| !matches!(on, Value::Bool(false) | Value::Null))
        .filter_map(|(id, _)| id.rsplit_once('@'))
        .filter(|(_, marketplace)| *marketplace != builtin::SOURCE)
        .map(|(name, marketplace)| (name.to_owned(), marketplace.to_owned()))
        .collect();
    on.sort();
    on
}

/// What is known of installed plugins and marketplaces.
pub(super) struct Shelf {
    folder: PathBuf,
    installed: Map<String, Value>,
    marketplaces: Map<String, Value>,
}

impl Shelf {
    /// Reads both lists. One that cannot be read is an empty one: each plugin that is then missing says so.
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

    /// The ids of the installed plugins.
    pub(super) fn ids(&self) -> impl Iterator<Item = &String> {
        self.installed.keys()
    }

    /// Where an installed plugin is, as far as the list says; none for one that is not installed.
    pub(super) fn installed(&self, id: &str) -> Option<Option<PathBuf>> {
        self.installed.get(id).map(install_path)
    }

    /// Where a plugin lies.
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
            let message = format!("the marketplace {marketplace} is not known here, and {name} is not installed");
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

    /// The folder of a marketplace.
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

/// Where an installed copy is: the newer list keeps one entry for each scope.
fn install_path(entry: &Value) -> Option<PathBuf> {
    let entry = match entry {
        Value::Array(entries) => entries.first()?,
        other => other,
    };
    entry.get("installPath").and_then(Value::as_str).map(PathBuf::from)
}

/// The folder a marketplace's list gives for a plugin that lies in the marketplace itself.
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
