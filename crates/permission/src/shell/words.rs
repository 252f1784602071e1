//! Words of a command line: as written, and as the program gets them after quotes are removed and known values are
//! filled in.

use std::collections::BTreeMap;

use super::builtins::is_everybodys;
use super::{Problem, Word, shape};

/// The variables whose value is known at some place of a line.
pub type Values = BTreeMap<String, Word>;

/// A word, and what was found in it.
#[derive(Debug, Clone, Default)]
pub struct Decoded {
    /// The word.
    pub word: Word,
    /// What keeps the line from being proven.
    pub problem: Option<Problem>,
    /// What keeps the value of the word from being known.
    pub soft: Option<Problem>,
    /// The texts of the command substitutions in it.
    pub inner: Vec<String>,
}

/// Decodes a word where these variables are known.
#[must_use]
pub fn decode(raw: &str, values: &Values) -> Decoded {
    let mut reader = Reader {
        rest: raw.chars().collect(),
        at: 0,
        text: String::with_capacity(raw.len()),
        values,
        found: Decoded::default(),
        unknown: false,
        special: false,
        member: false,
        glob: false,
        quoted: false,
        split: false,
        home: false,
        braces: Vec::new(),
    };
    reader.run();
    // Alone it is the name of a program.
    let glob = reader.glob && raw != "[";
    // In quotes what would be a sign of a class is one of its members.
    if glob && (reader.special || (reader.member && raw.contains('['))) {
        // The text no longer shows which part of it is a pattern.
        reader.soft(Problem::Variable);
        reader.unknown = true;
    }
    let known = reader.found.problem.is_none() && !reader.unknown;
    let mut found = reader.found;
    found.word = Word {
        raw: raw.to_owned(),
        text: known.then_some(reader.text),
        glob,
        // A quote before the first slash keeps it what it is.
        tilde: raw
            .split('/')
            .next()
            .is_some_and(|first| first.starts_with('~') && !first.contains(['"', '\'', '\\']))
            || (known && reader.home),
        quoted: reader.quoted,
        split: reader.split,
        piped: false,
        from: None,
        id: false,
        prefix: std::mem::take(&mut found.word.prefix),
    };
    found
}

