//! Prompts: accepted, written, taken up by the agent, or known to be lost.

use sluice_wire::Frame;
use sluice_wire::control::{CancelAsyncMessage, RequestId};

use super::Fold;
use crate::conversation::index::place;
use crate::conversation::read::{MessageFields, Note};
use crate::conversation::{
    Change, Effect, End, EntryKind, Evidence, Failure, Line, OwnRequest, PromptState, Proof, Submit, TrackedPrompt,
    Turn,
};

impl Fold<'_> {
    /// A prompt is accepted. The same one handed in again is the same one.
    pub(super) fn submit(&mut self, submit: Submit) {
        if self.state.find_prompt(&submit.id).is_some() {
            return;
        }
        let state = if self.state.closed {
            PromptState::Failed(Failure::Closed)
        } else {
            PromptState::Queued
        };
        self.accept(submit.id, true, submit.line, state);
    }

    fn accept(&mut self, id: Box<str>, marked: bool, line: Line, state: PromptState) {
        let at = self.state.prompts.len();
        self.state.index.prompts.insert(&id, at);
        let now = self.state.now;
        self.state.prompts.push(TrackedPrompt {
            id,
            marked,
            again: false,
            rewritten: false,
            line,
            state: PromptState::Queued,
            sender: None,
            joined: false,
            at: now,
            since: now,
            turn: None,
            proof: None,
            entry: None,
            started: false,
            finished: false,
        });
        self.set_prompt(at, state);
    }

    pub(super) fn set_prompt(&mut self, at: usize, to: PromptState) {
        let now = self.state.now;
        let Some(prompt) = self.state.prompts.get_mut(at) else {
            return;
        };
        prompt.state = to;
        prompt.since = now;
        if prompt.is_over() {
            super::remove(&mut self.state.index.waiting, at);
        } else {
            super::insert(&mut self.state.index.waiting, at);
        }
        self.change(Change::Prompt(at));
    }

    /// Writes the prompts that wait. During an interrupt they go on waiting: what is written then could be
    /// swept away with the turn.
    pub(super) fn write_prompts(&mut self) {
        if self.state.index.waiting.is_empty() || self.state.interrupt.is_some() {
            return;
        }
        for at in self.state.index.waiting.clone() {
            let at = at as usize;
            let Some(prompt) = self.state.prompts.get_mut(at) else {
                continue;
            };
            let again = std::mem::take(&mut prompt.again) && prompt.state == PromptState::Indeterminate;
            prompt.rewritten |= again;
            if again || prompt.state == PromptState::Queued {
                self.effects.push(Effect::Send(prompt.line.clone()));
                self.set_prompt(at, PromptState::Sent);
            }
        }
    }

    /// A prompt that reached no process waits again.
    pub(super) fn not_written(&mut self, id: &str) {
        let Some(at) = self.state.find_prompt(id) else { return };
        let state = self.state.prompts.get(at).map(|it| it.state);
        if matches!(state, Some(PromptState::Sent | PromptState::Indeterminate)) {
            self.set_prompt(at, PromptState::Queued);
        }
    }

    /// A prompt found in a log of the pipes.
    pub(super) fn wrote_prompt(&mut self, frame: &Frame, message: &MessageFields<'_>) {
        match message.uuid.get() {
            Some(uuid) => match self.state.find_prompt(uuid) {
                Some(at) => {
                    let Some(prompt) = self.state.prompts.get_mut(at) else {
                        return;
                    };
                    // Written to a process that resumed: it need not be written again.
                    let again = prompt.state == PromptState::Indeterminate && std::mem::take(&mut prompt.again);
                    prompt.rewritten |= again;
                    if again || prompt.state == PromptState::Queued {
                        self.set_prompt(at, PromptState::Sent);
                    }
                }
                None => self.accept(uuid.into(), true, frame.into(), PromptState::Sent),
            },
            None => {
                let id = format!("unmarked-{}", self.state.prompts.len());
                self.accept(id.into(), false, frame.into(), PromptState::Sent);
            }
        }
    }

    /// The prompt was taken up, by `turn` when that is known.
    pub(super) fn deliver(&mut self, at: usize, turn: Option<usize>, proof: Proof) {
        let Some(prompt) = self.state.prompts.get(at) else {
            return;
        };
        // What is named stays; what is presumed gives way to what is named, or to a better presumption.
        let stays = prompt.proof == Some(Proof::Named) || (proof == Proof::Presumed && prompt.turn == turn);
        if prompt.state == PromptState::Delivered && prompt.turn.is_some() && stays {
            return;
        }
        let (before, entry) = (prompt.turn, prompt.entry);
        if prompt.state != PromptState::Delivered {
            self.set_prompt(at, PromptState::Delivered);
        }
        let entry = match entry {
            Some(entry) => {
                if let Some(it) = self.state.entries.get_mut(entry) {
                    it.turn = turn.or(before).map(place);
                }
                entry
            }
            None => {
                let line = self.state.prompts.get(at).map(|it| it.line.clone()).unwrap_or_default();
                self.prompt_item(at, turn);
                self.add_entry(line, EntryKind::Prompt(place(at)), None, turn)
            }
        };
        if let Some(prompt) = self.state.prompts.get_mut(at) {
            prompt.proof = Some(proof);
            prompt.entry = Some(entry);
            prompt.turn = turn.or(before);
        }
        self.prompt_changed(at);
        if turn.is_none() || turn == before {
            return;
        }
        if let Some(old) = before.and_then(|it| self.state.turns.get_mut(it)) {
            old.prompts.retain(|it| *it != at);
        }
        if let Some((turn, it)) = turn.and_then(|turn| Some((turn, self.state.turns.get_mut(turn)?))) {
            it.prompts.push(at);
            self.change(Change::Turn(turn));
        }
    }

    /// `command_lifecycle`: the agent tells what becomes of a prompt.
    pub(super) fn lifecycle(&mut self, note: &Note<'_>) {
        self.state.tells = true;
        self.state.told_once = true;
        self.state.announces = true;
        if !self.is_new(note.uuid.get()) {
            return;
        }
        let prompt = self.state.find_prompt(note.command_uuid.text());
        match note.state.text() {
            "queued" => {
                let lost = |at: &usize| {
                    let prompt = self.state.prompts.get(*at);
                    prompt.is_some_and(|it| it.state == PromptState::Indeterminate)
                };
                if let Some(at) = prompt.filter(lost) {
                    self.set_prompt(at, PromptState::Sent);
                }
            }
            "started" => {
                self.close_finished();
                let turn = self.open(Evidence::Announced);
                self.sign();
                if let Some(at) = prompt {
                    self.deliver(at, turn, Proof::Named);
                    if let Some(prompt) = self.state.prompts.get_mut(at) {
                        prompt.started = true;
                    }
                }
            }
            "completed" => {
                if let Some(at) = prompt {
                    self.untie(at);
                    self.release_repeated(at);
                    self.deliver(at, None, Proof::Named);
                    self.finished(at);
                }
            }
            "cancelled" => {
                if let Some(at) = prompt {
                    self.gone(at);
                    self.finished(at);
                }
            }
            _ => {}
        }
    }

    /// The agent speaks of a prompt only after the turn it was presumed to begin, which nothing announced: it did not.
    fn untie(&mut self, at: usize) {
        let presumed = self
            .state
            .prompts
            .get(at)
            .filter(|it| it.proof == Some(Proof::Presumed));
        let Some(turn) = presumed.and_then(|it| it.turn) else {
            return;
        };
        let unannounced = |it: &Turn| !it.announced && !it.is_open();
        if self.state.turns.get(turn).is_some_and(unannounced) {
            self.unpresume(turn, &[]);
        }
    }

    /// A prompt that is done before the turn it was repeated in, which nothing announced: it was run before, and is
    /// known to the agent. The open turn is another's.
    fn release_repeated(&mut self, at: usize) {
        let turn = self.state.prompts.get(at).and_then(|it| it.turn);
        let Some(turn) = turn.filter(|it| self.state.index.open == Some(*it)) else {
            return;
        };
        if self.state.turns.get(turn).is_some_and(|it| !it.announced) {
            self.release(turn, |it, _| it == at);
        }
    }

    /// Takes prompts out of a turn, of which the agent never said that they began.
    pub(super) fn release(&mut self, turn: usize, which: impl Fn(usize, &TrackedPrompt) -> bool) {
        let Some(it) = self.state.turns.get_mut(turn) else {
            return;
        };
        let prompts = &mut self.state.prompts;
        let mut gone = Vec::new();
        it.prompts.retain(|at| {
            let released = prompts.get_mut(*at).filter(|it| !it.started && which(*at, it));
            gone.extend(released.is_some().then_some(*at));
            released.map(|it| it.turn = None).is_none()
        });
        for at in gone {
            self.prompt_changed(at);
        }
    }

    /// The agent is done with a prompt. With the last of its turn, the turn's `result` is owed.
    fn finished(&mut self, at: usize) {
        let Some(prompt) = self.state.prompts.get_mut(at) else {
            return;
        };
        prompt.finished = true;
        let turn = prompt.turn;
        self.change(Change::Prompt(at));
        let Some(turn) = turn.filter(|it| self.state.index.open == Some(*it)) else {
            return;
        };
        let done = |at: &usize| self.state.prompts.get(*at).is_some_and(|it| it.finished);
        if self.state.turns.get(turn).is_some_and(|it| it.prompts.iter().all(done)) {
            self.evidence(Evidence::SaidIdle);
        }
    }

    /// A prompt or a turn begins, and the agent was done with all of the open turn: its `result` is not coming.
    pub(super) fn close_finished(&mut self) {
        let Some(open) = self.state.index.open else { return };
        let turn = self.state.turns.get(open);
        if turn.is_some_and(|it| it.evidence == Evidence::SaidIdle) {
            self.close(open, End::Unreported);
        }
    }

    /// A prompt that had not begun will not begin.
    pub(super) fn gone(&mut self, at: usize) {
        if self.state.prompts.get(at).is_some_and(|it| !it.is_over()) {
            self.set_prompt(at, PromptState::Failed(Failure::Withdrawn));
        }
    }

    pub(super) fn withdraw(&mut self, id: &str, request: RequestId) {
        let Some(at) = self.state.find_prompt(id) else { return };
        match self.state.prompts.get(at).map(|it| it.state) {
            Some(PromptState::Queued) => self.gone(at),
            // Only the agent can tell whether it has begun.
            Some(PromptState::Sent) => self.request(OwnRequest::new(
                request,
                CancelAsyncMessage {
                    message_uuid: id.to_owned(),
                    ..CancelAsyncMessage::default()
                },
            )),
            // It may have begun, and is at least not written again.
            Some(PromptState::Indeterminate) => {
                if let Some(prompt) = self.state.prompts.get_mut(at) {
                    prompt.again = false;
                }
            }
            Some(PromptState::Delivered | PromptState::Failed(_)) | None => {}
        }
    }

    /// The agent repeats a prompt it has read. Gives whether it is one of this side's.
    pub(super) fn echoed(&mut self, message: &MessageFields<'_>) -> bool {
        let known = message.uuid.get().and_then(|it| self.state.find_prompt(it));
        let prompt = known.or_else(|| self.same_text(message));
        let Some(at) = prompt else { return false };
        self.state.echoes = true;
        // An echo alone can also be that of a prompt that was run before. Agents that tell what becomes of
        // prompts tell the turn too; of the others this is all there is.
        let tells = self.state.tells || self.state.told_once;
        let told = self.state.prompts.get(at).is_some_and(|it| it.marked && tells);
        self.untie(at);
        let mut turn = self.state.index.open.filter(|_| !told);
        if let Some(open) = turn {
            // Old agents run one prompt a turn: what was presumed of another one was wrong.
            self.unpresume(open, &[at]);
            // They repeat the prompt of a turn just before they first speak in it. Before that, and after it, prompts
            // are repeated that were written again and had been run.
            if !self.has_spoken(open) {
                self.release(open, |it, prompt| it != at && prompt.rewritten);
            } else if self.state.prompts.get(at).is_some_and(|it| it.rewritten) {
                self.release(open, |it, _| it == at);
                turn = None;
            }
        }
        self.deliver(at, turn, Proof::Named);
        self.sign();
        true
    }

    /// Whether the agent said something in the turn that is open.
    pub(super) fn has_spoken(&self, open: usize) -> bool {
        let began = self.state.turns.get(open).map(|it| it.began);
        let mut since = self.state.entries.iter().rev().take_while(|it| Some(it.at) >= began);
        since.any(|it| it.kind == EntryKind::Assistant && it.turn == Some(place(open)))
    }

    /// A prompt written without a uuid comes back with one of the agent's making.
    fn same_text(&self, message: &MessageFields<'_>) -> Option<usize> {
        let unmarked = |at: &usize| {
            self.state
                .prompts
                .get(*at)
                .is_some_and(|it| !it.marked && it.proof != Some(Proof::Named))
        };
        // The last turns are enough: what is echoed was just read.
        let recent = self.state.prompts.len().saturating_sub(64);
        let mut candidates = (recent..self.state.prompts.len()).filter(unmarked).peekable();
        candidates.peek()?;
        let content = message.message.0.as_ref()?.content.text();
        candidates.find(|at| {
            let prompt = self.state.prompts.get(*at);
            let written = prompt.and_then(|it| match it.line.to_agent() {
                Ok(sluice_wire::ToAgent::User(user)) => Some(user.message.content.text()),
                _ => None,
            });
            written.as_deref() == Some(content.as_str())
        })
    }
}
