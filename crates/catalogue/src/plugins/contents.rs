//! Describes the contents of a plugin for the user who decides about it. Programs that it starts come first.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sluice_wire::printable::short_line;

use super::{Configured, Plugin, manifest};

/// Maximum number of names in a line.
const MAX_NAMES: usize = 12;
/// Maximum length of a command in a line, in characters.
const MAX_COMMAND: usize = 120;
/// Maximum depth of folders of commands.
const MAX_DEPTH: usize = 4;

/// Returns one line for each hook and MCP server, and one for each other kind of part.
pub(super) fn contents(plugin: &Plugin) -> Vec<String> {
    let mut lines = Vec::new();
    for configured in &plugin.hooks {
        match document(configured) {
            Ok(value) => hooks(value.get("hooks").unwrap_or(&value), &mut lines),
            Err(problem) => lines.push(format!("hooks that cannot be read: {problem}")),
        }
    }
    for configured in &plugin.mcp_servers {
        match document(configured) {
            Ok(value) => servers(value.get("mcpServers").unwrap_or(&value), &mut lines),
            Err(problem) => lines.push(format!("MCP servers that cannot be read: {problem}")),
        }
    }
    let is_markdown = |path: &Path| path.extension().is_some_and(|ending| ending == "md");
    let is_skill = |path: &Path| path.file_name().is_some_and(|name| name == "SKILL.md");
    named("commands", &plugin.commands, &is_markdown, &mut lines);
    named("skills", &plugin.skills, &is_skill, &mut lines);
    named("agents", &plugin.agents, &is_markdown, &mut lines);
    named("output styles", &plugin.output_styles, &is_markdown, &mut lines);
    lines
}

fn document(configured: &Configured) -> Result<Value, String> {
    match configured {
        Configured::File(path) => manifest::document(path).map(Value::Object),
        Configured::Inline(value) => Ok(value.clone()),
    }
}

/// Adds a line for each hook with its event and action.
fn hooks(events: &Value, lines: &mut Vec<String>) {
    for (event, groups) in events.as_object().into_iter().flatten() {
        let groups = groups.as_array().into_iter().flatten();
        for hook in groups.filter_map(|group| group.get("hooks")?.as_array()).flatten() {
            let word = |key: &str| hook.get(key).and_then(Value::as_str);
            let does = match (word("command"), word("url"), word("prompt")) {
                (Some(command), ..) => format!("runs `{}`", displayable(command)),
                (_, Some(url), _) => format!("sends requests to {}", displayable(url)),
                (.., Some(_)) => "asks the model".to_owned(),
                _ => format!("of type {}", displayable(word("type").unwrap_or("unknown"))),
            };
            lines.push(format!("hook {}: {does}", displayable(event)));
        }
    }
}

/// Adds a line for each MCP server with its program or address.
fn servers(servers: &Value, lines: &mut Vec<String>) {
    for (name, server) in servers.as_object().into_iter().flatten() {
        let word = |key: &str| server.get(key).and_then(Value::as_str);
        let args = server.get("args").and_then(Value::as_array).into_iter().flatten();
        let does = match (word("command"), word("url")) {
            (Some(command), _) => {
                let words: Vec<&str> = std::iter::once(command).chain(args.filter_map(Value::as_str)).collect();
                format!("runs `{}`", displayable(&words.join(" ")))
            }
            (None, Some(url)) => format!("connects to {}", displayable(url)),
            (None, None) => "has no command and no address".to_owned(),
        };
        lines.push(format!("MCP server {}: {does}", displayable(name)));
    }
}

/// Adds a line with the names of the parts of one kind.
fn named(kind: &str, places: &[PathBuf], fits: &dyn Fn(&Path) -> bool, lines: &mut Vec<String>) {
    let mut names = Vec::new();
    for place in places {
        find(place, fits, 0, &mut names);
    }
    names.sort();
    names.dedup();
    if names.is_empty() {
        return;
    }
    let more = names.len().saturating_sub(MAX_NAMES);
    names.truncate(MAX_NAMES);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    lines.push(format!("{kind}: {}{more}", names.join(", ")));
}

fn find(place: &Path, fits: &dyn Fn(&Path) -> bool, depth: usize, names: &mut Vec<String>) {
    if place.is_file() && fits(place) {
        let name = match place.file_name().is_some_and(|name| name == "SKILL.md") {
            true => place.parent().and_then(Path::file_name),
            false => place.file_stem(),
        };
        names.push(displayable(&name.unwrap_or_default().to_string_lossy()));
    } else if depth < MAX_DEPTH {
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            find(&entry.path(), fits, depth + 1, names);
        }
    }
}

/// Makes text of a plugin safe to display.
fn displayable(text: &str) -> String {
    short_line(text, MAX_COMMAND)
}
