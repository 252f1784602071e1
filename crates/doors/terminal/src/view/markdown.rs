//! Incremental rendering of Markdown: rows that can no longer change are final, the rest is the tail.
//!
//! A line of code is final at its end, a row of prose once the next row has started and no delimiter is open in it, a
//! table at its end. Prose and code start at column 0; code is never wrapped.

use sluice_render::Class;

use super::inline;
use crate::text::{Cell, Role, Row, wrap};

/// Default maximum width of prose.
pub const DEFAULT_PROSE_WIDTH: usize = 100;

/// Width limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    /// Width of the screen.
    pub columns: usize,
    /// Maximum width of prose, which is wrapped between words.
    pub prose: usize,
    /// Disables syntax highlighting.
    pub plain_code: bool,
}

impl Measure {
    /// Does not wrap prose: each paragraph is one line, wrapped by the terminal.
    #[must_use]
    pub fn flowing(columns: usize) -> Self {
        Self {
            prose: usize::MAX / 2,
            ..columns.into()
        }
    }
}

impl From<usize> for Measure {
    fn from(columns: usize) -> Self {
        Self {
            columns,
            prose: columns.clamp(1, DEFAULT_PROSE_WIDTH),
            plain_code: false,
        }
    }
}

/// Kind of the current block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Block {
    /// No block.
    #[default]
    None,
    /// Prose; continuation rows are indented by `hang`.
    Prose { hang: usize },
    /// A code block.
    Code(Fence),
    /// A table with its lines so far.
    Table { lines: Vec<String> },
}

/// Start of a code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// The fence that closes the block.
    mark: String,
    lang: String,
}

impl Fence {
    /// Returns the fence if this line opens a code block.
    #[must_use]
    pub fn begun_by(line: &str) -> Option<Self> {
        let start = line.trim_start();
        let mark = fence_of(start)?;
        let lang = start.trim_start_matches(['`', '~']).trim().to_owned();
        Some(Self { mark, lang })
    }

    /// True if this line closes the block.
    #[must_use]
    pub fn ends_at(&self, line: &str) -> bool {
        line.trim_start().starts_with(&self.mark) && line.trim().chars().all(|sign| self.mark.contains(sign))
    }
}

/// Incremental parser.
#[derive(Debug, Clone, Default)]
pub struct Markdown {
    block: Block,
    /// Text of the block that is not rendered yet.
    text: String,
    /// True if the first rows of this paragraph were emitted, so the following rows are indented.
    begun: bool,
    /// The incomplete last line.
    line: String,
    blank: bool,
    any: bool,
}

impl Markdown {
    /// Creates a parser that starts inside a code block or outside of one.
    #[must_use]
    pub fn inside(code: Option<Fence>) -> Self {
        Self {
            block: code.map_or(Block::None, Block::Code),
            ..Self::default()
        }
    }

    /// Renders a complete text.
    #[must_use]
    pub fn whole(mut self, text: &str, width: impl Into<Measure>) -> Vec<Row> {
        let width = width.into();
        let mut rows = self.push(text, width);
        rows.extend(self.finish(width));
        rows
    }

    /// Adds text and returns the rows that became final.
    pub fn push(&mut self, text: &str, width: impl Into<Measure>) -> Vec<Row> {
        let width = width.into();
        let mut rows = Vec::new();
        for piece in text.split_inclusive('\n') {
            self.line.push_str(piece);
            if self.line.ends_with('\n') {
                let line = std::mem::take(&mut self.line);
                self.take_line(line.trim_end_matches(['\n', '\r']), width, &mut rows);
            }
        }
        self.settle(width, &mut rows);
        rows
    }

