//! `sluice mcp add|add-json|list|get|remove|reset-project-choices`: configured MCP servers.

use std::fmt::Write as _;

use indexmap::IndexMap;
use serde_json::{Value, json};
use sluice_engine::mcp::config::Reach;
use sluice_engine::mcp::scopes::{self, Named, Scope, ServerApproval};
use sluice_engine::mcp::{self, ServerConfig, store};
use sluice_engine::settings::{Opener, Places};

use crate::environment::Environment;
use crate::fail;
use crate::flags::{Flags, Mcp, McpAdd};
use crate::launch::{self, Place};

/// Runs a command and returns the exit code.
pub(crate) fn run(asked: &Mcp, flags: &Flags, environment: &Environment) -> i32 {
    // A person runs this command, so servers that wait for approval are shown as pending.
    let place = Place::look(flags, environment, Opener::Person);
    let places = place.settings.places().clone();
    let named = || all(&place, flags);
    let done = match asked {
        Mcp::Add(server) => add(&places, server),
        Mcp::List => Ok(list(&named())),
        Mcp::Get { name } => get(&named(), name),
        Mcp::Remove { name, scope } => remove(&places, &named(), name, scope.as_deref()),
        Mcp::ResetProjectChoices => store::forget_choices(&places)
            .map(|()| "The approvals and rejections of this project's MCP servers were reset.".to_owned())
            .map_err(|error| error.to_string()),
        Mcp::Serve { .. } => Ok(String::new()),
    };
    match done {
        Ok(text) => {
            crate::say(&crate::plain(&text));
            0
        }
        Err(problem) => fail(&problem),
    }
}

/// Returns the servers of a session in this folder, those of plugins first.
pub(crate) fn all(place: &Place, flags: &Flags) -> Vec<Named> {
    let dirs = launch::plugin_dirs(flags, &place.environment);
    let mut named = mcp::plugin_servers(&place.settings, &dirs);
    named.extend(scopes::gather(&place.settings, &IndexMap::new(), false));
    named
}

fn add(places: &Places, server: &McpAdd) -> Result<String, String> {
    let value = match &server.json {
        Some(text) => serde_json::from_str(text).map_err(|error| format!("invalid JSON: {error}"))?,
        None => described(server)?,
    };
    let config = ServerConfig::parse(&value).map_err(|error| error.to_string())?;
    let scope = scope(&server.scope);
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if server.name.is_empty() || !server.name.chars().all(plain) {
        return Err(format!(
            "{:?} is not a valid server name: use letters, digits, - and _",
            server.name
        ));
    }
    if !store::add(places, scope, &server.name, &value).map_err(|error| error.to_string())? {
        return Err(format!(
            "MCP server {} already exists in {} config; remove it first",
            server.name,
            scope.as_str()
        ));
    }
    let file = store::file(places, scope).unwrap_or_default();
    Ok(format!(
        "Added {} MCP server {} to {} config: {}\nFile modified: {}",
        config.transport(),
        server.name,
        scope.as_str(),
        reach(&config),
        file.display()
    ))
}

/// Builds the configuration of a server from command line words.
fn described(server: &McpAdd) -> Result<Value, String> {
    let (first, rest) = server.words.split_first().ok_or("a command or a URL is needed")?;
    match server.transport.as_deref() {
        Some(kind @ ("http" | "sse")) => {
            // Headers are also accepted after the URL.
            let mut headers = server.headers.clone();
            let mut rest = rest.iter();
            while let Some(word) = rest.next() {
                match (word.as_str(), rest.next()) {
                    ("--header" | "-H", Some(header)) => headers.push(header.clone()),
                    _ => return Err(format!("unexpected argument {word:?} after the URL")),
                }
            }
            let mut value = json!({"type": kind, "url": first});
            let headers = pairs(&headers, ':', "Name: value")?;
            if let (false, Some(object)) = (headers.is_empty(), value.as_object_mut()) {
                object.insert("headers".to_owned(), json!(headers));
            }
            Ok(value)
        }
        _ if !server.headers.is_empty() => Err("--header needs --transport http or sse".to_owned()),
        _ => Ok(json!({
            "type": "stdio", "command": first, "args": rest, "env": pairs(&server.env, '=', "NAME=value")?,
        })),
    }
}

