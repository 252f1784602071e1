//! A check of the line before the parser: quotes, brackets and here-documents are closed, and it is not too large.
//!
//! The parser ends the whole process on lines that end in the middle of something or contain numbers that are too
//! large. Bash would not run such lines, so the parser does not get them.

use super::Problem;
use super::caps::{MOST_COMMANDS, MOST_DEPTH, MOST_OPENINGS, MOST_WORDS};

/// Why `text` is not parsed.
#[must_use]
pub fn check(text: &str) -> Option<Problem> {
    let mut shape = Shape {
        rest: text.chars().collect(),
        ..Shape::default()
    };
    let closed = shape.numbers_fit() && shape.commands(End::Text, 0).is_some() && shape.documents.is_empty();
    if shape.too_much {
        return Some(Problem::TooDeep);
    }
    (!closed).then_some(Problem::Unparsable)
}

/// Where the parenthesis that opens at `at` closes, by the same reading.
pub(super) fn end_of_substitution(text: &[char], at: usize) -> Option<usize> {
    let mut shape = Shape {
        rest: text.to_vec(),
        at: at + 1,
        ..Shape::default()
    };
    shape.commands(End::Parenthesis, 1)?;
    shape.at.checked_sub(1)
}

/// What a run of commands ends with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Text,
    Parenthesis,
    Backtick,
}

/// A here-document whose body is still to come.
struct Document {
    delimiter: String,
    /// Leading tabs go.
    tabs: bool,
    /// The body is taken as it stands.
    quoted: bool,
}

#[derive(Default)]
struct Shape {
    rest: Vec<char>,
    at: usize,
    /// Here-documents whose bodies come with the next line.
    documents: Vec<Document>,
    words: usize,
    commands: usize,
    openings: usize,
    /// Compound commands that are open.
    compounds: usize,
    /// Some limit was met.
    too_much: bool,
}

impl Shape {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn begins(&self, text: &str) -> bool {
        let found = self.rest.get(self.at..).unwrap_or_default();
        text.chars().enumerate().all(|(at, c)| found.get(at) == Some(&c))
    }

    /// File descriptors and `~1` are numbers of the machine's size to the parser.
    fn numbers_fit(&self) -> bool {
        let mut digits = 0;
        let mut tilde = false;
        for c in &self.rest {
            match c {
                c if c.is_ascii_digit() => digits += 1,
                '<' | '>' if digits > 4 => return false,
                '+' | '-' if tilde && digits == 0 => continue,
                c => {
                    digits = 0;
                    tilde = *c == '~';
                }
            }
            if tilde && digits > 4 {
                return false;
            }
        }
        true
    }

    /// Goes one deeper, or refuses to.
    fn enter(&mut self, depth: usize) -> Option<()> {
        self.openings += 1;
        self.within(depth + self.compounds <= MOST_DEPTH && self.openings <= MOST_OPENINGS)
    }

    fn within(&mut self, fits: bool) -> Option<()> {
        self.too_much |= !fits;
        fits.then_some(())
    }

    /// A word that ended, and what it says about the depth.
    fn word(&mut self, word: &str, depth: usize) -> Option<()> {
        self.words += usize::from(!word.is_empty());
        match word {
            "if" | "for" | "while" | "until" | "case" | "select" | "function" | "coproc" | "{" => {
                self.compounds += 1;
                self.enter(depth)?;
            }
            "fi" | "done" | "esac" | "}" => self.compounds = self.compounds.saturating_sub(1),
            _ => {}
        }
        self.within(self.words <= MOST_WORDS)
    }

    /// Commands up to `end`, which is consumed.
    fn commands(&mut self, end: End, depth: usize) -> Option<()> {
        if depth > 0 {
            self.enter(depth)?;
        }
        let before = std::mem::take(&mut self.documents);
        let mut word_begins = true;
        let mut case = 0usize;
        let mut word = String::new();
        loop {
            let Some(c) = self.next() else {
                // At the end of the text only the outermost may end, with nothing left open.
                return (end == End::Text && before.is_empty()).then_some(());
            };
            let begins = word_begins;
            word_begins = matches!(c, ' ' | '\t' | '\n' | ';' | '|' | '&' | '(' | ')' | '<' | '>');
            let fd_variable = word.starts_with('{') && word.ends_with('}');
            if word_begins {
                match word.as_str() {
                    "case" => case += 1,
                    "esac" => case = case.saturating_sub(1),
                    _ => {}
                }
                self.word(&word, depth)?;
                word.clear();
            } else {
                word.push(c);
            }
            if matches!(c, ';' | '|' | '&' | '\n') {
                self.commands += 1;
                self.within(self.commands <= 2 * MOST_COMMANDS)?;
            }
            match c {
                '\\' => {
                    self.next()?;
                }
                '\'' => self.single()?,
                '"' => self.double(depth + 1)?,
                '`' if end == End::Backtick => return self.finish(before),
                '`' => self.commands(End::Backtick, depth + 1)?,
                '$' => self.dollar(depth + 1)?,
                '#' if begins => {
                    while self.peek().is_some_and(|c| c != '\n') && !(end == End::Backtick && self.peek() == Some('`'))
                    {
                        self.at += 1;
                    }
                }
                '(' => self.commands(End::Parenthesis, depth + 1)?,
                ')' if end == End::Parenthesis && case == 0 => return self.finish(before),
                // The end of a pattern.
                ')' if case > 0 => {}
                ')' => return None,
                // `{name}>`: bash evaluates the text in the braces.
                '<' | '>' if fd_variable => return None,
                '<' if self.begins("<<") => self.at += 2,
                '<' if self.begins("<") => {
                    self.at += 1;
                    self.document()?;
                }
                '\n' => self.bodies()?,
                _ => {}
            }
        }
    }