    /// Ends the text and returns the remaining rows.
    pub fn finish(&mut self, width: impl Into<Measure>) -> Vec<Row> {
        let width = width.into();
        let mut rows = Vec::new();
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.take_line(&line, width, &mut rows);
        }
        self.end_block(width, &mut rows);
        *self = Self::default();
        rows
    }

    /// Renders the part that is not final.
    #[must_use]
    pub fn tail(&self, width: impl Into<Measure>) -> Vec<Row> {
        let mut rest = self.clone();
        rest.finish(width)
    }

    /// True if all rows are final.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.text.is_empty() && self.line.is_empty() && !matches!(self.block, Block::Table { .. })
    }

    fn row(&mut self, rows: &mut Vec<Row>, row: Row) {
        if std::mem::take(&mut self.blank) && self.any {
            rows.push(Row::new());
        }
        self.any = true;
        rows.push(row);
    }

    fn take_line(&mut self, line: &str, width: Measure, rows: &mut Vec<Row>) {
        if let Block::Code(fence) = &self.block {
            let ends = fence.ends_at(line);
            let row = match ends {
                true => Row::faint(line),
                false if width.plain_code => Row::plain(line),
                false => code(&fence.lang, line),
            };
            self.row(rows, row);
            if ends {
                self.block = Block::None;
            }
            return;
        }
        let start = line.trim_start();
        // The rest of a line whose first rows are final is always prose.
        if self.begun && self.text.is_empty() && matches!(self.block, Block::Prose { .. }) && !start.is_empty() {
            start.trim_end().clone_into(&mut self.text);
            return;
        }
        if start.is_empty() {
            self.end_block(width, rows);
            self.blank = true;
            return;
        }
        if let Some(fence) = Fence::begun_by(line) {
            self.end_block(width, rows);
            self.row(rows, Row::faint(line));
            self.block = Block::Code(fence);
            return;
        }
        if start.starts_with('|') {
            if let Block::Table { lines } = &mut self.block {
                lines.push(line.to_owned());
            } else {
                self.end_block(width, rows);
                self.block = Block::Table {
                    lines: vec![line.to_owned()],
                };
            }
            return;
        }
        if is_heading(start) || is_rule(start) {
            self.end_block(width, rows);
            let row = if is_heading(start) {
                heading(start)
            } else {
                Row::faint(start)
            };
            self.row(rows, row);
            return;
        }
        let item = item_hang(line);
        let in_prose = matches!(self.block, Block::Prose { .. }) && !self.text.is_empty();
        if in_prose && item.is_none() && !start.starts_with('>') {
            self.text.push(' ');
            self.text.push_str(start.trim_end());
        } else {
            self.end_block(width, rows);
            let hang = item.unwrap_or(if start.starts_with('>') { 2 } else { 0 });
            self.block = Block::Prose { hang };
            self.text = line.trim_end().to_owned();
            self.begun = false;
        }
    }

    /// Returns the final rows of prose, including those of the incomplete line.
    fn settle(&mut self, width: Measure, rows: &mut Vec<Row>) {
        let prose = width.prose;
        let line = self.line.clone();
        // A line that may still turn out not to be prose is not final.
        if !line.is_empty() && !self.continues_paragraph(&line) {
            return;
        }
        if !line.is_empty() && !matches!(self.block, Block::Prose { .. }) {
            if matches!(self.block, Block::None) && is_certainly_prose(&line) {
                let hang = item_hang(&line).unwrap_or(0);
                self.block = Block::Prose { hang };
                self.begun = false;
            } else {
                return;
            }
        }
        let Block::Prose { hang } = self.block else { return };
        let joined = match (self.text.is_empty(), line.is_empty()) {
            (true, _) => line.clone(),
            (_, true) => self.text.clone(),
            _ => format!("{} {}", self.text, line.trim_start()),
        };
        let Some((done, rest)) = final_rows(&joined, prose, hang, self.begun) else {
            return;
        };
        for row in done {
            self.row(rows, row);
        }
        self.begun = true;
        if line.is_empty() {
            self.text = rest;
        } else {
            self.text.clear();
            self.line = rest;
        }
    }

    /// True if the incomplete line continues the paragraph before it.
    fn continues_paragraph(&self, line: &str) -> bool {
        let start = line.trim_start();
        let first = start.chars().next();
        match self.block {
            Block::Prose { .. } if self.text.is_empty() => true,
            Block::Prose { .. } | Block::None => {
                first.is_some_and(char::is_alphabetic) || (self.block == Block::None && is_certainly_prose(line))
            }
            _ => false,
        }
    }

    fn end_block(&mut self, width: Measure, rows: &mut Vec<Row>) {
        match std::mem::take(&mut self.block) {
            Block::Prose { hang } => {
                let text = std::mem::take(&mut self.text);
                for row in prose(&text, width.prose, hang, self.begun) {
                    self.row(rows, row);
                }
                self.begun = false;
            }
            Block::Table { lines } => {
                for row in super::table::rows(&lines, width.columns) {
                    self.row(rows, row);
                }
            }
            Block::None | Block::Code(_) => {}
        }
    }
}

/// Returns the contents of the code blocks in a text.
#[must_use]
pub fn code_blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, String)> = None;
    for line in text.lines() {
        let start = line.trim_start();
        match &mut open {
            Some((fence, block)) => {
                if start.starts_with(*fence) && line.trim().chars().all(|sign| fence.contains(sign)) {
                    blocks.push(std::mem::take(block));
                    open = None;
                } else {
                    block.push_str(line);
                    block.push('\n');
                }
            }
            None => {
                open = ["```", "~~~"]
                    .into_iter()
                    .find(|fence| start.starts_with(fence))
                    .map(|fence| (fence, String::new()));
            }
        }
    }
    blocks
}

