//! A row: spans of text, each with one style.

use std::sync::Arc;

use super::clean::{code, is_hidden};
use super::style::{Role, Style};
use super::width;

/// A span of text in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The text, without control characters.
    pub text: String,
    /// Role and attributes.
    pub style: Style,
    /// Target of the hyperlink, if the span is one.
    pub link: Option<Arc<str>>,
}

/// One grapheme cluster with its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell<'a> {
    /// Text of the cluster.
    pub text: &'a str,
    /// Width in cells.
    pub width: usize,
    /// Role and attributes.
    pub style: Style,
    /// Target of the hyperlink, if any.
    pub link: Option<&'a Arc<str>>,
}

/// One row of the screen or of the history.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row(pub Vec<Span>);

impl Row {
    /// Creates an empty row.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a row of plain text.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self::new().add(text, Style::TEXT)
    }

    /// Creates a row of dimmed text.
    #[must_use]
    pub fn faint(text: &str) -> Self {
        Self::new().add(text, Style::FAINT)
    }

    /// Returns the row with a span appended.
    #[must_use]
    pub fn add(mut self, text: &str, style: impl Into<Style>) -> Self {
        self.push(text, style);
        self
    }

    /// Appends a span. Invisible characters are shown as their codes in reverse video.
    pub fn push(&mut self, text: &str, style: impl Into<Style>) {
        let style = style.into();
        if !text.chars().any(|letter| letter == '\t' || is_hidden(letter)) {
            self.put(text, style);
            return;
        }
        let mut column = self.width();
        for (at, part) in text.split('\t').enumerate() {
            if at > 0 {
                let stop = 4 - column % 4;
                self.put(&" ".repeat(stop), style);
                column += stop;
            }
            for letter in part.chars() {
                if is_hidden(letter) {
                    let code = code(letter);
                    column += code.len();
                    self.put(&code, style.reverse());
                } else {
                    self.put(letter.encode_utf8(&mut [0; 4]), style);
                }
            }
            column += width::of(&part.replace(is_hidden, ""));
        }
    }

    fn put(&mut self, text: &str, style: Style) {
        self.put_linked(text, style, None);
    }

    fn put_linked(&mut self, text: &str, style: Style, link: Option<&Arc<str>>) {
        if text.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.style == style && last.link.as_ref() == link => last.text.push_str(text),
            _ => self.0.push(Span {
                text: text.to_owned(),
                style,
                link: link.cloned(),
            }),
        }
    }

    /// Appends a cell of another row.
    pub fn put_cell(&mut self, cell: Cell<'_>) {
        self.put_linked(cell.text, cell.style, cell.link);
    }

    /// Adds a hyperlink to the last span.
    #[must_use]
    pub fn leading_to(mut self, target: Option<String>) -> Self {
        if let (Some(last), Some(target)) = (self.0.last_mut(), target) {
            last.link = Some(target.into());
        }
        self
    }

    /// Appends the spans of another row.
    pub fn append(&mut self, other: &Self) {
        for span in &other.0 {
            self.put_linked(&span.text, span.style, span.link.as_ref());
        }
    }

    /// Returns the width in cells.
    #[must_use]
    pub fn width(&self) -> usize {
        self.0.iter().map(|span| width::of(&span.text)).sum()
    }

    /// True if the row has no visible text.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.0.iter().all(|span| span.text.trim().is_empty())
    }

    /// Returns the plain text.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }

    /// Returns the grapheme clusters.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        self.0.iter().flat_map(|span| {
            width::clusters(&span.text).map(|text| Cell {
                text,
                width: width::of_cluster(text),
                style: span.style,
                link: span.link.as_ref(),
            })
        })
    }

    /// Cuts the row to `cells`; `⋯` marks the omission.
    #[must_use]
    pub fn cut(self, cells: usize) -> Self {
        if self.width() <= cells {
            return self;
        }
        let mut cut = Self::new();
        let mut used = 0;
        for cell in self.cells() {
            if used + cell.width > cells.saturating_sub(1) {
                break;
            }
            used += cell.width;
            cut.put_cell(cell);
        }
        cut.add("⋯", Role::Faint)
    }

    /// Sets the role of all spans; keeps bold and reverse.
    #[must_use]
    pub fn in_role(mut self, role: Role) -> Self {
        for span in &mut self.0 {
            span.style.role = role;
        }
        self
    }

    /// Indents the row.
    #[must_use]
    pub fn indented(self, by: usize) -> Self {
        let mut row = Self::new();
        row.put(&" ".repeat(by), Style::TEXT);
        row.append(&self);
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_cannot_control_the_terminal() {
        let row = Row::plain("a\x1b[31mb\u{202e}c");
        assert_eq!(row.text(), "a\\x1b[31mb\\u{202e}c");
        assert!(row.0.iter().any(|span| span.style.reverse && span.text == "\\x1b"));
    }

    #[test]
    fn a_cut_row_fits_and_has_a_cut_mark() {
        let row = Row::plain("日本語のテキスト").cut(6);
        assert_eq!(row.text(), "日本⋯");
        assert_eq!(Row::plain("short").cut(5).text(), "short");
    }

    #[test]
    fn tabs_go_to_the_next_stop() {
        assert_eq!(Row::plain("a\tb").text(), "a   b");
    }
}
