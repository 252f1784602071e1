//! The `sandbox` settings.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::domains::{Domains, Pattern};

/// Configuration of the sandbox.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Config {
    /// Working folders of the session, which are writable.
    pub roots: Vec<PathBuf>,
    /// Home directory of the user.
    pub home: PathBuf,
    /// Additional absolute paths that are never writable: our own configuration.
    pub protected: Vec<PathBuf>,
    /// `filesystem.allowWrite`.
    pub allow_write: Vec<PathBuf>,
    /// `filesystem.denyWrite`.
    pub deny_write: Vec<PathBuf>,
    /// `filesystem.denyRead`, and `credentials.files` regardless of their mode.
    pub deny_read: Vec<PathBuf>,
    /// `filesystem.allowRead`: exceptions from `deny_read`.
    pub allow_read: Vec<PathBuf>,
    /// `credentials.envVars`, regardless of their mode; not passed to commands.
    pub deny_env: Vec<String>,
    /// `network`: reachable hosts.
    pub domains: Domains,
    /// `network.allowAllUnixSockets`. Single sockets (`allowUnixSockets`) cannot be allowed on Linux and stay closed.
    pub unix_sockets: bool,
    /// `allowNestedUserNamespaces`.
    pub nested_namespaces: bool,
    /// `allowUnsandboxedCommands`: whether a call may request to run outside, subject to permission.
    pub allow_unsandboxed: bool,
    /// `autoAllowBashIfSandboxed`, used by the permission decision.
    pub auto_allow: bool,
    /// `excludedCommands`, which run outside.
    pub excluded: Vec<String>,
    /// `bwrapPath`.
    pub bwrap: Option<PathBuf>,
    /// `socatPath`.
    pub socat: Option<PathBuf>,
}

/// Settings that cannot be enforced; no command runs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A key has a value of the wrong type.
    #[error("sandbox{key} must be {wanted}")]
    Shape {
        /// The key with its parents, each preceded by a dot.
        key: String,
        /// The expected type.
        wanted: &'static str,
    },
    /// A path with wildcards, whose matches could change while a command runs.
    #[error("sandbox{key}: `{path}` has a wildcard, which the sandbox cannot keep; name the directory instead")]
    Wildcard {
        /// The key with its parents, each preceded by a dot.
        key: String,
        /// The path as written.
        path: String,
    },
    /// An invalid domain.
    #[error("sandbox.network.{key}: `{domain}` is not a domain, `*.domain` or IP address")]
    Domain {
        /// The key.
        key: &'static str,
        /// The domain as written.
        domain: String,
    },
}

impl Config {
    /// Parses the `sandbox` object of the settings; `None` if no sandbox is configured. Relative paths start at the
    /// first root. `protected` are absolute paths in addition to the well-known names.
    pub fn from_settings(
        settings: &Value,
        roots: Vec<PathBuf>,
        home: PathBuf,
        protected: Vec<PathBuf>,
    ) -> Result<Option<Self>, ConfigError> {
        if settings.is_null() {
            return Ok(None);
        }
        let settings = Section {
            value: settings,
            name: String::new(),
        };
        if !settings.value.is_object() {
            return Err(ConfigError::Shape {
                key: String::new(),
                wanted: "an object",
            });
        }
        if !settings.flag("enabled", false)? {
            return Ok(None);
        }
        let base = roots.first().cloned().unwrap_or_else(|| home.clone());
        let (network, files) = (settings.section("network")?, settings.section("filesystem")?);
        let paths = |key: &str| -> Result<Vec<PathBuf>, ConfigError> {
            let written = files.strings(key)?;
            written
                .into_iter()
                .map(|path| place(&path, &base, &home).ok_or_else(|| files.wildcard(key, &path)))
                .collect()
        };
        let credentials = settings.section("credentials")?;
        let mut deny_read = paths("denyRead")?;
        for path in credentials.named("files", "path")? {
            deny_read.push(place(&path, &base, &home).ok_or_else(|| credentials.wildcard("files", &path))?);
        }
        let domains = Domains {
            allowed: patterns(&network, "allowedDomains")?,
            denied: patterns(&network, "deniedDomains")?,
        };
        Ok(Some(Self {
            allow_write: paths("allowWrite")?,
            deny_write: paths("denyWrite")?,
            allow_read: paths("allowRead")?,
            deny_env: credentials.named("envVars", "name")?,
            deny_read,
            domains,
            unix_sockets: network.flag("allowAllUnixSockets", false)?,
            nested_namespaces: settings.flag("allowNestedUserNamespaces", false)?,
            allow_unsandboxed: settings.flag("allowUnsandboxedCommands", true)?,
            auto_allow: settings.flag("autoAllowBashIfSandboxed", true)?,
            excluded: settings.strings("excludedCommands")?,
            bwrap: settings.path("bwrapPath")?,
            socat: settings.path("socatPath")?,
            roots,
            home,
            protected,
        }))
    }
}

