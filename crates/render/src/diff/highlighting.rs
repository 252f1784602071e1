//! Syntax highlighting of diff lines, and splitting them where words changed.

use std::ops::Range;
use std::time::Instant;

use super::{DiffLine, Part, RawHunk, RawLine, Tag};
use crate::class::{Class, Run};
use crate::highlight;

/// How the highlighting of a line is obtained.
pub(super) enum Highlighting<'a> {
    None,
    /// Both texts are highlighted from their start, so that multi-line comments are recognised.
    Texts {
        old: Vec<Vec<Run>>,
        new: Vec<Vec<Run>>,
    },
    /// Each hunk is highlighted separately.
    Hunks {
        path: &'a str,
        deadline: Instant,
    },
}

impl<'a> Highlighting<'a> {
    pub(super) fn none() -> Self {
        Self::None
    }

    pub(super) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    pub(super) fn of_hunks(path: &'a str, deadline: Instant) -> Self {
        Self::Hunks { path, deadline }
    }

    /// Highlights whole texts if they are small enough, otherwise the hunks.
    pub(super) fn of_texts(path: &'a str, old: &str, new: &str, hunks: &[RawHunk<'_>], deadline: Instant) -> Self {
        let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
        // unchanged lines use the highlighting of the new side
        let removed = lines()
            .filter(|line| line.tag == Tag::Removed)
            .filter_map(|line| line.old);
        let old = first_lines(old, removed.max().unwrap_or(0));
        let new = first_lines(new, lines().filter_map(|line| line.new).max().unwrap_or(0));
        if old.len().max(new.len()) > highlight::MAX_BYTES {
            return Self::of_hunks(path, deadline);
        }
        let half = deadline.saturating_duration_since(Instant::now()) / 2;
        Self::Texts {
            old: highlight::highlight_with_timeout(path, old, half),
            new: highlight::highlight_with_timeout(path, new, half),
        }
    }

    pub(super) fn lines(&mut self, raw: &[RawLine<'_>], marks: &[Vec<Range<usize>>]) -> Vec<DiffLine> {
        let by_hunk = match self {
            Self::Hunks { path, deadline } => Some((side(path, raw, Tag::Removed, *deadline), {
                side(path, raw, Tag::Added, *deadline)
            })),
            _ => None,
        };
        let (mut removed, mut added) = by_hunk.unwrap_or_default();
        let (mut removed, mut added) = (removed.drain(..), added.drain(..));
        let mut out = Vec::with_capacity(raw.len());
        for (at, line) in raw.iter().enumerate() {
            let runs = match self {
                Self::None => None,
                Self::Texts { old, new } => {
                    let (text, number) = if line.tag == Tag::Removed {
                        (old, line.old)
                    } else {
                        (new, line.new)
                    };
                    let at = number.and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
                    at.and_then(|at| text.get_mut(at)).map(std::mem::take)
                }
                Self::Hunks { .. } => {
                    // unchanged lines are part of both sides
                    let old = if line.tag == Tag::Added { None } else { removed.next() };
                    let new = if line.tag == Tag::Removed { None } else { added.next() };
                    new.or(old)
                }
            };
            let marks = marks.get(at).map_or(&[][..], Vec::as_slice);
            out.push(DiffLine {
                tag: line.tag,
                old: line.old,
                new: line.new,
                parts: parts(line.text, runs, marks),
                missing_newline: line.missing_newline,
            });
        }
        out
    }
}

/// Returns the first `lines` lines of a text.
fn first_lines(text: &str, lines: u32) -> &str {
    let count = usize::try_from(lines).unwrap_or(usize::MAX);
    let length = text.split_inclusive('\n').take(count).map(str::len).sum();
    text.get(..length).unwrap_or(text)
}

/// Highlights one side of a hunk.
fn side(path: &str, raw: &[RawLine<'_>], tag: Tag, deadline: Instant) -> Vec<Vec<Run>> {
    let mut text = String::new();
    for line in raw.iter().filter(|line| line.tag == tag || line.tag == Tag::Same) {
        text.push_str(line.text);
        text.push('\n');
    }
    let remaining = deadline.saturating_duration_since(Instant::now());
    if remaining.is_zero() {
        return Vec::new();
    }
    highlight::highlight_with_timeout(path, &text, remaining)
}

/// Splits the runs of a line at the marks.
fn parts(text: &str, runs: Option<Vec<Run>>, marks: &[Range<usize>]) -> Vec<Part> {
    let runs = runs
        .filter(|runs| runs.iter().map(|run| run.text.len()).sum::<usize>() == text.len())
        .map(|runs| runs.iter().map(|run| (run.class, run.text.len())).collect())
        .unwrap_or_else(|| vec![(Class::Plain, text.len())]);
    let mut out: Vec<Part> = Vec::with_capacity(runs.len());
    let mut marks = marks.iter().peekable();
    let mut at = 0;
    for (class, length) in runs {
        let end = at + length;
        while at < end {
            while marks.next_if(|mark| mark.end <= at).is_some() {}
            let (changed, until) = match marks.peek() {
                Some(mark) if mark.start <= at => (true, mark.end.min(end)),
                Some(mark) => (false, mark.start.min(end)),
                None => (false, end),
            };
            out.push(Part {
                class,
                text: text.get(at..until).unwrap_or_default().to_owned(),
                changed,
            });
            at = until;
        }
    }
    out
}
