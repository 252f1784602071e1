//! Replies of the terminal, and queries and notifications sent to it.

use std::time::{Duration, Instant};

use super::{Session, now};
use crate::app::ActOutcome;
use crate::input::{Input, Reply};
use crate::screen::tty;
use crate::text::width::PROBES;
use crate::text::{Role, Row};

impl Session {
    pub(super) fn typed(&mut self, bytes: &[u8]) {
        for input in self.decoder.feed(bytes) {
            match input {
                Input::Reply(reply) => self.replied(&reply),
                Input::Focus(focused) => {
                    if focused {
                        self.read_bindings();
                    }
                    self.app.input(input, now());
                }
                input => self.app.input(input, now()),
            }
        }
        let wait = Duration::from_millis(self.facts.settings.escape_ms);
        self.escape = self.decoder.patience(wait).map(|wait| Instant::now() + wait);
        self.note_draft();
        self.draw(true);
    }

    pub(super) fn replied(&mut self, reply: &Reply) {
        match reply {
            Reply::Kitty => {
                self.app.reports_shift_enter = true;
                self.outlet.send(tty::KITTY.to_owned());
            }
            Reply::Version(version) => {
                self.capabilities = self.capabilities.answering(version);
                self.writer.set_capabilities(self.capabilities);
                if version.starts_with("XTerm") {
                    self.writer.reflows(false);
                }
                if version.starts_with("XTerm") || version.starts_with("tmux") {
                    self.app.reports_shift_enter |= version.starts_with("XTerm");
                    self.outlet.send(tty::OTHER_KEYS.to_owned());
                }
            }
            Reply::Background(red, green, blue) => {
                if let Some(theme) = self.app.set_background(*red, *green, *blue) {
                    self.writer.set_theme(theme);
                }
            }
            Reply::Scheme { dark } => {
                let part = if *dark { 0 } else { 255 };
                if let Some(theme) = self.app.set_background(part, part, part) {
                    self.writer.set_theme(theme);
                }
            }
            Reply::Cursor { column, .. } => self.probed(*column),
            // This reply comes last: no width probe is answered after it.
            Reply::Attributes => {
                self.probed = None;
                self.answers = true;
            }
        }
    }

    /// Records the width of a character on which terminals differ.
    fn probed(&mut self, column: usize) {
        let Some(number) = self.probed.filter(|number| *number < PROBES.len()) else {
            return;
        };
        self.probed = Some(number + 1);
        let habits = self.habits.shown(number, column.saturating_sub(1));
        if habits != std::mem::replace(&mut self.habits, habits) {
            habits.make_current();
            self.writer.measure_again();
        }
    }

    /// Copies a text to the clipboard of the terminal. A text that is too long for terminals is written to a file.
    pub(super) fn copy(&mut self, text: &str) {
        use base64::Engine as _;
        const MAX_CLIPBOARD: usize = 100_000;
        if text.len() > MAX_CLIPBOARD {
            let file = std::env::temp_dir().join(format!("sluice-copy-{}.txt", uuid::Uuid::new_v4().simple()));
            let said = match super::editor::write_private(&file, text) {
                Ok(()) => {
                    // Written to the history, because the path is needed longer than a notice is displayed.
                    let row = format!("too long for the clipboard; saved in {}", file.display());
                    let row = Row::new().add("~ ", Role::Note).add(&row, Role::Faint);
                    self.app.apply_outcome(ActOutcome::Rows(vec![row]), now());
                    "too long for the clipboard".to_owned()
                }
                Err(error) => format!("not copied: {error}"),
            };
            self.app.apply_outcome(ActOutcome::Notice(said), now());
            return;
        }
        let data = base64::engine::general_purpose::STANDARD.encode(text);
        let plain = format!("\x1b]52;c;{data}\x07");
        let bytes = if self.facts.multiplexer {
            format!("{plain}\x1bPtmux;\x1b{plain}\x1b\\")
        } else {
            plain
        };
        self.outlet.send(bytes);
    }

    /// Loads the custom key bindings and reports entries that are not understood.
    pub(super) fn read_bindings(&mut self) {
        let file = self.facts.config_dir.join("keybindings.json");
        let changed = std::fs::metadata(&file).and_then(|data| data.modified()).ok();
        if changed == self.bound {
            return;
        }
        self.bound = changed;
        let text = std::fs::read_to_string(file).unwrap_or_else(|_| "{}".to_owned());
        self.app.bind(&text, now());
    }
}
