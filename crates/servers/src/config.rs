//! The configuration of one MCP server: its transport, and the expansion of environment variables in it.

use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

/// The minimum timeout of a tool that a configuration can set, in milliseconds.
const MIN_TIMEOUT_MS: u64 = 1000;

/// The configuration of an MCP server, from a file or a flag.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// How the server is reached.
    pub reach: Reach,
    /// The timeout of its tools; `None` for the default.
    pub timeout: Option<Duration>,
    /// Its tools are always sent to the model with their schemas.
    pub always_load: bool,
    /// OAuth settings; what they omit is discovered from the server.
    pub oauth: OAuth,
    /// The configuration as written.
    pub raw: Value,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq)]
pub enum Reach {
    /// A process that is used over its standard streams.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Environment variables added to the inherited ones.
        env: IndexMap<String, String>,
    },
    /// Streamable HTTP.
    Http {
        /// The URL of the server.
        url: String,
        /// Headers that are added to every request.
        headers: IndexMap<String, String>,
    },
    /// HTTP with server-sent events, the older HTTP transport of MCP.
    Sse {
        /// The URL of the event stream.
        url: String,
        /// Headers that are added to every request.
        headers: IndexMap<String, String>,
    },
    /// A server inside the host.
    Sdk {
        /// The name that the host gave it.
        name: String,
    },
}

/// The OAuth settings of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OAuth {
    /// The id of a client that is already registered.
    pub client_id: Option<String>,
    /// The local port that the browser is redirected to; `None` for any free port.
    pub callback_port: Option<u16>,
    /// The scopes to request.
    pub scopes: Vec<String>,
}

/// Why a configuration is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// It is not an object.
    #[error("a server must be an object with a `command` or a `url`")]
    NoObject,
    /// A field has a value of the wrong type.
    #[error("`{0}` must be {1}")]
    Field(&'static str, &'static str),
    /// An unsupported type of server.
    #[error("the server type {0:?} is not supported; the types are stdio, http, sse and sdk")]
    Type(String),
    /// The text contains no servers.
    #[error("no `mcpServers` object")]
    NoServers,
    /// The text is not JSON.
    #[error("{0}")]
    Json(String),
}

impl ServerConfig {
    /// Parses the configuration of one server.
    ///
    /// # Errors
    /// Returns an error that says what is missing or invalid.
    pub fn parse(value: &Value) -> Result<Self, ConfigError> {
        let object = value.as_object().ok_or(ConfigError::NoObject)?;
        let reach = match text(object, "type")?.as_deref() {
            None if object.contains_key("url") => http(object)?,
            None | Some("stdio") => Reach::Stdio {
                command: required(object, "command")?,
                args: texts(object, "args")?,
                env: pairs(object, "env")?,
            },
            Some("http" | "streamable-http" | "streamable_http") => http(object)?,
            Some("sse") => Reach::Sse {
                url: required(object, "url")?,
                headers: pairs(object, "headers")?,
            },
            Some("sdk") => Reach::Sdk {
                name: text(object, "name")?.unwrap_or_default(),
            },
            Some(other) => return Err(ConfigError::Type(other.to_owned())),
        };
        let timeout = object.get("timeout").and_then(Value::as_u64);
        Ok(Self {
            reach,
            timeout: timeout.map(|ms| Duration::from_millis(ms.max(MIN_TIMEOUT_MS))),
            always_load: object.get("alwaysLoad").and_then(Value::as_bool).unwrap_or(false),
            oauth: oauth(object.get("oauth")),
            raw: value.clone(),
        })
    }

    /// Returns the configuration of a server inside the host.
    #[must_use]
    pub fn sdk(name: &str) -> Self {
        Self {
            reach: Reach::Sdk { name: name.to_owned() },
            timeout: None,
            always_load: false,
            oauth: OAuth::default(),
            raw: json!({"type": "sdk", "name": name}),
        }
    }

    /// Returns whether the server is located inside the host.
    #[must_use]
    pub fn is_sdk(&self) -> bool {
        matches!(self.reach, Reach::Sdk { .. })
    }

