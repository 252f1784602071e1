//! Lines of the agent, by message type.

use sluice_wire::{Frame, MessageType};

use super::Fold;
use crate::conversation::read::{self, Note};
use crate::conversation::seen::MessageIdentity;
use crate::conversation::{Change, EntryKind, Line};

impl Fold<'_> {
    pub(super) fn said(&mut self, frame: &Frame) {
        self.state.heard = Some(self.state.now);
        self.line = Line::from(frame);
        let text = frame.readable();
        let understood = match frame.message_type() {
            MessageType::StreamEvent => self.read(text, Self::stream),
            MessageType::Assistant => self.read(text, |fold, it| fold.assistant(frame, &it)),
            MessageType::User => self.read(text, |fold, it| fold.user(frame, &it)),
            MessageType::Result => self.read(text, |fold, it| fold.result(frame, &it)),
            MessageType::System => self.system(frame),
            MessageType::CommandLifecycle => self.read(text, |fold, it: Note<'_>| fold.lifecycle(&it)),
            MessageType::ToolProgress => self.read(text, |fold, it: Note<'_>| fold.progress(&it)),
            MessageType::ControlRequest => self.read(text, |fold, it: read::Control<'_>| fold.ask(frame, &it)),
            MessageType::ControlCancelRequest => {
                self.read(text, |fold, it: read::Control<'_>| fold.cancelled(&it.request_id))
            }
            MessageType::ControlResponse => self.read(text, |fold, it: read::Responded<'_>| fold.responded(frame, it)),
            MessageType::ConversationReset => self.read(text, |fold, it: Note<'_>| fold.reset(frame, &it)),
            MessageType::RateLimitEvent => {
                self.state.session.limits = Some(Line::from(frame));
                self.change(Change::Session);
                true
            }
            MessageType::KeepAlive | MessageType::TranscriptMirror => true,
            MessageType::ToolUseSummary
            | MessageType::AuthStatus
            | MessageType::PromptSuggestion
            | MessageType::ActiveGoal
            | MessageType::StreamlinedText
            | MessageType::StreamlinedToolUseSummary => self.read(text, |fold, it: Note<'_>| {
                if fold.is_new(it.uuid.get()) {
                    fold.entry(frame, EntryKind::System, None);
                }
            }),
            // The second is a message to agents.
            MessageType::Unknown | MessageType::UpdateEnvironmentVariables => false,
        };
        if !understood {
            self.unknown(frame);
        }
    }

    /// Reads a line and does something with it; `false` when it cannot be read.
    fn read<'a, T: serde::Deserialize<'a>>(&mut self, text: &'a str, then: impl FnOnce(&mut Self, T)) -> bool {
        match serde_json::from_str(text) {
            Ok(it) => {
                then(self, it);
                true
            }
            Err(_) => false,
        }
    }

    /// Something this version does not know is kept where it came, and counted.
    pub(super) fn unknown(&mut self, frame: &Frame) {
        let note: Note<'_> = serde_json::from_str(frame.readable()).unwrap_or_default();
        if self.is_new(note.uuid.get()) {
            self.state.drift.unknown += 1;
            self.entry(frame, EntryKind::Unknown, None);
            self.change(Change::Drift);
        }
    }

    pub(super) fn garbled(&mut self, line: Line) {
        self.state.heard = Some(self.state.now);
        self.state.drift.garbled += 1;
        let turn = self.state.index.open;
        self.add_entry(line, EntryKind::Unknown, None, turn);
        self.change(Change::Drift);
    }

    /// Returns whether the current message, which has this id, is received for the first time. A message without an id
    /// always is.
    pub(super) fn is_new(&mut self, uuid: Option<&str>) -> bool {
        let Some(uuid) = uuid else { return true };
        let new = self.state.seen.insert(MessageIdentity::new(uuid, &self.line));
        if !new {
            self.state.drift.repeated += 1;
            self.change(Change::Drift);
        }
        new
    }
}
