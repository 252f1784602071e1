//! Comparing texts by lines.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, group_diff_ops};

use super::{PatchHunk, RawHunk, RawLine, Tag};

/// Returns the changed lines in hunks. Lines are compared including their line feed, so a missing one is a change.
pub(super) fn hunks<'text>(old: &'text str, new: &'text str, context: usize, deadline: Instant) -> Vec<RawHunk<'text>> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    // lines are replaced by numbers, as equal lines are compared many times
    let mut known = HashMap::new();
    let mut number = |line: &&'text str| {
        let next = known.len();
        *known.entry(*line).or_insert(next)
    };
    let old_numbers: Vec<usize> = old.iter().map(&mut number).collect();
    let new_numbers: Vec<usize> = new.iter().map(&mut number).collect();
    let changes = capture_diff_slices_deadline(Algorithm::Myers, &old_numbers, &new_numbers, Some(deadline));
    let total = old.len() + new.len();
    group_diff_ops(changes, context.min(total))
        .iter()
        .filter(|group| group.iter().any(|change| !matches!(change, DiffOp::Equal { .. })))
        .map(|group| hunk(&old, &new, group))
        .collect()
}

fn hunk<'text>(old: &[&'text str], new: &[&'text str], group: &[DiffOp]) -> RawHunk<'text> {
    let start = |range: fn(&DiffOp) -> Range<usize>| {
        let first = group.first().map_or(0, |change| range(change).start);
        let is_empty = group.iter().all(|change| range(change).is_empty());
        u32::try_from(first + usize::from(!is_empty)).unwrap_or(u32::MAX)
    };
    RawHunk {
        old_start: start(DiffOp::old_range),
        new_start: start(DiffOp::new_range),
        lines: group.iter().flat_map(|change| raw(old, new, change)).collect(),
    }
}

fn raw<'text>(old: &[&'text str], new: &[&'text str], change: &DiffOp) -> Vec<RawLine<'text>> {
    let (removed, added) = (change.old_range(), change.new_range());
    if matches!(change, DiffOp::Equal { .. }) {
        return removed
            .zip(added)
            .filter_map(|(old_at, new_at)| Some(line(Tag::Same, Some(old_at), Some(new_at), new.get(new_at)?)))
            .collect();
    }
    let removed = removed.filter_map(|at| Some(line(Tag::Removed, Some(at), None, old.get(at)?)));
    let added = added.filter_map(|at| Some(line(Tag::Added, None, Some(at), new.get(at)?)));
    removed.chain(added).collect()
}

fn line(tag: Tag, old: Option<usize>, new: Option<usize>, text: &str) -> RawLine<'_> {
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX).saturating_add(1);
    RawLine {
        tag,
        old: old.map(number),
        new: new.map(number),
        text: text.strip_suffix('\n').unwrap_or(text),
        missing_newline: !text.ends_with('\n'),
    }
}

/// Converts a hunk of a patch. Lines are numbered from the start that the patch specifies.
pub(super) fn of_patch(hunk: &PatchHunk) -> RawHunk<'_> {
    let (mut old, mut new) = (hunk.old_start.max(1), hunk.new_start.max(1));
    let mut out: Vec<RawLine<'_>> = Vec::with_capacity(hunk.lines.len());
    for text in &hunk.lines {
        let (tag, text) = match text.split_at_checked(1) {
            Some(("+", text)) => (Tag::Added, text),
            Some(("-", text)) => (Tag::Removed, text),
            Some((" ", text)) => (Tag::Same, text),
            // `\ No newline at end of file`
            Some(("\\", _)) => {
                if let Some(last) = out.last_mut() {
                    last.missing_newline = true;
                }
                continue;
            }
            // an empty line whose leading blank was removed
            _ => (Tag::Same, text.as_str()),
        };
        let raw = RawLine {
            tag,
            old: (tag != Tag::Added).then_some(old),
            new: (tag != Tag::Removed).then_some(new),
            text: text.strip_suffix('\n').unwrap_or(text),
            missing_newline: false,
        };
        old = old.saturating_add(u32::from(raw.old.is_some()));
        new = new.saturating_add(u32::from(raw.new.is_some()));
        out.push(raw);
    }
    RawHunk {
        old_start: hunk.old_start,
        new_start: hunk.new_start,
        lines: out,
    }
}
