//! Diffs of two texts, line by line, with highlighting and with the words that changed.

mod colour;
mod lines;
mod words;

use std::time::{Duration, Instant};

use crate::class::Class;
use colour::Colours;

/// Larger differences have neither colours nor words.
const MOST_BYTES: usize = 2 * 1024 * 1024;
/// How long lines may be compared; what is left then counts as changed.
const PATIENCE_FOR_LINES: Duration = Duration::from_millis(250);
/// How long the words of all changed lines may be compared.
const PATIENCE_FOR_WORDS: Duration = Duration::from_millis(100);
/// How long colours may take, for both sides.
const PATIENCE_FOR_COLOURS: Duration = Duration::from_millis(160);

/// How one text becomes another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    pub kind: Kind,
    pub hunks: Vec<Hunk>,
    /// How many lines were added.
    pub added: usize,
    /// How many lines were removed.
    pub removed: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    New,
    Edit,
    Delete,
}

/// Changes that lie close to each other, and the lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The first line on the old side, from 1; where it has none, the line before. From a patch: as it says.
    pub old_start: u32,
    /// The same on the new side.
    pub new_start: u32,
    pub lines: Vec<DiffLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    pub tag: Tag,
    /// Its number on the old side, from 1.
    pub old: Option<u32>,
    /// Its number on the new side, from 1.
    pub new: Option<u32>,
    /// The line without its line feed.
    pub parts: Vec<Part>,
    /// It is the last line and has no line feed.
    pub unended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    Same,
    Added,
    Removed,
}

/// A piece of a line that is all of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub class: Class,
    pub text: String,
    /// The other side has something else here. Only where most of the line is the same.
    pub changed: bool,
}

/// A hunk as the agent's `structuredPatch` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchHunk {
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    /// With ` `, `+` or `-` in front.
    pub lines: Vec<String>,
}

/// A line before it has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Raw<'text> {
    tag: Tag,
    old: Option<u32>,
    new: Option<u32>,
    text: &'text str,
    unended: bool,
}

/// A hunk before it has colours.
#[derive(Debug)]
struct RawHunk<'text> {
    old_start: u32,
    new_start: u32,
    lines: Vec<Raw<'text>>,
}

/// What becomes of `old` in `new`, with `context` lines around each change. A side that is `None` has no file.
#[must_use]
pub fn diff(path: &str, old: Option<&str>, new: Option<&str>, context: usize) -> Diff {
    let kind = match (old, new) {
        (None, Some(_)) => Kind::New,
        (Some(_), None) => Kind::Delete,
        _ => Kind::Edit,
    };
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    let hunks = lines::hunks(old, new, context, Instant::now() + PATIENCE_FOR_LINES);
    let colours = if bytes(&hunks) > MOST_BYTES {
        Colours::none()
    } else {
        Colours::of_texts(path, old, new, &hunks, Instant::now() + PATIENCE_FOR_COLOURS)
    };
    finished(kind, &hunks, colours)
}

/// The same from hunks that were worked out elsewhere.
#[must_use]
pub fn from_patch(path: &str, hunks: &[PatchHunk]) -> Diff {
    let kind = match hunks {
        [hunk] if hunk.old_lines == 0 && hunk.old_start <= 1 => Kind::New,
        [hunk] if hunk.new_lines == 0 && hunk.new_start <= 1 => Kind::Delete,
        _ => Kind::Edit,
    };
    let hunks: Vec<_> = hunks.iter().map(lines::of_patch).collect();
    let colours = if bytes(&hunks) > MOST_BYTES {
        Colours::none()
    } else {
        Colours::of_hunks(path, Instant::now() + PATIENCE_FOR_COLOURS)
    };
    finished(kind, &hunks, colours)
}

fn bytes(hunks: &[RawHunk<'_>]) -> usize {
    hunks
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .map(|line| line.text.len())
        .sum()
}

fn finished(kind: Kind, hunks: &[RawHunk<'_>], mut colours: Colours<'_>) -> Diff {
    let deadline = if colours.is_none() {
        Instant::now()
    } else {
        Instant::now() + PATIENCE_FOR_WORDS
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
                lines: colours.lines(&raw.lines, &words::marks(&raw.lines, deadline)),
            })
            .collect(),
    }
}
