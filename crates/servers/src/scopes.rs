//! The MCP servers of a session: all scopes that can configure servers, and their precedence.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde_json::{Map, Value};
use sluice_permission::Source;
use sluice_settings::keys::{self, Key};
use sluice_settings::{Opener, Settings};
use sluice_wire::stdout::system::{McpServerError, McpServerErrorKind};

use super::config::{self, ConfigError, Reach, ServerConfig};

/// The file of a project's servers.
pub const PROJECT_FILE: &str = ".mcp.json";
/// The administrator's file of servers, located beside the managed settings.
const MANAGED_FILE: &str = "managed-mcp.json";
/// The key of the servers that a person disabled in a project.
pub(super) const OFF_KEY: &str = "disabledMcpServers";

/// Where a server is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// By the person, for all projects.
    User,
    /// By the project, for everyone who works on it.
    Project,
    /// By the person, for this project.
    Local,
    /// A plugin.
    Plugin,
    /// On the command line or by the host.
    Dynamic,
    /// By the administrator.
    Managed,
}

impl Scope {
    /// Returns the name on the wire and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            // Servers of plugins are not part of any configured list.
            Self::Plugin | Self::Dynamic => "dynamic",
            Self::Managed => "enterprise",
        }
    }
}

/// Whether a server may be connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerApproval {
    /// It may be connected.
    Approved,
    /// It is in the project's `.mcp.json` and pending approval.
    Pending,
    /// It was rejected.
    Rejected,
    /// Its configuration is invalid, for this reason.
    Invalid(String),
}

/// A configured MCP server with its name and scope.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The scope that configures it.
    pub scope: Scope,
    /// The configuration as written, before variables are expanded.
    pub config: Result<ServerConfig, ConfigError>,
    /// Whether it may be connected.
    pub approval: ServerApproval,
}

impl Named {
    /// Returns true for a server of the command line or the host whose configuration is invalid. It is reported in
    /// `system/init`; an invalid server of a file is listed as failed instead.
    pub(crate) fn is_skipped(&self) -> bool {
        self.scope == Scope::Dynamic && self.config.is_err()
    }

    /// Returns the report of an invalid configuration for `system/init`.
    pub(crate) fn error(&self) -> Option<McpServerError> {
        let error = self.config.as_ref().err()?;
        Some(McpServerError {
            name: self.name.clone(),
            kind: match error {
                ConfigError::Type(_) => McpServerErrorKind::UnknownType,
                _ => McpServerErrorKind::InvalidConfig,
            },
            message: format!("The MCP server {:?} was skipped: {error}", self.name),
            ..McpServerError::default()
        })
    }
}

/// The servers that a flag or the host configures, with the errors of the invalid ones.
pub type Dynamic = IndexMap<String, Result<ServerConfig, ConfigError>>;

/// Collects the servers of all scopes. Of two servers with the same name, the scope with the higher precedence wins:
/// dynamic, then local, project, and user. With `strict` only the dynamic servers are used.
#[must_use]
pub fn gather(settings: &Settings, dynamic: &Dynamic, strict: bool) -> Vec<Named> {
    let mut all: IndexMap<String, Named> = IndexMap::new();
    let chosen = settings.customs();
    let places = settings.places();
    let mut known = None;
    if !strict {
        if let Some(servers) = read_file(&managed_file(settings)) {
            // A managed list replaces all others.
            insert_servers(&mut all, Scope::Managed, servers);
            return all.into_values().filter(|named| permitted(settings, named)).collect();
        }
        let global = &*known.insert(global(settings));
        if chosen.user {
            insert_servers(&mut all, Scope::User, config::each(&object(global, "mcpServers")));
        }
        if chosen.project {
            for folder in sluice_settings::project_folders(&places.cwd) {
                if let Some(servers) = read_file(&folder.join(PROJECT_FILE)) {
                    insert_servers(&mut all, Scope::Project, servers);
                }
            }
        }
        if chosen.local {
            insert_servers(&mut all, Scope::Local, config::each(&local(global, &places.cwd)));
        }
    }
    insert_servers(&mut all, Scope::Dynamic, dynamic.clone());
    if all.is_empty() {
        return Vec::new();
    }
    let known = known.unwrap_or_else(|| global(settings));
    apply_choices(settings, all, &known)
}

