//! Syntax highlighting: splits code into lines of runs, each run with one class.
//!
//! The most frequent languages are processed by our own lexer ([`lexer`], [`rules`]). It runs in linear time, needs no
//! memory beyond the result, and supports languages that the grammars lack (TypeScript, TOML, …). All other languages
//! use the grammars of `syntect` ([`grammar`]), whose regular expressions can take seconds for a single line. They only
//! process short lines within a time limit; the rest stays plain.

mod grammar;
mod language;
mod lexer;
mod rules;

use std::time::{Duration, Instant};

use crate::class::{Class, Run, push};
use language::Language;

/// Texts longer than this (in bytes) stay plain.
pub const MAX_BYTES: usize = 512 * 1024;
/// Texts with lines longer than this (in bytes) stay plain, as they are usually generated.
pub const MAX_LINE: usize = 4 * 1024;
/// The time limit for grammars; the rest of the text stays plain.
const GRAMMAR_TIMEOUT: Duration = Duration::from_millis(80);

/// Returns the lines of `text`, without their line feeds, as runs.
///
/// `lang` is the language of a fenced code block (`rust`, `ts`, `sh`) or the name or path of a file. A line that ends with
/// CR LF keeps its CR: the runs of all lines, joined by line feeds, are the text (without its last line feed).
#[must_use]
pub fn highlight(lang: &str, text: &str) -> Vec<Vec<Run>> {
    highlight_with_timeout(lang, text, GRAMMAR_TIMEOUT)
}

/// Like [`highlight`], with another time limit for the grammars.
pub(crate) fn highlight_with_timeout(lang: &str, text: &str, limit: Duration) -> Vec<Vec<Run>> {
    if text.len() > MAX_BYTES || lines(text).any(|line| line.len() > MAX_LINE) {
        return plain(text);
    }
    match language::find(lang, text) {
        Language::Lexer(rules) => {
            let mut lexer = lexer::Lexer::new(rules);
            lines(text).map(|line| lexer.line(line)).collect()
        }
        Language::Grammar(syntax) => grammar::lines(syntax, text, Instant::now() + limit),
        Language::Unknown => plain(text),
    }
}

/// Returns the lines of a text without their line feeds.
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
