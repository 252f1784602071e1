//! Code as lines of runs, one class each.
//!
//! The languages seen most are read by a lexer of our own ([`lexer`], [`rules`]): its time is linear, it needs no
//! memory beyond the result and it knows languages the grammars lack (TypeScript, TOML, …). All others are read by
//! the grammars of `syntect` ([`grammar`]), whose regular expressions can take seconds for one line: they get short
//! lines and a share of time, and what is left over stays plain.

mod grammar;
mod language;
mod lexer;
mod rules;

use std::time::{Duration, Instant};

use crate::class::{Class, Run, push};
use language::Language;

/// Longer texts stay plain.
pub const MOST_BYTES: usize = 512 * 1024;
/// Texts with longer lines stay plain: nobody wrote them by hand.
pub const LONGEST_LINE: usize = 4 * 1024;
/// How long the grammars may take before the rest stays plain.
const PATIENCE: Duration = Duration::from_millis(80);

/// The lines of `text`, without their ends, as runs.
///
/// `lang` is the language of a fence (`rust`, `ts`, `sh`) or the name or path of a file. A line that ends in CR LF
/// keeps its CR: the runs of all lines, joined by line feeds, are the text (without its last line feed).
#[must_use]
pub fn highlight(lang: &str, text: &str) -> Vec<Vec<Run>> {
    within(lang, text, PATIENCE)
}

/// As [`highlight`], with another share of time for the grammars.
pub(crate) fn within(lang: &str, text: &str, patience: Duration) -> Vec<Vec<Run>> {
    if text.len() > MOST_BYTES || lines(text).any(|line| line.len() > LONGEST_LINE) {
        return plain(text);
    }
    match language::find(lang, text) {
        Language::Own(rules) => {
            let mut lexer = lexer::Lexer::new(rules);
            lines(text).map(|line| lexer.line(line)).collect()
        }
        Language::Grammar(syntax) => grammar::lines(syntax, text, Instant::now() + patience),
        Language::Unknown => plain(text),
    }
}

/// The lines of a text, without their line feeds.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
        .map(|line| line.strip_suffix('\n').unwrap_or(line))
}

fn plain(text: &str) -> Vec<Vec<Run>> {
    lines(text).map(plain_line).collect()
}

fn plain_line(text: &str) -> Vec<Run> {
    let mut line = Vec::new();
    push(&mut line, Class::Plain, text);
    line
}