/// Renders a line of code. Lines are highlighted independently, so that each is final at its end.
fn code(lang: &str, line: &str) -> Row {
    let mut row = Row::new();
    for run in sluice_render::highlight(lang, line).into_iter().flatten() {
        let role = match run.class {
            Class::Key => Role::Keyword,
            Class::Str => Role::String,
            Class::Num => Role::Number,
            Class::Com => Role::Comment,
            Class::Plain | Class::Type | Class::Fn => Role::Text,
        };
        row.push(&run.text, role);
    }
    row
}

fn heading(line: &str) -> Row {
    let mut row = inline::read(line).row;
    for span in &mut row.0 {
        span.style.bold = true;
    }
    row
}

/// Renders a paragraph. `begun` is true if its first rows were emitted before.
fn prose(text: &str, width: usize, hang: usize, begun: bool) -> Vec<Row> {
    let inline = inline::read(text);
    if inline.row.0.is_empty() {
        return Vec::new();
    }
    let mut row = styled(inline.row, begun);
    if begun && hang > 0 {
        row = row.indented(hang);
    }
    wrap::words(&row, width, hang)
}

/// Applies the style of a list marker or quote.
fn styled(row: Row, begun: bool) -> Row {
    if !begun && row.text().trim_start().starts_with('>') {
        return row.in_role(Role::Faint);
    }
    row
}

/// Returns the final rows of a paragraph and the remaining source, or `None` if no row is final.
fn final_rows(source: &str, width: usize, hang: usize, begun: bool) -> Option<(Vec<Row>, String)> {
    let inline = inline::read(source);
    let row = styled(inline.row, begun);
    let cells: Vec<Cell<'_>> = row.cells().collect();
    let first = if begun { hang } else { 0 };
    let breaks = wrap::word_breaks(&cells, width.saturating_sub(first).max(1), hang.saturating_sub(first));
    let open = inline.open.unwrap_or(usize::MAX);
    // The row before a break is final if no delimiter is open at its end, nor in the first word of the next row.
    let is_final = |at: usize| {
        let end = inline
            .sources
            .get(at.checked_sub(1)?)
            .copied()
            .filter(|end| *end != inline::INSIDE)?;
        let word = cells.iter().skip(at).position(|cell| cell.text == " ")?;
        let next = inline.sources.get((at + word).checked_sub(1)?).copied()?;
        (next <= open).then_some((at, end))
    };
    let (last, from) = breaks.iter().rev().find_map(|at| is_final(*at))?;
    let kept: Vec<usize> = breaks.iter().copied().filter(|at| *at < last).collect();
    let mut rows = wrap::parts(cells.get(..last)?, &kept, hang);
    if let Some(row) = rows.last_mut() {
        let text = row.text();
        let cut = text.len() - text.trim_end().len();
        if let Some(span) = row.0.last_mut() {
            let end = span.text.len().saturating_sub(cut);
            span.text.truncate(end);
        }
    }
    if begun
        && hang > 0
        && let Some(row) = rows.first_mut()
    {
        *row = std::mem::take(row).indented(hang);
    }
    Some((rows, source.get(from..)?.trim_start().to_owned()))
}

fn fence_of(start: &str) -> Option<String> {
    let sign = start.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let count = start.chars().take_while(|it| *it == sign).count();
    let rest = start.get(count..).unwrap_or_default();
    (count >= 3 && !(sign == '`' && rest.contains('`'))).then(|| sign.to_string().repeat(count))
}

fn is_heading(start: &str) -> bool {
    let signs = start.chars().take_while(|sign| *sign == '#').count();
    (1..=6).contains(&signs) && start.chars().nth(signs) == Some(' ')
}

fn is_rule(start: &str) -> bool {
    let line = start.trim_end();
    line.len() >= 3
        && ["-", "*", "_"]
            .iter()
            .any(|sign| line.replace([' '], "").chars().all(|it| sign.contains(it)))
}

/// Returns the indentation of continuation rows of a list item.
fn item_hang(line: &str) -> Option<usize> {
    let start = line.trim_start();
    let indent = line.len() - start.len();
    let sign = match start.chars().next()? {
        '-' | '*' | '+' => 1,
        '0'..='9' => {
            let digits = start.chars().take_while(char::is_ascii_digit).count();
            matches!(start.chars().nth(digits)?, '.' | ')').then_some(digits + 1)?
        }
        _ => return None,
    };
    (start.chars().nth(sign) == Some(' ')).then_some(indent + sign + 1)
}

/// True if an incomplete line is prose regardless of the text that follows.
fn is_certainly_prose(line: &str) -> bool {
    let start = line.trim_start();
    item_hang(line).is_some() || start.chars().next().is_some_and(char::is_alphabetic)
}

/// Renders a complete text.
#[must_use]
pub fn rows(text: &str, width: impl Into<Measure>) -> Vec<Row> {
    Markdown::default().whole(text, width)
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
