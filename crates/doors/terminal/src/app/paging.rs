//! The pager: the whole conversation on a screen of its own.

use super::{Act, App, Now};
use crate::app::act::Edited;
use crate::input::{Code, Editor, Key};
use crate::text::{Role, Row, Style};
use crate::view::whole::{self, Whole};

/// The conversation, and where in it the person is.
#[derive(Debug, Clone)]
pub(crate) struct Pager {
    title: String,
    folder: String,
    entries: Vec<sluice_host::conversation::Entry>,
    whole: Whole,
    /// How wide the rows were made.
    width: usize,
    top: usize,
    /// What is looked for, while it is typed.
    search: Option<Editor>,
    found: String,
    note: Option<&'static str>,
}

impl Pager {
    fn last_top(&self, room: usize) -> usize {
        self.whole.rows.len().saturating_sub(room)
    }

    fn lay_out(&mut self, width: usize) {
        if self.width != width {
            let place = self.whole.rows.len().max(1);
            let (before, top) = (place, self.top);
            self.whole = whole::rows(&self.entries, &self.folder, width);
            self.width = width;
            self.top = top.min(before).saturating_mul(self.whole.rows.len()) / before;
        }
    }

    /// The next row that holds what is looked for, from `from` on or back.
    fn find(&mut self, from: usize, back: bool) {
        let wanted = self.found.to_lowercase();
        let holds = |row: &Row| row.text().to_lowercase().contains(&wanted);
        let rows = self.whole.rows.iter().enumerate();
        let found = if back {
            rows.take(from).rev().find(|(_, row)| holds(row)).map(|(at, _)| at)
        } else {
            rows.skip(from).find(|(_, row)| holds(row)).map(|(at, _)| at)
        };
        match found {
            Some(at) if !wanted.is_empty() => self.top = at,
            _ => self.note = Some("nothing found"),
        }
    }

    fn next_prompt(&mut self, back: bool) {
        let prompts = &self.whole.prompts;
        let found = if back {
            prompts.iter().rev().find(|at| **at < self.top)
        } else {
            prompts.iter().find(|at| **at > self.top)
        };
        if let Some(at) = found {
            self.top = *at;
        }
    }

    /// The prompt at the top of the screen, with all that came of it.
    fn part(&self) -> std::ops::Range<usize> {
        let prompts = &self.whole.prompts;
        let from = prompts.iter().rev().find(|at| **at <= self.top).copied().unwrap_or(0);
        let to = prompts.iter().find(|at| **at > self.top).copied();
        from..to.unwrap_or(self.whole.rows.len())
    }
}

impl App {
    /// Opens the pager at the end of the conversation.
    pub(super) fn open_pager(
        &mut self,
        entries: Vec<sluice_host::conversation::Entry>,
        title: Option<String>,
        now: Now,
    ) {
        if entries.is_empty() {
            self.notify("nothing was said yet", now);
            return;
        }
        let title = title.or_else(|| self.picture.title.clone());
        let title = title.unwrap_or_else(|| self.facts.folder_word());
        let mut pager = Pager {
            title,
            folder: self.facts.folder.display().to_string(),
            entries,
            whole: Whole::default(),
            width: 0,
            top: 0,
            search: None,
            found: String::new(),
            note: None,
        };
        pager.whole = whole::rows(&pager.entries, &pager.folder, self.columns);
        pager.width = self.columns;
        pager.top = pager.last_top(self.rows.max(2) - 1);
        self.pager = Some(pager);
    }

    /// Whether the pager is open.
    #[must_use]
    pub fn is_paging(&self) -> bool {
        self.pager.is_some()
    }

    /// The whole screen, where the pager is open, and where the cursor stands if it does.
    pub fn sheet(&mut self) -> Option<(Vec<Row>, Option<usize>)> {
        let (columns, rows) = (self.columns, self.rows.max(2));
        let room = rows - 1;
        let pager = self.pager.as_mut()?;
        pager.lay_out(columns);
        pager.top = pager.top.min(pager.last_top(room));
        let wanted = pager.found.to_lowercase();
        let shown = pager.whole.rows.iter().skip(pager.top).take(room).map(|row| {
            let mut row = row.clone();
            if !wanted.is_empty() && row.text().to_lowercase().contains(&wanted) {
                row = Row::new().add("", Style::TEXT).add(&row.text(), Style::TEXT.reverse());
            }
            row.cut(columns)
        });
        let mut sheet: Vec<Row> = shown.collect();
        sheet.resize(room, Row::new());
        let end = (pager.top + room).min(pager.whole.rows.len());
        let percent = end * 100 / pager.whole.rows.len().max(1);
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
            (None, Some(note)) => whole::foot(&pager.title, percent, note, columns),
            (None, None) => {
                let hints = if columns >= 60 {
                    "/ search  [ ] prompts  c copy  e editor  v all  q back"
                } else {
                    "q back"
                };
                whole::foot(&pager.title, percent, hints, columns)
            }
        });
        Some((sheet, cursor))
    }

    /// A key while the pager is open.
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
        let last = pager.last_top(room);
        let half = (room / 2).max(1);
        let down = |top: usize, by: usize| (top + by).min(last);
        match (key.code, key.ctrl) {
            (Code::Char('q'), false) | (Code::Escape, _) | (Code::Char('c' | 'o'), true) => self.pager = None,
            (Code::Char('j'), false) | (Code::Down | Code::Enter, _) => pager.top = down(pager.top, 1),
            (Code::Char('k'), false) | (Code::Up, _) => pager.top = pager.top.saturating_sub(1),
            (Code::Char(' '), false) | (Code::Char('f'), true) | (Code::PageDown, _) => {
                pager.top = down(pager.top, room);
            }
            (Code::Char('b'), _) | (Code::PageUp, _) => pager.top = pager.top.saturating_sub(room),
            (Code::Char('d'), true) => pager.top = down(pager.top, half),
            (Code::Char('u'), true) => pager.top = pager.top.saturating_sub(half),
            // Elsewhere it shows what was left out; nothing is left out here.
            (Code::Char('e'), true) | (Code::Char('v'), false) => pager.note = Some("all of it is shown"),
            (Code::Char('g'), false) | (Code::Home, _) => pager.top = 0,
            (Code::Char('G'), false) | (Code::End, _) => pager.top = last,
            (Code::Char('/'), false) => pager.search = Some(Editor::default()),
            (Code::Char('n'), false) => pager.find(pager.top + 1, false),
            (Code::Char('N'), false) => pager.find(pager.top, true),
            (Code::Char('['), false) => pager.next_prompt(true),
            (Code::Char(']'), false) => pager.next_prompt(false),
            (Code::Char('c'), false) => {
                let text = pager.whole.text(pager.part());
                pager.note = Some("sent to the terminal's clipboard");
                self.acts.push(Act::Copy(text));
            }
            (Code::Char('e'), false) => {
                let text = pager.whole.text(0..pager.whole.rows.len());
                self.acts.push(Act::Edit {
                    text,
                    what: Edited::Nothing,
                });
            }
            _ => {}
        }
    }
}