struct Reader<'a> {
    rest: Vec<char>,
    at: usize,
    text: String,
    values: &'a Values,
    found: Decoded,
    unknown: bool,
    /// A quoted character that would be special in a pattern was seen.
    special: bool,
    /// A quoted character that would mean something in a class was seen.
    member: bool,
    glob: bool,
    quoted: bool,
    split: bool,
    home: bool,
    /// For each open unquoted brace, whether a comma or `..` was seen in it.
    braces: Vec<bool>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    /// The character before the one that was just read.
    fn before(&self) -> Option<char> {
        self.rest.get(self.at.checked_sub(2)?).copied()
    }

    /// Whether the word begins as an assignment does: `name=` or `name+=`.
    fn looks_assigned(&self) -> bool {
        let name: String = self.rest.iter().take_while(|c| **c != '=').collect();
        let name = name.strip_suffix('+').unwrap_or(&name);
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']');
        self.rest.contains(&'=')
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(part)
    }

    fn run(&mut self) {
        while let Some(c) = self.next() {
            match c {
                '\'' => self.single(),
                '"' => self.double(),
                '\\' => {
                    self.quoted = true;
                    match self.next() {
                        Some('\n') => {}
                        Some(c) => self.push(c),
                        None => self.text.push('\\'),
                    }
                }
                '`' => self.backtick(false),
                '$' => self.dollar(),
                '*' | '?' | '[' => {
                    self.glob = true;
                    self.text.push(c);
                }
                // What looks like an assignment has its homes put in, after each of these.
                '~' if matches!(self.before(), Some('=' | ':')) && self.looks_assigned() => {
                    self.some(Problem::Variable, false, false);
                }
                '{' => {
                    self.braces.push(false);
                    self.text.push(c);
                }
                ',' => {
                    self.in_brace();
                    self.text.push(c);
                }
                '.' => {
                    if self.peek() == Some('.') {
                        self.in_brace();
                    }
                    self.text.push(c);
                }
                '}' => {
                    if self.braces.pop() == Some(true) {
                        return self.fail(Problem::Variable);
                    }
                    self.text.push(c);
                }
                // Operators cannot be part of a word: the parser split this line differently.
                '|' | '&' | ';' | '<' | '>' | '(' | ')' | ' ' | '\t' | '\n' => {
                    return self.fail(Problem::Unparsable);
                }
                c => self.text.push(c),
            }
            if self.found.problem.is_some() {
                return;
            }
        }
    }

    fn fail(&mut self, problem: Problem) {
        self.found.problem.get_or_insert(problem);
    }

    fn soft(&mut self, problem: Problem) {
        self.found.soft.get_or_insert(problem);
    }

    /// A character without special meaning.
    fn push(&mut self, c: char) {
        self.special |= matches!(c, '*' | '?' | '[' | ']' | '\\');
        self.member |= matches!(c, '!' | '^' | '-' | ':' | '.' | '=');
        self.text.push(c);
    }

    fn in_brace(&mut self) {
        // A nested brace makes its parent one as well.
        for open in &mut self.braces {
            *open = true;
        }
    }

    fn single(&mut self) {
        self.quoted = true;
        loop {
            match self.next() {
                Some('\'') => return,
                Some(c) => self.push(c),
                None => return self.fail(Problem::Unparsable),
            }
        }
    }

    fn double(&mut self) {
        self.quoted = true;
        loop {
            match self.next() {
                Some('"') => return,
                Some('\\') => match self.next() {
                    Some('\n') => {}
                    Some(c @ ('$' | '`' | '"' | '\\')) => self.push(c),
                    Some(c) => {
                        self.push('\\');
                        self.push(c);
                    }
                    None => return self.fail(Problem::Unparsable),
                },
                Some('`') => self.backtick(true),
                Some('$') => self.expansion(true),
                Some(c) => self.push(c),
                None => return self.fail(Problem::Unparsable),
            }
            if self.found.problem.is_some() {
                return;
            }
        }
    }

    /// After an unquoted `$`.
    fn dollar(&mut self) {
        match self.peek() {
            Some('\'') => {
                self.at += 1;
                self.quoted = true;
                self.ansi();
            }
            // Translated: the value comes from a message catalogue.
            Some('"') => self.fail(Problem::Variable),
            _ => self.expansion(false),
        }
    }

    /// After a `$`, in double quotes or bare.
    fn expansion(&mut self, quoted: bool) {
        match self.peek() {
            Some('(') => self.parenthesis(quoted),
            Some('[') => self.fail(Problem::Variable),
            Some('{') => self.parameter(quoted),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.name();
                self.value(&name, quoted);
            }
            Some(c) if c.is_ascii_digit() || matches!(c, '?' | '#' | '$' | '!' | '-' | '@' | '*') => {
                self.at += 1;
                // Numbers of the shell's own are one word; the rest can be anything.
                if matches!(c, '?' | '#' | '$') {
                    self.some(Problem::Variable, true, false);
                } else {
                    self.fail(Problem::Variable);
                }
            }
            _ => self.text.push('$'),
        }
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
            self.at += 1;
        }
        name
    }

    /// Something whose value is not known; `many` even in quotes.
    fn some(&mut self, why: Problem, quoted: bool, many: bool) {
        self.soft(why);
        if !self.unknown {
            self.found.word.prefix.clone_from(&self.text);
        }
        self.unknown = true;
        self.split |= !quoted || many;
    }

    fn value(&mut self, name: &str, quoted: bool) {
        // What others have set may hold anything, secrets too.
        let settled = is_everybodys(name);
        if !settled && !self.values.contains_key(name) {
            return self.fail(Problem::Variable);
        }
        let first = self.text.is_empty() && !self.unknown;
        match (name, self.values.get(name)) {
            ("HOME", None) if quoted && first && self.ends_segment(quoted) => {
                self.home = true;
                self.text.push('~');
            }
            ("PWD", None) if quoted && first && self.ends_segment(quoted) => self.text.push('.'),
            (_, Some(value)) => {
                let value = value.clone();
                let Some(text) = value.text.as_deref() else {
                    return self.some(Problem::Variable, quoted, false);
                };
                if value.tilde {
                    if !(first && self.ends_segment(quoted)) {
                        return self.some(Problem::Variable, quoted, false);
                    }
                    self.home = true;
                    self.split |= !quoted;
                }
                let odd = |c: char| c.is_whitespace() || matches!(c, '*' | '?' | '[' | '\\');
                if value.glob {
                    // A file's name: outside quotes it may fall apart.
                    self.glob = true;
                    self.split |= !quoted;
                } else if text.contains(odd) {
                    self.special = true;
                    if !quoted {
                        return self.some(Problem::Variable, quoted, false);
                    }
                } else if text.is_empty() && !quoted {
                    return self.some(Problem::Variable, quoted, false);
                }
                self.text.push_str(text);
            }
            _ => self.some(Problem::Variable, quoted, false),
        }
    }

    /// Whether the segment of a path ends here: with the word, or with what follows the quotes.
    fn ends_segment(&self, quoted: bool) -> bool {
        let closed = quoted && self.peek() == Some('"');
        let next = self.rest.get(self.at + usize::from(closed));
        matches!(next, None | Some('/'))
    }

    /// `$( )` and `$(( ))`.
    fn parenthesis(&mut self, quoted: bool) {
        let begun = self.at;
        let Some(end) = shape::end_of_substitution(&self.rest, begun) else {
            return self.fail(Problem::Nested);
        };
        let inner: String = self.rest.get(begun + 1..end).unwrap_or_default().iter().collect();
        self.at = end + 1;
        if let Some(sum) = inner.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            if self.is_number(sum) {
                return self.some(Problem::Variable, true, false);
            }
            // A subshell or an expression: the caller looks for commands in it.
            return self.fail(Problem::Nested);
        }
        // Where we are is known.
        let here = inner.trim() == "pwd" && self.text.is_empty() && !self.unknown && self.ends_segment(quoted);
        self.found.inner.push(inner);
        if here {
            self.text.push('.');
            self.split |= !quoted;
        } else {
            self.printed(quoted);
        }
    }

    /// What a command prints: one word in quotes, outside of them any number.
    fn printed(&mut self, quoted: bool) {
        self.some(Problem::Nested, quoted, false);
    }

    /// Whether an expression holds nothing but numbers, and names of known numbers.
    fn is_number(&self, sum: &str) -> bool {
        let digits = |text: &str| !text.is_empty() && text.len() < 10 && text.bytes().all(|b| b.is_ascii_digit());
        let operators = |c: char| c.is_whitespace() || matches!(c, '+' | '-' | '*' | '/' | '%' | '<' | '>');
        // These change what they look at.
        if sum.contains("++") || sum.contains("--") {
            return false;
        }
        sum.split(operators).filter(|part| !part.is_empty()).all(|part| {
            let name = part.strip_prefix('$').unwrap_or(part);
            let known = self.values.get(name).and_then(Word::literal);
            digits(part) || known.is_some_and(digits)
        })
    }

    fn backtick(&mut self, quoted: bool) {
        let mut inner = String::new();
        loop {
            match self.next() {
                Some('`') => break,
                // Read twice over: what is in there is another text than what is written.
                Some('\\') | None => return self.fail(Problem::Nested),
                Some(c) => inner.push(c),
            }
        }
        self.found.inner.push(inner);
        self.printed(quoted);
    }

    /// `${ }`, in the forms that only look up a value.
    fn parameter(&mut self, quoted: bool) {
        let Some(length) = self.rest.iter().skip(self.at).position(|c| *c == '}') else {
            return self.fail(Problem::Variable);
        };
        let inner: String = self.rest.iter().skip(self.at + 1).take(length - 1).collect();
        let plain = |text: &str| {
            text.chars().all(|c| {
                c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | ',' | ' ' | '-' | '*' | '?' | '%' | '#')
            })
        };
        let name: String = inner
            .trim_start_matches('#')
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        let named = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if inner == name && named {
            self.at += length + 1;
            return self.value(&name, quoted);
        }
        let rest = inner
            .strip_prefix(name.as_str())
            .filter(|_| named || matches!(name.as_str(), "1" | "2" | "3"));
        let looks_up = match rest {
            // `${#x}`
            None => inner.strip_prefix('#') == Some(name.as_str()) && named,
            Some(rest) => {
                let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b':');
                rest.is_empty()
                    || matches!(rest, "[@]" | "[*]" | "@Q" | "@U" | "@L" | "@u")
                    || rest
                        .strip_prefix('[')
                        .and_then(|rest| rest.strip_suffix(']'))
                        .is_some_and(|index| !index.is_empty() && digits(index) && !index.contains(':'))
                    || rest
                        .strip_prefix(':')
                        .is_some_and(|range| range.starts_with(|c: char| c.is_ascii_digit()) && digits(range))
                    || [
                        "##", "#", "%%", "%", ":-", "-", ":+", "+", "//", "/", "^^", "^", ",,", ",",
                    ]
                    .iter()
                    .any(|operator| rest.strip_prefix(operator).is_some_and(plain))
            }
        };
        let seen = is_everybodys(&name) || self.values.contains_key(&name);
        // What takes the place of the value is matched against names like any other text outside quotes.
        let put = [":-", "-", ":+", "+", "/"];
        let matched = |rest: &str| rest.contains(['*', '?']) && put.iter().any(|operator| rest.starts_with(operator));
        if !looks_up || !seen || (!quoted && rest.is_some_and(matched)) {
            return self.fail(Problem::Variable);
        }
        self.at += length + 1;
        let many = rest.is_some_and(|rest| rest.contains(['@', '[']));
        self.some(Problem::Variable, quoted, many);
    }

    fn ansi(&mut self) {
        loop {
            let c = match self.next() {
                Some('\'') => return,
                Some('\\') => match self.next() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some(c @ ('\\' | '\'' | '"' | '?')) => c,
                    Some('x') => match self.number(16, 2, 0) {
                        Some(c) => c,
                        None => return self.fail(Problem::Variable),
                    },
                    Some(c @ '0'..='7') => match self.number(8, 2, c.to_digit(8).unwrap_or_default()) {
                        Some(c) => c,
                        None => return self.fail(Problem::Variable),
                    },
                    Some(_) => return self.fail(Problem::Variable),
                    None => return self.fail(Problem::Unparsable),
                },
                Some(c) => c,
                None => return self.fail(Problem::Unparsable),
            };
            self.push(c);
        }
    }

    fn number(&mut self, radix: u32, most: usize, first: u32) -> Option<char> {
        let mut value = first;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            self.at += 1;
            value = value * radix + digit;
        }
        // Only plain ASCII: a zero ends the string in bash, the rest are bytes, not characters.
        char::from_u32(value).filter(|c| (' '..='~').contains(c))
    }
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
