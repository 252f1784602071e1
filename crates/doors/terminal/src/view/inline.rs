//! Emphasis, code and links inside a line of Markdown.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::text::{Role, Row, Style};

/// Maximum distance between the delimiters of emphasis, code or a link, in bytes. A delimiter without a partner within
/// this distance is plain text, so that a long paragraph is parsed in linear time and its first rows become final.
const MAX_INSIDE: usize = 2000;

/// Source offset of cells inside emphasis, code or a link, where the line cannot be split.
pub const INSIDE: usize = usize::MAX;

/// The rendered line, with the source offset of each cell.
#[derive(Debug, Clone, Default)]
pub struct Inline {
    /// The rendered row.
    pub row: Row,
    /// For each cell of the row, the source offset after it; [`INSIDE`] while a delimiter is open.
    pub sources: Vec<usize>,
    /// Offset of an unclosed delimiter, whose meaning depends on the text that follows.
    pub open: Option<usize>,
}

struct Reader<'a> {
    source: &'a str,
    inline: Inline,
    counted: ClusterCount,
}

/// Counts the clusters of a growing row; the last one may still grow.
#[derive(Default)]
struct ClusterCount {
    /// Index of the span with the last cluster, and the offset of the cluster in it.
    span: usize,
    start: usize,
    /// Number of clusters before it.
    before: usize,
}

/// Parses a line. Asterisks of emphasis are removed, backticks of code are kept.
#[must_use]
pub fn read(source: &str) -> Inline {
    let mut reader = Reader {
        source,
        inline: Inline::default(),
        counted: ClusterCount::default(),
    };
    reader.run(0, source.len(), Style::TEXT);
    reader.inline
}

impl Reader<'_> {
    fn run(&mut self, from: usize, to: usize, style: Style) {
        let mut at = from;
        let mut before = ' ';
        while at < to {
            let Some(rest) = self.source.get(at..to) else { return };
            let Some(letter) = rest.chars().next() else { return };
            if let Some((end, last)) = self.plain(at, rest, style) {
                (at, before) = (end, last);
                continue;
            }
            let next = match letter {
                '`' => self.code(at, to, rest),
                '*' | '_' => self.emphasis(at, to, rest, before, style),
                '~' if rest.starts_with("~~") => self.pair(at, to, "~~", Style { struck: true, ..style }),
                '[' => self.link(at, to, rest, style),
                '\\' => self.escaped(at, rest, style),
                _ => None,
            };
            at = match next {
                Some(next) => next,
                None => {
                    let end = at + letter.len_utf8();
                    self.show(at, end, style);
                    end
                }
            };
            before = letter;
        }
    }

    /// Renders a range of the source unchanged.
    fn show(&mut self, from: usize, to: usize, style: Style) {
        if let Some(text) = self.source.get(from..to) {
            self.inline.row.push(text, style);
            // Combining characters join the preceding cluster.
            self.close(self.inline.sources.len(), to);
        }
    }

    /// Shows the printable ASCII characters before the next mark, each of which is a cluster. Returns the
    /// place after them and the last one, or `None` if there is none or it may join the cluster before it.
    fn plain(&mut self, at: usize, rest: &str, style: Style) -> Option<(usize, char)> {
        let is_plain = |byte: &u8| (b' '..=b'~').contains(byte) && !b"`*_~[\\".contains(byte);
        let length = rest.bytes().take_while(is_plain).count();
        let text = rest.get(..length)?;
        let last = text.chars().next_back()?;
        let shown = self.inline.row.0.last().and_then(|span| span.text.chars().next_back());
        if shown.is_some_and(|shown| !shown.is_ascii()) {
            return None;
        }
        self.inline.row.push(text, style);
        self.inline.sources.extend(at + 1..=at + length);
        self.counted = ClusterCount {
            span: self.inline.row.0.len() - 1,
            start: self.inline.row.0.last()?.text.len() - 1,
            before: self.inline.sources.len() - 1,
        };
        Some((at + length, last))
    }

    /// Marks all cells from `from` on as ending at the source offset `to`.
    fn close(&mut self, from: usize, to: usize) {
        let cells = self.counted.clusters_of(&self.inline.row);
        self.inline.sources.truncate(from);
        self.inline.sources.resize(cells, INSIDE);
        if let Some(last) = self.inline.sources.last_mut() {
            *last = to;
        }
    }

    /// Records an unclosed delimiter that later text may still close.
    fn opened(&mut self, at: usize, inside: &str) {
        if inside.len() > MAX_INSIDE {
            return;
        }
        let open = self.inline.open.get_or_insert(at);
        *open = (*open).min(at);
    }

    fn code(&mut self, at: usize, to: usize, rest: &str) -> Option<usize> {
        let ticks = rest.chars().take_while(|letter| *letter == '`').count();
        let mark = rest.get(..ticks)?;
        let inside = rest.get(ticks..)?;
        match near(inside).find(mark) {
            Some(end) => {
                let end = at + ticks + end + ticks;
                self.show(at, end.min(to), Role::Accent.into());
                Some(end.min(to))
            }
            None => {
                self.opened(at, inside);
                None
            }
        }
    }

    fn emphasis(&mut self, at: usize, to: usize, rest: &str, before: char, style: Style) -> Option<usize> {
        let letter = rest.chars().next()?;
        // An underscore inside a word is a letter.
        if letter == '_' && before.is_alphanumeric() {
            return None;
        }
        let strong = rest.starts_with("**") || rest.starts_with("__");
        let mark = rest.get(..if strong { 2 } else { 1 })?;
        let style = if strong {
            style.bold()
        } else {
            Style { italic: true, ..style }
        };
        self.pair(at, to, mark, style)
    }

    fn pair(&mut self, at: usize, to: usize, mark: &str, style: Style) -> Option<usize> {
        let inside = self.source.get(at + mark.len()..to)?;
        let first = inside.chars().next();
        if first.is_some_and(char::is_whitespace) {
            return None;
        }
        let Some(end) = closing(near(inside), mark) else {
            self.opened(at, inside);
            return None;
        };
        let (from, end) = (at + mark.len(), at + mark.len() + end);
        let before = self.inline.sources.len();
        self.run(from, end, style);
        self.close(before, end + mark.len());
        Some(end + mark.len())
    }

    fn link(&mut self, at: usize, to: usize, rest: &str, style: Style) -> Option<usize> {
        let near_rest = near(rest);
        let Some(end) = near_rest.find("](") else {
            if !near_rest.contains(']') {
                self.opened(at, rest);
            }
            return None;
        };
        let text = rest.get(1..end)?;
        if text.contains(['[', ']', '\n']) {
            return None;
        }
        let target = rest.get(end + 2..)?;
        let Some(close) = near(target).find(')') else {
            self.opened(at, target);
            return None;
        };
        let target = target.get(..close)?;
        let before = self.inline.sources.len();
        self.run(at + 1, at + end, style);
        if target != text && !target.is_empty() {
            let from = at + end + 2;
            self.inline.row.push(" (", style);
            self.show(from, from + close, Role::Accent.into());
            self.inline.row.push(")", style);
        }
        let end = (at + end + 2 + close + 1).min(to);
        self.close(before, end);
        Some(end)
    }

    fn escaped(&mut self, at: usize, rest: &str, style: Style) -> Option<usize> {
        let next = rest.chars().nth(1)?;
        if !"\\`*_[]~#".contains(next) {
            return None;
        }
        let end = at + 1 + next.len_utf8();
        self.show(at + 1, end, style);
        Some(end)
    }
}

