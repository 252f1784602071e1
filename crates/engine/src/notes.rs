//! The agent's own notes about a project: a folder of small files with an index.
//!
//! The model receives the index at the start of a conversation and reads the other files on demand. The folder belongs
//! to the user, not to the project: settings of an untrusted repository cannot move it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sluice_settings::keys;
use sluice_transcript::Projects;

use crate::memory::{self, Memory};
use crate::options::Options;

/// The name of the index file.
const INDEX: &str = "MEMORY.md";
/// The maximum number of lines of the index to show.
const MAX_INDEX_LINES: usize = 200;
/// The maximum number of bytes of the index to show.
const MAX_INDEX_BYTES: usize = 25_000;

/// Returns the folder for notes, unless notes are disabled. All worktrees of a repository share it.
pub(crate) fn folder(options: &Options) -> Option<PathBuf> {
    let settings = &options.settings;
    let mut enabled = settings.each(&keys::AUTO_MEMORY_ENABLED).into_iter();
    if !options.prompt.notes || enabled.any(|(_, value)| *value == Value::Bool(false)) {
        return None;
    }
    let chosen = settings.each(&keys::AUTO_MEMORY_DIRECTORY).into_iter();
    let chosen = chosen
        .filter_map(|(_, value)| place(value.as_str()?, &options.folders.home))
        .next_back();
    let places = settings.places();
    Some(chosen.unwrap_or_else(|| {
        let root = sluice_settings::repository(&places.cwd).unwrap_or_else(|| places.cwd.clone());
        Projects::new(places.config_dir.join("projects")).notes(&root)
    }))
}

/// Resolves a configured folder. The root folder and home folders are rejected as mistakes.
fn place(named: &str, home: &Path) -> Option<PathBuf> {
    let path = match named.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => PathBuf::from(named),
    };
    (path.is_absolute() && path.components().count() > 2 && !home.starts_with(&path)).then_some(path)
}

/// Reads the index, or the beginning of a long one.
pub(crate) fn index(folder: &Path) -> Option<Memory> {
    let path = folder.join(INDEX);
    let whole = memory::read(&path)?;
    let mut text = String::new();
    let mut cut = false;
    for (at, line) in whole.lines().enumerate() {
        if at == MAX_INDEX_LINES || text.len() + line.len() > MAX_INDEX_BYTES {
            cut = true;
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    if cut {
        text.push_str(
            "[The rest is not shown: keep this file an index, and what it points to in files of their own.]\n",
        );
    }
    Some(Memory {
        path,
        text,
        parent: None,
    })
}

/// Instructions for the model about the folder.
pub(crate) fn guide(folder: &Path) -> String {
    format!(
        "What you remember\n- {folder}/ holds your notes about this project. They outlive the conversation, and you may \
         write them with Write and Edit at any time, unasked. The folder is made when the first note is.\n\
         - {INDEX} there is the index: one line for each note, with its file and what it is about. It is shown to you \
         when a conversation begins; read the other files when they matter.\n\
         - Note what the next session cannot see for itself: who the person is and how they like to work, corrections \
         they gave and why, decisions and where they came from, places to look things up. Not what the code, its history \
         or the project's own documents say already, and never a secret.\n\
         - One note, one file. Correct a note that turns out wrong and drop one that is no longer true; before you rely on \
         one, check that what it names is still there.\n\
         - When you are asked to remember or to forget something, do it there.",
        folder = folder.display(),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn long_index_is_truncated_with_a_notice() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(index(dir.path()), None);
        std::fs::write(dir.path().join(INDEX), "- [stones](stones.md): otters\n").unwrap();
        assert_eq!(index(dir.path()).unwrap().text, "- [stones](stones.md): otters\n");
        std::fs::write(dir.path().join(INDEX), "line\n".repeat(MAX_INDEX_LINES + 1)).unwrap();
        let text = index(dir.path()).unwrap().text;
        assert_eq!(text.lines().count(), MAX_INDEX_LINES + 1);
        assert!(text.ends_with("files of their own.]\n"));
        std::fs::write(dir.path().join(INDEX), "x".repeat(MAX_INDEX_BYTES + 1)).unwrap();
        assert!(index(dir.path()).unwrap().text.starts_with("[The rest"));
    }

    #[test]
    fn root_and_home_are_rejected_as_note_folders() {
        let home = Path::new("/home/wren");
        assert_eq!(place("~/notes", home), Some("/home/wren/notes".into()));
        assert_eq!(place("/srv/notes", home), Some("/srv/notes".into()));
        for wrong in ["/", "/home", "/home/wren", "notes", "", "/etc"] {
            assert_eq!(place(wrong, home), None, "{wrong}");
        }
    }
}
