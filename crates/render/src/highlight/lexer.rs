//! Reads code line by line in linear time, by the rules of its language.
//!
//! A lexer, not a parser: what a name is, it guesses from its letters and its neighbours.

mod line;

use std::collections::HashMap;

use super::rules::{Quote, Rules, Trait};
use crate::class::{Class, Run};
use line::Line;

/// How deep templates may lie in each other.
const DEEPEST: usize = 32;

/// What a line may begin inside of.
#[derive(Debug)]
enum Inside {
    /// A comment of several lines, and how many of its kind lie in each other.
    Comment(u32),
    String(&'static Quote),
    /// A raw string that ends with a quote and so many `#`.
    Raw(usize),
    /// Code in a template, and how many braces are open in it.
    Hole(u32),
    /// Text until a line that is this word.
    Here(String),
}

#[derive(Debug)]
pub(super) struct Lexer {
    rules: &'static Rules,
    words: HashMap<&'static str, Class>,
    inside: Vec<Inside>,
    /// The word that ends the text which begins on the next line.
    here: Option<String>,
}

impl Lexer {
    pub(super) fn new(rules: &'static Rules) -> Self {
        let kinds = [
            (rules.types, Class::Type),
            (rules.constants, Class::Num),
            (rules.keywords, Class::Key),
        ];
        let words = kinds
            .iter()
            .flat_map(|(words, class)| words.split_whitespace().map(|word| (word, *class)));
        Self {
            rules,
            words: words.collect(),
            inside: Vec::new(),
            here: None,
        }
    }

    pub(super) fn line(&mut self, text: &str) -> Vec<Run> {
        let mut line = Line {
            text,
            at: 0,
            runs: Vec::new(),
            before: ' ',
            last: ' ',
            word: "",
            is_first: true,
            unclosed: Vec::new(),
            has_no_pattern: false,
        };
        while line.at < text.len() {
            let at = line.at;
            match self.inside.last_mut() {
                None | Some(Inside::Hole(_)) => self.code(&mut line),
                Some(Inside::Comment(_)) => self.comment(&mut line),
                Some(Inside::String(_)) => self.string(&mut line),
                Some(Inside::Raw(hashes)) => {
                    let end = format!("\"{}", "#".repeat(*hashes));
                    if line.take_past(&end, Class::Str) {
                        self.inside.pop();
                    }
                }
                Some(Inside::Here(word)) => {
                    let is_end = text.trim() == word;
                    line.take(text.len(), Class::Str);
                    if is_end {
                        self.inside.pop();
                    }
                }
            }
            if line.at == at {
                line.take_char(Class::Plain);
            }
        }
        self.end_line();
        line.runs
    }

    fn end_line(&mut self) {
        if let Some(word) = self.here.take() {
            self.inside.push(Inside::Here(word));
        }
        while matches!(self.inside.last(), Some(Inside::String(quote)) if !quote.lines) {
            self.inside.pop();
        }
    }

    fn has(&self, sought: Trait) -> bool {
        self.rules.traits.contains(&sought)
    }

    fn comment(&mut self, line: &mut Line<'_>) {
        let (Some((open, close)), nests) = (self.rules.block, self.has(Trait::Rust)) else {
            return;
        };
        let Some(Inside::Comment(depth)) = self.inside.last_mut() else {
            return;
        };
        let rest = line.rest();
        for (at, _) in rest.char_indices() {
            let from = rest.get(at..).unwrap_or_default();
            if nests && from.starts_with(open) {
                *depth += 1;
                line.take(at + open.len(), Class::Com);
                return;
            }
            if from.starts_with(close) {
                *depth -= 1;
                if *depth == 0 {
                    self.inside.pop();
                }
                line.take(at + close.len(), Class::Com);
                return;
            }
        }
        line.take(rest.len(), Class::Com);
    }

    /// The rest of a string, to its end, the end of the line or a hole.
    fn string(&mut self, line: &mut Line<'_>) {
        let Some(Inside::String(quote)) = self.inside.last() else {
            return;
        };
        let quote = *quote;
        let may_open = quote.holes && self.inside.len() < DEEPEST;
        let rest = line.rest();
        let mut letters = rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            let from = rest.get(at..).unwrap_or_default();
            if letter == '\\' && quote.escapes {
                letters.next();
            } else if from.starts_with(quote.close) {
                line.take(at + quote.close.len(), Class::Str);
                self.inside.pop();
                return;
            } else if may_open && from.starts_with("${") {
                line.take(at, Class::Str);
                line.take(2, Class::Plain);
                self.inside.push(Inside::Hole(0));
                return;
            }
        }
        line.take(rest.len(), Class::Str);
    }

