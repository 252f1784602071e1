//! The MCP servers of a session: every scope that may name some, and which of two with the same name wins.

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
/// The administrator's, beside their settings.
const MANAGED_FILE: &str = "managed-mcp.json";
/// What a person switched off in a project.
pub(super) const OFF_KEY: &str = "disabledMcpServers";

/// Who named a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The person, for every project.
    User,
    /// The project, for everybody who works on it.
    Project,
    /// The person, for this project.
    Local,
    /// A plugin.
    Plugin,
    /// The command line or the host.
    Dynamic,
    /// The administrator.
    Managed,
}

impl Scope {
    /// As the wire and the command line name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            // Nobody wrote a plugin's servers into a list of servers.
            Self::Plugin | Self::Dynamic => "dynamic",
            Self::Managed => "enterprise",
        }
    }
}

/// Whether a server may be connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It may.
    Approved,
    /// It is in the project's `.mcp.json` and pending approval.
    Waiting,
    /// It was rejected.
    Rejected,
    /// It cannot be read, for this reason.
    Broken(String),
}

/// A configured MCP server, with its name and scope.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Who named it.
    pub scope: Scope,
    /// What it is, as it was written.
    pub config: Result<ServerConfig, ConfigError>,
    /// Whether it may be connected.
    pub standing: Standing,
}

impl Named {
    /// True for a server of the command line or the host whose configuration is invalid. It is reported in
    /// `system/init`; one of a file is listed as failed instead.
    pub(crate) fn is_skipped(&self) -> bool {
        self.scope == Scope::Dynamic && self.config.is_err()
    }

