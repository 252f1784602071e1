//! Comparing words within lines that are mostly the same.

use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use unicode_segmentation::UnicodeSegmentation;

use super::{RawLine, Tag};

/// Lines longer than this (in bytes) are not compared by words.
const MAX_LINE: usize = 1024;
/// The maximum number of line pairs to compare if a block has more lines on one side.
const MAX_PAIRS: usize = 1024;
/// The minimum similarity of two lines, in percent of the letters of their words, for changed words to be marked.
const MIN_SIMILARITY: usize = 50;

/// Returns the changed byte ranges of every line of a hunk.
pub(super) fn marks(lines: &[RawLine<'_>], deadline: Instant) -> Vec<Vec<Range<usize>>> {
    let mut out = vec![Vec::new(); lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let count = |from: usize, tag| lines.iter().skip(from).take_while(|line| line.tag == tag).count();
        let removed = count(at, Tag::Removed);
        let added = count(at + removed, Tag::Added);
        for (old, new) in pairs(lines, at..at + removed, at + removed..at + removed + added, deadline) {
            if Instant::now() >= deadline {
                return out;
            }
            let (Some(before), Some(after)) = (lines.get(old), lines.get(new)) else {
                continue;
            };
            let (before, after) = compare(before.text, after.text, deadline);
            for (at, marks) in [(old, before), (new, after)] {
                if let Some(slot) = out.get_mut(at) {
                    *slot = marks;
                }
            }
        }
        at += (removed + added).max(1);
    }
    out
}

/// Pairs each removed line with the added line that replaced it.
fn pairs(lines: &[RawLine<'_>], old: Range<usize>, new: Range<usize>, deadline: Instant) -> Vec<(usize, usize)> {
    if old.len() == new.len() {
        return old.zip(new).collect();
    }
    if old.is_empty() || new.is_empty() || old.len() * new.len() > MAX_PAIRS || Instant::now() >= deadline {
        return Vec::new();
    }
    let words_of = |range: Range<usize>| -> Vec<Vec<&str>> {
        let lines = lines.get(range).unwrap_or_default();
        lines.iter().map(|line| sorted_words(line.text)).collect()
    };
    let (old_words, new_words) = (words_of(old.clone()), words_of(new.clone()));
    // dynamic programming: best[i][j] is the maximum total similarity, in order, of the lines from i and from j on
    let width = new_words.len() + 1;
    let mut best = vec![0; (old_words.len() + 1) * width];
    let mut similarities = vec![0; old_words.len() * width];
    for (i, before) in old_words.iter().enumerate().rev() {
        for (j, after) in new_words.iter().enumerate().rev() {
            let similarity = Some(similarity_of(before, after))
                .filter(|value| *value >= MIN_SIMILARITY)
                .unwrap_or(0);
            let at = |i: usize, j: usize| best.get(i * width + j).copied().unwrap_or(0);
            let sum = (similarity + at(i + 1, j + 1)).max(at(i + 1, j)).max(at(i, j + 1));
            if let Some(slot) = best.get_mut(i * width + j) {
                *slot = sum;
            }
            if let Some(slot) = similarities.get_mut(i * width + j) {
                *slot = similarity;
            }
        }
    }
    let at = |i: usize, j: usize| best.get(i * width + j).copied().unwrap_or(0);
    let mut out = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < old_words.len() && j < new_words.len() {
        let similarity = similarities.get(i * width + j).copied().unwrap_or(0);
        if similarity > 0 && at(i, j) == similarity + at(i + 1, j + 1) {
            out.push((old.start + i, new.start + j));
            (i, j) = (i + 1, j + 1);
        } else if at(i, j) == at(i + 1, j) {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}

/// Returns the changed byte ranges of two lines, or none if the lines are too different.
fn compare(old: &str, new: &str, deadline: Instant) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    if old.len().max(new.len()) > MAX_LINE || similarity_of(&sorted_words(old), &sorted_words(new)) < MIN_SIMILARITY {
        return Default::default();
    }
    let (old, new) = (words(old), words(new));
    let changes = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline));
    let differs = |change: &&DiffOp| !matches!(change, DiffOp::Equal { .. });
    let changed = |range: fn(&DiffOp) -> Range<usize>, words: &[&str]| {
        let ranges = changes
            .iter()
            .filter(differs)
            .map(range)
            .filter(|range| !range.is_empty());
        join(ranges, words)
    };
    (changed(DiffOp::old_range, &old), changed(DiffOp::new_range, &new))
}

/// Converts ranges of words to ranges of bytes. Ranges with only blanks between them are merged.
fn join(ranges: impl Iterator<Item = Range<usize>>, words: &[&str]) -> Vec<Range<usize>> {
    let mut starts = vec![0];
    for word in words {
        starts.push(starts.last().copied().unwrap_or(0) + word.len());
    }
    let byte = |at: usize| starts.get(at).copied().unwrap_or(0);
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut end = 0;
    for range in ranges {
        let between = words.get(end..range.start).unwrap_or_default();
        match out.last_mut() {
            Some(last) if between.iter().all(|word| is_blank(word)) => last.end = byte(range.end),
            _ => out.push(byte(range.start)..byte(range.end)),
        }
        end = range.end;
    }
    out
}

/// Splits a line into words, blanks and signs. Unlike in prose, names with a dot or a colon between them are separate words.
fn words(line: &str) -> Vec<&str> {
    line.split_word_bounds()
        .flat_map(|word| word.split_inclusive(is_inner_sign))
        .flat_map(|word| {
            let sign = word.chars().next_back().filter(|letter| is_inner_sign(*letter));
            let (name, sign) = word
                .split_at_checked(word.len() - sign.map_or(0, char::len_utf8))
                .unwrap_or((word, ""));
            [name, sign]
        })
        .filter(|word| !word.is_empty())
        .collect()
}

fn is_inner_sign(letter: char) -> bool {
    matches!(letter, '.' | ':' | '\'' | ',' | ';')
}

fn is_blank(word: &str) -> bool {
    word.chars().all(char::is_whitespace)
}

/// Returns the words of a line in alphabetical order, without blanks.
fn sorted_words(line: &str) -> Vec<&str> {
    if line.len() > MAX_LINE {
        return Vec::new();
    }
    let mut words = words(line);
    words.retain(|word| !is_blank(word));
    words.sort_unstable();
    words
}

/// Returns the share of the words' letters that both lines have in common, in percent.
fn similarity_of(old: &[&str], new: &[&str]) -> usize {
    let size = |words: &[&str]| words.iter().map(|word| word.len()).sum::<usize>();
    let total = size(old) + size(new);
    let (mut common, mut others) = (0, new.iter().peekable());
    for word in old {
        while others.next_if(|other| *other < word).is_some() {}
        if others.next_if_eq(&word).is_some() {
            common += 2 * word.len();
        }
    }
    (common * 100).checked_div(total).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn shown(old: &str, new: &str) -> (String, String) {
        let (before, after) = compare(old, new, Instant::now() + Duration::from_secs(60));
        let mark = |line: &str, marks: &[Range<usize>]| {
            let mut line = line.to_owned();
            for range in marks.iter().rev() {
                line.insert(range.end, ']');
                line.insert(range.start, '[');
            }
            line
        };
        (mark(old, &before), mark(new, &after))
    }

    #[test]
    fn changed_words_are_marked() {
        let both = |old: &str, new: &str| (old.to_owned(), new.to_owned());
        assert_eq!(
            shown("let a = old.value();", "let a = new.value();"),
            both("let a = [old].value();", "let a = [new].value();")
        );
        assert_eq!(
            shown("return one two of three;", "return four five of three;"),
            both("return [one two] of three;", "return [four five] of three;")
        );
        assert_eq!(
            shown("grün ist größer hier", "grün ist Größe hier"),
            both("grün ist [größer] hier", "grün ist [Größe] hier")
        );
        assert_eq!(shown("我喜欢猫吗", "我喜欢狗吗"), both("我喜欢[猫]吗", "我喜欢[狗]吗"));
        assert_eq!(shown("  a();", "    a();"), both("[  ]a();", "[    ]a();"));
    }

    #[test]
    fn different_lines_have_no_marks() {
        let (old, new) = ("use std::fs;", "pub struct Whole(u8);");
        assert_eq!(shown(old, new), (old.to_owned(), new.to_owned()));
        let long = "word ".repeat(MAX_LINE);
        assert_eq!(compare(&long, &format!("{long}x"), Instant::now()), Default::default());
    }

    #[test]
    fn lines_are_paired_in_blocks_of_unequal_length() {
        let line = |tag, text| RawLine {
            tag,
            old: None,
            new: None,
            text,
            missing_newline: false,
        };
        let lines = [
            line(Tag::Removed, "    first(alpha, beta);"),
            line(Tag::Removed, "    second(gamma, delta);"),
            line(Tag::Added, "    // something wholly else"),
            line(Tag::Added, "    first(alpha, zeta);"),
            line(Tag::Added, "    second(gamma, eta);"),
        ];
        let found = pairs(&lines, 0..2, 2..5, Instant::now() + Duration::from_secs(60));
        assert_eq!(found, [(0, 3), (1, 4)]);
    }
}
