//! Vim editing: modes, motions, operators, text objects, counts and repetition.

mod motion;
mod operator;
mod register;
mod visual;

use super::editor::Editor;
use super::key::{Code, Key};
use motion::{first_letter, next, turned};

/// The vim mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    #[default]
    Insert,
    Normal,
    /// Selection from the anchor to the cursor, optionally of whole lines.
    Visual {
        anchor: usize,
        lines: bool,
    },
}

/// Result of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyResult {
    /// The key was handled.
    Handled,
    /// Not a vim key; it keeps its normal meaning.
    Unhandled,
    /// A movement before the first line or after the last one.
    BeforeText,
    AfterText,
}

/// State between keys.
#[derive(Debug, Clone, Default)]
pub struct Vim {
    mode: Mode,
    /// Keys of an incomplete command.
    pending: Vec<char>,
    /// The last character search in a line: key and character.
    found: Option<(char, char)>,
    /// Keys of the last change, for `.`, and of the change in progress.
    last: Vec<Key>,
    recording: Option<Vec<Key>>,
    register: String,
    by_lines: bool,
}

impl Vim {
    /// Returns `NORMAL` or `VISUAL`; `None` in insert mode.
    #[must_use]
    pub fn word(&self) -> Option<&'static str> {
        match self.mode {
            Mode::Insert => None,
            Mode::Normal => Some("NORMAL"),
            Mode::Visual { lines: false, .. } => Some("VISUAL"),
            Mode::Visual { lines: true, .. } => Some("V-LINE"),
        }
    }

    /// True in insert mode.
    #[must_use]
    pub fn inserts(&self) -> bool {
        self.mode == Mode::Insert
    }

    /// Resets the state for a new draft.
    pub fn reset(&mut self) {
        self.mode = Mode::Insert;
        self.pending.clear();
        self.recording = None;
    }

    /// Handles a key.
    pub fn key(&mut self, editor: &mut Editor, key: Key) -> KeyResult {
        if self.mode == Mode::Insert {
            return self.insert_key(editor, key);
        }
        if key.is(Code::Escape) {
            let idle = self.mode == Mode::Normal && self.pending.is_empty();
            self.mode = Mode::Normal;
            self.pending.clear();
            return if idle { KeyResult::Unhandled } else { KeyResult::Handled };
        }
        if key == Key::ctrl('r') {
            editor.redo();
            return KeyResult::Handled;
        }
        let letter = match (key.code, key.ctrl || key.alt) {
            (Code::Char(letter), false) => letter,
            (Code::Left | Code::Backspace, _) => 'h',
            (Code::Right, _) => 'l',
            (Code::Home, _) => '0',
            (Code::End, _) => '$',
            (Code::Delete, _) => 'x',
            _ => return KeyResult::Unhandled,
        };
        if self.recording.is_none() {
            self.recording = Some(Vec::new());
        }
        if let Some(keys) = &mut self.recording {
            keys.push(key);
        }
        self.pending.push(letter);
        let done = self.command(editor);
        if self.pending.is_empty() && self.mode != Mode::Insert {
            self.recording = None;
        }
        done
    }

    fn insert_key(&mut self, editor: &mut Editor, key: Key) -> KeyResult {
        if key.is(Code::Escape) || key == Key::ctrl('[') {
            self.mode = Mode::Normal;
            if editor.cursor() > editor.line_start(editor.cursor()) {
                editor.left();
            }
            if let Some(keys) = self.recording.take() {
                self.last = keys;
            }
            return KeyResult::Handled;
        }
        if let Some(keys) = &mut self.recording {
            keys.push(key);
        }
        KeyResult::Unhandled
    }

    fn insert(&mut self) {
        self.pending.clear();
        self.mode = Mode::Insert;
        if self.recording.is_none() {
            self.recording = Some(Vec::new());
        }
    }

    /// Completes a change, so that it can be repeated.
    fn changed(&mut self) -> KeyResult {
        self.pending.clear();
        if let Some(keys) = self.recording.take() {
            self.last = keys;
        }
        KeyResult::Handled
    }

    fn dropped(&mut self) -> KeyResult {
        self.pending.clear();
        KeyResult::Handled
    }

    /// Runs the pending keys if they form a complete command.
    fn command(&mut self, editor: &mut Editor) -> KeyResult {
        let keys: String = self.pending.iter().collect();
        let digits = keys.len() - keys.trim_start_matches(|it: char| it.is_ascii_digit()).len();
        let digits = if keys.starts_with('0') { 0 } else { digits };
        let count = keys.get(..digits).and_then(|it| it.parse::<usize>().ok());
        let rest = keys.get(digits..).unwrap_or_default().to_owned();
        let Some(first) = rest.chars().next() else {
            return KeyResult::Handled;
        };
        let times = count.unwrap_or(1).min(1000);
        if let Mode::Visual { anchor, lines } = self.mode {
            return self.visual(editor, &rest, times, anchor, lines);
        }
        match first {
            'd' | 'c' | 'y' => self.operate(editor, first, rest.get(1..).unwrap_or_default(), times),
            'f' | 'F' | 't' | 'T' | 'g' | 'r' if rest.chars().count() < 2 => KeyResult::Handled,
            'r' => {
                let with = rest.chars().nth(1).unwrap_or(' ');
                let (at, end) = (editor.cursor(), editor.line_end(editor.cursor()));
                if at < end {
                    let after = next(editor, at);
                    editor.replace(at, after, with.encode_utf8(&mut [0; 4]));
                    editor.go(at);
                }
                self.changed()
            }
            _ => self.simple(editor, first, &rest, times),
        }
    }

    fn simple(&mut self, editor: &mut Editor, first: char, rest: &str, times: usize) -> KeyResult {
        let at = editor.cursor();
        let (start, end) = (editor.line_start(at), editor.line_end(at));
        match first {
            'i' => self.insert(),
            'I' => {
                editor.go(first_letter(editor, start));
                self.insert();
            }
            'a' => {
                editor.go(if at < end { next(editor, at) } else { at });
                self.insert();
            }
            'A' => {
                editor.go(end);
                self.insert();
            }
            'o' => {
                editor.go(end);
                editor.insert("\n");
                self.insert();
            }
            'O' => {
                editor.go(start);
                editor.insert("\n");
                editor.go(start);
                self.insert();
            }
            'x' => {
                let to = (0..times).fold(at, |to, _| if to < end { next(editor, to) } else { to });
                self.cut(editor, at, to, false);
                self.stay_inside(editor);
                return self.changed();
            }
            'D' | 'C' => {
                self.cut(editor, at, end, false);
                if first == 'C' {
                    self.insert();
                    return KeyResult::Handled;
                }
                self.stay_inside(editor);
                return self.changed();
            }
            'p' | 'P' => {
                self.put(editor, first == 'p', times);
                return self.changed();
            }
            '~' => {
                let to = (0..times).fold(at, |to, _| if to < end { next(editor, to) } else { to });
                let text: String = editor
                    .text()
                    .get(at..to)
                    .unwrap_or_default()
                    .chars()
                    .map(turned)
                    .collect();
                editor.replace(at, to, &text);
                return self.changed();
            }
            'J' => {
                if end < editor.text().len() {
                    let rest = first_letter(editor, end + 1);
                    editor.replace(end, rest, " ");
                    editor.go(end);
                }
                return self.changed();
            }
            'u' => {
                editor.undo();
                return self.dropped();
            }
            '.' => return self.repeat(editor),
            'v' | 'V' => {
                self.mode = Mode::Visual {
                    anchor: at,
                    lines: first == 'V',
                };
                self.pending.clear();
            }
            'j' | 'k' => {
                self.pending.clear();
                let moved = if first == 'j' { editor.down() } else { editor.up() };
                return match (moved, first) {
                    (true, _) => KeyResult::Handled,
                    (false, 'j') => KeyResult::AfterText,
                    _ => KeyResult::BeforeText,
                };
            }
            _ => {
                if let Some(reach) = self.motion(editor, rest, times) {
                    editor.go(reach.to);
                    self.stay_inside(editor);
                }
                return self.dropped();
            }
        }
        KeyResult::Handled
    }

    /// In normal mode the cursor is on a character, not after the last one.
    fn stay_inside(&self, editor: &mut Editor) {
        let at = editor.cursor();
        if at == editor.line_end(at) && at > editor.line_start(at) {
            editor.left();
        }
    }

    fn repeat(&mut self, editor: &mut Editor) -> KeyResult {
        self.pending.clear();
        self.recording = None;
        let keys = std::mem::take(&mut self.last);
        for key in &keys {
            if self.key(editor, *key) == KeyResult::Unhandled {
                crate::app::edit(editor, *key);
            }
        }
        if self.mode == Mode::Insert {
            self.insert_key(editor, Key::of(Code::Escape));
        }
        self.last = keys;
        KeyResult::Handled
    }
}

#[cfg(test)]
#[path = "vim_tests.rs"]
mod tests;
