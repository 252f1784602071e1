//! The frame: the parts of the live region, and which are omitted when there is too little room.

use super::{App, Now};
use crate::input::Vim;
use crate::screen::Frame;
use crate::text::{Row, Style};
use crate::view::feed::Kind;
use crate::view::{composer, status};

impl App {
    /// Returns the dimmed placeholder of an empty composer, if it can be accepted.
    pub(super) fn placeholder(&self) -> Option<String> {
        if let Some(suggestion) = &self.feed.suggestion {
            return Some(suggestion.clone());
        }
        let first = self.facts.is_demo() && self.snapshot.turn_count == 0 && self.facts.resumed.is_none();
        first.then(|| "what is in this folder?".to_owned())
    }

    /// Renders the next frame.
    pub fn frame(&mut self, now: Now) -> Frame {
        let mut commit = self.feed.commit(&self.snapshot, self.columns);
        let marks = std::mem::take(&mut self.feed.marks);
        if self.rows < 6 || self.columns < 20 {
            return Frame {
                commit,
                marks,
                region: vec![Row::plain("sluice needs 20x6").cut(self.columns)],
                cursor: (0, 0),
                shows_cursor: true,
            };
        }
        self.focus_ask(now);
        self.status_context.transcript_failing = self.feed.transcript_failing;
        self.status_context.vim = self.vim.as_ref().and_then(Vim::word);
        self.watch_status(now);
        self.look_at_calls(now);
        if self.notice.as_ref().is_some_and(|(_, until)| *until <= now) {
            self.notice = None;
        }
        let spinner = self.spinner(now);
        let has_dialog = self.open_request.is_some() || self.picker.is_some();
        let mut below = self.below(has_dialog);
        let queue = status::queue(&self.snapshot, self.columns);
        let mut room = self.rows.saturating_sub(below.rows.len());
        let (mut top, mut dialog_cursor) = self.dialog(room.saturating_sub(1));
        commit.append(&mut self.extra);
        let mut cursor = None;
        if has_dialog {
            if top.len() > room {
                below.rows.truncate(below.rows.len().saturating_sub(below.status));
                room = self.rows.saturating_sub(below.rows.len());
                let gone = shorten(&mut top, room);
                dialog_cursor = dialog_cursor.map(|(row, column)| (row.saturating_sub(gone), column));
            }
            top.truncate(room);
            if top.len() < room {
                top.insert(0, Row::new());
            }
            let offset = usize::from(top.first().is_some_and(Row::is_blank));
            cursor = dialog_cursor.map(|(row, column)| (row + offset, column));
            // Queued prompts are shown if there is room.
            if top.len() + queue.len() <= room {
                top.extend(queue);
            }
        } else {
            top = self.running(now, spinner, room.saturating_sub(queue.len()));
            top.extend(queue);
            let over = top.len().saturating_sub(room);
            top.drain(..over);
        }
        let height = top.len();
        let mut region = top;
        region.extend(below.rows);
        let cursor = cursor.or(below.cursor.map(|(row, column)| (row + height, column)));
        Frame {
            commit,
            marks,
            shows_cursor: cursor.is_some(),
            cursor: cursor.unwrap_or((region.len().saturating_sub(1), 0)),
            region,
        }
    }

