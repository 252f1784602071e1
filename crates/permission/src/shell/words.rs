//! Words: what is written, and what it means once quotes are gone.

use super::Problem;

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Word {
    /// As written, quotes included.
    pub raw: String,
    /// What the program gets, when that is known; patterns are left as they are.
    pub text: Option<String>,
    /// Holds an unquoted `*`, `?` or `[`, so it may become several words.
    pub glob: bool,
    /// Begins with an unquoted `~`.
    pub tilde: bool,
    /// Some of it is quoted, so it is never taken for a keyword or an assignment.
    pub quoted: bool,
}

impl Word {
    /// The literal value of a word that is one and the same thing in every directory.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        if self.glob || self.tilde {
            return None;
        }
        self.text.as_deref()
    }

    /// A word written plainly.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self {
            raw: text.to_owned(),
            text: Some(text.to_owned()),
            glob: false,
            tilde: false,
            quoted: false,
        }
    }
}

/// Decodes a word, and says what keeps it from being literal.
#[must_use]
pub fn decode(raw: &str) -> (Word, Option<Problem>) {
    let mut reader = Reader {
        rest: raw.chars().peekable(),
        text: String::with_capacity(raw.len()),
        problem: None,
        glob: false,
        quoted: false,
        braces: Vec::new(),
    };
    reader.run();
    let word = Word {
        raw: raw.to_owned(),
        text: reader.problem.is_none().then_some(reader.text),
        // Alone it is the name of a program.
        glob: reader.glob && raw != "[",
        tilde: raw.starts_with('~'),
        quoted: reader.quoted,
    };
    (word, reader.problem)
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    text: String,
    problem: Option<Problem>,
    glob: bool,
    quoted: bool,
    /// For each open unquoted brace, whether a comma or `..` was seen in it.
    braces: Vec<bool>,
}

impl Reader<'_> {
    fn run(&mut self) {
        while let Some(c) = self.rest.next() {
            match c {
                '\'' => self.single(),
                '"' => self.double(),
                '\\' => {
                    self.quoted = true;
                    match self.rest.next() {
                        Some('\n') => {}
                        Some(c) => self.text.push(c),
                        None => self.text.push('\\'),
                    }
                }
                '`' => return self.fail(Problem::Nested),
                '$' => {
                    if !self.dollar() {
                        return;
                    }
                }
                '*' | '?' | '[' => {
                    self.glob = true;
                    self.text.push(c);
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
                    if self.rest.peek() == Some(&'.') {
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
                // Operators cannot stand in a word: whoever split this line split it otherwise.
                '|' | '&' | ';' | '<' | '>' | '(' | ')' | ' ' | '\t' | '\n' => {
                    return self.fail(Problem::Unparsable);
                }
                c => self.text.push(c),
            }
            if self.problem.is_some() {
                return;
            }
        }
    }

    fn fail(&mut self, problem: Problem) {
        self.problem = Some(problem);
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
            match self.rest.next() {
                Some('\'') => return,
                Some(c) => self.text.push(c),
                None => return self.fail(Problem::Unparsable),
            }
        }
    }

    fn double(&mut self) {
        self.quoted = true;
        loop {
            match self.rest.next() {
                Some('"') => return,
                Some('\\') => match self.rest.next() {
                    Some('\n') => {}
                    Some(c @ ('$' | '`' | '"' | '\\')) => self.text.push(c),
                    Some(c) => {
                        self.text.push('\\');
                        self.text.push(c);
                    }
                    None => return self.fail(Problem::Unparsable),
                },
                Some('`') => return self.fail(Problem::Nested),
                Some('$') => match self.rest.peek() {
                    Some('(') => return self.fail(Problem::Nested),
                    Some(c) if begins_name(*c) => return self.fail(Problem::Variable),
                    _ => self.text.push('$'),
                },
                Some(c) => self.text.push(c),
                None => return self.fail(Problem::Unparsable),
            }
        }
    }

    /// After an unquoted `$`; false when the word is at its end for us.
    fn dollar(&mut self) -> bool {
        match self.rest.peek() {
            Some('\'') => {
                self.rest.next();
                self.quoted = true;
                self.ansi();
            }
            Some('(') => self.fail(Problem::Nested),
            Some('"' | '[') => self.fail(Problem::Variable),
            Some(c) if begins_name(*c) => self.fail(Problem::Variable),
            _ => self.text.push('$'),
        }
        self.problem.is_none()
    }

    fn ansi(&mut self) {
        loop {
            let c = match self.rest.next() {
                Some('\'') => return,
                Some('\\') => match self.rest.next() {
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
            self.text.push(c);
        }
    }

    fn number(&mut self, radix: u32, most: usize, first: u32) -> Option<char> {
        let mut value = first;
        for _ in 0..most {
            let Some(digit) = self.rest.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            self.rest.next();
            value = value * radix + digit;
        }
        // Only plain ASCII: a zero ends the string in bash, the rest are bytes, not characters.
        char::from_u32(value).filter(|c| (' '..='~').contains(c))
    }
}

/// What after a `$` makes it an expansion.
fn begins_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '{' | '@' | '*' | '#' | '?' | '-' | '$' | '!')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> Option<String> {
        decode(raw).0.text
    }

    #[test]
    fn quotes_go_away() {
        assert_eq!(text("z''ap").as_deref(), Some("zap"));
        assert_eq!(text("z\"a\"p").as_deref(), Some("zap"));
        assert_eq!(text("z\\ap").as_deref(), Some("zap"));
        assert_eq!(text("$'zap'").as_deref(), Some("zap"));
        assert_eq!(text("$'\\x7a\\141p'").as_deref(), Some("zap"));
        assert_eq!(text("\"a\\\"b\\x\"").as_deref(), Some("a\"b\\x"));
        assert_eq!(text("'$(x)`y`'").as_deref(), Some("$(x)`y`"));
        assert_eq!(text("a$").as_deref(), Some("a$"));
    }

    #[test]
    fn what_is_only_known_later_has_no_text() {
        for raw in [
            "$x",
            "${x}",
            "\"$x\"",
            "\"a${x:-b}\"",
            "{a,b}",
            "{1..3}",
            "a{b,{c,d}}",
            "$\"x\"",
            "$[1]",
            "$?",
            "$'\\u007a'",
        ] {
            assert_eq!(text(raw), None, "{raw}");
        }
        for raw in ["$(x)", "`x`", "\"$(x)\"", "\"`x`\""] {
            assert_eq!(decode(raw).1, Some(Problem::Nested), "{raw}");
        }
    }

    #[test]
    fn braces_without_comma_are_text() {
        for raw in ["{}", "HEAD@{1}", "a{b}c"] {
            assert_eq!(text(raw).as_deref(), Some(raw));
        }
    }

    #[test]
    fn patterns_are_marked() {
        assert!(decode("*.rs").0.glob);
        assert!(!decode("'*.rs'").0.glob);
        assert!(!decode("\\*").0.glob);
        assert!(decode("~/x").0.tilde);
        assert!(!decode("'~/x'").0.tilde);
    }

    #[test]
    fn an_operator_in_a_word_is_refused() {
        for raw in ["a;b", "a|b", "a b", "a>b", "a(b"] {
            assert_eq!(decode(raw).1, Some(Problem::Unparsable), "{raw}");
        }
    }
}