fn patterns(network: &Section<'_>, key: &'static str) -> Result<Vec<Pattern>, ConfigError> {
    let written = network.strings(key)?;
    written
        .into_iter()
        .map(|domain| Pattern::parse(&domain).ok_or(ConfigError::Domain { key, domain }))
        .collect()
}

/// Returns an absolute path without `.` and `..`; `None` for wildcards.
fn place(written: &str, base: &Path, home: &Path) -> Option<PathBuf> {
    // `/**` is redundant, because a directory includes everything below it
    let bare = written.strip_suffix("/**").unwrap_or(written);
    if bare.contains(['*', '?', '[']) {
        return None;
    }
    let path = match bare.strip_prefix('~') {
        Some("") => home.to_owned(),
        Some(rest) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => base.join(bare),
    };
    Some(normal(&path))
}

/// Removes `.`, `..` and redundant slashes.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => result.push(name),
            Component::ParentDir => drop(result.pop()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    result
}

struct Section<'a> {
    value: &'a Value,
    name: String,
}

impl Section<'_> {
    fn key(&self, key: &str) -> String {
        format!("{}.{key}", self.name)
    }

    fn wrong(&self, key: &str, wanted: &'static str) -> ConfigError {
        ConfigError::Shape {
            key: self.key(key),
            wanted,
        }
    }

    fn wildcard(&self, key: &str, path: &str) -> ConfigError {
        ConfigError::Wildcard {
            key: self.key(key),
            path: path.to_owned(),
        }
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.value.get(key).filter(|value| !value.is_null())
    }

    fn section(&self, key: &str) -> Result<Section<'_>, ConfigError> {
        match self.get(key) {
            Some(value) if !value.is_object() => Err(self.wrong(key, "an object")),
            value => Ok(Section {
                value: value.unwrap_or(&Value::Null),
                name: self.key(key),
            }),
        }
    }

    fn flag(&self, key: &str, otherwise: bool) -> Result<bool, ConfigError> {
        match self.get(key) {
            None => Ok(otherwise),
            Some(value) => value.as_bool().ok_or_else(|| self.wrong(key, "true or false")),
        }
    }

    fn path(&self, key: &str) -> Result<Option<PathBuf>, ConfigError> {
        let wrong = || self.wrong(key, "an absolute path");
        let Some(value) = self.get(key) else { return Ok(None) };
        let path = PathBuf::from(value.as_str().ok_or_else(wrong)?);
        path.is_absolute().then_some(Some(path)).ok_or_else(wrong)
    }

    fn strings(&self, key: &str) -> Result<Vec<String>, ConfigError> {
        let wrong = || self.wrong(key, "a list of strings");
        let Some(value) = self.get(key) else {
            return Ok(Vec::new());
        };
        let list = value.as_array().ok_or_else(wrong)?;
        let text = |item: &Value| item.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        list.iter().map(|item| text(item).ok_or_else(wrong)).collect()
    }

    /// Returns one field of every object in a list.
    fn named(&self, key: &str, field: &str) -> Result<Vec<String>, ConfigError> {
        let wrong = || self.wrong(key, "a list of objects");
        let Some(value) = self.get(key) else {
            return Ok(Vec::new());
        };
        let list = value.as_array().ok_or_else(wrong)?;
        let text = |item: &Value| item.get(field).and_then(Value::as_str).map(str::to_owned);
        list.iter().map(|item| text(item).ok_or_else(wrong)).collect()
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
