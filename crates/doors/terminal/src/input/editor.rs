//! The draft editor: text, cursor, kill ring and undo.

use unicode_segmentation::UnicodeSegmentation as _;

/// An attachment shown as one character in the draft and sent in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chip {
    /// A long paste.
    Paste(String),
    /// An image: media type, base64 data, and description.
    Image {
        media_type: String,
        data: String,
        label: String,
    },
}

/// Placeholder character of the first chip. Placeholders are from a private use area, which cannot be typed.
const FIRST_CHIP: u32 = 0xf_0000;
const MOST_CHIPS: u32 = 1000;

/// Returns the number of the chip that a placeholder represents.
#[must_use]
pub fn chip_number(letter: char) -> Option<usize> {
    let number = u32::from(letter).checked_sub(FIRST_CHIP)?;
    (number < MOST_CHIPS).then_some(number as usize)
}

/// State before a change, for undo.
#[derive(Debug, Clone, PartialEq, Eq)]
struct UndoState {
    text: String,
    cursor: usize,
}

/// The text editor of the composer and of dialogs.
#[derive(Debug, Clone, Default)]
pub struct Editor {
    text: String,
    /// Byte offset, always between grapheme clusters.
    cursor: usize,
    chips: Vec<Chip>,
    kills: Vec<String>,
    /// Start and end of the last yank and its index in the kill ring, for replacing it with an earlier kill.
    yanked: Option<(usize, usize, usize)>,
    undo: Vec<UndoState>,
    redo: Vec<UndoState>,
    /// True if the last change inserted a character of the same word.
    typing: bool,
    /// True if the last key was a kill; the next kill is then appended to it.
    killing: bool,
    /// Column that moves up and down return to.
    column: Option<usize>,
}

impl Editor {
    /// Returns the text with placeholders for chips.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the byte offset of the cursor.
    #[must_use]
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// True if the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the chips by number.
    #[must_use]
    pub fn chips(&self) -> &[Chip] {
        &self.chips
    }

    /// Returns the text to send, with pastes expanded.
    #[must_use]
    pub fn whole(&self) -> String {
        let mut out = String::with_capacity(self.text.len());
        for letter in self.text.chars() {
            match chip_number(letter).and_then(|number| self.chips.get(number)) {
                Some(Chip::Paste(text)) => out.push_str(text),
                Some(Chip::Image { label, .. }) => out.push_str(label),
                None => out.push(letter),
            }
        }
        out
    }

    /// Returns media type and data of the images that are still in the text.
    #[must_use]
    pub fn images(&self) -> Vec<(String, String)> {
        let numbers = self.text.chars().filter_map(chip_number);
        numbers
            .filter_map(|number| match self.chips.get(number)? {
                Chip::Image { media_type, data, .. } => Some((media_type.clone(), data.clone())),
                Chip::Paste(_) => None,
            })
            .collect()
    }

    /// Clears the editor and returns the text.
    pub fn take(&mut self) -> String {
        let whole = self.whole();
        self.remember(false);
        self.text.clear();
        self.cursor = 0;
        whole
    }

    /// Replaces the whole text and places the cursor at its end.
    pub fn set(&mut self, text: &str) {
        self.remember(false);
        self.text = text.to_owned();
        self.cursor = self.text.len();
        self.settle();
    }

    /// Inserts a chip at the cursor.
    pub fn attach(&mut self, chip: Chip) {
        let number = u32::try_from(self.chips.len()).unwrap_or(MOST_CHIPS);
        match char::from_u32(FIRST_CHIP + number).filter(|_| number < MOST_CHIPS) {
            Some(sign) => {
                self.chips.push(chip);
                self.insert(sign.encode_utf8(&mut [0; 4]));
            }
            None => {
                if let Chip::Paste(text) = chip {
                    self.insert(&text);
                }
            }
        }
    }

    /// Inserts text at the cursor.
    pub fn insert(&mut self, text: &str) {
        let mut letters = text.chars();
        let one = match (letters.next(), letters.next()) {
            (Some(letter), None) => letter.is_alphanumeric(),
            _ => false,
        };
        self.remember(one);
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        self.settle();
        self.typing = one;
    }

