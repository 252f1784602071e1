//! Held-back settings: what of a project does not apply until its folder is trusted, listed by name so that a person
//! can decide.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sluice_wire::printable::short_line;

use super::keys::{self, permissions};
use super::{Layer, Settings};

/// How to trust a folder, for messages.
pub const HOW_TO_TRUST: &str = "To trust it: start sluice in the folder and answer yes, pass --trust-folder, or list it in \
                                trustedFolders of your own settings.json. See docs/trust.md.";

/// How many names are shown of one kind.
const TOLD: usize = 12;

/// What one file would bring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The file, from the project's folder on.
    pub file: PathBuf,
    /// What of it waits: keys, with what they hold.
    pub what: Vec<String>,
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", shown(&self.file.to_string_lossy()), self.what.join(", "))
    }
}

impl Held {
    /// What waits of a file that is not one of settings.
    #[must_use]
    pub fn new(file: &Path, cwd: &Path, what: Vec<String>) -> Self {
        let what = what.into_iter().map(|what| shown(&what)).collect();
        Self {
            file: file.strip_prefix(cwd).unwrap_or(file).to_owned(),
            what,
        }
    }
}

impl Settings {
    /// The settings of an untrusted folder that do not apply.
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

/// One sentence for a person: what was left out, and what to do about it.
#[must_use]
pub fn sentence(folder: &Path, held: &[Held]) -> Option<String> {
    if held.is_empty() {
        return None;
    }
    let mut told: Vec<String> = held.iter().take(TOLD).map(ToString::to_string).collect();
    if let Some(more) = held.len().checked_sub(TOLD).filter(|more| *more > 0) {
        told.push(format!("and {more} more files"));
    }
    Some(format!(
        "{} is not trusted, so this is held back: {}. Its deny and ask rules apply. {HOW_TO_TRUST}",
        shown(&folder.to_string_lossy()),
        told.join("; ")
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
                        what.push(format!("{}.{}", keys::PERMISSIONS.name, counted(key, &waiting)));
                    }
                }
            }
            (_, Some(_)) => {}
            (value, None) => what.push(counted(key, value)),
        }
    }
    what.sort();
    what
}

/// A key, with how much it holds or of what.
fn counted(key: &str, value: &Value) -> String {
    match value {
        Value::Array(list) if key == permissions::ALLOW.name => format!("{key} ({})", list.len()),
        Value::Object(map) if !map.is_empty() && keys::find(key).is_some_and(|key| key.told_by_name) => {
            let mut names: Vec<&str> = map.keys().map(String::as_str).collect();
            names.sort_unstable();
            let more = if names.len() > TOLD { ", …" } else { "" };
            names.truncate(TOLD);
            format!("{key} ({}{more})", names.join(", "))
        }
        _ => key.to_owned(),
    }
}

/// Text of a project for a person's screen.
fn shown(text: &str) -> String {
    short_line(text, LONGEST)
}

/// The longest piece of a stranger's text that is shown.
const LONGEST: usize = 400;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strangers_words_move_no_cursor_and_have_an_end() {
        let held = [Held::new(
            Path::new("/p/.mcp.json"),
            Path::new("/p"),
            vec![format!("a\u{1b}[2J\nb\u{202e}c{}", "x".repeat(1000))],
        )];
        let told = sentence(Path::new("/p"), &held).unwrap_or_default();
        assert!(!told.contains(['\u{1b}', '\n', '\u{202e}']), "{told}");
        assert!(told.len() < 1000, "{}", told.len());
        assert!(told.contains("--trust-folder"));
        assert_eq!(sentence(Path::new("/p"), &[]), None);
    }

    #[test]
    fn many_files_are_counted() {
        let held: Vec<Held> = (0..20)
            .map(|n| Held::new(Path::new(&format!("/p/{n}")), Path::new("/p"), vec!["x".to_owned()]))
            .collect();
        assert!(sentence(Path::new("/p"), &held).is_some_and(|told| told.contains("and 8 more files")));
    }
}