/// Returns the servers of a plugin or an agent that may be used. The rules for servers in files apply to them too; if
/// there is a managed list, none may be used.
pub fn permitted_from(
    settings: &Settings,
    scope: Scope,
    servers: IndexMap<String, Result<ServerConfig, ConfigError>>,
) -> Vec<Named> {
    if servers.is_empty() || managed_file(settings).exists() {
        return Vec::new();
    }
    let mut all = IndexMap::new();
    insert_servers(&mut all, scope, servers);
    apply_choices(settings, all, &global(settings))
}

/// Removes denied servers and sets the approval of the others.
fn apply_choices(settings: &Settings, all: IndexMap<String, Named>, global: &Map<String, Value>) -> Vec<Named> {
    let choices = Choices::of(settings, global);
    all.into_values()
        .filter(|named| permitted(settings, named))
        .map(|named| choices.applied(named))
        .collect()
}

fn managed_file(settings: &Settings) -> PathBuf {
    settings.places().managed.with_file_name(MANAGED_FILE)
}

fn insert_servers(
    all: &mut IndexMap<String, Named>,
    scope: Scope,
    servers: IndexMap<String, Result<ServerConfig, ConfigError>>,
) {
    for (name, config) in servers {
        // Removed first, so that the server takes its position from the scope that wins.
        all.shift_remove(&name);
        let approval = match &config {
            Ok(_) => ServerApproval::Approved,
            Err(error) => ServerApproval::Invalid(error.to_string()),
        };
        let named = Named {
            name: name.clone(),
            scope,
            config,
            approval,
        };
        all.insert(name, named);
    }
}

/// The approvals of a project's servers.
struct Choices {
    all: bool,
    enabled: Vec<String>,
    disabled: Vec<String>,
    /// Disabled by the person for this project, regardless of their scope.
    off: Vec<String>,
    /// A program opened the folder, or the folder is trusted for this run: servers run unless disabled.
    trusted_opener: bool,
    trusted: bool,
}

impl Choices {
    fn of(settings: &Settings, global: &Map<String, Value>) -> Self {
        let off = project(global, &settings.places().cwd, OFF_KEY).and_then(Value::as_array);
        Self {
            off: off
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            all: settings.bool(&keys::ENABLE_ALL_PROJECT_MCP_SERVERS) == Some(true),
            enabled: list(settings, &keys::ENABLED_MCPJSON_SERVERS),
            disabled: list(settings, &keys::DISABLED_MCPJSON_SERVERS),
            trusted_opener: settings.opener() == Opener::Host || settings.vouched(),
            trusted: settings.trusted(),
        }
    }

    fn applied(&self, named: Named) -> Named {
        let off = self.off.contains(&named.name);
        let approval = match (named.scope, &named.approval) {
            (_, ServerApproval::Approved) if off => ServerApproval::Rejected,
            (Scope::Project, ServerApproval::Approved) => self.approval(&named.name),
            (_, approval) => approval.clone(),
        };
        Named { approval, ..named }
    }

    fn approval(&self, name: &str) -> ServerApproval {
        let has = |list: &[String]| list.iter().any(|known| known == name);
        if has(&self.disabled) {
            ServerApproval::Rejected
        } else if self.trusted_opener || (self.trusted && (self.all || has(&self.enabled))) {
            ServerApproval::Approved
        } else {
            ServerApproval::Pending
        }
    }
}

fn list(settings: &Settings, key: &Key) -> Vec<String> {
    let texts = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    settings
        .each(key)
        .into_iter()
        .flat_map(|(_, value)| texts(value))
        .collect()
}

/// Returns whether the lists of allowed and denied servers permit a server. Every scope may deny; only the managed list
/// of allowed servers excludes others.
fn permitted(settings: &Settings, named: &Named) -> bool {
    let Ok(config) = &named.config else { return true };
    let denied = settings.each(&keys::DENIED_MCP_SERVERS);
    if denied.iter().any(|(_, list)| matches_server(list, &named.name, config)) {
        return false;
    }
    let allowed = settings.each(&keys::ALLOWED_MCP_SERVERS);
    let managed = allowed.iter().find(|(source, _)| *source == Source::Policy);
    managed.is_none_or(|(_, list)| config.is_sdk() || matches_server(list, &named.name, config))
}

