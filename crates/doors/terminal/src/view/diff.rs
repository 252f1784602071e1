//! Diffs: numbered rows, with the changed words marked.

use similar::{Algorithm, ChangeTag, DiffableStr as _, capture_diff_slices, diff_ratio};

use crate::text::{Role, Row, Style, wrap};
use sluice_host::items::Hunk;

/// Kind of a line in a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Same,
    Removed,
    Added,
    /// Omitted lines.
    Gap,
}

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeLine {
    pub side: Side,
    /// Line number, in the old text for removed lines.
    pub number: u64,
    pub text: String,
}

/// Number of unchanged context lines around a change.
const CONTEXT_LINES: usize = 1;

/// Returns the lines of hunks.
#[must_use]
pub fn of_hunks(hunks: &[Hunk]) -> Vec<ChangeLine> {
    let mut lines = Vec::new();
    for hunk in hunks {
        let (mut old, mut new) = (hunk.old_start, hunk.new_start);
        if !lines.is_empty() {
            lines.push(gap());
        }
        for text in &hunk.lines {
            let (sign, text) = text.split_at_checked(1).unwrap_or((" ", ""));
            let (side, number) = match sign {
                "-" => (Side::Removed, old),
                "+" => (Side::Added, new),
                "\\" => continue,
                _ => (Side::Same, new),
            };
            old += u64::from(side != Side::Added);
            new += u64::from(side != Side::Removed);
            lines.push(line(side, number, text));
        }
    }
    shortened(lines)
}

/// Compares two texts; `first` is the number of the first line.
#[must_use]
pub fn of_texts(old: &str, new: &str, first: u64) -> Vec<ChangeLine> {
    let (old, new) = (old.tokenize_lines(), new.tokenize_lines());
    let changes = capture_diff_slices(Algorithm::Myers, &old, &new);
    let lines = changes.iter().flat_map(|op| op.iter_changes(&old, &new)).map(|change| {
        let number = |at: Option<usize>| first + at.unwrap_or(0) as u64;
        let text = change.value().trim_end_matches(['\n', '\r']);
        match change.tag() {
            ChangeTag::Delete => line(Side::Removed, number(change.old_index()), text),
            ChangeTag::Insert => line(Side::Added, number(change.new_index()), text),
            ChangeTag::Equal => line(Side::Same, number(change.new_index()), text),
        }
    });
    shortened(lines.collect())
}

fn line(side: Side, number: u64, text: &str) -> ChangeLine {
    ChangeLine {
        side,
        number,
        text: text.to_owned(),
    }
}

fn gap() -> ChangeLine {
    line(Side::Gap, 0, "")
}

/// Omits lines far from any change.
fn shortened(lines: Vec<ChangeLine>) -> Vec<ChangeLine> {
    let is_change = |line: &ChangeLine| matches!(line.side, Side::Removed | Side::Added);
    let changes: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| is_change(line))
        .map(|(at, _)| at)
        .collect();
    let near = |at: usize| {
        let next = changes.partition_point(|change| *change < at);
        let after = changes.get(next).is_some_and(|change| change - at <= CONTEXT_LINES);
        let before = next.checked_sub(1).and_then(|before| changes.get(before));
        after || before.is_some_and(|change| at - change <= CONTEXT_LINES)
    };
    let mut kept: Vec<ChangeLine> = Vec::new();
    let mut left_out = false;
    for (at, line) in lines.into_iter().enumerate() {
        if line.side != Side::Gap && near(at) {
            if std::mem::take(&mut left_out) && !kept.is_empty() {
                kept.push(gap());
            }
            kept.push(line);
        } else {
            left_out = true;
        }
    }
    kept
}

/// Returns the number of added and removed lines.
#[must_use]
pub fn counts(lines: &[ChangeLine]) -> (u64, u64) {
    let count = |side: Side| lines.iter().filter(|line| line.side == side).count() as u64;
    (count(Side::Added), count(Side::Removed))
}

/// Formats as `+1 -1`.
#[must_use]
pub fn summary(lines: &[ChangeLine]) -> String {
    match counts(lines) {
        (0, 0) => "no change".to_owned(),
        (added, 0) => format!("+{added}"),
        (0, removed) => format!("-{removed}"),
        (added, removed) => format!("+{added} -{removed}"),
    }
}

/// Renders a unified diff; rows are not wrapped.
#[must_use]
pub fn rows(lines: &[ChangeLine]) -> Vec<Row> {
    let widest = lines
        .iter()
        .map(|line| line.number)
        .max()
        .unwrap_or(1)
        .to_string()
        .len();
    let marked = marked(lines);
    let mut rows = Vec::with_capacity(lines.len());
    for (line, words) in lines.iter().zip(marked) {
        let (sign, role) = match line.side {
            Side::Gap => {
                rows.push(Row::faint(&format!("    {:>widest$}", "⋯")));
                continue;
            }
            Side::Same => (' ', Role::Text),
            Side::Removed => ('-', Role::Bad),
            Side::Added => ('+', Role::Good),
        };
        let mut row = Row::new().add(&format!("    {:>widest$} ", line.number), Role::Faint);
        row.push(&format!("{sign} "), role);
        for (text, changed) in words {
            let style = match (changed, line.side) {
                (true, Side::Removed) => Style::of(Role::Removed),
                (true, Side::Added) => Style::of(Role::Added),
                _ => Style::of(role),
            };
            row.push(&text, style);
        }
        rows.push(row);
    }
    rows
}

