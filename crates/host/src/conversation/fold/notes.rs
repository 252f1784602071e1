//! What the host knows and no line of the agent contains.

use sluice_wire::{Frame, MessageType};

use super::Fold;
use crate::conversation::index::place;
use crate::conversation::read::MessageFields;
use crate::conversation::{AnswerNote, CallState, Change, End, Evidence, HostNote, Line, Turn};
use crate::items::list::{RecordBody, Source, ThinkingRecord};
use crate::items::{Decider, ItemBody, ItemStatus, NoticeKind, NoticeLevel, Permission, ProcessChange, ProcessEnd};

impl Fold<'_> {
    pub(super) fn host_note(&mut self, note: HostNote) {
        match note {
            HostNote::Prompt { prompt, sender } => {
                if let Some(at) = self.state.find_prompt(&prompt)
                    && let Some(known) = self
                        .state
                        .prompts
                        .get_mut(at)
                        .filter(|it| it.sender.as_ref() != Some(&sender))
                {
                    known.sender = Some(sender);
                    self.prompt_changed(at);
                }
            }
            HostNote::Answer(answer) => self.answer_note(answer),
            HostNote::Exit(end) => self.exit_note(end),
            HostNote::Notice { kind, text } => {
                if kind == NoticeKind::Imported {
                    self.end_import();
                }
                let level = match kind {
                    NoticeKind::Imported | NoticeKind::DiskFree => NoticeLevel::Info,
                    _ => NoticeLevel::Warning,
                };
                self.notice(kind, level, text);
            }
            HostNote::Imported(frame) => self.import(&frame),
            HostNote::Unfinished { parent, thinking, text } => {
                let parent = parent.and_then(|parent| self.state.find_call(&parent));
                let source = Source::Kept(text);
                let body = match thinking {
                    true => RecordBody::Thinking(Box::new(ThinkingRecord {
                        text: source,
                        duration: None,
                        tokens: None,
                    })),
                    false => RecordBody::Text {
                        source,
                        synthetic: false,
                    },
                };
                self.add_item(ItemStatus::Interrupted, body, parent);
            }
        }
    }

    fn answer_note(&mut self, note: AnswerNote) {
        let Some(ask) = self.state.find_ask(&note.ask) else {
            return;
        };
        // A log may contain the answer only after its details.
        if let Some(pending) = self.state.asks.get_mut(ask).filter(|it| it.is_pending()) {
            pending.by = note.sender.as_ref().map(|sender| sender.name.clone());
        }
        let call = self
            .call_of_ask(ask)
            .filter(|call| self.state.items.call(*call).is_some());
        let item = match call {
            Some(call) => self.state.items.of_call(call),
            None => self
                .state
                .items
                .current
                .requests
                .iter()
                .rev()
                .find(|(of, _)| *of == note.ask)
                .map(|(_, at)| *at),
        };
        let Some(item) = item else { return };
        let permission = match self.state.items.get_mut(item).map(|record| &mut record.body) {
            Some(RecordBody::Call(call)) => call.permission.as_deref_mut(),
            Some(RecordBody::Other(body)) => match &mut **body {
                ItemBody::Request(request) => Some(&mut request.permission),
                _ => None,
            },
            _ => None,
        };
        if let Some(permission) = permission.filter(|it| it.request.as_ref() == Some(&note.ask)) {
            note.apply(permission);
            self.item_changed(item);
        }
    }

    fn exit_note(&mut self, end: ProcessEnd) {
        let last = self.state.items.current.process;
        if let Some(ItemBody::Process(change @ ProcessChange::Exited(_))) = self.item_body(last) {
            *change = ProcessChange::Exited(end);
            if let Some(at) = last {
                self.item_changed(at);
            }
        } else {
            self.process_item(ProcessChange::Exited(end));
        }
    }

    /// Adds a message of another program. It belongs to a turn of its own and changes nothing else of the state.
    fn import(&mut self, frame: &Frame) {
        self.line = Line::from(frame);
        let open = self.state.index.open;
        match frame.message_type() {
            MessageType::Assistant => {
                self.read(frame.readable(), |fold, it: MessageFields<'_>| {
                    fold.state.index.open = fold.state.items.current.imported.map(|at| at as usize);
                    fold.assistant_blocks(frame, &it, None);
                });
            }
            MessageType::User => {
                self.read(frame.readable(), |fold, it: MessageFields<'_>| {
                    if is_prompt(&it) {
                        fold.end_import();
                        fold.import_turn();
                    }
                    fold.state.index.open = fold.state.items.current.imported.map(|at| at as usize);
                    fold.user_blocks(frame, &it, None);
                });
            }
            _ => {}
        }
        self.state.index.open = open;
    }

    fn import_turn(&mut self) {
        let at = self.state.turns.len();
        let mut turn = Turn::new(self.state.now, Evidence::Said);
        turn.end = Some(End::Unreported);
        turn.ended = Some(self.state.now);
        self.state.turns.push(turn);
        self.state.items.current.imported = Some(place(at));
    }

    /// Calls of another program that have no result will not get one.
    fn end_import(&mut self) {
        let Some(turn) = self.state.items.current.imported.take() else {
            return;
        };
        let running = self.state.index.running.clone();
        for at in running.into_iter().map(|at| at as usize) {
            let imported = |it: &&mut crate::conversation::Call| it.turn == Some(turn as usize);
            if let Some(call) = self.state.calls.get_mut(at).filter(imported) {
                call.state = CallState::Dropped;
                call.ended = Some(self.state.now);
                super::remove(&mut self.state.index.running, at);
                self.change(Change::Call(at));
            }
        }
    }
}

fn is_prompt(message: &MessageFields<'_>) -> bool {
    let Some(inner) = &message.message.0 else { return false };
    let result = inner
        .content
        .blocks()
        .any(|block| block.ty.get() == Some("tool_result"));
    message.parent_tool_use_id.get().is_none() && !result && !message.is_synthetic.0 && {
        let text = inner.content.text();
        !text.starts_with('<') || text.starts_with("<command-name>")
    }
}

impl AnswerNote {
    fn apply(self, permission: &mut Permission) {
        if self.sender.is_some() {
            permission.by = Some(Decider::Person {
                sender: self.sender.clone(),
            });
            if let Some(Decider::Person { sender }) = &mut permission.changed_by {
                *sender = self.sender;
            }
        }
        permission.message = self.message;
        permission.rules = self.rules;
        permission.destination = self.destination;
    }
}