    /// One token of code.
    fn code(&mut self, line: &mut Line<'_>) {
        let rest = line.rest();
        let Some(letter) = rest.chars().next() else { return };
        if letter.is_whitespace() {
            line.take_while(Class::Plain, char::is_whitespace);
            return;
        }
        let begins_word = !self.has(Trait::Shell) || line.before.is_whitespace();
        if begins_word && self.rules.comments.iter().any(|open| rest.starts_with(open)) {
            line.take(rest.len(), Class::Com);
        } else if let Some((open, _)) = self.rules.block.filter(|(open, _)| rest.starts_with(open)) {
            self.inside.push(Inside::Comment(1));
            line.take(open.len(), Class::Com);
        } else if self.opens_string(line, rest) || self.special(line, rest, letter) {
        } else if letter.is_ascii_digit() {
            line.number();
        } else if letter.is_alphabetic() || letter == '_' || (letter != '-' && self.rules.letters.contains(letter)) {
            self.word(line);
        } else {
            self.brace(letter);
            line.take_char(Class::Plain);
        }
        line.is_first = false;
    }

    fn brace(&mut self, letter: char) {
        if let Some(Inside::Hole(depth)) = self.inside.last_mut() {
            match letter {
                '{' => *depth += 1,
                '}' if *depth == 0 => {
                    self.inside.pop();
                }
                '}' => *depth -= 1,
                _ => {}
            }
        }
    }

    fn opens_string(&mut self, line: &mut Line<'_>, rest: &str) -> bool {
        let prefix = if self.has(Trait::Prefixes) && !is_name(line.before) {
            // two letters at most: looking further each time would take long
            let quote = rest.bytes().take(3).position(|byte| matches!(byte, b'"' | b'\''));
            quote
                .filter(|at| rest.bytes().take(*at).all(|byte| b"rbfuRBFU".contains(&byte)))
                .unwrap_or(0)
        } else {
            0
        };
        let quoted = rest.get(prefix..).unwrap_or_default();
        let Some(quote) = self.rules.strings.iter().find(|quote| quoted.starts_with(quote.open)) else {
            return false;
        };
        if self.has(Trait::WordQuotes) && !(line.before.is_whitespace() || "[{(,:=".contains(line.before)) {
            return false;
        }
        if !quote.lines {
            let inner = quoted.get(quote.open.len()..).unwrap_or_default();
            // an apostrophe in a text is no string; looked for once, or many of them would take long
            if line.unclosed.contains(&quote.open) {
                return false;
            }
            let Some(length) = closed(inner, quote) else {
                line.unclosed.push(quote.open);
                return false;
            };
            let length = prefix + quote.open.len() + length;
            let after = rest.get(length..).unwrap_or_default().trim_start();
            let is_key = match after.chars().next() {
                Some(':') => self.has(Trait::Fields),
                Some('=') => self.has(Trait::Settings) && line.is_first,
                _ => false,
            };
            line.take(length, if is_key { Class::Key } else { Class::Str });
            return true;
        }
        line.take(prefix + quote.open.len(), Class::Str);
        self.inside.push(Inside::String(quote));
        true
    }

    /// What only this language has.
    fn special(&mut self, line: &mut Line<'_>, rest: &str, letter: char) -> bool {
        (self.has(Trait::Rust) && self.rust(line, rest, letter))
            || (self.has(Trait::Script) && line.script(rest, letter))
            || (self.has(Trait::Shell) && self.shell(line, rest, letter))
            || (self.has(Trait::At) && letter == '@' && line.marked(Class::Key))
            || (self.has(Trait::Hash) && letter == '#' && line.is_first && line.marked(Class::Key))
            || (self.has(Trait::Settings) && letter == '[' && line.is_first && line.head(rest))
    }