/// Renders a side-by-side diff, with the old text on the left; every row fits.
#[must_use]
pub fn side_by_side(lines: &[ChangeLine], columns: usize) -> Vec<Row> {
    let half = columns.saturating_sub(2) / 2;
    let all = rows(lines);
    let mut out = Vec::new();
    let mut at = 0;
    let run = |from: usize, side: Side| lines.iter().skip(from).take_while(|line| line.side == side).count();
    while at < lines.len() {
        let (removed, added) = (run(at, Side::Removed), run(at + run(at, Side::Removed), Side::Added));
        if removed + added == 0 {
            if let Some(row) = all.get(at) {
                beside(row, row, half, &mut out);
            }
            at += 1;
            continue;
        }
        for offset in 0..removed.max(added) {
            let left = all
                .get(at + offset)
                .filter(|_| offset < removed)
                .cloned()
                .unwrap_or_default();
            let right = all
                .get(at + removed + offset)
                .filter(|_| offset < added)
                .cloned()
                .unwrap_or_default();
            beside(&left, &right, half, &mut out);
        }
        at += removed + added;
    }
    out
}

fn beside(left: &Row, right: &Row, half: usize, out: &mut Vec<Row>) {
    let (left, right) = (wrap::hard(left, half, 6), wrap::hard(right, half, 6));
    for at in 0..left.len().max(right.len()) {
        let mut row = left.get(at).cloned().unwrap_or_default();
        if let Some(right) = right.get(at).filter(|right| !right.is_blank()) {
            let gap = (half + 2).saturating_sub(row.width());
            row.push(&" ".repeat(gap), Style::TEXT);
            row.append(right);
        }
        out.push(row);
    }
}

type Words = Vec<(String, bool)>;

/// Returns the words of each line and whether they changed, if lines were replaced by the same number of lines.
fn marked(lines: &[ChangeLine]) -> Vec<Words> {
    let mut words: Vec<Words> = lines.iter().map(|line| vec![(line.text.clone(), false)]).collect();
    let mut at = 0;
    while at < lines.len() {
        let run = |from: usize, side: Side| lines.iter().skip(from).take_while(|line| line.side == side).count();
        let removed = run(at, Side::Removed);
        let added = run(at + removed, Side::Added);
        if removed > 0 && removed == added {
            for offset in 0..removed {
                let (old, new) = (at + offset, at + removed + offset);
                if let (Some(before), Some(after)) = (lines.get(old), lines.get(new))
                    && let Some((left, right)) = changed_words(&before.text, &after.text)
                {
                    if let Some(slot) = words.get_mut(old) {
                        *slot = left;
                    }
                    if let Some(slot) = words.get_mut(new) {
                        *slot = right;
                    }
                }
            }
        }
        at += (removed + added).max(1);
    }
    words
}

/// Compares the words of two lines that are similar enough.
fn changed_words(old: &str, new: &str) -> Option<(Words, Words)> {
    if old.len() + new.len() > 2000 {
        return None;
    }
    let (old, new) = (old.tokenize_words(), new.tokenize_words());
    let changes = capture_diff_slices(Algorithm::Myers, &old, &new);
    if diff_ratio(&changes, old.len(), new.len()) < 0.4 {
        return None;
    }
    let (mut left, mut right) = (Words::new(), Words::new());
    for change in changes.iter().flat_map(|op| op.iter_changes(&old, &new)) {
        let text = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                push(&mut left, text, false);
                push(&mut right, text, false);
            }
            ChangeTag::Delete => push(&mut left, text, true),
            ChangeTag::Insert => push(&mut right, text, true),
        }
    }
    Some((left, right))
}

fn push(words: &mut Words, text: &str, changed: bool) {
    match words.last_mut() {
        Some((last, was)) if *was == changed => last.push_str(text),
        _ => words.push((text.to_owned(), changed)),
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_change_shows_context_and_changed_words() {
        let old = "// one\nfn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n// end\n";
        let new = old.replace("a - b", "a + b");
        let lines = of_texts(old, &new, 5);
        let shown = rows(&lines);
        let texts: Vec<String> = shown.iter().map(Row::text).collect();
        assert_eq!(
            texts,
            [
                "    6   fn add(a: i32, b: i32) -> i32 {",
                "    7 -     a - b",
                "    7 +     a + b",
                "    8   }"
            ]
        );
        let marked = |row: &Row| {
            row.0
                .iter()
                .find(|span| span.style.role == Role::Removed)
                .map(|span| span.text.clone())
        };
        assert_eq!(shown.get(1).and_then(marked).as_deref(), Some("-"));
        assert_eq!(summary(&lines), "+1 -1");
    }

    proptest! {
        #[test]
        fn every_changed_line_is_there(old in "[ab\n]{0,30}", new in "[ab\n]{0,30}") {
            let lines = of_texts(&old, &new, 1);
            let (added, removed) = counts(&lines);
            let kept = |text: &str, gone: u64| text.lines().count() as u64 - gone;
            // A last line without a line end differs from one with it.
            prop_assert!(kept(&old, removed) == kept(&new, added));
            prop_assert_eq!(rows(&lines).len(), lines.len());
        }
    }
}
