//! The whole conversation, for the pager: pieces of text that are laid out on demand.
//!
//! Opening a conversation costs a pass over its text, not its layout: a piece is at most a few screens long, and only
//! the pieces on the screen are wrapped.

mod cutting;

use std::collections::HashMap;
use std::ops::Range;

use sluice_host::items::{Item, ItemBody, ItemStatus, Notice, NoticeKind, PromptSource};

pub use cutting::ending;

use super::card::{self, Below, CallCard};
use super::markdown::{Fence, Markdown};
use super::prompt;
use crate::text::{Role, Row, Style, wrap};

/// The largest number of pieces whose rows are kept.
const MAX_LAID_OUT: usize = 256;

/// Position of a row: index of its piece, and row within the piece.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub piece: usize,
    pub row: usize,
}

/// Pieces of a conversation, with cached rows of those that were displayed.
#[derive(Debug, Clone, Default)]
pub struct PagerText {
    pieces: Vec<Piece>,
    /// Indices of the pieces that start a prompt.
    prompts: Vec<usize>,
    width: usize,
    laid_out: HashMap<usize, Vec<Row>>,
    /// Paths below this folder are displayed relative to it.
    folder: String,
}

/// A part of the conversation that is laid out as a unit.
#[derive(Debug, Clone)]
enum Piece {
    /// A blank row.
    Gap,
    /// Part of a prompt; the first part has the prompt sign.
    Prompt { text: String, first: bool },
    /// Markdown; `code` is set if the part starts inside a code block.
    Markdown {
        text: String,
        code: Option<Fence>,
        depth: usize,
    },
    /// Dimmed lines, not wrapped.
    Lines { text: String, look: Look, depth: usize },
    /// One row.
    Row(Row, usize),
    /// Head of a card, and its body if it is a file change.
    Card {
        call: Box<CallCard>,
        body: bool,
        depth: usize,
    },
}

/// Style of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Plain text.
    Text,
    /// Thinking: indented.
    Thought,
    /// Command output: indented, without escape sequences.
    Output,
}

impl PagerText {
    /// Splits the items of a conversation into pieces.
    #[must_use]
    pub fn of(items: &[Item], folder: &str, width: usize) -> Self {
        let mut whole = Self {
            folder: folder.to_owned(),
            width,
            ..Self::default()
        };
        for item in items {
            whole.add(item);
        }
        whole
    }

    fn add(&mut self, item: &Item) {
        let depth = if item.parent.is_some() { 4 } else { 0 };
        match &item.body {
            ItemBody::Prompt(prompt) if matches!(prompt.source, PromptSource::Host | PromptSource::Other) => {
                self.add_prompt(&prompt.text);
            }
            ItemBody::Text { text, .. } => self.add_text(text, depth),
            ItemBody::Command(command) => self.add_text(command.output.as_deref().unwrap_or_default(), depth),
            ItemBody::Error(error) => self.add_text(&error.text, depth),
            ItemBody::Thinking(thinking) => {
                let row = Row::new().add("~ ", Role::Note).add("thought", Role::Faint);
                self.pieces.push(Piece::Row(row, depth));
                self.add_lines(&thinking.text, Look::Thought, depth);
            }
            ItemBody::ToolCall(call) if item.status != ItemStatus::Streaming => {
                self.add_call(CallCard::new((**call).clone(), item.status, &self.folder), depth);
            }
            ItemBody::Notice(Notice {
                kind: NoticeKind::Stopped,
                ..
            }) => {
                let row = Row::new().add("✗ ", Role::Bad).add("stopped", Style::FAINT);
                self.pieces.push(Piece::Row(row, 0));
            }
            ItemBody::Notice(Notice {
                kind: NoticeKind::Context,
                text,
                ..
            }) => self.add_lines(text, Look::Text, depth),
            _ => {}
        }
    }

    fn add_prompt(&mut self, text: &str) {
        self.add_gap();
        self.prompts.push(self.pieces.len());
        let mut first = true;
        for text in cutting::lines(text.trim_end()) {
            self.pieces.push(Piece::Prompt {
                text,
                first: std::mem::take(&mut first),
            });
        }
        self.add_gap();
    }

    /// Adds a blank row unless the last piece is one.
    fn add_gap(&mut self) {
        if self.pieces.last().is_some_and(|last| !matches!(last, Piece::Gap)) {
            self.pieces.push(Piece::Gap);
        }
    }