    fn rust(&mut self, line: &mut Line<'_>, rest: &str, letter: char) -> bool {
        if letter == '\'' {
            let mut letters = rest.chars().skip(1);
            let (first, second) = (letters.next(), letters.next());
            if first == Some('\\') || second == Some('\'') {
                // the longest is `'\u{10FFFF}'`
                let end = rest.char_indices().nth(12).map_or(rest.len(), |(at, _)| at);
                let inner = rest.get(1..end).unwrap_or_default();
                let Some(length) = closed(inner, &Quote::letter()) else {
                    return false;
                };
                line.take(1 + length, Class::Str);
            } else {
                line.marked(Class::Type);
            }
            return true;
        }
        if is_name(line.before) {
            return false;
        }
        let raw = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r')).map(|after| {
            let hashes = after.bytes().take_while(|byte| *byte == b'#').count();
            (rest.len() - after.len(), hashes, after)
        });
        match raw {
            Some((start, hashes, after)) if after.get(hashes..).is_some_and(|after| after.starts_with('"')) => {
                line.take(start + hashes + 1, Class::Str);
                self.inside.push(Inside::Raw(hashes));
                true
            }
            _ => false,
        }
    }

    fn shell(&mut self, line: &mut Line<'_>, rest: &str, letter: char) -> bool {
        if letter == '$' && !self.rules.letters.contains('$') {
            return line.marked(Class::Type);
        }
        if letter == '\\' {
            line.take_char(Class::Plain);
            line.take_char(Class::Plain);
            return true;
        }
        if let Some(after) = rest.strip_prefix("<<").filter(|after| !after.starts_with('<')) {
            let after = after.trim_start_matches(['-', '~']).trim_start();
            let word: String = after
                .trim_start_matches(['\'', '"'])
                .chars()
                .take_while(|letter| is_name(*letter))
                .collect();
            if !word.is_empty() && self.here.is_none() {
                self.here = Some(word);
            }
            line.take(2, Class::Plain);
            return true;
        }
        false
    }

    fn word(&self, line: &mut Line<'_>) {
        let rest = line.rest();
        let is_inner = |letter: char| is_name(letter) || self.rules.letters.contains(letter);
        let length = rest.find(|letter| !is_inner(letter)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let after = rest.get(length..).unwrap_or_default();
        let class = self.class(line, word, after);
        line.take(length, class);
        line.word = word;
    }

    fn class(&self, line: &Line<'_>, word: &str, after: &str) -> Class {
        let next = after.trim_start().chars().next();
        let is_field = line.before == '.' && !self.has(Trait::Fields);
        let known = if self.has(Trait::AnyCase) {
            self.words.get(word.to_lowercase().as_str())
        } else {
            self.words.get(word)
        };
        if self.has(Trait::Settings) && line.is_first && matches!(next, Some('=' | ':')) {
            return Class::Key;
        }
        if self.has(Trait::Fields) && after.trim_start().starts_with(':') && !after.trim_start().starts_with("::") {
            return Class::Key;
        }
        if self.has(Trait::Instructions) && line.is_first && word.chars().all(|letter| letter.is_ascii_uppercase()) {
            return Class::Key;
        }
        if let Some(class) = known.filter(|_| !is_field) {
            return *class;
        }
        let defines = matches!(
            line.word,
            "fn" | "func" | "fun" | "function" | "def" | "defp" | "defmacro"
        );
        let is_macro = self.has(Trait::Rust) && after.starts_with('!') && !after.starts_with("!=");
        let is_type = self.has(Trait::Capitals) && looks_like_type(word);
        match after.chars().next() {
            _ if defines || is_macro => Class::Fn,
            Some('(') if !is_type && !self.has(Trait::Shell) => Class::Fn,
            _ if is_type => Class::Type,
            _ => Class::Plain,
        }
    }
}

impl Quote {
    const fn letter() -> Self {
        Self {
            open: "'",
            close: "'",
            escapes: true,
            lines: false,
            holes: false,
        }
    }
}

/// How much of `inner` the string takes with its end, if it ends at all.
fn closed(inner: &str, quote: &Quote) -> Option<usize> {
    let mut letters = inner.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' && quote.escapes {
            letters.next();
        } else if inner.get(at..).is_some_and(|rest| rest.starts_with(quote.close)) {
            return Some(at + quote.close.len());
        }
    }
    None
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// `Name`, `T`; but not `MOST_BYTES`.
fn looks_like_type(word: &str) -> bool {
    let mut letters = word.trim_start_matches('_').chars();
    letters.next().is_some_and(char::is_uppercase) && {
        let rest = letters.as_str();
        rest.is_empty() || rest.chars().any(char::is_lowercase)
    }
}

#[cfg(test)]
mod tests;