    /// Replaces a range of the text and places the cursor after it.
    pub fn replace(&mut self, from: usize, to: usize, with: &str) {
        if from <= to && self.text.is_char_boundary(from) && self.text.is_char_boundary(to) {
            self.remember(false);
            self.text.replace_range(from..to, with);
            self.cursor = from + with.len();
            self.settle();
        }
    }

    /// Returns the most recently killed text.
    #[must_use]
    pub fn last_kill(&self) -> &str {
        self.kills.last().map_or("", String::as_str)
    }

    fn remember(&mut self, goes_on: bool) {
        if goes_on && self.typing {
            return;
        }
        let before = UndoState {
            text: self.text.clone(),
            cursor: self.cursor,
        };
        if self.undo.last() != Some(&before) {
            self.undo.push(before);
            if self.undo.len() > 200 {
                self.undo.remove(0);
            }
        }
        self.redo.clear();
    }

    /// Resets the state of consecutive edits after a change or movement.
    fn settle(&mut self) {
        self.typing = false;
        self.killing = false;
        self.yanked = None;
        self.column = None;
        self.cursor = self.cursor.min(self.text.len());
        while !self.text.is_char_boundary(self.cursor) {
            self.cursor -= 1;
        }
    }

    fn move_to(&mut self, at: usize) {
        self.cursor = at;
        self.settle();
    }

    /// Moves the cursor to a byte offset.
    pub fn go(&mut self, at: usize) {
        self.move_to(at);
    }

    fn before(&self, at: usize) -> usize {
        let text = self.text.get(..at).unwrap_or_default();
        text.grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self, at: usize) -> usize {
        let text = self.text.get(at..).unwrap_or_default();
        at + text.graphemes(true).next().map_or(0, str::len)
    }

    /// Returns the start of the word before an offset.
    #[must_use]
    pub fn word_before(&self, at: usize) -> usize {
        let mut at = at;
        let mut inside = false;
        while at > 0 {
            let before = self.before(at);
            let is_word = self.text.get(before..at).is_some_and(is_word);
            if inside && !is_word {
                break;
            }
            inside |= is_word;
            at = before;
        }
        at
    }

    /// Returns the end of the word after an offset.
    #[must_use]
    pub fn word_after(&self, at: usize) -> usize {
        let mut at = at;
        let mut inside = false;
        while at < self.text.len() {
            let after = self.after(at);
            let is_word = self.text.get(at..after).is_some_and(is_word);
            if inside && !is_word {
                break;
            }
            inside |= is_word;
            at = after;
        }
        at
    }

    /// Returns the start of the line that contains an offset.
    #[must_use]
    pub fn line_start(&self, at: usize) -> usize {
        self.text
            .get(..at)
            .and_then(|text| text.rfind('\n'))
            .map_or(0, |at| at + 1)
    }

    /// Returns the end of the line that contains an offset.
    #[must_use]
    pub fn line_end(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        rest.find('\n').map_or(self.text.len(), |end| at + end)
    }

    pub fn left(&mut self) {
        self.move_to(self.before(self.cursor));
    }

    pub fn right(&mut self) {
        self.move_to(self.after(self.cursor));
    }

    pub fn word_left(&mut self) {
        self.move_to(self.word_before(self.cursor));
    }

    pub fn word_right(&mut self) {
        self.move_to(self.word_after(self.cursor));
    }

    pub fn home(&mut self) {
        self.move_to(self.line_start(self.cursor));
    }

    pub fn end(&mut self) {
        self.move_to(self.line_end(self.cursor));
    }

    /// Moves one line up. Returns false on the first line.
    pub fn up(&mut self) -> bool {
        let start = self.line_start(self.cursor);
        if start == 0 {
            return false;
        }
        let above = self.line_start(start - 1);
        self.go_to_column(above, start - 1, start);
        true
    }