    fn spinner(&self, now: Now) -> &'static str {
        if self.facts.settings.still {
            return "~";
        }
        let step = usize::try_from(now / 125).unwrap_or_default();
        self.facts.settings.glyphs.spinner(step)
    }

    /// Returns a spinner verb from the settings; it changes with every turn.
    fn verb(&self) -> Option<String> {
        let (verbs, also) = &self.facts.settings.verbs;
        let verb = verbs.get(self.snapshot.turn_count % verbs.len().max(1))?;
        Some(match also {
            true => format!("asking the model, {}", verb.to_lowercase()),
            false => verb.to_lowercase(),
        })
    }

    /// Returns the rows of the open request or picker.
    fn dialog(&mut self, room: usize) -> (Vec<Row>, Option<(usize, usize)>) {
        match &self.picker {
            Some(picker) => picker.rows(self.columns, room),
            None => self.ask_rows(room),
        }
    }

    /// Returns the rows for streamed text, running calls, tasks and activity.
    fn running(&self, now: Now, spinner: &str, room: usize) -> Vec<Row> {
        let columns = self.columns;
        let tool = self.feed.running_tool();
        let activity = status::activity(
            &self.snapshot,
            self.feed.retry.as_ref(),
            tool.or_else(|| self.verb()).as_deref(),
            now,
            spinner,
            columns,
        );
        let mut calls = self.feed.live(columns, spinner);
        calls.extend(self.shell_rows(now, spinner));
        let mut tail = self.feed.tail(columns);
        let mut hard = Vec::new();
        for row in tail {
            hard.extend(crate::text::wrap::hard(&row, columns, 0));
        }
        tail = hard;
        let is_text = self.feed.is_writing() && !tail.is_empty();
        let todos = if self.todos {
            status::todos(&self.snapshot, columns)
        } else {
            Vec::new()
        };
        let fixed = usize::from(activity.is_some()) + 2;
        // Tasks are omitted first, then streamed text, then calls.
        let left = room.saturating_sub(fixed);
        let calls: Vec<Row> = calls.into_iter().take(left).collect();
        let left = left.saturating_sub(calls.len());
        let most = left.min(self.rows / 2);
        let over = tail.len().saturating_sub(most);
        tail.drain(..over);
        let left = left.saturating_sub(tail.len());
        let mut rows = Vec::new();
        if !calls.is_empty() {
            if self.feed.last() != Kind::Card {
                rows.push(Row::new());
            }
            rows.extend(calls);
        }
        let has_tail = !tail.is_empty();
        rows.extend(tail);
        if todos.len() <= left {
            rows.extend(todos);
        }
        match activity {
            Some(activity) => {
                let apart = is_text || (rows.is_empty() && !has_tail && self.feed.last() != Kind::Card);
                if apart {
                    rows.push(Row::new());
                }
                rows.push(activity);
            }
            None => rows.push(Row::new()),
        }
        rows
    }

    /// Returns the output of the status line command, prefixed with the vim mode.
    fn status_rows(&self) -> Vec<Row> {
        let vim = self
            .status_context
            .vim
            .filter(|_| !self.facts.settings.status_hides_vim);
        let rows = self.status_line.rows.iter().enumerate().map(|(at, row)| {
            let mut shown = Row::plain("  ");
            if let Some(word) = vim.filter(|_| at == 0) {
                shown.push(&format!("{word} ∙ "), Style::FAINT);
            }
            shown.append(row);
            shown.cut(self.columns)
        });
        rows.collect()
    }

    /// Returns composer, completions or help, and status line.
    fn below(&self, has_dialog: bool) -> Below {
        let mut rows = Vec::new();
        let mut cursor = None;
        let asked = self
            .open_request
            .as_ref()
            .is_some_and(|open_request| open_request.focused.is_some())
            || self.picker.is_some();
        let hidden = has_dialog && asked && self.editor.is_empty();
        if !hidden {
            let style = if asked { Style::FAINT } else { Style::TEXT };
            let most = (self.rows / 3).max(1);
            let laid = composer::lay_out(&self.editor, "› ", self.columns, most, style);
            rows.extend(laid.rows);
            if !asked {
                cursor = Some(laid.cursor);
            }
            if self.editor.is_empty()
                && let Some(first) = rows.first_mut()
            {
                let text = self
                    .placeholder()
                    .unwrap_or_else(|| "ask for something, or type / @ ! ?".to_owned());
                if !self.snapshot.is_busy() {
                    first.push(&text, Style::FAINT);
                }
                *first = std::mem::take(first).cut(self.columns);
            }
        }
        if let Some(popup) = &self.popup {
            let most = self.rows.saturating_sub(rows.len() + 3);
            rows.extend(popup.rows(self.columns, most));
        } else if self.help {
            let most = self.rows.saturating_sub(rows.len() + 2);
            rows.extend(self.help_rows().into_iter().take(most));
        }
        let before = rows.len();
        match (&self.notice, self.popup_hints()) {
            (Some((notice, _)), _) => {
                let notice = Row::faint(&format!("  {notice}"));
                rows.extend(crate::text::wrap::whole(&notice, self.columns, 2).into_iter().take(3));
            }
            (None, Some(hints)) => rows.push(hints),
            (None, None) if self.status_line.rows.is_empty() => {
                rows.push(status::row(&self.snapshot, &self.status_context, self.columns));
            }
            (None, None) => rows.extend(self.status_rows()),
        }
        let status = rows.len() - before;
        Below { rows, cursor, status }
    }
}

/// Shortens a dialog that is too tall: removes rows between title and choices first, then hints, then the title.
/// Choices are kept. Returns how many rows above the choices were removed.
fn shorten(rows: &mut Vec<Row>, room: usize) -> usize {
    let is_choice = |row: &Row| {
        let text = row.text();
        let numbered = text
            .get(text.char_indices().nth(2).map_or(0, |(at, _)| at)..)
            .unwrap_or_default();
        numbered.starts_with("1  ") || text.starts_with("› ")
    };
    let first = rows.iter().position(is_choice).unwrap_or(rows.len());
    let between = rows.len().saturating_sub(room).min(first.saturating_sub(1));
    rows.drain(1.min(rows.len())..(1 + between).min(rows.len()));
    if rows.len() > room {
        rows.pop();
    }
    let title = usize::from(rows.len() > room && first > 0);
    rows.drain(..title);
    between + title
}

struct Below {
    rows: Vec<Row>,
    /// How many rows at the end belong to the status line.
    status: usize,
    cursor: Option<(usize, usize)>,
}
