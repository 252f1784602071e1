//! The line that the lexer is processing: its position and what precedes it.

use super::is_name;
use crate::class::{Class, Run, push};

/// A line that is being processed.
pub(super) struct Line<'text> {
    pub(super) text: &'text str,
    pub(super) at: usize,
    pub(super) runs: Vec<Run>,
    /// The previous character.
    pub(super) before: char,
    /// The previous character that is not blank.
    pub(super) last: char,
    /// The previous word, if only blanks follow it.
    pub(super) word: &'text str,
    /// Only blanks were consumed so far.
    pub(super) is_first: bool,
    /// Quotes that are not closed in the rest of this line.
    pub(super) unclosed: Vec<&'static str>,
    /// The rest of the line contains no regular expression.
    pub(super) has_no_pattern: bool,
}

impl<'text> Line<'text> {
    pub(super) fn rest(&self) -> &'text str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Consumes this number of bytes, which must end at a character boundary.
    pub(super) fn take(&mut self, length: usize, class: Class) {
        let Some(consumed) = self.rest().get(..length) else {
            return;
        };
        push(&mut self.runs, class, consumed);
        self.at += length;
        if let Some(letter) = consumed.chars().next_back() {
            self.before = letter;
        }
        if let Some(letter) = consumed.trim_end().chars().next_back() {
            self.last = letter;
            self.word = "";
        }
    }

    pub(super) fn take_char(&mut self, class: Class) {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        self.take(length, class);
    }

    pub(super) fn take_while(&mut self, class: Class, matches: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.take(rest.find(|letter| !matches(letter)).unwrap_or(rest.len()), class);
    }

    /// Consumes everything up to and including `end`, or the rest if `end` is not found. Returns whether it was found.
    pub(super) fn take_past(&mut self, end: &str, class: Class) -> bool {
        let rest = self.rest();
        let found = rest.find(end);
        self.take(found.map_or(rest.len(), |at| at + end.len()), class);
        found.is_some()
    }

    pub(super) fn number(&mut self) {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let is_based = matches!(bytes, [b'0', b'x' | b'X' | b'b' | b'o', ..]);
        let mut length = 0;
        let mut letters = rest.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            let is_exponent = matches!(letter, 'e' | 'E') && !is_based && matches!(next, Some('+' | '-'));
            let is_point = letter == '.' && next.is_some_and(|next| next.is_ascii_digit());
            if !(letter.is_alphanumeric() || matches!(letter, '_' | '%') || is_point) {
                break;
            }
            length = at + letter.len_utf8();
            if is_exponent {
                letters.next();
                length += 1;
            }
            if letter == '%' {
                break;
            }
        }
        self.take(length, Class::Num);
    }

    /// Consumes a sigil and the name after it.
    pub(super) fn take_sigil_name(&mut self, class: Class) -> bool {
        let rest = self.rest();
        let sigil = rest.chars().next().map_or(0, char::len_utf8);
        let after = rest.get(sigil..).unwrap_or_default();
        let after = after.strip_prefix('{').unwrap_or(after);
        let start = rest.len() - after.len();
        let length = after
            .find(|letter| !(is_name(letter) || letter == '-'))
            .unwrap_or(after.len());
        self.take(start + length, if length == 0 { Class::Plain } else { class });
        true
    }

    /// Consumes a table header: `[table]`, `[[tables]]`.
    pub(super) fn head(&mut self, rest: &str) -> bool {
        let length = rest.find(" #").unwrap_or(rest.len());
        self.take(length, Class::Type);
        true
    }

    /// Consumes a regular expression or the start of a tag.
    pub(super) fn script(&mut self, rest: &str, letter: char) -> bool {
        let follows_value = is_name(self.last) || matches!(self.last, ')' | ']' | '}' | '"' | '\'' | '`' | '$');
        let expects_value = !follows_value || matches!(self.word, "return" | "case" | "typeof" | "of" | "in");
        if letter == '/' && expects_value && !self.has_no_pattern {
            let Some(length) = pattern(rest) else {
                self.has_no_pattern = true;
                return false;
            };
            self.take(length, Class::Str);
            return true;
        }
        if letter == '<' && (rest.starts_with("</") || !(is_name(self.before) || self.before == ')')) {
            let after = rest.get(1..).unwrap_or_default();
            let name = after.strip_prefix('/').unwrap_or(after);
            let start = rest.len() - name.len();
            let length = name
                .find(|letter| !(is_name(letter) || matches!(letter, '-' | '.')))
                .unwrap_or(name.len());
            if name.starts_with(char::is_alphabetic) {
                let is_type = name.starts_with(char::is_uppercase);
                self.take(start, Class::Plain);
                self.take(length, if is_type { Class::Type } else { Class::Key });
                return true;
            }
        }
        false
    }
}

/// Returns the length of a regular expression `/…/flags`.
fn pattern(rest: &str) -> Option<usize> {
    let mut in_set = false;
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '[' => in_set = true,
            ']' => in_set = false,
            '/' if !in_set => {
                let flags = rest.get(at + 1..)?.bytes().take_while(u8::is_ascii_lowercase).count();
                return Some(at + 1 + flags);
            }
            _ => {}
        }
    }
    None
}
