//! Reads a plugin's manifest, `.claude-plugin/plugin.json`, which is optional.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use super::{Configured, Plugin, PluginError};

/// Maximum size of a manifest, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Reads the folder of a plugin. Also returns the errors of parts that are left out.
pub(super) fn read(
    root: &Path,
    fallback_name: &str,
    marketplace: &str,
) -> Result<(Plugin, Vec<PluginError>), PluginError> {
    let fails = |kind, message: String, path: PathBuf| PluginError {
        plugin: format!("{fallback_name}@{marketplace}"),
        kind,
        message,
        path: Some(path),
    };
    if !root.is_dir() {
        let message = format!("there is no plugin folder at {}", root.display());
        return Err(fails("path-not-found", message, root.to_owned()));
    }
    let path = root.join(".claude-plugin").join("plugin.json");
    let manifest = match document(&path) {
        Ok(manifest) => manifest,
        Err(problem) => {
            let message = format!("{}: {problem}", path.display());
            return Err(fails("manifest-parse-error", message, path));
        }
    };
    let name = match manifest.get("name") {
        None if !path.exists() => fallback_name.to_owned(),
        Some(Value::String(name)) if is_name(name) => name.clone(),
        None | Some(_) => {
            let message = format!("{}: `name` must be a word without spaces or colons", path.display());
            return Err(fails("manifest-validation-error", message, path));
        }
    };
    Ok(plugin(root, name, marketplace, &manifest))
}

/// Creates the plugin that a manifest describes.
fn plugin(root: &Path, name: String, marketplace: &str, manifest: &Map<String, Value>) -> (Plugin, Vec<PluginError>) {
    let source = format!("{name}@{marketplace}");
    let mut parts = PathResolver {
        root,
        plugin: &source,
        errors: Vec::new(),
    };
    let places = |parts: &mut PathResolver<'_>, key: &str, default_path: &str| -> Vec<PathBuf> {
        let mut places = vec![root.join(default_path)];
        for path in parts.paths(manifest.get(key), key) {
            if !places.contains(&path) {
                places.push(path);
            }
        }
        places
    };
    let plugin = Plugin {
        root: root.to_owned(),
        version: manifest.get("version").and_then(Value::as_str).map(str::to_owned),
        commands: places(&mut parts, "commands", "commands"),
        agents: places(&mut parts, "agents", "agents"),
        skills: places(&mut parts, "skills", "skills"),
        output_styles: places(&mut parts, "outputStyles", "output-styles"),
        hooks: parts.configured(manifest.get("hooks"), "hooks", &root.join("hooks").join("hooks.json")),
        mcp_servers: parts.configured(manifest.get("mcpServers"), "mcpServers", &root.join(".mcp.json")),
        source: source.clone(),
        name,
    };
    (plugin, parts.errors)
}

/// Resolves the paths in a manifest, which must not lead out of the folder.
struct PathResolver<'a> {
    root: &'a Path,
    plugin: &'a str,
    errors: Vec<PluginError>,
}

impl PathResolver<'_> {
    /// Resolves one path or a list of paths.
    fn paths(&mut self, value: Option<&Value>, key: &str) -> Vec<PathBuf> {
        let items: Vec<&Value> = match value {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(items)) => items.iter().collect(),
            Some(item) => vec![item],
        };
        items
            .into_iter()
            .filter_map(|item| self.path(item.as_str(), key))
            .collect()
    }

    /// Returns the configurations for a key: the default file, and the paths or values in the manifest.
    fn configured(&mut self, value: Option<&Value>, key: &str, default_path: &Path) -> Vec<Configured> {
        let mut all = vec![Configured::File(default_path.to_owned())];
        let items: Vec<&Value> = match value {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(items)) => items.iter().collect(),
            Some(item) => vec![item],
        };
        for item in items {
            match item {
                Value::Object(_) => all.push(Configured::Inline(item.clone())),
                other => all.extend(self.path(other.as_str(), key).map(Configured::File)),
            }
        }
        all.dedup();
        all
    }

    /// Resolves an existing path inside the plugin's folder.
    fn path(&mut self, text: Option<&str>, key: &str) -> Option<PathBuf> {
        let inside = |path: &Path| {
            path.components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        let Some(relative) = text.map(Path::new).filter(|path| inside(path)) else {
            let named = text.unwrap_or("a value that is not a path");
            self.fails(
                "manifest-validation-error",
                format!("`{key}` contains {named}: a path must be inside the plugin's folder"),
                None,
            );
            return None;
        };
        let path: PathBuf = self
            .root
            .join(relative)
            .components()
            .filter(|part| part != &Component::CurDir)
            .collect();
        if !path.exists() {
            self.fails(
                "path-not-found",
                format!("`{key}` contains {}, which does not exist", path.display()),
                Some(path),
            );
            return None;
        }
        Some(path)
    }

    fn fails(&mut self, kind: &'static str, message: String, path: Option<PathBuf>) {
        self.errors.push(PluginError {
            plugin: self.plugin.to_owned(),
            kind,
            message,
            path,
        });
    }
}

/// Whether this can be the name of a plugin. The name is also used for its parts and its folder.
pub(super) fn is_name(name: &str) -> bool {
    let fits = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, ':' | '/' | '\\' | '@');
    !name.starts_with('.') && !name.is_empty() && name.len() <= 128 && name.chars().all(fits)
}

/// Reads a JSON object from a file. A missing file gives an empty object.
pub(super) fn document(path: &Path) -> Result<Map<String, Value>, String> {
    let bytes = match sluice_settings::read_regular(path, MAX_FILE_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Map::new()),
        Err(error) => return Err(error.to_string()),
        Ok(bytes) => bytes,
    };
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err("it is not a JSON object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
