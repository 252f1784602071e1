//! The details of cards about files: read, changed, searched.

use serde::{Deserialize, Serialize};

use super::Text;

/// A file that is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FileRead {
    /// The path.
    pub path: String,
    /// The content; `None` before the result.
    pub content: Option<ReadContent>,
}

/// The content of a file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReadContent {
    /// Lines of text.
    Lines {
        /// The number of the first line.
        first: u64,
        /// The number of lines that were read.
        count: u64,
        /// The number of lines of the file.
        total: u64,
        /// The lines; `None` where only the result contains them.
        text: Option<Text>,
    },
    /// An image.
    Image {
        /// Width and height in pixels.
        size: Option<(u64, u64)>,
        /// The size in bytes.
        bytes: Option<u64>,
    },
    /// A notebook.
    Notebook {
        /// The cells.
        cells: Vec<NotebookCell>,
    },
    /// Something else, as the tool names it, such as `pdf`.
    Other {
        /// The kind.
        kind: String,
        /// The size in bytes.
        bytes: Option<u64>,
    },
}

/// A cell of a notebook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct NotebookCell {
    /// The kind of cell.
    pub kind: CellKind,
    /// The number of its last run.
    pub run: Option<u64>,
    /// The source.
    pub source: Text,
}

/// The kind of a notebook cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CellKind {
    /// Code.
    #[default]
    Code,
    /// Markdown.
    Markdown,
}

/// A file that is changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// The path.
    pub path: String,
    /// The whole new content, for a file that is written.
    pub content: Option<Text>,
    /// The replacements, for a file that is edited.
    pub edits: Vec<Replacement>,
    /// Whether the file is new. Known once it was written.
    pub created: bool,
    /// The change as hunks. Known once it was made.
    pub hunks: Vec<Hunk>,
}

/// A text that replaces another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Replacement {
    /// The old text.
    pub old: Text,
    /// The new text.
    pub new: Text,
    /// Whether every occurrence is replaced.
    pub all: bool,
}

/// A part of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(rename = "PatchHunk"))]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// The number of the first line in the old file.
    pub old_start: u64,
    /// The number of the first line in the new file.
    pub new_start: u64,
    /// The lines, each after `+`, `-` or a space.
    pub lines: Vec<String>,
}

/// A cell of a notebook that is changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Notebook {
    /// The path of the notebook.
    pub path: String,
    /// The id of the cell.
    pub cell: String,
    /// The kind of cell.
    pub kind: CellKind,
    /// The kind of change.
    pub edit: CellEdit,
    /// The new source.
    pub source: Text,
    /// The source before.
    pub old: Option<Text>,
}

/// The kind of change of a notebook cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CellEdit {
    /// Its source is replaced.
    Replace,
    /// It is inserted.
    Insert,
    /// It is deleted.
    Delete,
}

/// A search in files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Search {
    /// The kind of search.
    pub kind: SearchKind,
    /// The pattern.
    pub pattern: String,
    /// The number of matches or matching lines.
    pub hits: Option<u64>,
    /// The number of files.
    pub files: Option<u64>,
    /// Whether letters match in either case.
    pub ignore_case: bool,
    /// The matching lines, where the search returned lines.
    pub lines: Option<Text>,
    /// The names of the files, where the search returned names.
    pub names: Option<Vec<String>>,
}

/// The kind of search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SearchKind {
    /// The text of files.
    Text,
    /// The names of files.
    Names,
    /// Tools that the model can load.
    Tools,
}

impl FileChange {
    /// Returns the number of lines that were added and removed.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        if self.hunks.is_empty() {
            let lines = self.content.as_deref().map_or(0, |text| text.lines().count() as u64);
            return (lines, 0);
        }
        let lines = self.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.fold((0, 0), |(added, removed), line| match line.as_bytes().first() {
            Some(b'+') => (added + 1, removed),
            Some(b'-') => (added, removed + 1),
            _ => (added, removed),
        })
    }
}
