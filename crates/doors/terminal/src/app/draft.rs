//! Sending the draft of the message box.

use super::{Act, App, Now};
use crate::input::PastPrompt;

impl App {
    /// Adds a prompt to the prompt history.
    pub(crate) fn remember(&mut self, text: &str, now: Now) {
        self.history.add(PastPrompt {
            text: text.to_owned(),
            at: now,
            folder: self.facts.folder.display().to_string(),
            session: self.snapshot.session.clone(),
        });
    }

    /// Sends the draft.
    pub(crate) fn send(&mut self, text: &str, images: Vec<(String, String)>, at_once: bool, now: Now) {
        self.remember(text, now);
        let uuid = uuid::Uuid::new_v4().to_string();
        // A prompt queued during a turn stays in the queue when that turn is stopped.
        self.sent = (!self.snapshot.is_busy()).then(|| (now, uuid.clone(), text.to_owned()));
        self.feed.suggestion = None;
        self.acts.push(Act::Send {
            uuid,
            text: text.to_owned(),
            images,
            at_once,
        });
    }

    /// Returns the draft, with the full text of pastes.
    #[must_use]
    pub fn draft(&self) -> String {
        self.editor.whole()
    }

    /// Removes the draft and returns it, for the next session.
    pub fn take_draft(&mut self) -> String {
        let draft = self.editor.whole();
        self.editor.take();
        draft
    }
}