    /// Returns the name of the transport on the wire.
    #[must_use]
    pub fn transport(&self) -> &'static str {
        match self.reach {
            Reach::Stdio { .. } => "stdio",
            Reach::Http { .. } => "http",
            Reach::Sse { .. } => "sse",
            Reach::Sdk { .. } => "sdk",
        }
    }

    /// Returns the configuration as shown to hosts, without anything that may be secret.
    #[must_use]
    pub fn shown(&self) -> Option<Value> {
        match &self.reach {
            Reach::Stdio { command, args, .. } => Some(json!({"type": "stdio", "command": command, "args": args})),
            Reach::Http { url, .. } => Some(json!({"type": "http", "url": url})),
            Reach::Sse { url, .. } => Some(json!({"type": "sse", "url": url})),
            Reach::Sdk { .. } => None,
        }
    }

    /// Returns a copy in which `${NAME}` and `${NAME:-default}` are expanded. Unknown variables without a default are kept
    /// as written and added to `missing`.
    #[must_use]
    pub fn expanded(&self, variable: &dyn Fn(&str) -> Option<String>, missing: &mut Vec<String>) -> Self {
        let mut fill = |text: &String| expand(text, variable, missing);
        let reach = match &self.reach {
            Reach::Stdio { command, args, env } => Reach::Stdio {
                command: fill(command),
                args: args.iter().map(&mut fill).collect(),
                env: env.iter().map(|(name, value)| (name.clone(), fill(value))).collect(),
            },
            Reach::Http { url, headers } => Reach::Http {
                url: fill(url),
                headers: headers
                    .iter()
                    .map(|(name, value)| (name.clone(), fill(value)))
                    .collect(),
            },
            Reach::Sse { url, headers } => Reach::Sse {
                url: fill(url),
                headers: headers
                    .iter()
                    .map(|(name, value)| (name.clone(), fill(value)))
                    .collect(),
            },
            Reach::Sdk { name } => Reach::Sdk { name: name.clone() },
        };
        Self { reach, ..self.clone() }
    }
}

/// Parses the servers in a text: `{"mcpServers": {…}}`, or the inner object alone. An invalid server is reported and does
/// not affect the others.
///
/// # Errors
/// Returns an error if the text is not JSON or contains no object with servers.
pub fn servers(text: &str) -> Result<IndexMap<String, Result<ServerConfig, ConfigError>>, ConfigError> {
    let text = text.trim_start_matches('\u{feff}');
    let value: Value = serde_json::from_str(text).map_err(|error| ConfigError::Json(error.to_string()))?;
    let map = match value.get("mcpServers") {
        Some(Value::Object(map)) => map,
        Some(_) => return Err(ConfigError::Field("mcpServers", "an object")),
        None => match &value {
            Value::Object(map) if map.values().all(Value::is_object) => map,
            _ => return Err(ConfigError::NoServers),
        },
    };
    Ok(each(map))
}

/// Parses the servers of an object.
pub fn each(map: &Map<String, Value>) -> IndexMap<String, Result<ServerConfig, ConfigError>> {
    map.iter()
        .map(|(name, value)| (name.clone(), ServerConfig::parse(value)))
        .collect()
}

fn http(object: &Map<String, Value>) -> Result<Reach, ConfigError> {
    Ok(Reach::Http {
        url: required(object, "url")?,
        headers: pairs(object, "headers")?,
    })
}

fn oauth(value: Option<&Value>) -> OAuth {
    let Some(value) = value else { return OAuth::default() };
    let port = value.get("callbackPort").and_then(Value::as_u64);
    let scopes = match value.get("scopes") {
        Some(Value::String(scopes)) => scopes.split_whitespace().map(str::to_owned).collect(),
        Some(Value::Array(scopes)) => scopes.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    OAuth {
        client_id: value.get("clientId").and_then(Value::as_str).map(str::to_owned),
        callback_port: port.and_then(|port| u16::try_from(port).ok()),
        scopes,
    }
}

fn text(object: &Map<String, Value>, key: &'static str) -> Result<Option<String>, ConfigError> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(ConfigError::Field(key, "a string")),
    }
}

fn required(object: &Map<String, Value>, key: &'static str) -> Result<String, ConfigError> {
    match text(object, key)? {
        Some(text) if !text.trim().is_empty() => Ok(text),
        _ => Err(ConfigError::Field(key, "given")),
    }
}

fn texts(object: &Map<String, Value>, key: &'static str) -> Result<Vec<String>, ConfigError> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => list
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .ok_or(ConfigError::Field(key, "a list of strings")),
        Some(_) => Err(ConfigError::Field(key, "a list of strings")),
    }
}

/// Reads an object of strings. Numbers and booleans are accepted too and converted to strings.
fn pairs(object: &Map<String, Value>, key: &'static str) -> Result<IndexMap<String, String>, ConfigError> {
    let string_of = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    match object.get(key) {
        None | Some(Value::Null) => Ok(IndexMap::new()),
        Some(Value::Object(map)) => map
            .iter()
            .map(|(name, value)| string_of(value).map(|value| (name.clone(), value)))
            .collect::<Option<_>>()
            .ok_or(ConfigError::Field(key, "an object with string values")),
        Some(_) => Err(ConfigError::Field(key, "an object with string values")),
    }
}

/// Expands `${NAME}` and `${NAME:-default}`.
fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>, missing: &mut Vec<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let Some((inside, remaining)) = after.split_once('}') else {
            filled.push_str("${");
            rest = after;
            continue;
        };
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        match variable(name).or_else(|| default.map(str::to_owned)) {
            Some(value) => filled.push_str(&value),
            None => {
                missing.push(name.to_owned());
                filled.push_str("${");
                filled.push_str(inside);
                filled.push('}');
            }
        }
        rest = remaining;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
