//! `assistant` and `user` messages: blocks of answers, tool results, notices.

use sluice_wire::Frame;

use super::Fold;
use super::items::Calling;
use crate::conversation::read::{MessageFields, Note};
use crate::conversation::{AskState, Call, CallState, Change, EntryKind, Evidence, Proof};

impl Fold<'_> {
    /// `assistant`: a block was said for good.
    pub(super) fn assistant(&mut self, frame: &Frame, message: &MessageFields<'_>) {
        if !self.is_new(message.uuid.get()) {
            return;
        }
        let parent = self.parent(message.parent_tool_use_id.get());
        let main = parent.is_none();
        if main {
            let turn = self.open(Evidence::Said);
            self.name(message.user_message_uuids);
            if let Some(turn) = turn {
                self.presume_unannounced(turn);
            }
            self.evidence(Evidence::Said);
        } else {
            self.sign();
        }
        self.assistant_blocks(frame, message, parent);
        let Some(inner) = &message.message.0 else { return };
        if main && self.state.running_calls().any(|call| call.parent.is_none()) {
            self.evidence(Evidence::Calling);
        }
        self.commit(parent, inner.id.text());
        if main && inner.model.get() != Some("<synthetic>") {
            self.context(inner.usage.0);
        }
    }

    /// Projects the blocks of an `assistant` message.
    pub(super) fn assistant_blocks(&mut self, frame: &Frame, message: &MessageFields<'_>, parent: Option<usize>) {
        let entry = self.entry(frame, EntryKind::Assistant, parent);
        let Some(inner) = &message.message.0 else { return };
        for block in inner.content.blocks() {
            if block.ty.get() != Some("tool_use") {
                self.block_said((frame, entry), parent, message, block);
            } else {
                let calling = Calling {
                    frame,
                    entry,
                    message: inner.id.text(),
                    input: block.input,
                };
                let at = self.call(block.id.text(), block.name.text(), parent, Some(calling));
                self.call_titles(at, block.id.text(), message.tool_use_meta);
            }
        }
    }

    /// `user`: the result of a call, a notice, or a prompt repeated.
    pub(super) fn user(&mut self, frame: &Frame, message: &MessageFields<'_>) {
        let parent = self.parent(message.parent_tool_use_id.get());
        if message.is_replay.0 && parent.is_none() && self.echoed(message) {
            return;
        }
        if !self.is_new(message.uuid.get()) {
            return;
        }
        let kind = self.user_blocks(frame, message, parent);
        self.sign();
        if parent.is_some() || message.is_replay.0 {
            return;
        }
        if !self.is_calling() {
            self.evidence(Evidence::Requesting);
        }
        if kind == EntryKind::Result {
            self.join();
        }
    }

    /// Projects the results or the text of a `user` message. Returns which of them it contains.
    pub(super) fn user_blocks(
        &mut self,
        frame: &Frame,
        message: &MessageFields<'_>,
        parent: Option<usize>,
    ) -> EntryKind {
        let blocks = message.message.0.iter().flat_map(|it| it.content.blocks());
        let mut results = blocks.filter(|it| it.ty.get() == Some("tool_result")).peekable();
        let kind = if results.peek().is_some() {
            EntryKind::Result
        } else {
            EntryKind::User
        };
        let entry = self.entry(frame, kind, parent);
        for block in results {
            let at = self.call(block.tool_use_id.text(), "", parent, None);
            let state = if block.is_error.0 {
                CallState::Failed
            } else {
                CallState::Done
            };
            if self.end_call(at, state, entry) {
                self.call_result(at, (frame, entry), message, block);
                self.outcome(at, message.tool_use_result);
            }
        }
        if kind == EntryKind::User {
            self.user_text(message, parent);
        }
        kind
    }

    /// A prompt that arrives while a call runs joins the turn after it; agents that echo say so themselves.
    fn join(&mut self) {
        let Some(open) = self.state.index.open else { return };
        let named = self.state.tells || self.state.echoes;
        let silent: Vec<usize> = self.unnamed(named).collect();
        for prompt in silent {
            self.deliver(prompt, Some(open), Proof::Presumed);
        }
    }

    /// Whether a call of the main conversation runs.
    fn is_calling(&self) -> bool {
        self.state.running_calls().any(|call| call.parent.is_none())
    }

    /// The call that started the subagent a message belongs to.
    pub(super) fn parent(&mut self, id: Option<&str>) -> Option<usize> {
        // A subagent whose beginning was not seen still is not the main conversation.
        id.map(|id| self.call(id, "", None, None))
    }

    /// The call `id`, which is noted here if it is new.
    fn call(&mut self, id: &str, name: &str, parent: Option<usize>, calling: Option<Calling<'_>>) -> usize {
        let entry = calling.map(|it| it.entry);
        if let Some(at) = self.state.find_call(id) {
            if let Some(call) = self.state.calls.get_mut(at)
                && call.entry.is_none()
                && entry.is_some()
            {
                call.entry = entry;
                call.name = name.into();
                call.parent = parent;
                self.call_item(at, calling);
            }
            return at;
        }
        let at = self.state.calls.len();
        self.state.index.calls.insert(id, at);
        self.state.calls.push(Call {
            id: id.into(),
            name: name.into(),
            parent,
            turn: self.state.index.open,
            entry,
            at: self.state.now,
            state: CallState::Running,
            result: None,
            ended: None,
            heartbeat: None,
        });
        super::insert(&mut self.state.index.running, at);
        self.call_item(at, calling);
        self.change(Change::Call(at));
        at
    }

    /// Notes the result of a call. Returns false if it has one.
    fn end_call(&mut self, at: usize, state: CallState, entry: usize) -> bool {
        let now = self.state.now;
        let Some(call) = self.state.calls.get_mut(at).filter(|it| it.result.is_none()) else {
            return false;
        };
        call.state = state;
        call.result = Some(entry);
        call.ended = Some(now);
        let id = call.id.clone();
        super::remove(&mut self.state.index.running, at);
        self.void(Some(at));
        self.cut_blocks(Some(at));
        // The agent went on without waiting for an answer.
        for ask in self.asks_about(&id) {
            self.settle(ask, AskState::Superseded, None);
        }
        self.change(Change::Call(at));
        true
    }

    /// `tool_progress`: a call still runs.
    pub(super) fn progress(&mut self, note: &Note<'_>) {
        let now = self.state.now;
        // A heartbeat has an id of its own and names the call as its parent.
        let ids = [note.parent_tool_use_id.get(), note.tool_use_id.get()];
        for at in ids
            .into_iter()
            .flatten()
            .filter_map(|id| self.state.find_call(id))
            .collect::<Vec<_>>()
        {
            if let Some(call) = self.state.calls.get_mut(at).filter(|it| it.state == CallState::Running) {
                call.heartbeat = Some(now);
                self.change(Change::Call(at));
            }
        }
        self.sign();
    }
}
