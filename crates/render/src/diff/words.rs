//! Word diff, in lines that are otherwise the same.

use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use unicode_segmentation::UnicodeSegmentation;

use super::{Raw, Tag};

/// Longer lines are not compared by words.
const LONGEST_LINE: usize = 1024;
/// How many pairs of lines are tried where a block has more lines on one side.
const MOST_PAIRS: usize = 1024;
/// How much of two lines, of their words' letters, has to be the same (in percent) for the rest to be worth a mark.
const ALIKE: usize = 50;

/// The changed pieces of every line of a hunk, as ranges of bytes.
pub(super) fn marks(lines: &[Raw<'_>], deadline: Instant) -> Vec<Vec<Range<usize>>> {
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
            let (before, after) = compared(before.text, after.text, deadline);
            for (at, marks) in [(old, before), (new, after)] {
                if let Some(place) = out.get_mut(at) {
                    *place = marks;
                }
            }
        }
        at += (removed + added).max(1);
    }
    out
}

/// Which removed line became which added one.
fn pairs(lines: &[Raw<'_>], old: Range<usize>, new: Range<usize>, deadline: Instant) -> Vec<(usize, usize)> {
    if old.len() == new.len() {
        return old.zip(new).collect();
    }
    if old.is_empty() || new.is_empty() || old.len() * new.len() > MOST_PAIRS || Instant::now() >= deadline {
        return Vec::new();
    }
    let bags = |range: Range<usize>| -> Vec<Vec<&str>> {
        let lines = lines.get(range).unwrap_or_default();
        lines.iter().map(|line| bag(line.text)).collect()
    };
    let (olds, news) = (bags(old.clone()), bags(new.clone()));
    // the best sum of likeness that keeps the order: best[i][j] for the lines from i and j on
    let width = news.len() + 1;
    let mut best = vec![0; (olds.len() + 1) * width];
    let mut alike = vec![0; olds.len() * width];
    for (i, before) in olds.iter().enumerate().rev() {
        for (j, after) in news.iter().enumerate().rev() {
            let likeness = Some(likeness(before, after))
                .filter(|alike| *alike >= ALIKE)
                .unwrap_or(0);
            let at = |i: usize, j: usize| best.get(i * width + j).copied().unwrap_or(0);
            let sum = (likeness + at(i + 1, j + 1)).max(at(i + 1, j)).max(at(i, j + 1));
            if let Some(place) = best.get_mut(i * width + j) {
                *place = sum;
            }
            if let Some(place) = alike.get_mut(i * width + j) {
                *place = likeness;
            }
        }
    }
    let at = |i: usize, j: usize| best.get(i * width + j).copied().unwrap_or(0);
    let mut out = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < olds.len() && j < news.len() {
        let likeness = alike.get(i * width + j).copied().unwrap_or(0);
        if likeness > 0 && at(i, j) == likeness + at(i + 1, j + 1) {
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

/// The changed pieces of two lines, or none where they have too little in common.
fn compared(old: &str, new: &str, deadline: Instant) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    if old.len().max(new.len()) > LONGEST_LINE || likeness(&bag(old), &bag(new)) < ALIKE {
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
        joined(ranges, words)
    };
    (changed(DiffOp::old_range, &old), changed(DiffOp::new_range, &new))
}

/// Ranges of words as ranges of bytes; those with only blanks between them become one.
fn joined(ranges: impl Iterator<Item = Range<usize>>, words: &[&str]) -> Vec<Range<usize>> {
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

/// Words, blanks and signs. Names with a point or a colon between them are several words: this is code.
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

/// The words of a line in order of the alphabet, blanks apart.
fn bag(line: &str) -> Vec<&str> {
    if line.len() > LONGEST_LINE {
        return Vec::new();
    }
    let mut words = words(line);
    words.retain(|word| !is_blank(word));
    words.sort_unstable();
    words
}

/// How much of the words' letters both have, in percent.
fn likeness(old: &[&str], new: &[&str]) -> usize {
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
        let (before, after) = compared(old, new, Instant::now() + Duration::from_secs(60));
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
    fn lines_with_little_in_common_have_no_marks() {
        let (old, new) = ("use std::fs;", "pub struct Whole(u8);");
        assert_eq!(shown(old, new), (old.to_owned(), new.to_owned()));
        let long = "word ".repeat(LONGEST_LINE);
        assert_eq!(compared(&long, &format!("{long}x"), Instant::now()), Default::default());
    }

    #[test]
    fn lines_find_their_partners_in_blocks_of_unequal_length() {
        let line = |tag, text| Raw {
            tag,
            old: None,
            new: None,
            text,
            unended: false,
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
