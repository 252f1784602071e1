//! The line the lexer reads: what is consumed, and what came before.

use super::is_name;
use crate::class::{Class, Run, push};

/// A line on its way.
pub(super) struct Line<'text> {
    pub(super) text: &'text str,
    pub(super) at: usize,
    pub(super) runs: Vec<Run>,
    /// The letter before.
    pub(super) before: char,
    /// The letter before, blanks apart.
    pub(super) last: char,
    /// The word before, as long as only blanks follow it.
    pub(super) word: &'text str,
    /// Nothing but blanks came so far.
    pub(super) is_first: bool,
    /// Quotes that nothing closes in this line.
    pub(super) unclosed: Vec<&'static str>,
    /// No `/…/` from here on.
    pub(super) has_no_pattern: bool,
}

impl<'text> Line<'text> {
    pub(super) fn rest(&self) -> &'text str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Takes so many bytes, which must end at a letter's border.
    pub(super) fn take(&mut self, length: usize, class: Class) {
        let Some(taken) = self.rest().get(..length) else {
            return;
        };
        push(&mut self.runs, class, taken);
        self.at += length;
        if let Some(letter) = taken.chars().next_back() {
            self.before = letter;
        }
        if let Some(letter) = taken.trim_end().chars().next_back() {
            self.last = letter;
            self.word = "";
        }
    }

    pub(super) fn take_char(&mut self, class: Class) {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        self.take(length, class);
    }

    pub(super) fn take_while(&mut self, class: Class, fits: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.take(rest.find(|letter| !fits(letter)).unwrap_or(rest.len()), class);
    }

    /// Takes everything up to and with `end`, or the rest where it is not there.
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

    /// A sign and the name after it.
    pub(super) fn marked(&mut self, class: Class) -> bool {
        let rest = self.rest();
        let sign = rest.chars().next().map_or(0, char::len_utf8);
        let after = rest.get(sign..).unwrap_or_default();
        let after = after.strip_prefix('{').unwrap_or(after);
        let start = rest.len() - after.len();
        let length = after
            .find(|letter| !(is_name(letter) || letter == '-'))
            .unwrap_or(after.len());
        self.take(start + length, if length == 0 { Class::Plain } else { class });
        true
    }

    /// `[table]`, `[[tables]]`
    pub(super) fn head(&mut self, rest: &str) -> bool {
        let length = rest.find(" #").unwrap_or(rest.len());
        self.take(length, Class::Type);
        true
    }

    /// Regular expressions and tags.
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

/// The length of `/…/flags`.
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