/// Returns whether an entry of a list matches this server by name, command line or URL.
fn matches_server(list: &Value, name: &str, config: &ServerConfig) -> bool {
    let command = match &config.reach {
        Reach::Stdio { command, args, .. } => Some(std::iter::once(command).chain(args).collect::<Vec<_>>()),
        _ => None,
    };
    let url = match &config.reach {
        Reach::Http { url, .. } | Reach::Sse { url, .. } => Some(url.as_str()),
        _ => None,
    };
    list.as_array().into_iter().flatten().any(|entry| {
        let by_name = entry.get("serverName").and_then(Value::as_str) == Some(name);
        let by_command = entry
            .get("serverCommand")
            .and_then(Value::as_array)
            .is_some_and(|words| {
                command.as_ref().is_some_and(|command| {
                    words.len() == command.len()
                        && words
                            .iter()
                            .zip(command)
                            .all(|(word, part)| word.as_str() == Some(part.as_str()))
                })
            });
        let by_url = match (entry.get("serverUrl").and_then(Value::as_str), url) {
            (Some(pattern), Some(url)) => covers(pattern, url),
            _ => false,
        };
        by_name || by_command || by_url
    })
}

/// Returns whether a URL matches a pattern with `*` wildcards.
fn covers(pattern: &str, url: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = url.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.split_once(part) {
            Some((_, remaining)) => rest = remaining,
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn read_file(path: &Path) -> Option<IndexMap<String, Result<ServerConfig, ConfigError>>> {
    let text = match sluice_settings::text(path) {
        Ok(text) => text?,
        Err(error) => return Some(invalid_file(path, &error.to_string())),
    };
    Some(config::servers(&text).unwrap_or_else(|error| invalid_file(path, &error.to_string())))
}

/// Returns an unreadable file as an invalid server, so that it appears in lists of servers.
fn invalid_file(path: &Path, reason: &str) -> IndexMap<String, Result<ServerConfig, ConfigError>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    IndexMap::from([(name, Err(ConfigError::Json(format!("{}: {reason}", path.display()))))])
}

/// Returns the content of `~/.claude.json`, or an empty object if it is unreadable or mentions no servers.
pub fn global(settings: &Settings) -> Map<String, Value> {
    let text = settings.global_text();
    // Skips parsing, as the file may be large and is mostly about other things.
    if !text.contains("\"mcpServers\"") && !text.contains(OFF_KEY) {
        return Map::new();
    }
    serde_json::from_str(&text).unwrap_or_default()
}

/// Returns the person's servers for this project.
pub fn local(global: &Map<String, Value>, cwd: &Path) -> Map<String, Value> {
    let servers = project(global, cwd, "mcpServers").and_then(Value::as_object);
    servers.cloned().unwrap_or_default()
}

/// Returns the value of a key for this project in the person's file.
fn project<'a>(global: &'a Map<String, Value>, cwd: &Path, key: &str) -> Option<&'a Value> {
    let projects = global.get("projects")?;
    project_keys(cwd)
        .iter()
        .find_map(|name| projects.get(name)?.get(key).filter(|value| !value.is_null()))
}

/// Returns the keys that a project may have in `~/.claude.json`, most likely first.
pub fn project_keys(cwd: &Path) -> Vec<String> {
    let resolved = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
    let mut keys: Vec<String> = Vec::new();
    for path in [
        Some(resolved.clone()),
        Some(cwd.to_owned()),
        sluice_settings::repository(&resolved),
    ]
    .into_iter()
    .flatten()
    {
        let key = path.to_string_lossy().into_owned();
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

fn object(map: &Map<String, Value>, key: &str) -> Map<String, Value> {
    map.get(key).and_then(Value::as_object).cloned().unwrap_or_default()
}

#[cfg(test)]
#[path = "scopes_tests.rs"]
mod tests;