    fn finish(&mut self, before: Vec<Document>) -> Option<()> {
        // A document begun inside must have its body inside.
        if !self.documents.is_empty() {
            return None;
        }
        self.documents = before;
        Some(())
    }

    fn single(&mut self) -> Option<()> {
        while self.next()? != '\'' {}
        Some(())
    }

    fn ansi(&mut self) -> Option<()> {
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                '\'' => return Some(()),
                _ => {}
            }
        }
    }

    fn double(&mut self, depth: usize) -> Option<()> {
        self.within(depth <= MOST_DEPTH)?;
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                '"' => return Some(()),
                '`' => self.commands(End::Backtick, depth + 1)?,
                '$' if matches!(self.peek(), Some('(' | '{' | '[')) => self.dollar(depth + 1)?,
                _ => {}
            }
        }
    }

    /// After a `$`.
    fn dollar(&mut self, depth: usize) -> Option<()> {
        if self.begins("((") {
            self.at += 2;
            return self.until("))", depth);
        }
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.commands(End::Parenthesis, depth)
            }
            Some(open @ ('{' | '[')) => {
                self.at += 1;
                self.until(if open == '{' { "}" } else { "]" }, depth)
            }
            Some('\'') => {
                self.at += 1;
                self.ansi()
            }
            _ => Some(()),
        }
    }

    /// An expansion or an expression, up to `close`.
    fn until(&mut self, close: &str, depth: usize) -> Option<()> {
        self.enter(depth)?;
        let mut open = 0usize;
        loop {
            if open == 0 && self.begins(close) {
                self.at += close.chars().count();
                return Some(());
            }
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                '\'' => self.single()?,
                '"' => self.double(depth + 1)?,
                '`' => self.commands(End::Backtick, depth + 1)?,
                '$' => self.dollar(depth + 1)?,
                '(' => open += 1,
                ')' => open = open.checked_sub(1)?,
                '\n' => return None,
                _ => {}
            }
        }
    }

    /// After `<<`: the delimiter.
    fn document(&mut self) -> Option<()> {
        let tabs = self.peek() == Some('-');
        self.at += usize::from(tabs);
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
        let mut delimiter = String::new();
        let mut is_quoted = false;
        loop {
            match self.peek() {
                None | Some(' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' | ')') => break,
                Some('$' | '`' | '(') => return None,
                Some(quote @ ('\'' | '"')) => {
                    self.at += 1;
                    is_quoted = true;
                    loop {
                        match self.next()? {
                            c if c == quote => break,
                            '\n' | '\\' => return None,
                            c => delimiter.push(c),
                        }
                    }
                }
                Some('\\') => {
                    self.at += 1;
                    is_quoted = true;
                    delimiter.push(self.next().filter(|c| *c != '\n')?);
                }
                Some(c) => {
                    self.at += 1;
                    delimiter.push(c);
                }
            }
        }
        if delimiter.is_empty() {
            return None;
        }
        self.documents.push(Document {
            delimiter,
            tabs,
            quoted: is_quoted,
        });
        Some(())
    }

    /// After a newline: the bodies that are due.
    fn bodies(&mut self) -> Option<()> {
        for document in std::mem::take(&mut self.documents) {
            loop {
                self.peek()?;
                let mut line = String::new();
                while let Some(c) = self.next().filter(|c| *c != '\n') {
                    line.push(c);
                }
                // Bash joins such lines before it looks for the delimiter; others do not.
                let joined = line.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
                if joined && !document.quoted {
                    return None;
                }
                let indent = |c: char| document.tabs && c == '\t';
                if line.trim_start_matches(indent) == document.delimiter {
                    break;
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    fn is_closed(text: &str) -> bool {
        check(text).is_none()
    }

    #[test]
    fn closed_lines() {
        for text in [
            "ls",
            "echo 'a\"'",
            "echo \"a'$(ls \")\")\"",
            "cat <<X\n'\nX",
            "cat <<'X'\n$(\nX\n",
            "cat <<-X\n\ta\n\tX",
            "git commit -m \"$(cat <<'EOF'\nit's (a \"fix\nEOF\n)\"",
            "case a in a) ls;; esac",
            "echo $((1+(2)))",
            "echo ${x:-`a`}",
            "ls # it's",
            "a=(1 2)",
            "f() { ls; }",
            "cat <<<a",
            "echo $'a\\'b'",
            "ls 2>&1",
            "cat <<A <<B\n1\nA\n2\nB",
            "echo \\'",
            "x=$(case a in a) b;; esac)",
        ] {
            assert!(is_closed(text), "{text}");
        }
    }

    #[test]
    fn open_lines() {
        for text in [
            "echo 'a",
            "echo \"a",
            "echo $(ls",
            "echo `ls",
            "echo ${x",
            "(ls",
            "ls)",
            "cat <<X",
            "cat <<X\na",
            "$(<<X\n))<<X\nX\n",
            "ls 99999999999>x",
            "echo ~99999999999999999999$x",
            "cat <<",
            "echo $((1",
            "cat <<$x\n$x",
            "cat <<X\nX\\\n\nX",
            "cat <<X\na\nX\\\n\nX",
            "ls {x}>y",
            "ls {x['a']}>y",
            "ls {x[$(a)]}<y",
        ] {
            assert!(!is_closed(text), "{text}");
        }
    }
}
