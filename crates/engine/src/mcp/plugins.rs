//! MCP servers of plugins, named `plugin:<plugin>:<server>`.

use std::path::Path;

use indexmap::IndexMap;
use serde_json::{Map, Value};
use sluice_servers::config::{self, ConfigError, Reach, ServerConfig};
use sluice_servers::scopes::{self, Named, Scope};
use sluice_settings::Settings;

use crate::catalogue::plugins::{Configured, Plugin, Plugins, ROOT_MARK};
use sluice_catalogue::plugins::PluginDir;

/// Placeholder for the data folder of a plugin.
const DATA_MARK: &str = "${CLAUDE_PLUGIN_DATA}";

type Configs = IndexMap<String, Result<ServerConfig, ConfigError>>;

/// Returns the servers of the plugins in these folders and of those that the settings enable.
#[must_use]
pub fn named(settings: &Settings, dirs: &[PluginDir]) -> Vec<Named> {
    scopes::permitted_from(
        settings,
        Scope::Plugin,
        servers(&Plugins::load(dirs, settings).list, settings),
    )
}

/// Returns the servers of plugins. A file that cannot be read becomes a server with an error.
pub(crate) fn servers(plugins: &[Plugin], settings: &Settings) -> Configs {
    let mut all = Configs::new();
    for plugin in plugins {
        let data = plugin.data_dir(settings);
        for configured in &plugin.mcp_servers {
            for (name, config) in found(configured, &plugin.root, &data) {
                all.insert(format!("plugin:{}:{name}", plugin.name), config);
            }
        }
    }
    all
}

fn found(configured: &Configured, root: &Path, data: &Path) -> Configs {
    let read = match configured {
        Configured::Inline(value) => Ok(value.clone()),
        Configured::File(path) => match sluice_settings::text(path) {
            Ok(None) => return Configs::new(),
            Ok(Some(text)) => serde_json::from_str(&text).map_err(|error| invalid(path, &error)),
            Err(error) => Err(invalid(path, &error)),
        },
    };
    let (value, file) = match (read, configured) {
        (Ok(value), Configured::File(path)) => (value, Some(path)),
        (Ok(value), Configured::Inline(_)) => (value, None),
        (Err(broken), _) => return broken,
    };
    let value = filled(&value, root, data);
    match (value.get("mcpServers").unwrap_or(&value), file) {
        (Value::Object(map), _) => each(map, root, data),
        (_, Some(path)) => invalid(path, &ConfigError::NoServers),
        (_, None) => Configs::new(),
    }
}

fn each(map: &Map<String, Value>, root: &Path, data: &Path) -> Configs {
    let mut servers = config::each(map);
    for config in servers.values_mut().flatten() {
        if let Reach::Stdio { env, .. } = &mut config.reach {
            for (name, path) in [("CLAUDE_PLUGIN_ROOT", root), ("CLAUDE_PLUGIN_DATA", data)] {
                let folder_path = || path.to_string_lossy().into_owned();
                env.entry(name.to_owned()).or_insert_with(folder_path);
            }
        }
    }
    servers
}

fn invalid(path: &Path, why: &dyn std::fmt::Display) -> Configs {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Configs::from([(name, Err(ConfigError::Json(format!("{}: {why}", path.display()))))])
}

/// Replaces placeholders for the folders of a plugin in all strings of a value.
fn filled(value: &Value, root: &Path, data: &Path) -> Value {
    match value {
        Value::String(text) => {
            let text = text.replace(ROOT_MARK, &root.to_string_lossy());
            Value::String(text.replace(DATA_MARK, &data.to_string_lossy()))
        }
        Value::Array(items) => items.iter().map(|item| filled(item, root, data)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), filled(value, root, data)))
            .collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

    use serde_json::json;

    use super::*;

    #[test]
    fn plugin_servers_receive_the_plugin_folder() {
        let inline = Configured::Inline(json!({
            "a": {"command": "${CLAUDE_PLUGIN_ROOT}/run", "args": ["--state=${CLAUDE_PLUGIN_DATA}/x"]},
            "b": {"type": "http", "url": "https://b.example/${CLAUDE_PLUGIN_ROOT}"},
            "c": {"command": 1},
        }));
        let servers = found(&inline, Path::new("/p"), Path::new("/d"));
        let Ok(Reach::Stdio { command, args, env }) = servers["a"].as_ref().map(|config| &config.reach) else {
            panic!("a program")
        };
        assert_eq!((command.as_str(), args[0].as_str()), ("/p/run", "--state=/d/x"));
        assert_eq!(
            (env["CLAUDE_PLUGIN_ROOT"].as_str(), env["CLAUDE_PLUGIN_DATA"].as_str()),
            ("/p", "/d")
        );
        assert!(servers["b"].is_ok() && servers["c"].is_err());
    }

    #[test]
    fn missing_file_defines_no_servers_and_invalid_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(".mcp.json");
        let read = || found(&Configured::File(file.clone()), dir.path(), dir.path());
        assert!(read().is_empty());
        for text in ["{", r#"{"mcpServers": 1}"#, "[]"] {
            std::fs::write(&file, text).unwrap();
            assert!(read()[".mcp.json"].is_err(), "{text}");
        }
        std::fs::write(&file, r#"{"mcpServers": {"s": {"command": "x"}}}"#).unwrap();
        assert!(read()["s"].is_ok());
    }
}