    /// Moves one line down. Returns false on the last line.
    pub fn down(&mut self) -> bool {
        let end = self.line_end(self.cursor);
        if end == self.text.len() {
            return false;
        }
        let start = self.line_start(self.cursor);
        self.go_to_column(end + 1, self.line_end(end + 1), start);
        true
    }

    fn go_to_column(&mut self, from: usize, to: usize, start: usize) {
        let written = self.text.get(start..self.cursor).unwrap_or_default();
        let column = self.column.unwrap_or_else(|| written.graphemes(true).count());
        let line = self.text.get(from..to).unwrap_or_default();
        let at = line.grapheme_indices(true).nth(column).map_or(to, |(at, _)| from + at);
        self.move_to(at);
        self.column = Some(column);
    }

    /// Removes a range of the text and returns it.
    pub fn cut(&mut self, from: usize, to: usize) -> String {
        if from >= to {
            return String::new();
        }
        self.remember(false);
        let cut: String = self.text.drain(from..to).collect();
        self.cursor = from;
        self.settle();
        cut
    }

    pub fn backspace(&mut self) {
        self.cut(self.before(self.cursor), self.cursor);
    }

    pub fn delete(&mut self) {
        self.cut(self.cursor, self.after(self.cursor));
    }

    /// Removes a range and adds it to the kill ring; consecutive kills form one entry.
    pub fn kill(&mut self, from: usize, to: usize) {
        let backwards = to == self.cursor;
        let joins = self.killing;
        let cut = self.cut(from, to);
        if cut.is_empty() {
            return;
        }
        match self.kills.last_mut().filter(|_| joins) {
            Some(last) if backwards => last.insert_str(0, &cut),
            Some(last) => last.push_str(&cut),
            None => {
                self.kills.push(cut);
                if self.kills.len() > 60 {
                    self.kills.remove(0);
                }
            }
        }
        self.killing = true;
    }

    pub fn kill_to_end(&mut self) {
        let end = self.line_end(self.cursor);
        // At the end of a line, the line end is removed.
        let to = if end == self.cursor { self.after(end) } else { end };
        self.kill(self.cursor, to);
    }

    pub fn kill_to_start(&mut self) {
        let start = self.line_start(self.cursor);
        let from = if start == self.cursor {
            self.before(start)
        } else {
            start
        };
        self.kill(from, self.cursor);
    }

    pub fn kill_word_before(&mut self) {
        self.kill(self.word_before(self.cursor), self.cursor);
    }

    pub fn kill_word_after(&mut self) {
        self.kill(self.cursor, self.word_after(self.cursor));
    }

    /// Inserts the most recent kill.
    pub fn yank(&mut self) {
        let Some(text) = self.kills.last().cloned() else {
            return;
        };
        let from = self.cursor;
        self.insert(&text);
        self.yanked = Some((from, self.cursor, self.kills.len() - 1));
    }

    /// True if the last key was a yank.
    #[must_use]
    pub fn has_yanked(&self) -> bool {
        self.yanked.is_some()
    }

    /// After a yank: replaces the yanked text with the previous kill.
    pub fn yank_earlier(&mut self) {
        let Some((from, to, ring)) = self.yanked else {
            return;
        };
        let ring = ring.checked_sub(1).unwrap_or(self.kills.len().saturating_sub(1));
        if let Some(text) = self.kills.get(ring).cloned() {
            self.replace(from, to, &text);
            self.yanked = Some((from, self.cursor, ring));
        }
    }

    pub fn undo(&mut self) {
        if let Some(before) = self.undo.pop() {
            self.redo.push(UndoState {
                text: std::mem::replace(&mut self.text, before.text),
                cursor: self.cursor,
            });
            self.move_to(before.cursor);
        }
    }

    pub fn redo(&mut self) {
        if let Some(after) = self.redo.pop() {
            self.undo.push(UndoState {
                text: std::mem::replace(&mut self.text, after.text),
                cursor: self.cursor,
            });
            self.move_to(after.cursor);
        }
    }
}

fn is_word(cluster: &str) -> bool {
    cluster
        .chars()
        .next()
        .is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
}

#[cfg(test)]
#[path = "editor_tests.rs"]
mod tests;