impl ClusterCount {
    /// Returns the number of clusters in a row; counts only what was added since the last call.
    fn clusters_of(&mut self, row: &Row) -> usize {
        while let Some(span) = row.0.get(self.span) {
            let rest = span.text.get(self.start..).unwrap_or_default();
            let (mut clusters, mut last) = (0, 0);
            for (at, _) in rest.grapheme_indices(true) {
                (clusters, last) = (clusters + 1, at);
            }
            if self.span + 1 == row.0.len() {
                self.before += usize::saturating_sub(clusters, 1);
                self.start += last;
                return self.before + clusters.min(1);
            }
            self.before += clusters;
            self.span += 1;
            self.start = 0;
        }
        self.before
    }
}

/// Returns the prefix within which a delimiter must be closed.
fn near(text: &str) -> &str {
    let end = text.floor_char_boundary(MAX_INSIDE);
    text.get(..end).unwrap_or(text)
}

/// Returns the position of the closing delimiter: after a character and outside code.
fn closing(inside: &str, mark: &str) -> Option<usize> {
    let mut in_code = false;
    let mut before = ' ';
    let mut letters = inside.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == '`' {
            in_code = !in_code;
        }
        let here = inside.get(at..).unwrap_or_default();
        if !in_code && !before.is_whitespace() && here.starts_with(mark) {
            let after = here.get(mark.len()..).and_then(|rest| rest.chars().next());
            let doubled = mark.len() == 1 && (after == mark.chars().next());
            if !doubled {
                return Some(at);
            }
            letters.next();
        }
        before = letter;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(source: &str) -> String {
        read(source).row.text()
    }

    #[test]
    fn emphasis_marks_are_removed_and_backticks_kept() {
        assert_eq!(
            shown("a **bold** and *thin* `c*d*e` word"),
            "a bold and thin `c*d*e` word"
        );
        assert_eq!(
            shown("snake_case_name stays, 2 * 3 * 4 too"),
            "snake_case_name stays, 2 * 3 * 4 too"
        );
        assert_eq!(shown("see [the page](https://a.b/c)"), "see the page (https://a.b/c)");
        assert_eq!(shown("~~gone~~ \\*not\\*"), "gone *not*");
    }

    #[test]
    fn an_unclosed_delimiter_is_reported() {
        assert_eq!(read("a **bol").open, Some(2));
        assert_eq!(read("a `co").open, Some(2));
        assert_eq!(read("a **b** c").open, None);
    }

    /// Parsing time is linear: 100 kB once took minutes.
    #[test]
    fn a_long_paragraph_is_read_in_linear_time() {
        let plain = "plain words of a long paragraph that never ends ".repeat(2000);
        let marks = "*a _b [c `` d ".repeat(7000);
        for text in [plain, marks] {
            let begun = std::time::Instant::now();
            let shown = read(&text);
            assert!(shown.sources.len() > 50_000);
            assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
        }
    }

    proptest! {
        #[test]
        fn every_cluster_knows_its_source(source in "[a-z*_`~ \\[\\]()é日\u{301}\u{600}]{0,40}") {
            let inline = read(&source);
            prop_assert_eq!(inline.row.cells().count(), inline.sources.len(), "{:?}", inline);
            let known: Vec<usize> = inline.sources.into_iter().filter(|at| *at != INSIDE).collect();
            prop_assert!(known.is_sorted());
            prop_assert!(known.iter().all(|at| source.is_char_boundary(*at)));
        }
    }
}
