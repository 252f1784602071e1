//! The pager: the whole conversation on the alternate screen.

use super::{Act, App, Now};
use crate::app::act::EditTarget;
use crate::input::{Code, Editor, Key};
use crate::text::{Role, Row, Style};
use crate::view::pager_text::{self, PagerText, Position};

/// The conversation and the scroll position.
#[derive(Debug, Clone)]
pub(crate) struct Pager {
    title: String,
    whole: PagerText,
    top: Position,
    /// Search text while it is typed.
    search: Option<Editor>,
    found: String,
    note: Option<&'static str>,
}

impl Pager {
    fn last_top(&mut self, room: usize) -> Position {
        let end = self.whole.end();
        self.whole.up(end, room)
    }

    /// Scrolls down by a number of rows; the last page stays full.
    fn down(&mut self, by: usize, room: usize) {
        let down = self.whole.down(self.top, by);
        self.top = down.min(self.last_top(room));
    }

    fn up(&mut self, by: usize) {
        self.top = self.whole.up(self.top, by);
    }

    /// Moves to the next row that matches the search text, forwards or backwards from `from`.
    fn find(&mut self, from: Position, back: bool) {
        match self.whole.find(&self.found, from, back) {
            Some(place) => self.top = place,
            None => self.note = Some("nothing found"),
        }
    }

    /// Returns how many parts of the conversation were laid out.
    #[cfg(test)]
    pub(super) fn pieces_laid_out(&self) -> usize {
        self.whole.pieces_laid_out()
    }

    fn next_prompt(&mut self, back: bool) {
        if let Some(place) = self.whole.prompt_near(self.top, back) {
            self.top = place;
        }
    }
}

impl App {
    /// Opens the pager at the end of the conversation.
    pub(super) fn open_pager(&mut self, items: &[sluice_host::items::Item], title: Option<String>, now: Now) {
        if items.is_empty() {
            self.notify("the conversation is empty", now);
            return;
        }
        let title = title.or_else(|| self.snapshot.title.clone());
        let title = title.unwrap_or_else(|| self.facts.folder_word());
        let folder = self.facts.folder.display().to_string();
        let mut pager = Pager {
            title,
            whole: PagerText::of(items, &folder, self.columns),
            top: Position::default(),
            search: None,
            found: String::new(),
            note: None,
        };
        pager.top = pager.last_top(self.rows.max(2) - 1);
        self.pager = Some(pager);
    }

    /// True if the pager is open.
    #[must_use]
    pub fn is_paging(&self) -> bool {
        self.pager.is_some()
    }

    /// Returns the full screen of the open pager, and the column of the cursor while a search is typed.
    pub fn sheet(&mut self) -> Option<(Vec<Row>, Option<usize>)> {
        let (columns, rows) = (self.columns, self.rows.max(2));
        let room = rows - 1;
        let pager = self.pager.as_mut()?;
        pager.top = pager.whole.resize(columns, pager.top);
        pager.top = pager.top.min(pager.last_top(room));
        let wanted = pager.found.to_lowercase();
        let shown = pager.whole.rows(pager.top, room).into_iter().map(|mut row| {
            if !wanted.is_empty() && row.text().to_lowercase().contains(&wanted) {
                row = Row::new().add("", Style::TEXT).add(&row.text(), Style::TEXT.reverse());
            }
            row.cut(columns)
        });
        let mut sheet: Vec<Row> = shown.collect();
        sheet.resize(room, Row::new());
        let bottom = pager.whole.down(pager.top, room);
        let percent = pager.whole.percent(bottom);
        let mut cursor = None;
        sheet.push(match (&pager.search, pager.note) {
            (Some(editor), _) => {
                let row = Row::new()
                    .add("/", Role::Accent)
                    .add(editor.text(), Style::TEXT)
                    .cut(columns);
                cursor = Some(row.width().min(columns - 1));
                row
            }
            (None, Some(note)) => pager_text::foot(&pager.title, percent, note, columns),
            (None, None) => {
                let hints = if columns >= 60 {
                    "/ search  [ ] prompts  c copy  e editor  v all  q back"
                } else {
                    "q back"
                };
                pager_text::foot(&pager.title, percent, hints, columns)
            }
        });
        Some((sheet, cursor))
    }

    /// Handles a key while the pager is open.
    pub(super) fn pager_key(&mut self, key: Key) {
        let room = self.rows.max(2) - 1;
        let Some(pager) = &mut self.pager else { return };
        pager.note = None;
        if let Some(editor) = &mut pager.search {
            match key.code {
                Code::Escape => pager.search = None,
                Code::Char('c') if key.ctrl => pager.search = None,
                Code::Enter => {
                    pager.found = editor.text().to_owned();
                    pager.search = None;
                    pager.find(pager.top, false);
                }
                _ => super::editing::edit(editor, key),
            }
            return;
        }
        let half = (room / 2).max(1);
        match (key.code, key.ctrl) {
            (Code::Char('q'), false) | (Code::Escape, _) | (Code::Char('c' | 'o'), true) => self.pager = None,
            (Code::Char('j'), false) | (Code::Down | Code::Enter, _) => pager.down(1, room),
            (Code::Char('k'), false) | (Code::Up, _) => pager.up(1),
            (Code::Char(' '), false) | (Code::Char('f'), true) | (Code::PageDown, _) => pager.down(room, room),
            (Code::Char('b'), _) | (Code::PageUp, _) => pager.up(room),
            (Code::Char('d'), true) => pager.down(half, room),
            (Code::Char('u'), true) => pager.up(half),
            // In the reference CLI this key shows omitted parts; here nothing is omitted.
            (Code::Char('e'), true) | (Code::Char('v'), false) => pager.note = Some("nothing is omitted"),
            (Code::Char('g'), false) | (Code::Home, _) => pager.top = Position::default(),
            (Code::Char('G'), false) | (Code::End, _) => pager.top = pager.last_top(room),
            (Code::Char('/'), false) => pager.search = Some(Editor::default()),
            (Code::Char('n'), false) => {
                let next = pager.whole.down(pager.top, 1);
                pager.find(next, false);
            }
            (Code::Char('N'), false) => pager.find(pager.top, true),
            (Code::Char('['), false) => pager.next_prompt(true),
            (Code::Char(']'), false) => pager.next_prompt(false),
            (Code::Char('c'), false) => {
                let text = pager.whole.text(pager.whole.part(pager.top));
                pager.note = Some("copied to the clipboard");
                self.acts.push(Act::Copy(text));
            }
            (Code::Char('e'), false) => {
                let text = pager.whole.text(pager.whole.all());
                self.acts.push(Act::Edit {
                    text,
                    what: EditTarget::Nothing,
                });
            }
            _ => {}
        }
    }
}
