//! The files that tool calls have changed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::FileCount;

/// Files with the number of lines that were added and removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChangedFiles(BTreeMap<String, (u64, u64)>);

impl ChangedFiles {
    /// Adds a change of a file.
    pub(crate) fn add(&mut self, count: FileCount) {
        let known = self.0.entry(count.path).or_default();
        known.0 += count.added;
        known.1 += count.removed;
    }

    /// Returns the files, ordered by path.
    pub(crate) fn list(&self) -> Vec<FileCount> {
        let files = self.0.iter().map(|(path, (added, removed))| FileCount {
            path: path.clone(),
            added: *added,
            removed: *removed,
        });
        files.collect()
    }
}
