//! Motions and text objects.

use crate::input::editor::Editor;

impl super::Vim {
    /// Returns the range of a motion.
    pub(super) fn motion(&mut self, editor: &Editor, keys: &str, times: usize) -> Option<Reach> {
        let at = editor.cursor();
        let mut letters = keys.chars();
        let (first, second) = (letters.next()?, letters.next());
        let (start, end) = (editor.line_start(at), editor.line_end(at));
        let reach = |to: usize| Reach {
            to,
            inclusive: false,
            lines: false,
        };
        let each = |step: &dyn Fn(usize) -> usize| (0..times).fold(at, |to, _| step(to));
        Some(match first {
            'h' => reach(each(&|to| if to > start { before(editor, to) } else { to })),
            'l' | ' ' => reach(each(&|to| if to < end { next(editor, to) } else { to })),
            '0' => reach(start),
            '^' => reach(first_letter(editor, start)),
            '$' => reach(end),
            'w' => reach(each(&|to| word_start(editor, to))),
            'b' => reach(each(&|to| editor.word_before(to))),
            'e' => Reach {
                inclusive: true,
                ..reach(each(&|to| word_end(editor, to)))
            },
            'G' => Reach {
                lines: true,
                ..reach(editor.text().len())
            },
            'g' if second == Some('g') => Reach {
                lines: true,
                ..reach(0)
            },
            'f' | 'F' | 't' | 'T' => {
                self.found = Some((first, second?));
                found(editor, first, second?, times)?
            }
            ';' | ',' => {
                let (key, letter) = self.found?;
                let key = if first == ';' { key } else { turned(key) };
                found(editor, key, letter, times)?
            }
            _ => return None,
        })
    }
}

/// Range of a motion: target, whether the character there is included, and whether it covers whole lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    pub(super) to: usize,
    pub(super) inclusive: bool,
    pub(super) lines: bool,
}

/// Finds a character in the line: `f` and `t` forwards, `F` and `T` backwards.
pub(super) fn found(editor: &Editor, key: char, letter: char, times: usize) -> Option<Reach> {
    let at = editor.cursor();
    let (start, end) = (editor.line_start(at), editor.line_end(at));
    let line = editor.text().get(start..end)?;
    let places: Vec<usize> = line.match_indices(letter).map(|(place, _)| start + place).collect();
    let forwards = key.is_lowercase();
    let place = match forwards {
        true => places
            .iter()
            .filter(|place| **place > at)
            .nth(times.checked_sub(1)?)
            .copied()?,
        false => places
            .iter()
            .rev()
            .filter(|place| **place < at)
            .nth(times.checked_sub(1)?)
            .copied()?,
    };
    let to = match key {
        't' => before(editor, place),
        'T' => next(editor, place),
        _ => place,
    };
    Some(Reach {
        to,
        inclusive: forwards,
        lines: false,
    })
}

/// Returns the range inside or around a word, quotes or brackets.
pub(super) fn object(editor: &Editor, keys: &str) -> Option<(usize, usize)> {
    let mut letters = keys.chars();
    let around = letters.next()? == 'a';
    let what = letters.next()?;
    let (text, at) = (editor.text(), editor.cursor());
    let (open, close) = match what {
        'w' => {
            let after = next(editor, at);
            let from = editor.word_before(after).min(at);
            let to = editor.word_after(at);
            let spaces = text.get(to..)?.len() - text.get(to..)?.trim_start_matches(' ').len();
            return Some((from, if around { to + spaces } else { to }));
        }
        '(' | ')' | 'b' => ('(', ')'),
        '[' | ']' => ('[', ']'),
        '{' | '}' | 'B' => ('{', '}'),
        '"' | '\'' | '`' => (what, what),
        _ => return None,
    };
    let before = text.get(..=at).unwrap_or_else(|| text.get(..at).unwrap_or_default());
    let from = before.rfind(open)?;
    let to = from + 1 + text.get(from + 1..)?.find(close)?;
    (to >= at).then_some(if around { (from, to + 1) } else { (from + 1, to) })
}

pub(super) fn next(editor: &Editor, at: usize) -> usize {
    use unicode_segmentation::UnicodeSegmentation as _;
    let rest = editor.text().get(at..).unwrap_or_default();
    at + rest.graphemes(true).next().map_or(0, str::len)
}

pub(super) fn before(editor: &Editor, at: usize) -> usize {
    use unicode_segmentation::UnicodeSegmentation as _;
    let text = editor.text().get(..at).unwrap_or_default();
    text.grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
}

/// Returns the next character boundary.
pub(super) fn ceil(editor: &Editor, mut at: usize) -> usize {
    while at < editor.text().len() && !editor.text().is_char_boundary(at) {
        at += 1;
    }
    at
}

pub(super) fn first_letter(editor: &Editor, start: usize) -> usize {
    let line = editor.text().get(start..editor.line_end(start)).unwrap_or_default();
    start + line.len() - line.trim_start().len()
}

/// Returns the start of the next word.
pub(super) fn word_start(editor: &Editor, at: usize) -> usize {
    let rest = editor.text().get(at..).unwrap_or_default();
    let kind = |letter: char| (letter.is_whitespace(), letter.is_alphanumeric() || letter == '_');
    let Some(first) = rest.chars().next().map(kind) else {
        return at;
    };
    let word: usize = rest
        .chars()
        .take_while(|it| kind(*it) == first)
        .map(char::len_utf8)
        .sum();
    let word = if first.0 { 0 } else { word };
    let spaces = rest.get(word..).unwrap_or_default();
    at + word + (spaces.len() - spaces.trim_start().len())
}

/// Returns the last character of this word or the next one.
pub(super) fn word_end(editor: &Editor, at: usize) -> usize {
    let from = next(editor, at);
    let rest = editor.text().get(from..).unwrap_or_default();
    let spaces = rest.len() - rest.trim_start().len();
    let begin = from + spaces;
    let rest = editor.text().get(begin..).unwrap_or_default();
    let kind = |letter: char| letter.is_alphanumeric() || letter == '_';
    let Some(first) = rest.chars().next().map(kind) else {
        return at;
    };
    let letters = rest.chars().take_while(|it| kind(*it) == first && !it.is_whitespace());
    let word: usize = letters.map(char::len_utf8).sum();
    before(editor, begin + word).max(at)
}

pub(super) fn turned(letter: char) -> char {
    if letter.is_lowercase() {
        letter.to_uppercase().next().unwrap_or(letter)
    } else {
        letter.to_lowercase().next().unwrap_or(letter)
    }
}
