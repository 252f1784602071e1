//! Matches in one file.

use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::{Input, Mode};

/// Maximum length of a line in the output, in bytes.
const MAX_SHOWN_LINE: usize = 500;
/// Number of bytes of a long line shown before the match.
const MAX_LEAD: usize = 100;
/// Maximum number of bytes kept for one file.
pub(super) const KEPT: usize = 4 << 20;
/// Separator between groups of lines.
pub(super) const BREAK: &str = "--";

/// Detects whether there is a match.
#[derive(Debug, Default)]
pub(super) struct Any {
    pub(super) found: bool,
}

impl Sink for Any {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, _found: &SinkMatch<'_>) -> io::Result<bool> {
        self.found = true;
        Ok(false)
    }
}

/// A line of the output, without its file name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownLine {
    pub(super) text: String,
    pub(super) number: Option<u64>,
    pub(super) kind: LineKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Match,
    Context,
    Break,
}

/// Matches found in one file.
#[derive(Debug, Default)]
pub(super) struct Hits {
    /// The first lines, as many as the output may contain.
    pub(super) lines: Vec<ShownLine>,
    /// Total number of lines.
    pub(super) total: usize,
    /// Size of `lines` in bytes.
    pub(super) bytes: usize,
    /// Number of matching lines; in a multi-line search, number of matches.
    pub(super) matches: usize,
}

/// Collects matching lines with their context.
pub(super) struct Lines<'a> {
    input: &'a Input,
    matcher: &'a RegexMatcher,
    reach: usize,
    pub(super) hits: Hits,
    pub(super) binary: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(input: &'a Input, matcher: &'a RegexMatcher) -> Self {
        Self {
            input,
            matcher,
            reach: input.reach(),
            hits: Hits::default(),
            binary: false,
        }
    }

    fn has_room(&self) -> bool {
        self.hits.lines.len() < self.reach && self.hits.bytes < KEPT
    }

    fn push(&mut self, bytes: &[u8], first: usize, number: Option<u64>, kind: LineKind) {
        self.hits.total += 1;
        if self.has_room() {
            let text = fitted(bytes, first);
            self.hits.bytes += text.len();
            self.hits.lines.push(ShownLine { text, number, kind });
        }
    }

    /// Adds each match in `bytes`: a line, or several for a multi-line match, starting at line `number`.
    fn each_match(&mut self, bytes: &[u8], number: Option<u64>) -> io::Result<()> {
        let mut pieces = Vec::new();
        self.matcher
            .find_iter(bytes, |found| {
                if !found.is_empty() {
                    pieces.push(found);
                }
                true
            })
            .map_err(io::Error::other)?;
        self.hits.matches += if self.input.multiline { pieces.len().max(1) } else { 1 };
        if self.input.output_mode != Mode::Content || !self.input.only_matching {
            return Ok(());
        }
        for piece in pieces {
            let before = bytes.get(..piece.start()).unwrap_or_default();
            let mut number = number.map(|number| number + memchr::memchr_iter(b'\n', before).count() as u64);
            for line in rows(bytes.get(piece.start()..piece.end()).unwrap_or_default()) {
                self.push(line, 0, number, LineKind::Match);
                number = number.map(|number| number + 1);
            }
        }
        Ok(())
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let content = self.input.output_mode == Mode::Content;
        if self.input.multiline || (content && self.input.only_matching) {
            self.each_match(found.bytes(), found.line_number())?;
        } else {
            self.hits.matches += 1;
        }
        if content && !self.input.only_matching {
            let mut number = found.line_number();
            for line in found.lines() {
                let first = if line.len() > MAX_SHOWN_LINE && self.has_room() {
                    let found = self.matcher.find(line).map_err(io::Error::other)?;
                    found.map_or(0, |found| found.start())
                } else {
                    0
                };
                self.push(line, first, number, LineKind::Match);
                number = number.map(|number| number + 1);
            }
        }
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, found: &SinkContext<'_>) -> io::Result<bool> {
        self.push(found.bytes(), 0, found.line_number(), LineKind::Context);
        Ok(true)
    }

    fn context_break(&mut self, _searcher: &Searcher) -> io::Result<bool> {
        self.push(BREAK.as_bytes(), 0, None, LineKind::Break);
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// Splits text into lines without their ends.
fn rows(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n')
}

/// Returns a line without its end; a long line is cut to the part around the match at `first`.
fn fitted(line: &[u8], first: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= MAX_SHOWN_LINE {
        return String::from_utf8_lossy(line).into_owned();
    }
    let from = if first + MAX_LEAD < MAX_SHOWN_LINE {
        0
    } else {
        first - MAX_LEAD
    };
    let part = line.get(from..).unwrap_or_default();
    let part = part.get(..MAX_SHOWN_LINE.min(part.len())).unwrap_or_default();
    let shown = String::from_utf8_lossy(part);
    // the cut may split a character; its remains are removed
    let shown = shown.trim_matches(char::REPLACEMENT_CHARACTER);
    let before = if from > 0 { "… " } else { "" };
    let after = if from + MAX_SHOWN_LINE < line.len() { " …" } else { "" };
    format!("{before}{shown}{after} [{} bytes in this line]", line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_shown_around_the_match() {
        assert_eq!(fitted(b"short\r\n", 0), "short");
        let long = format!("{}NEEDLE{}", "ä".repeat(1000), "b".repeat(1000));
        let shown = fitted(long.as_bytes(), 2000);
        assert!(shown.contains("NEEDLE"), "{shown}");
        assert!(
            shown.starts_with("… ä") && shown.ends_with("b … [3006 bytes in this line]"),
            "{shown}"
        );
        assert!(fitted(long.as_bytes(), 0).starts_with('ä'));
    }

    #[test]
    fn rows_end_without_an_empty_one() {
        assert_eq!(rows(b"a\nb\n").collect::<Vec<_>>(), [b"a", b"b"]);
        assert_eq!(rows(b"a").collect::<Vec<_>>(), [b"a"]);
    }
}
