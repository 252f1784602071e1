//! The configuration of one MCP server: its transport, and which parts come from environment variables.

use std::time::Duration;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

/// The shortest time a configuration may give a tool.
const SHORTEST: u64 = 1000;

/// The configuration of an MCP server, from a file or a flag.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerConfig {
    /// How it is reached.
    pub reach: Reach,
    /// How long a tool of it may take; none is what holds for all.
    pub timeout: Option<Duration>,
    /// Its tools are always offered with their schemas.
    pub always_load: bool,
    /// How its sign-in is done, where that is not found out from it.
    pub oauth: OAuth,
    /// The configuration as it was written.
    pub raw: Value,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq)]
pub enum Reach {
    /// A process, over its standard streams.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Environment variables besides ours.
        env: IndexMap<String, String>,
    },
    /// Streamable HTTP.
    Http {
        /// Where.
        url: String,
        /// What every request carries.
        headers: IndexMap<String, String>,
    },
    /// HTTP with server-sent events, as the protocol had it first.
    Sse {
        /// Where the events come from.
        url: String,
        /// What every request carries.
        headers: IndexMap<String, String>,
    },
    /// Inside the host.
    Sdk {
        /// What the host calls it.
        name: String,
    },
}

/// The OAuth settings of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OAuth {
    /// A client that is registered already.
    pub client_id: Option<String>,
    /// The port the browser comes back to; any free one where none is named.
    pub callback_port: Option<u16>,
    /// What to ask for.
    pub scopes: Vec<String>,
}

/// Why a configuration describes no server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// It is no object.
    #[error("a server must be an object with a `command` or a `url`")]
    NoObject,
    /// A field has the wrong kind of value.
    #[error("`{0}` must be {1}")]
    Field(&'static str, &'static str),
    /// An unsupported type of server.
    #[error("servers of type {0:?} cannot be reached; the types are stdio, http, sse and sdk")]
    Type(String),
    /// The whole text holds no servers.
    #[error("no `mcpServers` object")]
    NoServers,
    /// The text is no JSON.
    #[error("{0}")]
    Json(String),
}

impl ServerConfig {
    /// Reads one server.
    ///
    /// # Errors
    /// When it describes none; the sentence says what is missing.
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
            timeout: timeout.map(|ms| Duration::from_millis(ms.max(SHORTEST))),
            always_load: object.get("alwaysLoad").and_then(Value::as_bool).unwrap_or(false),
            oauth: oauth(object.get("oauth")),
            raw: value.clone(),
        })
    }

    /// A server inside the host.
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

    /// Whether it lives inside the host.
    #[must_use]
    pub fn is_sdk(&self) -> bool {
        matches!(self.reach, Reach::Sdk { .. })
    }

    /// The kind of transport, as the wire names it.
    #[must_use]
    pub fn transport(&self) -> &'static str {
        match self.reach {
            Reach::Stdio { .. } => "stdio",
            Reach::Http { .. } => "http",
            Reach::Sse { .. } => "sse",
            Reach::Sdk { .. } => "sdk",
        }
    }

    /// What hosts are shown: nothing that may be a secret.
    #[must_use]
    pub fn shown(&self) -> Option<Value> {
        match &self.reach {
            Reach::Stdio { command, args, .. } => Some(json!({"type": "stdio", "command": command, "args": args})),
            Reach::Http { url, .. } => Some(json!({"type": "http", "url": url})),
            Reach::Sse { url, .. } => Some(json!({"type": "sse", "url": url})),
            Reach::Sdk { .. } => None,
        }
    }

    /// The same with `${NAME}` and `${NAME:-otherwise}` filled in. A name nobody knows stays as it is and is named
    /// in `missing`.
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

/// The servers of a text: `{"mcpServers": {…}}`, or the inner object alone. A server that cannot be read is told of
/// and takes nothing from the others.
///
/// # Errors
/// When the text is no JSON, or holds no object.
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

/// The servers of an object.
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
        Some(_) => Err(ConfigError::Field(key, "a text")),
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

/// Values may be written as numbers or truths: a variable is text all the same.
fn pairs(object: &Map<String, Value>, key: &'static str) -> Result<IndexMap<String, String>, ConfigError> {
    let said = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    match object.get(key) {
        None | Some(Value::Null) => Ok(IndexMap::new()),
        Some(Value::Object(map)) => map
            .iter()
            .map(|(name, value)| said(value).map(|value| (name.clone(), value)))
            .collect::<Option<_>>()
            .ok_or(ConfigError::Field(key, "an object with string values")),
        Some(_) => Err(ConfigError::Field(key, "an object with string values")),
    }
}

/// Fills in `${NAME}` and `${NAME:-otherwise}`.
fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>, missing: &mut Vec<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let Some((inside, behind)) = after.split_once('}') else {
            filled.push_str("${");
            rest = after;
            continue;
        };
        let (name, otherwise) = match inside.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (inside, None),
        };
        match variable(name).or_else(|| otherwise.map(str::to_owned)) {
            Some(value) => filled.push_str(&value),
            None => {
                missing.push(name.to_owned());
                filled.push_str("${");
                filled.push_str(inside);
                filled.push('}');
            }
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
