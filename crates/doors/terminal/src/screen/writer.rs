//! The live region: computes the bytes that update the terminal to the next frame.
//!
//! Rows leave the region upwards only by line feeds. Rows above the region are never changed, and neither scroll
//! regions nor absolute rows are used, so every committed row exists exactly once in any terminal's history.

use super::capabilities::{Capabilities, Mark};
use crate::text::{Cell, Row, Style, link, wrap};
use crate::theme::{Glyphs, Theme};

/// Content to display.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// Rows to append to the history above the region. A row may be longer than the screen width.
    pub commit: Vec<Row>,
    /// Semantic marks, each placed before the committed row with this index.
    pub marks: Vec<(usize, Mark)>,
    /// Rows of the live region.
    pub region: Vec<Row>,
    /// Cursor position: row in the region, and column.
    pub cursor: (usize, usize),
    /// True if the cursor is visible.
    pub shows_cursor: bool,
}

/// Tracks the contents of the screen and writes the difference to the next frame.
#[derive(Debug)]
pub struct Writer {
    theme: Theme,
    glyphs: Glyphs,
    capabilities: Capabilities,
    columns: usize,
    rows: usize,
    shown: Vec<Row>,
    /// Current cursor position in the region.
    at: (usize, usize),
    cursor_shown: bool,
    /// True if the terminal reflows long rows when it becomes narrower.
    reflows: bool,
    /// True if the whole region must be redrawn.
    whole: bool,
}

const BEGIN: &str = "\x1b[?2026h";
const END: &str = "\x1b[?2026l";
/// Erases from the start of a row to the end of the screen. Not in a single step from the first cell: some multiplexers
/// treat that as clearing the screen and copy it to their history.
const ERASE: &str = "\x1b[K\x1b7\x1b[B\x1b[J\x1b8";

impl Writer {
    /// Creates a writer for an empty region; the cursor is at the start of a row.
    #[must_use]
    pub fn new(theme: Theme, glyphs: Glyphs, columns: usize, rows: usize) -> Self {
        Self {
            theme,
            glyphs,
            capabilities: Capabilities::default(),
            columns: columns.max(2),
            rows: rows.max(2),
            shown: Vec::new(),
            at: (0, 0),
            cursor_shown: true,
            reflows: true,
            whole: false,
        }
    }

    /// Switches the theme.
    pub fn set_theme(&mut self, theme: Theme) {
        self.theme = theme;
        self.whole = true;
    }

    /// Sets the terminal's capabilities.
    pub fn set_capabilities(&mut self, capabilities: Capabilities) {
        self.capabilities = capabilities;
    }

    /// Redraws the region after the measured character widths changed.
    pub fn measure_again(&mut self) {
        self.whole = true;
    }

    /// Sets whether the terminal reflows long rows when its size changes.
    pub fn reflows(&mut self, reflows: bool) {
        self.reflows = reflows;
    }

