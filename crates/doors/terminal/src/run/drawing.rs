//! Decides when and what to redraw.

use std::time::Instant;

use sluice_host::conversation::Time;

use super::{MIN_FRAME_INTERVAL, Session, now};
use crate::screen::tty;
use crate::view::snapshot::Snapshot;

impl Session {
    /// True while a request is displayed: output pauses, and only key presses change the screen.
    pub(super) fn is_held(&self) -> bool {
        let asked = self.app.asking_id();
        asked.is_some() && asked == self.shown_ask
    }

    pub(super) async fn look(&mut self) {
        let Some(client) = &self.client else { return };
        let from = self.from.clone();
        let time = Time(now());
        if let Ok(snapshot) = client.look(move |state| Snapshot::of(state, from, time)).await {
            self.from = snapshot.cursor.clone();
            let revision = snapshot.cursor.revision();
            self.app.set_snapshot(snapshot, now());
            if self.resume_hint.is_none()
                && let Some(session) = self.app.begun()
            {
                tty::remember(&self.facts.resume_command(&session));
                self.resume_hint = Some(session);
            }
            if self.facts.kept {
                // The items are drawn and stored; the pager reads them from disk.
                client.let_go(revision).await.ok();
            }
        }
    }

    pub(super) async fn draw_what_changed(&mut self) {
        if !self.dirty || self.drawn.elapsed() < MIN_FRAME_INTERVAL || self.background || self.resized.is_some() {
            return;
        }
        self.look().await;
        if self.is_held() {
            self.dirty = false;
            self.drawn = Instant::now();
            return;
        }
        self.draw(false);
    }

    /// Draws a frame; `typed` if it follows a key press.
    pub(super) fn draw(&mut self, typed: bool) {
        if self.background || self.resized.is_some() || (self.outlet.is_full() && !typed) {
            return;
        }
        if self.page() {
            self.dirty &= typed;
            self.drawn = Instant::now();
            return;
        }
        let frame = self.app.frame(now());
        let mut bytes = self.writer.draw(frame);
        if let Some(title) = self.app.title() {
            bytes.push_str(&format!("\x1b]2;{title}\x07"));
        }
        let block = self.app.has_block_cursor();
        if block != std::mem::replace(&mut self.block, block) {
            bytes.push_str(if block { "\x1b[2 q" } else { "\x1b[5 q" });
        }
        let progress = self.app.progress();
        let shows = self.capabilities.progress && !self.facts.settings.no_progress;
        if shows && progress != std::mem::replace(&mut self.progress, progress) {
            bytes.push_str(tty::show_progress(progress));
        }
        self.outlet.send(bytes);
        self.shown_ask = self.app.asking_id();
        if !typed {
            self.dirty = false;
            self.drawn = Instant::now();
        }
    }

    /// Draws the pager if it is open, or restores the normal screen.
    pub(super) fn page(&mut self) -> bool {
        let Some((sheet, cursor)) = self.app.sheet() else {
            if std::mem::take(&mut self.paging) {
                self.outlet.send(tty::leave_alternate_screen().to_owned());
            }
            return false;
        };
        let mut bytes = String::new();
        if !std::mem::replace(&mut self.paging, true) {
            bytes.push_str(tty::enter_alternate_screen());
        }
        bytes.push_str(&self.writer.sheet(&sheet, cursor));
        self.outlet.send(bytes);
        true
    }
}
