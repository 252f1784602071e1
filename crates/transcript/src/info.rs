//! The properties of a session for lists of sessions.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::Value;

use super::ends::{Ends, first, last};
use super::error::Error;
use super::time::milliseconds;

/// Maximum length of the first prompt in a list, in characters.
const MAX_PROMPT_CHARS: usize = 200;

/// Prefixes of texts that the user did not write as a prompt.
const NON_PROMPT_PREFIXES: &[&str] = &[
    "<local-command-stdout>",
    "<session-start-hook>",
    "<tick>",
    "<goal>",
    "[Request interrupted by user",
    "<ide_opened_file>",
    "<ide_selection>",
];

/// The properties of a session that can be found without reading the whole transcript.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SessionInfo {
    /// The session's id.
    pub session_id: String,
    /// The title; if there is none, the last prompt, a summary or the first prompt.
    pub summary: String,
    /// When the transcript was last written, in milliseconds since 1970.
    pub last_modified: u64,
    /// The size of the transcript in bytes.
    pub file_size: u64,
    /// The title set by the user or the agent.
    pub custom_title: Option<String>,
    /// The first prompt.
    pub first_prompt: Option<String>,
    /// The last git branch of the session.
    pub git_branch: Option<String>,
    /// The folder in which the session started.
    pub cwd: Option<String>,
    /// The session's tag.
    pub tag: Option<String>,
    /// When the session started, in milliseconds since 1970.
    pub created_at: Option<u64>,
    /// Whether the session is archived.
    pub archived: bool,
    /// The program that started the session: `cli`, `sdk-py`, …
    pub entrypoint: Option<String>,
}

/// Reads the properties from a transcript; `None` if the session has nothing to display.
pub(super) fn of(file: &Path, project: Option<&Path>) -> Result<Option<SessionInfo>, Error> {
    let failed = |error| Error::file(file, error);
    let ends = Ends::of(file).map_err(failed)?;
    let first_line = ends.head.lines().next().unwrap_or_default();
    if ends.size == 0 || first_line.contains("\"isSidechain\":true") || first_line.contains("\"isSidechain\": true") {
        return Ok(None);
    }
    let either = |key: &str| last(&ends.tail, key).or_else(|| last(&ends.head, key));
    let title = either("customTitle")
        .or_else(|| either("aiTitle"))
        .filter(|title| !title.is_empty());
    let first_prompt = first_prompt(&ends.head);
    let summary = title
        .clone()
        .or_else(|| last(&ends.tail, "lastPrompt"))
        .or_else(|| last(&ends.tail, "summary"))
        .or_else(|| first_prompt.clone())
        .filter(|summary| !summary.is_empty());
    let Some(summary) = summary else { return Ok(None) };
    let modified = fs::metadata(file).and_then(|data| data.modified()).map_err(failed)?;
    let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    let created = first(&ends.head, "timestamp").and_then(|text| milliseconds(&text));
    let path = project.map(|path| path.to_string_lossy().into_owned());
    Ok(Some(SessionInfo {
        session_id: file
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default(),
        summary,
        last_modified: u64::try_from(modified.as_millis()).unwrap_or(u64::MAX),
        file_size: ends.size,
        custom_title: title,
        first_prompt,
        git_branch: either("gitBranch").filter(|branch| !branch.is_empty()),
        cwd: first(&ends.head, "cwd").or(path),
        tag: tag(&ends.tail),
        created_at: created,
        archived: is_archived(file),
        entrypoint: first(&ends.head, "entrypoint"),
    }))
}

fn tag(tail: &str) -> Option<String> {
    let lines = tail.lines().rev();
    let line = lines
        .map(str::trim)
        .find(|line| line.starts_with("{\"type\":\"tag\""))?;
    last(line, "tag").filter(|tag| !tag.is_empty())
}

fn is_archived(file: &Path) -> bool {
    let note: PathBuf = file.with_extension("").join("archived.json");
    let note = fs::read_to_string(note).ok();
    let note = note.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    note.is_some_and(|note| note.get("archived").and_then(Value::as_bool) == Some(true))
}

/// Returns the first prompt of the user.
fn first_prompt(head: &str) -> Option<String> {
    let mut first = FirstPrompt::default();
    for line in head.lines() {
        first.take(line);
    }
    first.found().map(str::to_owned)
}

/// Searches for the first prompt of the user, line by line.
#[derive(Debug, Default)]
pub(super) struct FirstPrompt {
    prompt: Option<String>,
    /// The first slash command, which is used if there is no prompt.
    command: Option<String>,
}

impl FirstPrompt {
    /// Processes the next line.
    pub(super) fn take(&mut self, line: &str) {
        if self.prompt.is_some() || !line.contains("\"user\"") {
            return;
        }
        let Ok(entry) = serde_json::from_str::<Value>(line) else {
            return;
        };
        let flag = |name: &str| entry.get(name).and_then(Value::as_bool) == Some(true);
        if entry.get("type").and_then(Value::as_str) != Some("user") || flag("isMeta") || flag("isCompactSummary") {
            return;
        }
        for text in texts(&entry) {
            let flat = text.replace('\n', " ");
            let flat = flat.trim();
            if flat.is_empty() || NON_PROMPT_PREFIXES.iter().any(|beginning| flat.starts_with(beginning)) {
                continue;
            }
            if let Some(name) = between(flat, "<command-name>", "</command-name>") {
                self.command.get_or_insert(name);
                continue;
            }
            self.prompt = Some(shortened(flat));
            return;
        }
    }

    /// Returns the prompt or command that was found.
    pub(super) fn found(&self) -> Option<&str> {
        self.prompt.as_deref().or(self.command.as_deref())
    }
}

/// Returns the texts of an entry, block by block; empty if the entry contains tool results.
pub(super) fn texts(entry: &Value) -> Vec<String> {
    match entry.pointer("/message/content") {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(blocks)) => {
            if blocks
                .iter()
                .any(|block| block.get("type").and_then(Value::as_str) == Some("tool_result"))
            {
                return Vec::new();
            }
            let texts = blocks
                .iter()
                .filter_map(|block| block.get("text").and_then(Value::as_str));
            texts.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

fn between(text: &str, begin: &str, end: &str) -> Option<String> {
    let (_, after) = text.split_once(begin)?;
    let (inside, _) = after.split_once(end)?;
    Some(inside.to_owned())
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= MAX_PROMPT_CHARS {
        return text.to_owned();
    }
    let shown: String = text.chars().take(MAX_PROMPT_CHARS).collect();
    format!("{}…", shown.trim_end())
}

#[cfg(test)]
mod tests {
    use super::first_prompt;

    #[test]
    fn the_first_prompt_is_the_first_text_written_by_the_user() {
        let head = concat!(
            r#"{"type":"user","isMeta":true,"message":{"role":"user","content":"caveat"}}"#,
            "\n",
            r#"{"type":"user","message":{"role":"user","content":"<command-name>/clear</command-name>"}}"#,
            "\n",
            r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}}"#,
            "\n",
        );
        assert_eq!(first_prompt(head).as_deref(), Some("/clear"));
        let more = format!(
            "{head}{}\n",
            r#"{"type":"user","message":{"role":"user","content":"do\nit"}}"#
        );
        assert_eq!(first_prompt(&more).as_deref(), Some("do it"));
    }
}
