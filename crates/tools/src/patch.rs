//! `structuredPatch`: changes as hunks with three lines of context.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices_deadline, group_diff_ops};

/// Number of context lines around a change.
const CONTEXT_LINES: usize = 3;
/// Timeout after which the diff becomes coarser.
const TIMEOUT: Duration = Duration::from_millis(200);
/// From this number of lines on, texts with equal numbers of lines are compared line by line.
const MIN_LINES_IN_PLACE: usize = 5000;

/// Computes the hunks from `old` to `new`.
///
/// Starts count from 1 even if a side is empty, as recorded (`edit_variants`, creation through Edit).
pub(crate) fn structured(old: &str, new: &str) -> Value {
    let window = Window::around_changes(old, new);
    let old: Vec<&str> = window.old.split_inclusive('\n').collect();
    let new: Vec<&str> = window.new.split_inclusive('\n').collect();
    let ops = if old.len() == new.len() && old.len() > MIN_LINES_IN_PLACE {
        side_by_side(&old, &new)
    } else {
        capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(Instant::now() + TIMEOUT))
    };
    let hunks: Vec<Value> = group_diff_ops(ops, CONTEXT_LINES)
        .iter()
        .filter_map(|group| {
            let (first, last) = (group.first()?, group.last()?);
            let (old_start, new_start) = (first.old_range().start, first.new_range().start);
            let mut lines = Vec::new();
            for change in group.iter().flat_map(|op| op.iter_changes(&old, &new)) {
                let sign = match change.tag() {
                    ChangeTag::Equal => ' ',
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                };
                let text = change.value();
                match text.strip_suffix('\n') {
                    Some(line) => lines.push(prefixed(sign, line)),
                    None => {
                        lines.push(prefixed(sign, text));
                        lines.push(Value::from("\\ No newline at end of file"));
                    }
                }
            }
            let mut hunk = json!({
                "oldStart": window.lines_before + old_start + 1,
                "oldLines": last.old_range().end - old_start,
                "newStart": window.lines_before + new_start + 1,
                "newLines": last.new_range().end - new_start,
            });
            // moved instead of copied, because there may be many lines
            hunk.as_object_mut()?.insert("lines".to_owned(), Value::Array(lines));
            Some(hunk)
        })
        .collect();
    Value::Array(hunks)
}

fn prefixed(sign: char, line: &str) -> Value {
    let mut text = String::with_capacity(line.len() + 1);
    text.push(sign);
    text.push_str(line);
    Value::String(text)
}

/// The differing part of two texts with its context. Common lines at both ends are removed, so that a change in a large
/// file costs little more than one in a small file.
struct Window<'a> {
    old: &'a str,
    new: &'a str,
    lines_before: usize,
}

impl<'a> Window<'a> {
    fn around_changes(old: &'a str, new: &'a str) -> Self {
        let (old_bytes, new_bytes) = (old.as_bytes(), new.as_bytes());
        let same = shared(old_bytes, new_bytes);
        // extends back to the start of a line, and to the context before it
        let mut start = same;
        for _ in 0..=CONTEXT_LINES {
            start = memchr::memrchr(b'\n', old_bytes.get(..start).unwrap_or_default()).unwrap_or(0);
        }
        let start = if start == 0 { 0 } else { start + 1 };
        let (old_rest, new_rest) = (old.get(start..).unwrap_or(old), new.get(start..).unwrap_or(new));
        // the common prefix must not be counted again as suffix
        let most = (old_bytes.len() - same).min(new_bytes.len() - same);
        let tail = |bytes: &'a [u8]| bytes.get(bytes.len() - most..).unwrap_or_default();
        let (old_tail, new_tail) = (tail(old_bytes), tail(new_bytes));
        let same = shared_from_back(old_tail, new_tail);
        let shared_tail = old_bytes.get(old_bytes.len() - same..).unwrap_or_default();
        let kept = memchr::memchr_iter(b'\n', shared_tail)
            .nth(CONTEXT_LINES)
            .map_or(same, |at| at + 1);
        let cut = same - kept;
        Self {
            old: old_rest.get(..old_rest.len() - cut).unwrap_or(old_rest),
            new: new_rest.get(..new_rest.len() - cut).unwrap_or(new_rest),
            lines_before: memchr::memchr_iter(b'\n', old_bytes.get(..start).unwrap_or_default()).count(),
        }
    }
}

/// Number of bytes compared at once.
const BLOCK_SIZE: usize = 4096;

/// Returns the length of the common prefix in bytes.
fn shared(one: &[u8], other: &[u8]) -> usize {
    let whole = one.chunks_exact(BLOCK_SIZE).zip(other.chunks_exact(BLOCK_SIZE));
    let start = whole.take_while(|(one, other)| one == other).count() * BLOCK_SIZE;
    let rest = one.iter().skip(start).zip(other.iter().skip(start));
    start + rest.take_while(|(one, other)| one == other).count()
}

/// Returns the length of the common suffix in bytes.
fn shared_from_back(one: &[u8], other: &[u8]) -> usize {
    let whole = one.rchunks_exact(BLOCK_SIZE).zip(other.rchunks_exact(BLOCK_SIZE));
    let end = whole.take_while(|(one, other)| one == other).count() * BLOCK_SIZE;
    let rest = one.iter().rev().skip(end).zip(other.iter().rev().skip(end));
    end + rest.take_while(|(one, other)| one == other).count()
}

/// Compares texts with equal numbers of lines line by line: if thousands of lines change in place, none moves, and
/// searching for a minimal diff would take too long.
fn side_by_side(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut ops: Vec<DiffOp> = Vec::new();
    let mut start = 0;
    let same = |at: usize| old.get(at) == new.get(at);
    while start < old.len() {
        let equal = same(start);
        let len = (start..old.len()).take_while(|at| same(*at) == equal).count();
        ops.push(if equal {
            DiffOp::Equal {
                old_index: start,
                new_index: start,
                len,
            }
        } else {
            DiffOp::Replace {
                old_index: start,
                old_len: len,
                new_index: start,
                new_len: len,
            }
        });
        start += len;
    }
    ops
}

#[cfg(test)]
#[path = "patch_tests.rs"]
mod tests;
