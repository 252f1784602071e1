//! Saved MCP servers: the files that `sluice mcp add` and `sluice mcp remove` change.

use std::path::PathBuf;

use serde_json::{Map, Value};
use sluice_settings::keys;
use sluice_settings::trust::child;
use sluice_settings::{Places, WriteError};

use super::scopes::{self, PROJECT_FILE, Scope};

/// Returns the file that servers of a scope are written to.
#[must_use]
pub fn file(places: &Places, scope: Scope) -> Option<PathBuf> {
    match scope {
        Scope::User | Scope::Local => Some(places.global.clone()),
        Scope::Project => Some(places.cwd.join(PROJECT_FILE)),
        Scope::Plugin | Scope::Dynamic | Scope::Managed => None,
    }
}

/// Adds a server. Returns `false` if the scope already has one of that name.
///
/// # Errors
/// Returns an error if the file cannot be read or written; it is then unchanged.
pub fn add(places: &Places, scope: Scope, name: &str, config: &Value) -> Result<bool, WriteError> {
    let mut added = false;
    edit(places, scope, &mut |servers| {
        added = !servers.contains_key(name);
        if added {
            servers.insert(name.to_owned(), config.clone());
        }
    })?;
    Ok(added)
}

/// Removes a server. Returns `false` if the scope has none of that name.
///
/// # Errors
/// As [`add`].
pub fn remove(places: &Places, scope: Scope, name: &str) -> Result<bool, WriteError> {
    let mut removed = false;
    if file(places, scope).is_none_or(|path| !path.exists()) {
        return Ok(false);
    }
    edit(places, scope, &mut |servers| {
        removed = servers.shift_remove(name).is_some();
    })?;
    Ok(removed)
}

/// Removes all approvals and rejections of the project's servers.
///
/// # Errors
/// As [`add`].
pub fn forget_choices(places: &Places) -> Result<(), WriteError> {
    let keys = [
        keys::ENABLED_MCPJSON_SERVERS.name,
        keys::DISABLED_MCPJSON_SERVERS.name,
        keys::ENABLE_ALL_PROJECT_MCP_SERVERS.name,
    ];
    let local = places.cwd.join(".claude").join("settings.local.json");
    if local.exists() {
        sluice_settings::edit(&local, &mut |document| {
            for key in keys {
                document.shift_remove(key);
            }
            Ok(())
        })?;
    }
    if !places.global.exists() {
        return Ok(());
    }
    sluice_settings::edit(&places.global, &mut |document| {
        for name in scopes::project_keys(&places.cwd) {
            if let Some(project) =
                child(document, "projects").and_then(|projects| projects.get_mut(&name)?.as_object_mut())
            {
                for key in keys {
                    project.shift_remove(key);
                }
            }
        }
        Ok(())
    })
}

/// Stores that a person disabled a server in this project, or enabled it again. The file is not touched if this is
/// already stored.
///
/// # Errors
/// As [`add`].
pub fn switch(places: &Places, name: &str, on: bool) -> Result<(), WriteError> {
    let key = scopes::project_keys(&places.cwd).into_iter().next().unwrap_or_default();
    if on && !places.global.exists() {
        return Ok(());
    }
    sluice_settings::edit(&places.global, &mut |document| {
        let shape = || WriteError::Shape {
            path: places.global.clone(),
            key: scopes::OFF_KEY.to_owned(),
        };
        let project = child(document, "projects").and_then(|projects| child(projects, &key));
        let project = project.ok_or_else(shape)?;
        if on && !project.contains_key(scopes::OFF_KEY) {
            return Ok(());
        }
        let off = project
            .entry(scopes::OFF_KEY)
            .or_insert_with(|| Value::Array(Vec::new()));
        let off = off.as_array_mut().ok_or_else(shape)?;
        off.retain(|known| known.as_str() != Some(name));
        if !on {
            off.push(Value::from(name));
        }
        Ok(())
    })
}

/// Stores whether a person approved a server of the project.
///
/// # Errors
/// As [`add`].
pub fn choose(places: &Places, name: &str, approved: bool) -> Result<(), WriteError> {
    let path = places.cwd.join(".claude").join("settings.local.json");
    let (to, from) = match approved {
        true => (keys::ENABLED_MCPJSON_SERVERS.name, keys::DISABLED_MCPJSON_SERVERS.name),
        false => (keys::DISABLED_MCPJSON_SERVERS.name, keys::ENABLED_MCPJSON_SERVERS.name),
    };
    sluice_settings::edit(&path, &mut |document| {
        if let Some(Value::Array(list)) = document.get_mut(from) {
            list.retain(|known| known.as_str() != Some(name));
        }
        let list = document.entry(to).or_insert_with(|| Value::Array(Vec::new()));
        let list = list.as_array_mut().ok_or_else(|| WriteError::Shape {
            path: path.clone(),
            key: to.to_owned(),
        })?;
        if !list.iter().any(|known| known.as_str() == Some(name)) {
            list.push(Value::from(name));
        }
        Ok(())
    })
}

fn edit(places: &Places, scope: Scope, change: &mut dyn FnMut(&mut Map<String, Value>)) -> Result<(), WriteError> {
    let Some(path) = file(places, scope) else {
        return Ok(());
    };
    let key = scopes::project_keys(&places.cwd).into_iter().next().unwrap_or_default();
    let shape = WriteError::Shape {
        path: path.clone(),
        key: "mcpServers".to_owned(),
    };
    let mut shape = Some(shape);
    sluice_settings::edit(&path, &mut |document| {
        let servers = match scope {
            Scope::Local => child(document, "projects")
                .and_then(|projects| child(projects, &key))
                .and_then(|project| child(project, "mcpServers")),
            _ => child(document, "mcpServers"),
        };
        match (servers, shape.take()) {
            (Some(servers), unused) => {
                shape = unused;
                change(servers);
                Ok(())
            }
            (None, Some(error)) => Err(error),
            (None, None) => Ok(()),
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn adding_and_removing_servers_keeps_other_content() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let places = Places {
            cwd: root.clone(),
            home: root.clone(),
            config_dir: root.join(".claude"),
            managed: root.join("managed.json"),
            global: root.join(".claude.json"),
        };
        std::fs::write(&places.global, r#"{"theme": "dark"}"#).unwrap();
        let config = json!({"command": "x"});
        for scope in [Scope::User, Scope::Local, Scope::Project] {
            assert!(!remove(&places, scope, "s").unwrap());
            assert!(add(&places, scope, "s", &config).unwrap());
            assert!(!add(&places, scope, "s", &config).unwrap(), "the server already exists");
        }
        let global: Value = serde_json::from_str(&std::fs::read_to_string(&places.global).unwrap()).unwrap();
        assert_eq!(global["theme"], "dark");
        assert_eq!(global["mcpServers"]["s"], config);
        assert_eq!(global["projects"][root.to_str().unwrap()]["mcpServers"]["s"], config);
        assert!(root.join(PROJECT_FILE).exists());
        for scope in [Scope::User, Scope::Local, Scope::Project] {
            assert!(remove(&places, scope, "s").unwrap());
        }
    }
}
