//! A lexer that processes code line by line in linear time, by the rules of its language.
//!
//! It is not a parser: the class of a name is guessed from its spelling and the neighbouring characters.

mod line;

use std::collections::HashMap;

use super::rules::{Quote, Rules, Trait};
use crate::class::{Class, Run};
use line::Line;

/// The maximum nesting depth of template strings.
const MAX_DEPTH: usize = 32;

/// The construct that continues at the start of a line.
#[derive(Debug)]
enum Context {
    /// A multi-line comment, with its nesting depth.
    Comment(u32),
    String(&'static Quote),
    /// A raw string that ends with a quote and this number of `#`.
    Raw(usize),
    /// Code in a template string, with the number of open braces.
    Interpolation(u32),
    /// A here-document that ends with a line containing this word.
    HereDocument(String),
}

#[derive(Debug)]
pub(super) struct Lexer {
    rules: &'static Rules,
    words: HashMap<&'static str, Class>,
    contexts: Vec<Context>,
    /// The end word of a here-document that starts on the next line.
    here_end: Option<String>,
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
            contexts: Vec::new(),
            here_end: None,
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
            match self.contexts.last_mut() {
                None | Some(Context::Interpolation(_)) => self.code(&mut line),
                Some(Context::Comment(_)) => self.comment(&mut line),
                Some(Context::String(_)) => self.string(&mut line),
                Some(Context::Raw(hashes)) => {
                    let end = format!("\"{}", "#".repeat(*hashes));
                    if line.take_past(&end, Class::Str) {
                        self.contexts.pop();
                    }
                }
                Some(Context::HereDocument(word)) => {
                    let is_end = text.trim() == word;
                    line.take(text.len(), Class::Str);
                    if is_end {
                        self.contexts.pop();
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
        if let Some(word) = self.here_end.take() {
            self.contexts.push(Context::HereDocument(word));
        }
        while matches!(self.contexts.last(), Some(Context::String(quote)) if !quote.lines) {
            self.contexts.pop();
        }
    }

    fn has(&self, wanted: Trait) -> bool {
        self.rules.traits.contains(&wanted)
    }

    fn comment(&mut self, line: &mut Line<'_>) {
        let (Some((open, close)), nests) = (self.rules.block, self.has(Trait::Rust)) else {
            return;
        };
        let Some(Context::Comment(depth)) = self.contexts.last_mut() else {
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
                    self.contexts.pop();
                }
                line.take(at + close.len(), Class::Com);
                return;
            }
        }
        line.take(rest.len(), Class::Com);
    }

    /// Consumes the rest of a string: up to its end, the end of the line, or an interpolation.
    fn string(&mut self, line: &mut Line<'_>) {
        let Some(Context::String(quote)) = self.contexts.last() else {
            return;
        };
        let quote = *quote;
        let may_open = quote.interpolates && self.contexts.len() < MAX_DEPTH;
        let rest = line.rest();
        let mut letters = rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            let from = rest.get(at..).unwrap_or_default();
            if letter == '\\' && quote.escapes {
                letters.next();
            } else if from.starts_with(quote.close) {
                line.take(at + quote.close.len(), Class::Str);
                self.contexts.pop();
                return;
            } else if may_open && from.starts_with("${") {
                line.take(at, Class::Str);
                line.take(2, Class::Plain);
                self.contexts.push(Context::Interpolation(0));
                return;
            }
        }
        line.take(rest.len(), Class::Str);
    }

    /// Consumes one token of code.
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
            self.contexts.push(Context::Comment(1));
            line.take(open.len(), Class::Com);
        } else if self.opens_string(line, rest) || self.special(line, rest, letter) {
        } else if letter.is_ascii_digit() {
            line.number();
        } else if letter.is_alphabetic() || letter == '_' || (letter != '-' && self.rules.letters.contains(letter)) {
            self.word(line);
        } else {
            self.count_brace(letter);
            line.take_char(Class::Plain);
        }
        line.is_first = false;
    }

    fn count_brace(&mut self, letter: char) {
        if let Some(Context::Interpolation(depth)) = self.contexts.last_mut() {
            match letter {
                '{' => *depth += 1,
                '}' if *depth == 0 => {
                    self.contexts.pop();
                }
                '}' => *depth -= 1,
                _ => {}
            }
        }
    }

    fn opens_string(&mut self, line: &mut Line<'_>, rest: &str) -> bool {
        let prefix = if self.has(Trait::Prefixes) && !is_name(line.before) {
            // prefixes have at most two letters; a longer search at each token would be slow
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
            // an apostrophe in text is not a string. The search is done once per line, as repeating it would be slow
            if line.unclosed.contains(&quote.open) {
                return false;
            }
            let Some(length) = closing_length(inner, quote) else {
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
        self.contexts.push(Context::String(quote));
        true
    }

    /// Consumes a token of a syntax that only some languages have.
    fn special(&mut self, line: &mut Line<'_>, rest: &str, letter: char) -> bool {
        (self.has(Trait::Rust) && self.rust(line, rest, letter))
            || (self.has(Trait::Script) && line.script(rest, letter))
            || (self.has(Trait::Shell) && self.shell(line, rest, letter))
            || (self.has(Trait::At) && letter == '@' && line.take_sigil_name(Class::Key))
            || (self.has(Trait::Hash) && letter == '#' && line.is_first && line.take_sigil_name(Class::Key))
            || (self.has(Trait::Settings) && letter == '[' && line.is_first && line.head(rest))
    }

    fn rust(&mut self, line: &mut Line<'_>, rest: &str, letter: char) -> bool {
        if letter == '\'' {
            let mut letters = rest.chars().skip(1);
            let (first, second) = (letters.next(), letters.next());
            if first == Some('\\') || second == Some('\'') {
                // the longest escape is `'\u{10FFFF}'`
                let end = rest.char_indices().nth(12).map_or(rest.len(), |(at, _)| at);
                let inner = rest.get(1..end).unwrap_or_default();
                let Some(length) = closing_length(inner, &Quote::letter()) else {
                    return false;
                };
                line.take(1 + length, Class::Str);
            } else {
                line.take_sigil_name(Class::Type);
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
                self.contexts.push(Context::Raw(hashes));
                true
            }
            _ => false,
        }
    }

    fn shell(&mut self, line: &mut Line<'_>, rest: &str, letter: char) -> bool {
        if letter == '$' && !self.rules.letters.contains('$') {
            return line.take_sigil_name(Class::Type);
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
            if !word.is_empty() && self.here_end.is_none() {
                self.here_end = Some(word);
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
            interpolates: false,
        }
    }
}

/// Returns the length of the rest of a string including its closing quote, or `None` if it is not closed.
fn closing_length(inner: &str, quote: &Quote) -> Option<usize> {
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

/// Returns true for `Name` and `T`, but not for `MAX_BYTES`.
fn looks_like_type(word: &str) -> bool {
    let mut letters = word.trim_start_matches('_').chars();
    letters.next().is_some_and(char::is_uppercase) && {
        let rest = letters.as_str();
        rest.is_empty() || rest.chars().any(char::is_lowercase)
    }
}

#[cfg(test)]
mod tests;