    /// What `system/init` reports of an invalid configuration.
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

/// The servers that a flag or the host names, with the errors of those that cannot be read.
pub type Dynamic = IndexMap<String, Result<ServerConfig, ConfigError>>;

/// The servers of every scope, the stronger scope winning where two have one name: the command line over the person's
/// for this project, over the project's, over the person's for all. `strict` leaves the command line alone.
#[must_use]
pub fn gather(settings: &Settings, dynamic: &Dynamic, strict: bool) -> Vec<Named> {
    let mut all: IndexMap<String, Named> = IndexMap::new();
    let chosen = settings.customs();
    let places = settings.places();
    let mut known = None;
    if !strict {
        if let Some(servers) = of_file(&managed_file(settings)) {
            // The administrator's list is the whole list.
            lay(&mut all, Scope::Managed, servers);
            return all.into_values().filter(|named| permitted(settings, named)).collect();
        }
        let global = &*known.insert(global(settings));
        if chosen.user {
            lay(&mut all, Scope::User, config::each(&object(global, "mcpServers")));
        }
        if chosen.project {
            for folder in sluice_settings::project_folders(&places.cwd) {
                if let Some(servers) = of_file(&folder.join(PROJECT_FILE)) {
                    lay(&mut all, Scope::Project, servers);
                }
            }
        }
        if chosen.local {
            lay(&mut all, Scope::Local, config::each(&local(global, &places.cwd)));
        }
    }
    lay(&mut all, Scope::Dynamic, dynamic.clone());
    if all.is_empty() {
        return Vec::new();
    }
    let known = known.unwrap_or_else(|| global(settings));
    chosen_of(settings, all, &known)
}

/// The servers that a plugin or an agent brings: what holds for servers of the files holds for these too, and where an
/// administrator's list is the whole list, it is.
pub fn brought(
    settings: &Settings,
    scope: Scope,
    servers: IndexMap<String, Result<ServerConfig, ConfigError>>,
) -> Vec<Named> {
    if servers.is_empty() || managed_file(settings).exists() {
        return Vec::new();
    }
    let mut all = IndexMap::new();
    lay(&mut all, scope, servers);
    chosen_of(settings, all, &global(settings))
}

/// Without the denied servers, and with the approval of the others.
fn chosen_of(settings: &Settings, all: IndexMap<String, Named>, global: &Map<String, Value>) -> Vec<Named> {
    let choices = Choices::of(settings, global);
    all.into_values()
        .filter(|named| permitted(settings, named))
        .map(|named| choices.applied(named))
        .collect()
}

fn managed_file(settings: &Settings) -> PathBuf {
    settings.places().managed.with_file_name(MANAGED_FILE)
}

fn lay(all: &mut IndexMap<String, Named>, scope: Scope, servers: IndexMap<String, Result<ServerConfig, ConfigError>>) {
    for (name, config) in servers {
        // The one that counts stands where its own scope puts it.
        all.shift_remove(&name);
        let standing = match &config {
            Ok(_) => Standing::Approved,
            Err(error) => Standing::Broken(error.to_string()),
        };
        let named = Named {
            name: name.clone(),
            scope,
            config,
            standing,
        };
        all.insert(name, named);
    }
}

/// The approvals of the project's servers.
struct Choices {
    all: bool,
    enabled: Vec<String>,
    disabled: Vec<String>,
    /// Switched off by the person, for this project, whoever named them.
    off: Vec<String>,
    /// A program chose the folder, or it is trusted for this run: what is not disabled runs.
    unasked: bool,
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
            unasked: settings.opener() == Opener::Host || settings.vouched(),
            trusted: settings.trusted(),
        }
    }

    fn applied(&self, named: Named) -> Named {
        let off = self.off.contains(&named.name);
        let standing = match (named.scope, &named.standing) {
            (_, Standing::Approved) if off => Standing::Rejected,
            (Scope::Project, Standing::Approved) => self.standing(&named.name),
            (_, standing) => standing.clone(),
        };
        Named { standing, ..named }
    }

    fn standing(&self, name: &str) -> Standing {
        let has = |list: &[String]| list.iter().any(|known| known == name);
        if has(&self.disabled) {
            Standing::Rejected
        } else if self.unasked || (self.trusted && (self.all || has(&self.enabled))) {
            Standing::Approved
        } else {
            Standing::Waiting
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

/// Whether the lists of allowed and denied servers let it through. Anybody may deny; only the administrator's list of
/// what is allowed leaves others out.
fn permitted(settings: &Settings, named: &Named) -> bool {
    let Ok(config) = &named.config else { return true };
    let denied = settings.each(&keys::DENIED_MCP_SERVERS);
    if denied.iter().any(|(_, list)| speaks_of(list, &named.name, config)) {
        return false;
    }
    let allowed = settings.each(&keys::ALLOWED_MCP_SERVERS);
    let managed = allowed.iter().find(|(source, _)| *source == Source::Policy);
    managed.is_none_or(|(_, list)| config.is_sdk() || speaks_of(list, &named.name, config))
}

/// Whether an entry of a list names this server, by its name, its command line or its address.
fn speaks_of(list: &Value, name: &str, config: &ServerConfig) -> bool {
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

/// Whether a pattern with `*` in it covers an address.
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
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn of_file(path: &Path) -> Option<IndexMap<String, Result<ServerConfig, ConfigError>>> {
    let text = match sluice_settings::text(path) {
        Ok(text) => text?,
        Err(error) => return Some(broken(path, &error.to_string())),
    };
    Some(config::servers(&text).unwrap_or_else(|error| broken(path, &error.to_string())))
}

/// A file that cannot be read is told of as a server that is broken: it names itself where servers are listed.
fn broken(path: &Path, why: &str) -> IndexMap<String, Result<ServerConfig, ConfigError>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    IndexMap::from([(name, Err(ConfigError::Json(format!("{}: {why}", path.display()))))])
}

/// What `~/.claude.json` holds, as far as it can be read.
pub fn global(settings: &Settings) -> Map<String, Value> {
    let text = settings.global_text();
    // It may be large, and mostly is about other things.
    if !text.contains("\"mcpServers\"") && !text.contains(OFF_KEY) {
        return Map::new();
    }
    serde_json::from_str(&text).unwrap_or_default()
}

/// The person's servers for this project.
pub fn local(global: &Map<String, Value>, cwd: &Path) -> Map<String, Value> {
    let servers = project(global, cwd, "mcpServers").and_then(Value::as_object);
    servers.cloned().unwrap_or_default()
}

/// What the person's file says about this project under a key.
fn project<'a>(global: &'a Map<String, Value>, cwd: &Path, key: &str) -> Option<&'a Value> {
    let projects = global.get("projects")?;
    project_keys(cwd)
        .iter()
        .find_map(|name| projects.get(name)?.get(key).filter(|value| !value.is_null()))
}

/// What a project may be called in `~/.claude.json`, the likeliest first.
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
