//! Diffs of two texts by lines, with syntax highlighting and with the changed words marked.

mod highlighting;
mod lines;
mod words;

use std::time::{Duration, Instant};

use crate::class::Class;
use highlighting::Highlighting;

/// Diffs larger than this (in bytes) have neither highlighting nor marked words.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// The time limit for comparing lines; lines that were not compared count as changed.
const LINE_TIMEOUT: Duration = Duration::from_millis(250);
/// The time limit for comparing the words of all changed lines.
const WORD_TIMEOUT: Duration = Duration::from_millis(100);
/// The time limit for highlighting both sides.
const HIGHLIGHT_TIMEOUT: Duration = Duration::from_millis(160);

/// The differences between two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    pub kind: DiffKind,
    pub hunks: Vec<Hunk>,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffKind {
    New,
    Edit,
    Delete,
}

/// Changes that are close to each other, with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The number of the first line on the old side, from 1. If the hunk has no old lines: of the line before. For a patch: as
    /// the patch specifies.
    pub old_start: u32,
    /// The same for the new side.
    pub new_start: u32,
    pub lines: Vec<DiffLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    pub tag: Tag,
    /// The line number on the old side, from 1.
    pub old: Option<u32>,
    /// The line number on the new side, from 1.
    pub new: Option<u32>,
    /// The line without its line feed, in parts.
    pub parts: Vec<Part>,
    /// This is the last line of the text and has no line feed.
    pub missing_newline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    Same,
    Added,
    Removed,
}

/// A part of a line with one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub class: Class,
    pub text: String,
    /// The other side has different text here. Only set if most of the line is the same.
    pub changed: bool,
}

/// A hunk in the form of the agent's `structuredPatch`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchHunk {
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    /// Lines with the prefix ` `, `+` or `-`.
    pub lines: Vec<String>,
}

/// A line before highlighting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RawLine<'text> {
    tag: Tag,
    old: Option<u32>,
    new: Option<u32>,
    text: &'text str,
    missing_newline: bool,
}

/// A hunk before highlighting.
#[derive(Debug)]
struct RawHunk<'text> {
    old_start: u32,
    new_start: u32,
    lines: Vec<RawLine<'text>>,
}

/// Compares two texts and returns the changes with `context` lines around each. `None` means that the file does not exist.
#[must_use]
pub fn diff(path: &str, old: Option<&str>, new: Option<&str>, context: usize) -> Diff {
    let kind = match (old, new) {
        (None, Some(_)) => DiffKind::New,
        (Some(_), None) => DiffKind::Delete,
        _ => DiffKind::Edit,
    };
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    let hunks = lines::hunks(old, new, context, Instant::now() + LINE_TIMEOUT);
    let highlighting = if bytes(&hunks) > MAX_BYTES {
        Highlighting::none()
    } else {
        Highlighting::of_texts(path, old, new, &hunks, Instant::now() + HIGHLIGHT_TIMEOUT)
    };
    highlighted(kind, &hunks, highlighting)
}

/// Creates a diff from hunks that were computed elsewhere.
#[must_use]
pub fn from_patch(path: &str, hunks: &[PatchHunk]) -> Diff {
    let kind = match hunks {
        [hunk] if hunk.old_lines == 0 && hunk.old_start <= 1 => DiffKind::New,
        [hunk] if hunk.new_lines == 0 && hunk.new_start <= 1 => DiffKind::Delete,
        _ => DiffKind::Edit,
    };
    let hunks: Vec<_> = hunks.iter().map(lines::of_patch).collect();
    let highlighting = if bytes(&hunks) > MAX_BYTES {
        Highlighting::none()
    } else {
        Highlighting::of_hunks(path, Instant::now() + HIGHLIGHT_TIMEOUT)
    };
    highlighted(kind, &hunks, highlighting)
}

fn bytes(hunks: &[RawHunk<'_>]) -> usize {
    hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .map(|line| line.text.len())
        .sum()
}

fn highlighted(kind: DiffKind, hunks: &[RawHunk<'_>], mut highlighting: Highlighting<'_>) -> Diff {
    let deadline = if highlighting.is_none() {
        Instant::now()
    } else {
        Instant::now() + WORD_TIMEOUT
    };
    let count = |tag| {
        hunks
            .iter()
            .flat_map(|hunk| &hunk.lines)
            .filter(|line| line.tag == tag)
            .count()
    };
    Diff {
        kind,
        added: count(Tag::Added),
        removed: count(Tag::Removed),
        hunks: hunks
            .iter()
            .map(|raw| Hunk {
                old_start: raw.old_start,
                new_start: raw.new_start,
                lines: highlighting.lines(&raw.lines, &words::marks(&raw.lines, deadline)),
            })
            .collect(),
    }
}
