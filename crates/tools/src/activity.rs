//! Describes a tool call in a few words, for display.

use serde_json::Value;
use sluice_permission::{Key, Touches};

use crate::tool::Descriptor;

/// Maximum length of a description in characters.
const MAX_LENGTH: usize = 200;

impl Descriptor {
    /// Describes a call with this input, for example `Reading main.rs`.
    #[must_use]
    pub fn doing(&self, input: &Value) -> String {
        let text = |key: &Key| input.get(*key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let said = match self.activity {
            Some(activity) => {
                let given = activity.keys.iter().find_map(|key| Some((*key, text(key)?)));
                given.map(|(key, what)| (activity.words, key, what))
            }
            None => usual(self.touches).and_then(|(words, key)| Some((words, key, text(&key)?))),
        };
        let said = said.map(|(words, key, what)| match self.touches.file() {
            // Of a path only the last component is shown.
            Some(path) if path == key => format!("{words} {}", what.rsplit('/').next().unwrap_or(what)),
            _ => format!("{words} {what}"),
        });
        shown(said.as_deref().map_or(&format!("Using {}", self.name), str::trim_start))
    }
}

/// Describes a call of a tool that is known only by name.
#[must_use]
pub fn using(tool: &str) -> String {
    shown(&format!("Using {tool}"))
}

fn shown(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(MAX_LENGTH).collect()
}

/// Returns the verb for what a tool touches, and the input key that names the object.
fn usual(touches: Touches) -> Option<(&'static str, Key)> {
    match touches {
        Touches::Reads { path } => Some(("Reading", path)),
        Touches::Edits { path } => Some(("Editing", path)),
        Touches::Searches { path, pattern } => Some(("Searching", pattern.unwrap_or(path))),
        Touches::Shell { command, .. } => Some(("Running", command)),
        Touches::Fetches { url } => Some(("Fetching", url)),
        Touches::SearchesWeb { query } => Some(("Searching the web for", query)),
        Touches::Anything
        | Touches::Nothing
        | Touches::Person
        | Touches::Agent { .. }
        | Touches::Skill { .. }
        | Touches::Resource { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::registry::find;

    fn doing(tool: &str, input: &Value) -> String {
        find(tool).map_or_else(|| using(tool), |tool| tool.descriptor().doing(input))
    }

    #[test]
    fn a_call_is_described_in_a_few_words() {
        for (tool, input, said) in [
            (
                "Bash",
                json!({"command": "ls", "description": "the files"}),
                "Running the files",
            ),
            ("Bash", json!({"command": "ls\npwd", "description": ""}), "Running ls"),
            ("Read", json!({"file_path": "/w/src/a.rs"}), "Reading a.rs"),
            ("Write", json!({"file_path": "/w/a"}), "Writing a"),
            ("Edit", json!({"file_path": "a"}), "Editing a"),
            (
                "NotebookEdit",
                json!({"notebook_path": "/w/n.ipynb"}),
                "Editing n.ipynb",
            ),
            (
                "Glob",
                json!({"pattern": "src/*.rs", "path": "/w"}),
                "Searching for src/*.rs",
            ),
            ("Grep", json!({"pattern": "a/b"}), "Searching for a/b"),
            (
                "WebFetch",
                json!({"url": "https://a.com/x"}),
                "Fetching https://a.com/x",
            ),
            ("WebSearch", json!({"query": "rust"}), "Searching the web for rust"),
            ("TodoWrite", json!({}), "Using TodoWrite"),
            ("Read", json!({}), "Using Read"),
            ("mcp__a__b", json!({"file_path": "/w/a"}), "Using mcp__a__b"),
        ] {
            assert_eq!(doing(tool, &input), said);
        }
        let long = json!({"command": "x".repeat(300)});
        assert_eq!(doing("Bash", &long).len(), MAX_LENGTH);
    }

    #[test]
    fn activity_words_may_be_omitted() {
        let tool = Descriptor {
            activity: Some(crate::tool::Activity {
                words: "",
                keys: &["description"],
            }),
            ..Descriptor::default()
        };
        assert_eq!(tool.doing(&json!({"description": "look around"})), "look around");
    }
}