    fn add_lines(&mut self, text: &str, look: Look, depth: usize) {
        let parts = cutting::lines(text);
        self.pieces.extend(parts.map(|text| Piece::Lines { text, look, depth }));
    }

    fn add_text(&mut self, text: &str, depth: usize) {
        self.add_gap();
        for (text, code) in cutting::markdown(text) {
            if code.is_none() {
                self.add_gap();
            }
            self.pieces.push(Piece::Markdown { text, code, depth });
        }
        self.add_gap();
    }

    fn add_call(&mut self, call: CallCard, depth: usize) {
        let at = self.pieces.len();
        let below = card::below(&call);
        let is_change = matches!(below, Below::Change);
        if let Below::Text(text) = below {
            self.add_lines(text.trim_matches('\n'), Look::Output, depth);
        }
        let head = Piece::Card {
            call: Box::new(call),
            body: is_change,
            depth,
        };
        self.pieces.insert(at, head);
    }

    /// Lays out a piece.
    fn rows_of(&self, at: usize) -> Vec<Row> {
        let width = self.width;
        let Some(piece) = self.pieces.get(at) else {
            return Vec::new();
        };
        let (rows, depth) = match piece {
            Piece::Gap => return vec![Row::new()],
            Piece::Prompt { text, first } => (prompt::part(text, *first), 0),
            Piece::Markdown { text, code, depth } => {
                let width = width.saturating_sub(*depth).max(10);
                (Markdown::inside(code.clone()).whole(text, width), *depth)
            }
            Piece::Lines { text, look, depth } => {
                let row = |line: &str| match look {
                    Look::Text => Row::faint(line),
                    Look::Thought => Row::faint(&format!("    {line}")),
                    Look::Output => card::output(line),
                };
                (text.lines().map(row).collect(), *depth)
            }
            Piece::Row(row, depth) => (vec![row.clone()], *depth),
            Piece::Card { call, body, depth } => {
                let width = width.saturating_sub(*depth).max(20);
                let rows = match body {
                    true => card::whole(call, width),
                    false => card::head_rows(call, width),
                };
                (rows, *depth)
            }
        };
        let hang = depth.min(width / 2);
        let rows = rows.into_iter().map(|row| row.indented(depth));
        rows.flat_map(|row| wrap::whole(&row, width, hang)).collect()
    }

