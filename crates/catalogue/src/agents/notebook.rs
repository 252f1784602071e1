//! The memory of an agent: a folder of its own, whose `MEMORY.md` it reads at its start.

use std::path::{Path, PathBuf};

use sluice_settings::Places;

use super::definition::{AgentDefinition, Notebook};

/// How many of its lines are read.
const MOST_LINES: usize = 200;
const MOST_BYTES: usize = 25 * 1024;

/// Where this kind keeps what it has learnt.
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

/// The text about it in the agent's prompt.
pub fn words(folder: &Path) -> String {
    let file = folder.join("MEMORY.md");
    // It may lie in the project, and be a pipe or lead to an endless device.
    let kept = sluice_settings::text(&file).ok().flatten().unwrap_or_default();
    let kept = beginning(&kept);
    let kept = if kept.trim().is_empty() { "(nothing yet)" } else { kept };
    format!(
        "What you have learnt\nYou keep notes for later sessions in {}. Write down what will be worth knowing again, keep \
         MEMORY.md there short, and put details into files beside it. MEMORY.md says:\n\n{kept}",
        folder.display()
    )
}

/// The beginning of a text, in whole lines as far as it goes.
fn beginning(text: &str) -> &str {
    let end = text
        .split_inclusive('\n')
        .take(MOST_LINES)
        .scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        })
        .take_while(|end| *end <= MOST_BYTES)
        .last();
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn notes_that_are_no_file_are_no_notes() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/zero", dir.path().join("MEMORY.md")).unwrap();
        assert!(words(dir.path()).contains("(nothing yet)"));
    }

    #[test]
    fn only_the_beginning_is_told_and_never_half_a_line() {
        let lines: String = (0..300).map(|line| format!("line {line}\n")).collect();
        assert_eq!(beginning(&lines).lines().count(), MOST_LINES);
        assert_eq!(beginning(&"x".repeat(MOST_BYTES + 1)), "");
        assert_eq!(beginning("a\nb"), "a\nb");
    }
}
