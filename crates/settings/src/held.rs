//! Held-back settings: the settings of a project that do not apply until its folder is trusted, listed by name so that
//! the user can decide.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sluice_wire::printable::short_line;

use super::keys::{self, permissions};
use super::{Layer, Settings};

/// Explains in messages how to trust a folder.
pub const HOW_TO_TRUST: &str = "To trust it: start sluice in the folder and answer yes, pass --trust-folder, or list it in \
                                trustedFolders of your own settings.json. See docs/trust.md.";

/// Maximum number of names that are listed.
const MAX_NAMES: usize = 12;

/// The held-back settings of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The file, relative to the project folder.
    pub file: PathBuf,
    /// The held-back keys, some with a summary of their value.
    pub what: Vec<String>,
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}",
            displayable(&self.file.to_string_lossy()),
            self.what.join(", ")
        )
    }
}

impl Held {
    /// Creates the list for a file other than a settings file.
    #[must_use]
    pub fn new(file: &Path, cwd: &Path, what: Vec<String>) -> Self {
        let what = what.into_iter().map(|what| displayable(&what)).collect();
        Self {
            file: file.strip_prefix(cwd).unwrap_or(file).to_owned(),
            what,
        }
    }
}

impl Settings {
    /// Returns the held-back settings of an untrusted folder.
    #[must_use]
    pub fn held_back(&self) -> Vec<Held> {
        let held = |layer: &Layer| {
            let what = differences(&layer.value, layer.in_force());
            let file = layer.path.as_deref().unwrap_or(Path::new("settings"));
            (layer.waits() && !what.is_empty()).then(|| Held::new(file, &self.places().cwd, what))
        };
        self.layers().iter().filter_map(held).collect()
    }
}

/// Returns a message for the user with the held-back settings and how to trust the folder.
#[must_use]
pub fn sentence(folder: &Path, held: &[Held]) -> Option<String> {
    if held.is_empty() {
        return None;
    }
    let mut items: Vec<String> = held.iter().take(MAX_NAMES).map(ToString::to_string).collect();
    if let Some(more) = held.len().checked_sub(MAX_NAMES).filter(|more| *more > 0) {
        items.push(format!("and {more} more files"));
    }
    Some(format!(
        "{} is not trusted, so these settings do not apply: {}. Its deny and ask rules apply. {HOW_TO_TRUST}",
        displayable(&folder.to_string_lossy()),
        items.join("; ")
    ))
}

fn differences(said: &Map<String, Value>, in_force: &Map<String, Value>) -> Vec<String> {
    let mut what: Vec<String> = Vec::new();
    for (key, value) in said {
        match (value, in_force.get(key)) {
            (Value::Object(said), in_force) if key == keys::PERMISSIONS.name => {
                for (key, value) in said {
                    let waiting = match (value, in_force.and_then(|map| map.get(key))) {
                        (value, None) => value.clone(),
                        (Value::Array(list), Some(Value::Array(applied))) => {
                            list.iter().filter(|it| !applied.contains(it)).cloned().collect()
                        }
                        _ => continue,
                    };
                    if waiting.as_array().is_none_or(|list| !list.is_empty()) {
                        what.push(format!("{}.{}", keys::PERMISSIONS.name, summarized(key, &waiting)));
                    }
                }
            }
            (_, Some(_)) => {}
            (value, None) => what.push(summarized(key, value)),
        }
    }
    what.sort();
    what
}

/// Returns a key, with the number or the names of its entries for some keys.
fn summarized(key: &str, value: &Value) -> String {
    match value {
        Value::Array(list) if key == permissions::ALLOW.name => format!("{key} ({})", list.len()),
        Value::Object(map) if !map.is_empty() && keys::find(key).is_some_and(|key| key.told_by_name) => {
            let mut names: Vec<&str> = map.keys().map(String::as_str).collect();
            names.sort_unstable();
            let more = if names.len() > MAX_NAMES { ", …" } else { "" };
            names.truncate(MAX_NAMES);
            format!("{key} ({}{more})", names.join(", "))
        }
        _ => key.to_owned(),
    }
}

/// Makes untrusted text safe to display.
fn displayable(text: &str) -> String {
    short_line(text, MAX_TEXT_CHARS)
}

/// Maximum length of untrusted text in messages, in characters.
const MAX_TEXT_CHARS: usize = 400;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_is_escaped_and_truncated() {
        let held = [Held::new(
            Path::new("/p/.mcp.json"),
            Path::new("/p"),
            vec![format!("a\u{1b}[2J\nb\u{202e}c{}", "x".repeat(1000))],
        )];
        let items = sentence(Path::new("/p"), &held).unwrap_or_default();
        assert!(!items.contains(['\u{1b}', '\n', '\u{202e}']), "{items}");
        assert!(items.len() < 1000, "{}", items.len());
        assert!(items.contains("--trust-folder"));
        assert_eq!(sentence(Path::new("/p"), &[]), None);
    }

    #[test]
    fn additional_files_are_counted() {
        let held: Vec<Held> = (0..20)
            .map(|n| Held::new(Path::new(&format!("/p/{n}")), Path::new("/p"), vec!["x".to_owned()]))
            .collect();
        assert!(sentence(Path::new("/p"), &held).is_some_and(|items| items.contains("and 8 more files")));
    }
}
