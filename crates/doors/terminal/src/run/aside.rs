//! Suspend, external editor and exit: releasing the terminal and acquiring it again.

use std::time::Duration;

use rustix::process::Signal as Os;

use super::{Outcome, Session, editor, now};
use crate::screen::tty;

impl Session {
    /// Removes the live region and releases the terminal.
    pub(super) fn release_terminal(&mut self) {
        self.leave_pager();
        let mut bytes = String::new();
        self.writer.erase(&mut bytes);
        self.outlet.send(bytes);
        self.outlet.flush(Duration::from_secs(1));
        self.give_back();
    }

    /// Releases the terminal after its pending replies were read.
    fn give_back(&self) {
        if self.answers && tty::is_foreground() {
            tty::drain_replies();
        }
        tty::give_back();
    }

    pub(super) fn leave_pager(&mut self) {
        if std::mem::take(&mut self.paging) {
            self.outlet.send(tty::leave_alternate_screen().to_owned());
        }
    }

    pub(super) fn acquire_terminal(&mut self) {
        if let Ok(on) = tty::take() {
            let schemes = if self.app.follows_background() {
                tty::SCHEMES
            } else {
                ""
            };
            self.outlet.send(format!("\r{on}{schemes}"));
            self.writer.forget();
            if let Some((columns, rows)) = tty::size() {
                self.writer.resize(columns, rows);
                self.app.resize(columns, rows);
            }
            self.draw(true);
        }
    }

    pub(super) fn suspend(&mut self) {
        self.release_terminal();
        rustix::process::kill_current_process_group(Os::TSTP).ok();
        // The shell resumed the process.
        self.background = true;
        self.come_back();
    }

    pub(super) fn come_back(&mut self) {
        if self.background && tty::is_foreground() {
            self.background = false;
            self.acquire_terminal();
        }
    }

    /// Opens the user's editor and waits for it. The session continues; its output is held back until the editor
    /// closes.
    pub(super) async fn edit_file(&mut self, file: &std::path::Path) {
        self.make_way();
        let ended = editor::open(&self.facts.editor, &self.facts.folder, file).await;
        self.take_back(ended.err());
    }

    pub(super) async fn edit(&mut self, text: &str) -> Option<String> {
        self.make_way();
        let edited = editor::edit_text(&self.facts.editor, &self.facts.folder, text).await;
        let (text, failed) = match edited {
            Ok(text) => (Some(text), None),
            Err(why) => (None, Some(why)),
        };
        self.take_back(failed);
        text
    }

    fn make_way(&mut self) {
        self.release_terminal();
        let program = self.facts.editor.split_whitespace().next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or(program);
        // Visible while a graphical editor is open; an editor in the terminal covers it.
        let row = format!("\r  editing in {program}; the session continues");
        self.outlet.send(row);
        self.outlet.flush(Duration::from_secs(1));
    }

    fn take_back(&mut self, failed: Option<String>) {
        self.outlet.send("\r\x1b[K".to_owned());
        self.acquire_terminal();
        if let Some(why) = failed {
            self.app.apply_outcome(crate::app::ActOutcome::Notice(why), now());
        }
    }

    /// Ends the session after the terminal closed; saves the draft in the prompt history.
    pub(super) fn ended(&mut self, code: i32) -> Outcome {
        self.app.keep_draft(now());
        Outcome::Left(code)
    }

    pub(super) fn end_with_error(&mut self, why: &str) -> Outcome {
        self.app.keep_draft(now());
        self.app.show_fatal_error(why);
        self.draw(true);
        Outcome::Left(1)
    }

    pub(super) fn close(&mut self, outcome: &Outcome) {
        self.leave_pager();
        let mut bytes = String::new();
        self.writer.erase(&mut bytes);
        self.outlet.send(bytes);
        if let Outcome::StartNext { .. } = outcome {
            // Separates the following output.
            self.outlet.send("\r\n".to_owned());
        }
        if let Outcome::Left(_) = outcome {
            let frame = crate::screen::Frame {
                commit: self.app.farewell(now()),
                shows_cursor: true,
                ..crate::screen::Frame::default()
            };
            let bytes = self.writer.draw(frame);
            self.outlet.send(bytes);
        }
        self.outlet.flush(Duration::from_secs(1));
        match outcome {
            // After a signal there is no time to wait for replies.
            Outcome::Left(code) if *code > 128 => tty::give_back(),
            _ => self.give_back(),
        }
    }
}
