//! The memory of an agent: a dedicated folder whose `MEMORY.md` is part of its prompt.

use std::path::{Path, PathBuf};

use sluice_settings::Places;

use super::definition::{AgentDefinition, Notebook};

/// Maximum number of lines that are read from `MEMORY.md`.
const MAX_LINES: usize = 200;
const MAX_BYTES: usize = 25 * 1024;

/// Returns the folder of the agent's memory, if it has one.
pub fn folder(kind: &AgentDefinition, places: &Places) -> Option<PathBuf> {
    let name: String = kind
        .name
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || "-_".contains(letter) {
                letter
            } else {
                '-'
            }
        })
        .collect();
    Some(match kind.notebook? {
        Notebook::User => places.config_dir.join("agent-memory").join(name),
        Notebook::Project => places.cwd.join(".claude").join("agent-memory").join(name),
        Notebook::Local => places.cwd.join(".claude").join("agent-memory-local").join(name),
    })
}

/// Returns the section about the memory for the agent's prompt.
pub fn words(folder: &Path) -> String {
    let file = folder.join("MEMORY.md");
    // The file may be in the project and be a pipe or a link to a device without end.
    let memory = sluice_settings::text(&file).ok().flatten().unwrap_or_default();
    let memory = beginning(&memory);
    let memory = if memory.trim().is_empty() {
        "(nothing yet)"
    } else {
        memory
    };
    format!(
        "What you have learnt\nYou keep notes for later sessions in {}. Write down what will be worth knowing again, keep \
         MEMORY.md there short, and put details into files beside it. MEMORY.md says:\n\n{memory}",
        folder.display()
    )
}

/// Returns the first lines of a text within the limits.
fn beginning(text: &str) -> &str {
    let end = text
        .split_inclusive('\n')
        .take(MAX_LINES)
        .scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        })
        .take_while(|end| *end <= MAX_BYTES)
        .last();
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_memory_file_that_is_not_a_regular_file_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/zero", dir.path().join("MEMORY.md")).unwrap();
        assert!(words(dir.path()).contains("(nothing yet)"));
    }

    #[test]
    fn only_complete_first_lines_are_included() {
        let lines: String = (0..300).map(|line| format!("line {line}\n")).collect();
        assert_eq!(beginning(&lines).lines().count(), MAX_LINES);
        assert_eq!(beginning(&"x".repeat(MAX_BYTES + 1)), "");
        assert_eq!(beginning("a\nb"), "a\nb");
    }
}