fn pairs(words: &[String], between: char, form: &str) -> Result<IndexMap<String, String>, String> {
    let pair = |word: &String| {
        let (name, value) = word.split_once(between)?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    };
    words
        .iter()
        .map(|word| pair(word).ok_or_else(|| format!("{word:?} is not of the form {form}")))
        .collect()
}

fn list(named: &[Named]) -> String {
    if named.is_empty() {
        return "No MCP servers configured. Use `sluice mcp add` to add one.".to_owned();
    }
    let line = |named: &Named| {
        let what = named.config.as_ref().map(reach).unwrap_or_default();
        format!(
            "{}: {what} ({}) - {}",
            named.name,
            named.scope.as_str(),
            standing(named)
        )
    };
    named.iter().map(line).collect::<Vec<_>>().join("\n")
}

pub(crate) fn standing(named: &Named) -> String {
    match &named.approval {
        ServerApproval::Approved => "configured".to_owned(),
        ServerApproval::Pending => "pending approval".to_owned(),
        ServerApproval::Rejected => "switched off".to_owned(),
        ServerApproval::Invalid(why) => format!("cannot be read: {why}"),
    }
}

fn get(named: &[Named], name: &str) -> Result<String, String> {
    let found = named.iter().find(|named| named.name == name);
    let found = found.ok_or_else(|| format!("No MCP server found with name: {name}"))?;
    let mut text = format!(
        "{name}:\n  Scope: {}\n  Status: {}",
        found.scope.as_str(),
        standing(found)
    );
    if let Ok(config) = &found.config {
        let _written = write!(text, "\n  Type: {}", config.transport());
        match &config.reach {
            Reach::Stdio { command, args, env } => {
                let _written = write!(text, "\n  Command: {command}\n  Args: {}", args.join(" "));
                // Only names are shown, because values may be secret.
                let names: Vec<&str> = env.keys().map(String::as_str).collect();
                if !names.is_empty() {
                    let _written = write!(text, "\n  Environment: {}", names.join(", "));
                }
            }
            Reach::Http { url, headers } | Reach::Sse { url, headers } => {
                let _written = write!(text, "\n  URL: {url}");
                let names: Vec<&str> = headers.keys().map(String::as_str).collect();
                if !names.is_empty() {
                    let _written = write!(text, "\n  Headers: {}", names.join(", "));
                }
            }
            Reach::Sdk { .. } => {}
        }
    }
    Ok(text)
}

fn remove(places: &Places, named: &[Named], name: &str, chosen: Option<&str>) -> Result<String, String> {
    let scopes = match chosen {
        Some(word) => vec![scope(word)],
        // The server that takes effect here.
        None => named
            .iter()
            .filter(|named| named.name == name)
            .map(|named| named.scope)
            .collect(),
    };
    for scope in scopes {
        if store::remove(places, scope, name).map_err(|error| error.to_string())? {
            let file = store::file(places, scope).unwrap_or_default();
            return Ok(format!(
                "Removed MCP server {name} from {} config\nFile modified: {}",
                scope.as_str(),
                file.display()
            ));
        }
    }
    Err(match chosen {
        Some(scope) => format!("No {scope}-scoped MCP server found with name: {name}"),
        None => format!("No MCP server found with name: {name}"),
    })
}

fn scope(word: &str) -> Scope {
    match word {
        "user" => Scope::User,
        "project" => Scope::Project,
        _ => Scope::Local,
    }
}

pub(crate) fn reach(config: &ServerConfig) -> String {
    match &config.reach {
        Reach::Stdio { command, args, .. } => {
            let words: Vec<&str> = std::iter::once(command).chain(args).map(String::as_str).collect();
            words.join(" ")
        }
        Reach::Http { url, .. } | Reach::Sse { url, .. } => url.clone(),
        Reach::Sdk { name } => name.clone(),
    }
}
