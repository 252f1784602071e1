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
                self.read(text, |fold, it| fold.rate_limit(&it))
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
                    fold.noted(frame.message_type(), &it);
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
    pub(super) fn read<'a, T: serde::Deserialize<'a>>(
        &mut self,
        text: &'a str,
        then: impl FnOnce(&mut Self, T),
    ) -> bool {
        let Some(it) = read::line(text) else { return false };
        then(self, it);
        true
    }

    /// Something this version does not know is kept where it came, and counted.
    pub(super) fn unknown(&mut self, frame: &Frame) {
        let note: Note<'_> = read::line(frame.readable()).unwrap_or_default();
        if self.is_new(note.uuid.get()) {
            self.state.drift.unknown += 1;
            self.entry(frame, EntryKind::Unknown, None);
            self.unknown_item(Some((frame.ty(), frame.subtype())));
            self.change(Change::Drift);
        }
    }

    pub(super) fn garbled(&mut self, line: Line) {
        self.state.heard = Some(self.state.now);
        self.state.drift.garbled += 1;
        let turn = self.state.index.open;
        self.add_entry(line, EntryKind::Unknown, None, turn);
        self.unknown_item(None);
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use crate::conversation::read::LINES_READ;
    use crate::conversation::{ConversationEvent, ConversationState, What, step};
    use crate::items::ItemCursor;

    fn message(ty: &str, block: &Value) -> Value {
        json!({"type": ty, "parent_tool_use_id": null, "message": {"id": "m", "model": "x", "content": [block]}})
    }

    #[test]
    fn a_line_is_parsed_once_on_its_way_to_a_client() {
        let system = |subtype: &str| json!({"type": "system", "subtype": subtype, "cwd": "/w", "content": "c"});
        let stream = |event: Value| json!({"type": "stream_event", "event": event});
        let todos = json!({"newTodos": [{"content": "a", "status": "pending"}]});
        let mut result = message(
            "user",
            &json!({"type": "tool_result", "tool_use_id": "c1", "content": "ok"}),
        );
        result["tool_use_result"] = todos;
        let lines = [
            system("init"),
            json!({"type": "command_lifecycle", "command_uuid": "p", "state": "started"}),
            stream(json!({"type": "message_start", "message": {"id": "m"}})),
            stream(json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text"}})),
            stream(json!({"type": "content_block_delta", "index": 0, "delta": {"text": "a"}})),
            message("assistant", &json!({"type": "text", "text": "a"})),
            message("assistant", &json!({"type": "thinking", "thinking": "a"})),
            message(
                "assistant",
                &json!({"type": "tool_use", "id": "c1", "name": "TodoWrite", "input": {"todos": []}}),
            ),
            json!({"type": "control_request", "request_id": "r", "request": {"subtype": "can_use_tool",
                "tool_name": "Bash", "tool_use_id": "c1", "input": {}}}),
            json!({"type": "tool_progress", "tool_use_id": "c1"}),
            result,
            message(
                "user",
                &json!({"type": "text", "text": "<local-command-stdout>x</local-command-stdout>"}),
            ),
            system("status"),
            system("informational"),
            system("api_retry"),
            system("hook_started"),
            system("hook_response"),
            system("thinking_tokens"),
            system("permission_denied"),
            system("task_notification"),
            system("compact_boundary"),
            system("from_later"),
            json!({"type": "rate_limit_event", "rate_limit_info": {"status": "rejected"}}),
            json!({"type": "prompt_suggestion", "suggestion": "s"}),
            json!({"type": "result", "subtype": "success", "result": "r", "total_cost_usd": 1}),
            json!({"type": "from_later"}),
        ];
        let mut state = ConversationState::default();
        let mut cursor = ItemCursor::default();
        step(&mut state, ConversationEvent::new(0, What::Up));
        for line in lines {
            let event = ConversationEvent::line(1, &line.to_string());
            LINES_READ.with(|count| count.set(0));
            step(&mut state, event);
            assert!(state.items().count() > 0);
            state.item_changes(&mut cursor);
            assert_eq!(LINES_READ.with(std::cell::Cell::get), 1, "{line}");
        }
        assert!(state.items().count() > 10);
    }
}
