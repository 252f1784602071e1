//! Prompt history, in the file of the reference CLI: one JSON line per prompt.

use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Maximum number of bytes read from the end of the file: some thousands of prompts.
const MAX_READ: u64 = 4 << 20;

/// A prompt of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastPrompt {
    /// Text of the prompt.
    pub text: String,
    /// Time in milliseconds since 1970.
    pub at: u64,
    /// Folder in which it was entered.
    pub folder: String,
    /// Id of the session, if known.
    pub session: Option<String>,
}

/// The prompt history, oldest first.
#[derive(Debug, Clone, Default)]
pub struct History {
    file: Option<PathBuf>,
    asked: Vec<PastPrompt>,
    loaded: bool,
    /// Position from the end that the composer shows; 0 is the draft.
    place: usize,
    draft: String,
}

impl History {
    /// Creates a history that is saved in this file.
    #[must_use]
    pub fn kept_in(file: PathBuf) -> Self {
        Self {
            file: Some(file),
            ..Self::default()
        }
    }

    /// Returns all prompts, oldest first. The file is read on first use.
    pub fn all(&mut self) -> &[PastPrompt] {
        if !self.loaded {
            self.loaded = true;
            let earlier = self
                .file
                .as_deref()
                .and_then(|file| read(file).ok())
                .unwrap_or_default();
            self.asked.splice(0..0, earlier);
        }
        &self.asked
    }

    /// Adds a prompt. If it cannot be saved, it remains available in this process.
    pub fn add(&mut self, asked: PastPrompt) {
        self.leave();
        if asked.text.trim().is_empty() || self.asked.last().is_some_and(|last| last.text == asked.text) {
            return;
        }
        if let Some(file) = &self.file {
            append(file, &asked).ok();
        }
        self.asked.push(asked);
    }

    /// Returns the previous prompt; `draft` is saved so that [`next`](Self::next) can return it.
    pub fn previous(&mut self, draft: &str, folder: &str) -> Option<String> {
        if self.place == 0 {
            draft.clone_into(&mut self.draft);
        }
        let wanted = self.place + 1;
        let found = self.of_folder(folder, wanted)?;
        self.place = wanted;
        Some(found)
    }

    /// Returns the next prompt; after the last one, the draft.
    pub fn next(&mut self, folder: &str) -> Option<String> {
        match self.place {
            0 => None,
            1 => {
                self.place = 0;
                Some(std::mem::take(&mut self.draft))
            }
            place => {
                self.place = place - 1;
                self.of_folder(folder, place - 1)
            }
        }
    }

    /// Leaves the history: the shown prompt was changed and is now a draft.
    pub fn leave(&mut self) {
        self.place = 0;
    }

    fn of_folder(&mut self, folder: &str, from_end: usize) -> Option<String> {
        let mut last = None;
        let fitting = self.all().iter().rev().filter(|asked| asked.folder == folder);
        let mut distinct = fitting.filter(|asked| last.replace(&asked.text) != Some(&asked.text));
        distinct.nth(from_end.checked_sub(1)?).map(|asked| asked.text.clone())
    }
}

fn read(file: &Path) -> io::Result<Vec<PastPrompt>> {
    let mut file = fs::File::open(file)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(MAX_READ)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().filter_map(|line| {
        let value: Value = serde_json::from_str(line).ok()?;
        let word = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(PastPrompt {
            text: word("display")?,
            at: value.get("timestamp").and_then(Value::as_u64).unwrap_or_default(),
            folder: word("project").unwrap_or_default(),
            session: word("sessionId"),
        })
    });
    Ok(lines.collect())
}

fn append(file: &Path, asked: &PastPrompt) -> io::Result<()> {
    let mut line = json!({
        "display": asked.text,
        "pastedContents": {},
        "timestamp": asked.at,
        "project": asked.folder,
        "sessionId": asked.session,
    })
    .to_string();
    line.push('\n');
    // A single write, so that lines of two terminals are not interleaved.
    sluice_host::private::append(file)?.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn asked(text: &str) -> PastPrompt {
        PastPrompt {
            text: text.to_owned(),
            at: 1,
            folder: "/a".to_owned(),
            session: None,
        }
    }

    #[test]
    fn up_walks_back_and_down_returns_to_the_draft() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("history.jsonl");
        let mut first = History::kept_in(file.clone());
        first.add(asked("one"));
        first.add(asked("two"));
        let mut history = History::kept_in(file);
        history.add(asked("three"));
        assert_eq!(history.previous("draft", "/a").as_deref(), Some("three"));
        assert_eq!(history.previous("x", "/a").as_deref(), Some("two"));
        assert_eq!(history.previous("x", "/a").as_deref(), Some("one"));
        assert_eq!(history.previous("x", "/a"), None);
        assert_eq!(history.next("/a").as_deref(), Some("two"));
        history.next("/a");
        assert_eq!(history.next("/a").as_deref(), Some("draft"));
        assert_eq!(history.previous("", "/elsewhere"), None);
    }
}