    /// Returns the size of the screen in columns and rows.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.columns, self.rows)
    }

    /// Sets a new screen size; the next frame redraws the region.
    ///
    /// Recounts the rows above the cursor as the terminal has laid them out now.
    pub fn resize(&mut self, columns: usize, rows: usize) {
        let columns = columns.max(2);
        if self.reflows {
            let high = |row: &Row| row.width().max(1).div_ceil(columns);
            let above: usize = self.shown.iter().take(self.at.0).map(high).sum();
            self.at.0 = above + self.at.1 / columns;
        }
        // Rows above the screen cannot be reached, because moving up stops at the first row. They are still counted: a
        // terminal that grows again before the next frame restores them.
        self.columns = columns;
        self.rows = rows.max(2);
        self.whole = true;
    }

    /// Resets the region after another program wrote to the screen. The cursor is at the start of a row.
    pub fn forget(&mut self) {
        self.shown.clear();
        self.at = (0, 0);
        self.whole = false;
    }

    /// Scrolls the whole screen into the history with line feeds.
    pub fn scroll_away(&mut self, out: &mut String) {
        self.erase(out);
        out.push_str(&"\n".repeat(self.rows.saturating_sub(1)));
        out.push_str(&format!("\x1b[{}A\r", self.rows.saturating_sub(1).max(1)));
    }

    /// Erases the region.
    pub fn erase(&mut self, out: &mut String) {
        self.go_to_top(out);
        out.push_str("\x1b[0m");
        out.push_str(ERASE);
        if !self.cursor_shown {
            out.push_str("\x1b[?25h");
            self.cursor_shown = true;
        }
        self.forget();
    }

    /// Returns the bytes that display the frame; empty if nothing changed.
    pub fn draw(&mut self, frame: Frame) -> String {
        let region = self.fitted(frame.region);
        let last = region.len().saturating_sub(1);
        let cursor = (
            frame.cursor.0.min(last),
            frame.cursor.1.min(self.columns.saturating_sub(1)),
        );
        let mut out = String::new();
        let marks = if self.capabilities.marks {
            frame.marks
        } else {
            Vec::new()
        };
        let mark = |out: &mut String, at: usize| {
            let here = marks.iter().filter(|(place, _)| *place == at);
            here.for_each(|(_, mark)| out.push_str(mark.bytes()));
        };
        if frame.commit.is_empty() && marks.is_empty() && !self.whole && !self.shown.is_empty() {
            self.change(&mut out, &region);
        } else if frame.commit.is_empty() && marks.is_empty() && self.shown.is_empty() && region.is_empty() {
            return out;
        } else {
            self.go_to_top(&mut out);
            out.push_str(if self.shown.is_empty() && !self.whole {
                "\x1b[J"
            } else {
                ERASE
            });
            let count = frame.commit.len();
            for (at, row) in frame.commit.into_iter().enumerate() {
                mark(&mut out, at);
                let row = if self.capabilities.links {
                    link::addresses(row)
                } else {
                    row
                };
                self.paint(&mut out, &self.with_glyphs(row));
                out.push_str("\r\n");
            }
            mark(&mut out, count);
            for (at, row) in region.iter().enumerate() {
                if at > 0 {
                    out.push_str("\r\n");
                }
                self.paint(&mut out, row);
            }
            self.at = (
                last,
                region.last().map_or(0, Row::width).min(self.columns.saturating_sub(1)),
            );
            // The row is full and the cursor position pending; a carriage return makes the column unambiguous.
            if region.last().is_some_and(|row| row.width() >= self.columns) {
                out.push('\r');
                self.at.1 = 0;
            }
            self.whole = false;
        }
        self.shown = region;
        self.go(&mut out, cursor);
        if frame.shows_cursor != self.cursor_shown {
            out.push_str(if frame.shows_cursor { "\x1b[?25h" } else { "\x1b[?25l" });
            self.cursor_shown = frame.shows_cursor;
        }
        if out.is_empty() || out.len() <= 64 {
            // Short output arrives in one piece anyway.
            return out;
        }
        format!("{BEGIN}{out}{END}")
    }

    /// Returns the bytes that display a full screen, with the cursor in the last row if it is visible.
    #[must_use]
    pub fn sheet(&self, rows: &[Row], cursor: Option<usize>) -> String {
        let mut out = String::from(BEGIN);
        out.push_str("\x1b[?25l");
        for (at, row) in rows.iter().enumerate() {
            // Erased before writing: after a full row, erasing would remove its last character.
            out.push_str(&format!("\x1b[{};1H\x1b[K", at + 1));
            self.paint(&mut out, &self.glyphs.apply(row.clone()));
        }
        if let Some(column) = cursor {
            out.push_str(&format!("\x1b[{};{}H\x1b[?25h", rows.len(), column + 1));
        }
        out.push_str(END);
        out
    }

    /// Converts a row to the available glyphs. Some marks are longer in ASCII, so a row that was cut to fit is cut
    /// again.
    fn with_glyphs(&self, row: Row) -> Row {
        if row.width() > self.columns {
            return self.glyphs.apply(row);
        }
        let mut width = self.columns;
        let mut with_glyphs = self.glyphs.apply(row.clone());
        while with_glyphs.width() > self.columns && width > 8 {
            width -= 1;
            with_glyphs = self.glyphs.apply(row.clone().cut(width));
        }
        with_glyphs
    }

    /// Splits the region into rows that fit the screen.
    fn fitted(&self, rows: Vec<Row>) -> Vec<Row> {
        let mut fitted = Vec::with_capacity(rows.len());
        for row in rows {
            let row = self.with_glyphs(row);
            if row.width() <= self.columns {
                fitted.push(row);
            } else {
                fitted.extend(wrap::hard(&row, self.columns, 0).into_iter().take(1));
            }
        }
        fitted.truncate(self.rows);
        fitted
    }

    /// Writes only the changed parts of the rows.
    fn change(&mut self, out: &mut String, region: &[Row]) {
        let before = std::mem::take(&mut self.shown);
        for (at, row) in region.iter().enumerate() {
            match before.get(at) {
                Some(shown) if shown == row => {}
                Some(shown) => self.change_row(out, at, shown, row),
                None => {
                    // An additional row: only a line feed makes room for it.
                    self.go(out, (at.saturating_sub(1), self.at.1));
                    out.push_str("\r\n");
                    self.at = (at, 0);
                    self.change_row(out, at, &Row::new(), row);
                }
            }
        }
        if region.len() < before.len() {
            self.go(out, (region.len().saturating_sub(1), self.at.1));
            let full = region.last().is_some_and(|row| row.width() >= self.columns);
            self.go(
                out,
                (self.at.0, region.last().map_or(0, Row::width).min(self.columns - 1)),
            );
            if full {
                // Nothing is erased after a full row.
                out.push_str("\r\n\x1b[J");
                self.at = (self.at.0 + 1, 0);
            } else {
                out.push_str("\x1b[J");
            }
        }
    }

    fn change_row(&mut self, out: &mut String, at: usize, shown: &Row, row: &Row) {
        let old: Vec<Cell<'_>> = shown.cells().collect();
        let new: Vec<Cell<'_>> = row.cells().collect();
        let same = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
        let from: usize = new.iter().take(same).map(|cell| cell.width).sum();
        let (old_width, new_width) = (shown.width(), row.width());
        let same_end = if old_width == new_width {
            let rest = old.len().min(new.len()) - same;
            let backwards = old.iter().rev().zip(new.iter().rev());
            backwards.take(rest).take_while(|(one, other)| one == other).count()
        } else {
            0
        };
        self.go(out, (at, from));
        let changed = new.get(same..new.len() - same_end).unwrap_or_default();
        self.cells(out, changed.iter().copied());
        let end = from + changed.iter().map(|cell| cell.width).sum::<usize>();
        self.at = (at, end);
        if old_width > new_width {
            out.push_str("\x1b[K");
        }
        if end >= self.columns {
            out.push('\r');
            self.at.1 = 0;
        }
    }

    fn go_to_top(&mut self, out: &mut String) {
        self.go(out, (0, 0));
    }

    /// Moves the cursor inside the region with the shortest sequence.
    fn go(&mut self, out: &mut String, (row, column): (usize, usize)) {
        let (from_row, mut from_column) = self.at;
        match row.cmp(&from_row) {
            std::cmp::Ordering::Less => out.push_str(&csi(from_row - row, 'A')),
            // By line feeds: a terminal whose height shrank has dropped the rows below the cursor, and `CUD` would stop
            // silently at the last row. All following rows would be off by one, and the next frame would erase
            // committed rows.
            std::cmp::Ordering::Greater => {
                out.push('\r');
                from_column = 0;
                out.push_str(&"\n".repeat(row - from_row));
            }
            std::cmp::Ordering::Equal => {}
        }
        if column == 0 && from_column != 0 {
            out.push('\r');
        } else if column < from_column {
            out.push_str(&csi(from_column - column, 'D'));
        } else if column > from_column {
            out.push_str(&csi(column - from_column, 'C'));
        }
        self.at = (row, column);
    }

    fn paint(&self, out: &mut String, row: &Row) {
        self.cells(out, row.cells());
    }

    fn cells<'a>(&self, out: &mut String, cells: impl Iterator<Item = Cell<'a>>) {
        let mut style = Style::TEXT;
        let mut sgr = String::new();
        let mut leads: Option<&str> = None;
        for cell in cells {
            let link = cell.link.filter(|_| self.capabilities.links).map(|link| &**link);
            if link != leads {
                leads = link;
                out.push_str(&open_link(link));
            }
            if cell.style != style {
                style = cell.style;
                let next = self.theme.sgr(style);
                if next != sgr {
                    if next.is_empty() {
                        out.push_str("\x1b[m");
                    } else if sgr.is_empty() {
                        out.push_str(&format!("\x1b[{next}m"));
                    } else {
                        out.push_str(&format!("\x1b[;{next}m"));
                    }
                    sgr = next;
                }
            }
            out.push_str(cell.text);
        }
        if leads.is_some() {
            out.push_str(&open_link(None));
        }
        if !sgr.is_empty() {
            out.push_str("\x1b[m");
        }
    }
}

/// Opens or closes a hyperlink. Parts of one link share an id.
fn open_link(target: Option<&str>) -> String {
    let Some(target) = target else {
        return "\x1b]8;;\x1b\\".to_owned();
    };
    let id = target.bytes().fold(0x811c_9dc5_u32, |id, byte| {
        (id ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("\x1b]8;id={id:08x};{target}\x1b\\")
}

fn csi(count: usize, letter: char) -> String {
    if count == 1 {
        format!("\x1b[{letter}")
    } else {
        format!("\x1b[{count}{letter}")
    }
}
