//! Files changed since the session began, from the results of tools.

use std::collections::BTreeSet;

use serde_json::Value;

use super::amount;

/// Lines and files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changed {
    added: u64,
    removed: u64,
    files: BTreeSet<String>,
}

impl Changed {
    /// Takes in what came of a call that changed a file; any other is none of its concern.
    pub fn take(&mut self, tool: &str, input: &Value, value: &Value) {
        let word = |name: &str| input.get(name).and_then(Value::as_str);
        let given = ["filePath", "notebook_path"]
            .iter()
            .find_map(|name| value.get(*name)?.as_str());
        let named = given.or_else(|| word("file_path")).or_else(|| word("notebook_path"));
        let (Some(file), "Edit" | "MultiEdit" | "Write" | "NotebookEdit") = (named, tool) else {
            return;
        };
        let (added, removed) = match patch(value) {
            Some(lines) => lines,
            None if tool == "NotebookEdit" => {
                let count = |text: Option<&str>| text.map_or(0, |text| text.lines().count() as u64);
                let old = super::card::files::old_source(value, word("cell_id").unwrap_or_default());
                (count(word("new_source")), count(old.as_deref()))
            }
            None => (word("content").map_or(0, |text| text.lines().count() as u64), 0),
        };
        self.added += added;
        self.removed += removed;
        self.files.insert(file.to_owned());
    }

    /// The lines that were added and removed.
    #[must_use]
    pub fn lines(&self) -> (u64, u64) {
        (self.added, self.removed)
    }

    /// `+164 -49 in 5 files`; nothing where nothing was changed.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        let files = amount::count(self.files.len() as u64, "file");
        let lines = amount::lines(self.added, self.removed);
        (!lines.is_empty()).then(|| format!("{lines} in {files}"))
    }
}

/// The lines a patch adds and takes away; none where there is no patch.
fn patch(value: &Value) -> Option<(u64, u64)> {
    let hunks = value
        .get("structuredPatch")?
        .as_array()
        .filter(|hunks| !hunks.is_empty())?;
    let lines = hunks.iter().filter_map(|hunk| hunk.get("lines")?.as_array()).flatten();
    let mut counts = (0, 0);
    for line in lines.filter_map(Value::as_str) {
        match line.as_bytes().first() {
            Some(b'+') => counts.0 += 1,
            Some(b'-') => counts.1 += 1,
            _ => {}
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn patches_new_files_and_cells_are_counted_and_a_file_is_counted_once() {
        let mut changed = Changed::default();
        assert_eq!(changed.words(), None);
        changed.take("Bash", &json!({"command": "ls"}), &json!({"stdout": "+1"}));
        assert_eq!(changed.words(), None);
        let patch = json!({"filePath": "/w/a.rs", "structuredPatch": [{"lines": [" a", "-b", "+c", "+d"]}]});
        changed.take("Edit", &json!({"file_path": "a.rs"}), &patch);
        changed.take("Edit", &json!({"file_path": "a.rs"}), &patch);
        assert_eq!(changed.words().as_deref(), Some("+4 -2 in 1 file"));
        let made = json!({"type": "create", "filePath": "/w/b.md", "structuredPatch": []});
        changed.take("Write", &json!({"file_path": "b.md", "content": "1\n2\n"}), &made);
        changed.take(
            "NotebookEdit",
            &json!({"notebook_path": "c.ipynb", "cell_id": "c", "new_source": "x"}),
            &json!({"original_file": r#"{"cells": [{"id": "c", "source": ["y"]}]}"#}),
        );
        assert_eq!(changed.words().as_deref(), Some("+7 -3 in 3 files"));
    }
}