    fn laid_out(&mut self, at: usize) -> &[Row] {
        if !self.laid_out.contains_key(&at) {
            if self.laid_out.len() >= MAX_LAID_OUT {
                self.laid_out.clear();
            }
            let rows = self.rows_of(at);
            self.laid_out.insert(at, rows);
        }
        self.laid_out.get(&at).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the number of pieces with cached rows.
    #[cfg(test)]
    pub(crate) fn pieces_laid_out(&self) -> usize {
        self.laid_out.len()
    }

    /// Changes the width. Returns the new position of the row at `place`.
    pub fn resize(&mut self, width: usize, place: Position) -> Position {
        if width == self.width {
            return place;
        }
        let before = self.laid_out(place.piece).len().max(1);
        self.width = width;
        self.laid_out.clear();
        let row = place.row.min(before) * self.laid_out(place.piece).len() / before;
        Position { row, ..place }
    }

    /// Returns the position after the last row.
    #[must_use]
    pub fn end(&self) -> Position {
        Position {
            piece: self.pieces.len(),
            row: 0,
        }
    }

    /// Returns the position `by` rows below, at most the end.
    pub fn down(&mut self, mut place: Position, mut by: usize) -> Position {
        while place.piece < self.pieces.len() {
            let left = self.laid_out(place.piece).len().saturating_sub(place.row);
            if by < left {
                place.row += by;
                return place;
            }
            by -= left;
            place = Position {
                piece: place.piece + 1,
                row: 0,
            };
        }
        place
    }

    /// Returns the position `by` rows above, at least the start.
    pub fn up(&mut self, mut place: Position, mut by: usize) -> Position {
        while by > place.row {
            by -= place.row;
            let Some(piece) = place.piece.checked_sub(1) else {
                return Position::default();
            };
            let row = self.laid_out(piece).len();
            place = Position { piece, row };
        }
        place.row -= by;
        place
    }

    /// Returns `count` rows from a position on.
    pub fn rows(&mut self, from: Position, count: usize) -> Vec<Row> {
        let mut rows = Vec::with_capacity(count);
        let mut skip = from.row;
        for at in from.piece..self.pieces.len() {
            let left = count - rows.len();
            rows.extend(self.laid_out(at).iter().skip(skip).take(left).cloned());
            skip = 0;
            if rows.len() == count {
                break;
            }
        }
        rows
    }

    /// Returns how much of the text is above a position, in percent.
    pub fn percent(&mut self, place: Position) -> usize {
        let all: usize = self.pieces.iter().map(Piece::size).sum();
        let above: usize = self.pieces.iter().take(place.piece).map(Piece::size).sum();
        let within = self.pieces.get(place.piece).map_or(0, Piece::size);
        let rows = self.laid_out(place.piece).len().max(1);
        (above + within * place.row / rows) * 100 / all.max(1)
    }

    /// Returns the start of the prompt before or after a position.
    #[must_use]
    pub fn prompt_near(&self, place: Position, back: bool) -> Option<Position> {
        let at = |piece: &&usize| Position { piece: **piece, row: 0 };
        let found = match back {
            true => self.prompts.iter().rev().find(|piece| at(piece) < place),
            false => self.prompts.iter().find(|piece| at(piece) > place),
        };
        found.as_ref().map(at)
    }

    /// Returns the pieces of the prompt at a position and its answer.
    #[must_use]
    pub fn part(&self, place: Position) -> Range<usize> {
        let from = self.prompts.iter().rev().find(|piece| **piece <= place.piece);
        let to = self.prompts.iter().find(|piece| **piece > place.piece);
        from.copied().unwrap_or(0)..to.copied().unwrap_or(self.pieces.len())
    }

    /// Finds the next row that contains a text, ignoring case: from a place on, or before it.
    #[must_use]
    pub fn find(&self, text: &str, from: Position, back: bool) -> Option<Position> {
        let wanted = text.to_lowercase();
        if wanted.is_empty() {
            return None;
        }
        let contains = |row: &Row| row.text().to_lowercase().contains(&wanted);
        let search = |piece: usize| {
            if !self.pieces.get(piece).is_some_and(|it| it.may_contain(&wanted)) {
                return None;
            }
            let rows = self.rows_of(piece);
            let mut places = rows.iter().enumerate().filter(|(row, _)| {
                let place = Position { piece, row: *row };
                if back { place < from } else { place >= from }
            });
            let found = match back {
                true => places.rfind(|(_, row)| contains(row)),
                false => places.find(|(_, row)| contains(row)),
            };
            found.map(|(row, _)| Position { piece, row })
        };
        match back {
            true => (0..=from.piece).rev().find_map(search),
            false => (from.piece..self.pieces.len()).find_map(search),
        }
    }

    /// Returns the text of some pieces, one line per row.
    #[must_use]
    pub fn text(&self, pieces: Range<usize>) -> String {
        let rows = pieces.flat_map(|at| self.rows_of(at));
        let lines: Vec<String> = rows.map(|row| row.text().trim_end().to_owned()).collect();
        lines.join("\n")
    }

    /// The range of all pieces.
    #[must_use]
    pub fn all(&self) -> Range<usize> {
        0..self.pieces.len()
    }
}

impl Piece {
    /// Returns the approximate size of the text in bytes.
    fn size(&self) -> usize {
        match self {
            Self::Prompt { text, .. } | Self::Markdown { text, .. } | Self::Lines { text, .. } => text.len().max(1),
            Self::Gap | Self::Row(..) | Self::Card { .. } => 1,
        }
    }

    /// False if the rows certainly do not contain a text in lower case.
    fn may_contain(&self, wanted: &str) -> bool {
        let text = match self {
            Self::Prompt { text, .. } | Self::Markdown { text, .. } | Self::Lines { text, .. } => text,
            Self::Gap => return false,
            Self::Row(..) | Self::Card { .. } => return true,
        };
        // Delimiters and line ends of the source do not occur in the rows.
        let letters = |text: &str| text.to_lowercase().replace(['*', '_', '`', '~', '\\'], "");
        wanted.contains(char::is_whitespace) || letters(text).contains(&letters(wanted))
    }
}

/// Renders the status row of a pager: title, position and hints.
#[must_use]
pub fn foot(title: &str, percent: usize, hints: &str, columns: usize) -> Row {
    let mut row = Row::new().add(title, Style::TEXT.bold());
    row = row.cut(columns.saturating_sub(crate::text::width::of(hints) + 8).max(8));
    row.push(&format!("  {percent}%"), Role::Faint);
    row.push(&format!("  {hints}"), Role::Faint);
    row.cut(columns)
}
