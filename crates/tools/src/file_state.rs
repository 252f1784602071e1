//! Tracks which files the model has read, and their content at that time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Whether a file has changed since the model read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Unchanged since the model read it.
    Current,
    /// Changed since the model read it.
    Stale,
    /// Not read by the model.
    Unseen,
}

/// Fingerprints of the files of a session at the last read or write.
#[derive(Debug, Default)]
pub struct FileState {
    seen: Mutex<HashMap<PathBuf, Seen>>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    fingerprint: u64,
    /// False for a file that was edited without being read: its content is known here, but not to the model.
    in_context: bool,
}

impl FileState {
    /// Creates an empty state.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records that the model has read this content.
    pub fn saw(&self, path: &Path, content: &[u8]) {
        self.note(
            path,
            Seen {
                fingerprint: fingerprint(content),
                in_context: true,
            },
        );
    }

    /// As [`FileState::saw`], for content that was streamed through a [`Fingerprint`].
    pub(crate) fn saw_streamed(&self, path: &Path, fingerprint: &Fingerprint) {
        self.note(
            path,
            Seen {
                fingerprint: fingerprint.finish(),
                in_context: true,
            },
        );
    }

    /// Records that the model changed the file to this content.
    pub(crate) fn edited(&self, path: &Path, content: &[u8], freshness: Freshness) {
        self.note(
            path,
            Seen {
                fingerprint: fingerprint(content),
                in_context: freshness == Freshness::Current,
            },
        );
    }

    /// Compares `content`, as it is on disk now, with what the model has read.
    pub fn freshness(&self, path: &Path, content: &[u8]) -> Freshness {
        match self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
            Some(Seen { in_context: false, .. }) | None => Freshness::Unseen,
            Some(seen) if seen.fingerprint == fingerprint(content) => Freshness::Current,
            Some(_) => Freshness::Stale,
        }
    }

    /// Returns the files that the model has read, for a summary after compaction.
    pub fn paths(&self) -> Vec<PathBuf> {
        let mut paths: Vec<_> = self
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .keys()
            .cloned()
            .collect();
        paths.sort();
        paths
    }

    /// Clears the state after the context was cleared.
    pub fn clear(&self) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn note(&self, path: &Path, seen: Seen) {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path.to_owned(), seen);
    }
}

/// An incremental fingerprint; it does not depend on how the content is split.
#[derive(Debug, Default)]
pub(crate) struct Fingerprint {
    hasher: DefaultHasher,
}

impl Fingerprint {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        // hashing single bytes would be slow; `write` of the standard hasher does not mix in lengths
        self.hasher.write(bytes);
    }

    fn finish(&self) -> u64 {
        self.hasher.finish()
    }
}

fn fingerprint(content: &[u8]) -> u64 {
    let mut fingerprint = Fingerprint::default();
    fingerprint.add(content);
    fingerprint.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_unseen_then_current_then_stale() {
        let files = FileState::new();
        let path = Path::new("/a");
        assert_eq!(files.freshness(path, b"x"), Freshness::Unseen);
        files.saw(path, b"x");
        assert_eq!(files.freshness(path, b"x"), Freshness::Current);
        assert_eq!(files.freshness(path, b"y"), Freshness::Stale);
        files.clear();
        assert_eq!(files.freshness(path, b"x"), Freshness::Unseen);
    }

    #[test]
    fn a_blind_edit_leaves_the_file_unseen() {
        let files = FileState::new();
        let path = Path::new("/a");
        files.edited(path, b"x", Freshness::Unseen);
        assert_eq!(files.freshness(path, b"x"), Freshness::Unseen);
        files.edited(path, b"x", Freshness::Current);
        assert_eq!(files.freshness(path, b"x"), Freshness::Current);
    }

    #[test]
    fn fingerprints_do_not_depend_on_splitting() {
        let files = FileState::new();
        let mut pieces = Fingerprint::default();
        pieces.add(b"al");
        pieces.add(b"pha");
        files.saw_streamed(Path::new("/a"), &pieces);
        assert_eq!(files.freshness(Path::new("/a"), b"alpha"), Freshness::Current);
    }
}
