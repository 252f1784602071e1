//! Turns: opened by evidence, closed by `result`, never matched by counting.

use sluice_wire::Frame;
use sluice_wire::control::Subtype;
use sluice_wire::origin::OriginKind;
use sluice_wire::stdout::{ResultSubtype, TerminalReason};

use super::Fold;
use crate::conversation::read::{self, Later, List, Word};
use crate::conversation::{
    CallState, Change, End, EntryKind, Evidence, ProcessStatus, PromptState, Proof, Tokens, TransportStatus, Turn,
};

impl Fold<'_> {
    /// The open turn, which begins here if there is none. A process that is gone begins none.
    pub(super) fn open(&mut self, evidence: Evidence) -> Option<usize> {
        if let Some(open) = self.state.index.open {
            return Some(open);
        }
        if matches!(self.state.process, ProcessStatus::Exited { .. })
            && self.state.transport == TransportStatus::Connected
        {
            return None;
        }
        let at = self.state.turns.len();
        self.state.turns.push(Turn::new(self.state.now, evidence));
        self.state.index.open = Some(at);
        self.turn_began();
        self.change(Change::Turn(at));
        Some(at)
    }

    /// `system/init`: a turn begins, or the one that began with other signs is announced.
    pub(super) fn announced(&mut self, uuids: Later<'_>) {
        self.state.announces = true;
        self.close_finished();
        let open = self.state.index.open;
        if let Some(open) = open
            && self.state.turns.get(open).is_some_and(|turn| turn.announced)
        {
            // The agent runs one turn at a time, so the one before is over, however it ended.
            self.close(open, End::Unreported);
        }
        let Some(at) = self.open(Evidence::Announced) else {
            return;
        };
        if let Some(turn) = self.state.turns.get_mut(at) {
            turn.announced = true;
        }
        self.evidence(Evidence::Announced);
        self.name(uuids);
        self.presume(at);
        self.began_by_task();
    }

    /// The agent names the prompts that the open turn answers.
    pub(super) fn name(&mut self, uuids: Later<'_>) {
        let Some(open) = self.state.index.open else { return };
        if uuids.is_none() || self.state.turns.get(open).is_some_and(|turn| self.all_named(turn)) {
            return;
        }
        let Some(List(uuids)) = read::later::<List<Word<'_>>>(uuids) else {
            return;
        };
        for prompt in self.ours(&uuids) {
            self.deliver(prompt, Some(open), Proof::Named);
        }
    }

    fn all_named(&self, turn: &Turn) -> bool {
        let prompts = &self.state.prompts;
        let named = |at: &usize| prompts.get(*at).is_some_and(|it| it.proof == Some(Proof::Named));
        !turn.prompts.is_empty() && turn.prompts.iter().all(named)
    }

    fn ours(&self, uuids: &[Word<'_>]) -> Vec<usize> {
        let uuids = uuids.iter().filter_map(Word::get);
        uuids.filter_map(|uuid| self.state.find_prompt(uuid)).collect()
    }

    /// For agents that do not say which prompts a turn answers: the ones that have waited longest.
    fn presume(&mut self, turn: usize) {
        if self.state.turns.get(turn).is_some_and(Turn::is_own) {
            return;
        }
        let silent: Vec<usize> = self.unnamed(self.state.tells).collect();
        // New agents take every prompt that waits into one turn, old ones one after the other.
        let taken = if self.state.tells { silent.len() } else { 1 };
        if silent.is_empty() {
            self.correct(turn);
        }
        for prompt in silent.into_iter().take(taken) {
            self.deliver(prompt, Some(turn), Proof::Presumed);
        }
    }

    /// For agents that announce nothing: what they say answers the prompt that has waited longest.
    ///
    /// One that was seen to announce a turn announces every one, and says something unannounced only of its own accord.
    /// What is said before the greeting is answered says why the agent will not start.
    pub(super) fn presume_unannounced(&mut self, turn: usize) {
        let greeting = self.state.requests.iter().any(|it| it.subtype == Subtype::Initialize);
        let own = self.state.turns.get(turn).is_none_or(Turn::is_own);
        if own || greeting || self.state.announces {
            return;
        }
        let longest = self.unnamed(false).next();
        if let Some(prompt) = longest {
            self.deliver(prompt, Some(turn), Proof::Presumed);
        }
    }

    /// Prompts that wait and that the agent will not name; `named` says that it names those with a uuid.
    pub(super) fn unnamed(&self, named: bool) -> impl Iterator<Item = usize> {
        let state = &*self.state;
        state.index.waiting.iter().map(|at| *at as usize).filter(move |at| {
            let prompt = state.prompts.get(*at);
            prompt.is_some_and(|it| it.is_owed() && !(it.marked && named))
        })
    }

    /// A turn began and nothing waits: the prompt last presumed to have joined the turn before, did not.
    fn correct(&mut self, turn: usize) {
        let Some(before) = turn.checked_sub(1).and_then(|at| self.state.turns.get(at)) else {
            return;
        };
        let (&[_, .., last], None) = (before.prompts.as_slice(), &before.origin) else {
            return;
        };
        let presumed = self.state.prompts.get(last).filter(|it| {
            // What the agent names, it will name.
            it.proof == Some(Proof::Presumed) && !(it.marked && self.state.tells)
        });
        if presumed.is_some() {
            self.deliver(last, Some(turn), Proof::Presumed);
        }
    }

    /// `result`: ends the turn that is open, unless it says that it is another's.
    pub(super) fn result(&mut self, frame: &Frame, result: &read::TurnResult<'_>) {
        if !self.is_new(result.uuid.get()) {
            return;
        }
        self.session_id(result.session_id.get());
        let mut named = self.ours(&result.user_message_uuids.0);
        let last = result.user_message_uuid.get().and_then(|it| self.state.find_prompt(it));
        named.extend(last.filter(|it| !named.contains(it)));
        let names = !result.user_message_uuids.0.is_empty() || result.user_message_uuid.get().is_some();
        let origin = result
            .origin
            .0
            .as_ref()
            .and_then(|it| it.kind.get())
            .map(OriginKind::from);

        let turn = match self.state.index.open {
            Some(open) if self.ends(open, &named, names, origin.as_ref()) => open,
            open => {
                // A turn nobody saw begin: whatever is open stays open.
                self.state.index.open = None;
                let at = self.state.turns.len();
                self.state.turns.push(Turn::new(self.state.now, Evidence::Stopped));
                self.state.index.open = open;
                at
            }
        };
        if !named.is_empty() || origin.as_ref().is_some_and(is_foreign) {
            self.unpresume(turn, &named);
        }
        if self.state.tells && !result.user_message_uuids.0.is_empty() {
            // It names all of its own; what was only repeated meanwhile had been run before.
            self.release(turn, |at, _| !named.contains(&at));
        }
        for prompt in named {
            self.deliver(prompt, Some(turn), Proof::Named);
        }
        if !names && !origin.as_ref().is_some_and(is_foreign) {
            self.presume_unannounced(turn);
        }
        let entry = self.add_entry(frame.into(), EntryKind::End, None, Some(turn));
        let cost = self.spent(result);
        if let Some(turn) = self.state.turns.get_mut(turn) {
            turn.origin = origin;
            turn.entry = Some(entry);
            turn.cost = cost;
            turn.usage = result.usage.0.map(Tokens::from);
        }
        let end = End::Result {
            subtype: ResultSubtype::from(result.subtype.text()),
            is_error: result.is_error.0,
            reason: result.terminal_reason.get().map(TerminalReason::from),
        };
        self.close_with(turn, end, Some(result));
    }

    /// Whether a result ends the turn that is open.
    fn ends(&self, open: usize, named: &[usize], names: bool, origin: Option<&OriginKind>) -> bool {
        let Some(turn) = self.state.turns.get(open) else {
            return false;
        };
        let sure = |at: &usize| {
            self.state
                .prompts
                .get(*at)
                .is_some_and(|it| it.proof == Some(Proof::Named))
        };
        if !turn.prompts.iter().any(sure) {
            return true;
        }
        if names {
            return named.iter().any(|at| turn.prompts.contains(at));
        }
        // An agent that names prompts names them on the result; one that does not still tells origins.
        let told = |at: &usize| {
            self.state
                .prompts
                .get(*at)
                .is_some_and(|it| it.marked && self.state.tells)
        };
        !turn.prompts.iter().any(told) && !origin.is_some_and(is_foreign)
    }

    /// Prompts that were only presumed to belong to the turn wait again.
    pub(super) fn unpresume(&mut self, turn: usize, named: &[usize]) {
        let Some(it) = self.state.turns.get_mut(turn) else {
            return;
        };
        let prompts = std::mem::take(&mut it.prompts);
        for at in prompts {
            let Some(prompt) = self.state.prompts.get_mut(at) else {
                continue;
            };
            if prompt.proof == Some(Proof::Presumed) && !named.contains(&at) {
                prompt.turn = None;
                prompt.proof = None;
                self.set_prompt(at, PromptState::Sent);
            } else if let Some(it) = self.state.turns.get_mut(turn) {
                it.prompts.push(at);
            }
        }
    }

    /// Ends a turn and what cannot outlive it.
    pub(super) fn close(&mut self, turn: usize, end: End) {
        self.close_with(turn, end, None);
    }

    fn close_with(&mut self, turn: usize, end: End, result: Option<&read::TurnResult<'_>>) {
        let now = self.state.now;
        let Some(it) = self.state.turns.get_mut(turn).filter(|it| it.is_open()) else {
            return;
        };
        it.end = Some(end);
        it.ended = Some(now);
        self.change(Change::Turn(turn));
        if self.state.index.open != Some(turn) {
            self.turn_ended(turn, false, result);
            return;
        }
        self.state.index.open = None;
        if self.state.interrupt.as_ref().is_some_and(|it| it.turn == turn) {
            self.state.interrupt = None;
        }
        self.void(None);
        self.drop_calls();
        self.supersede_turn();
        self.turn_ended(turn, true, result);
    }

    /// Without a process no call goes on.
    pub(super) fn drop_all_calls(&mut self) {
        for at in self.state.index.running.clone() {
            self.drop_call(at as usize);
        }
    }

    fn drop_call(&mut self, at: usize) {
        let now = self.state.now;
        if let Some(call) = self.state.calls.get_mut(at) {
            call.state = CallState::Dropped;
            call.ended = Some(now);
        }
        super::remove(&mut self.state.index.running, at);
        self.void(Some(at));
        self.cut_blocks(Some(at));
        self.change(Change::Call(at));
    }

    /// Calls of the main conversation end with the turn; those of a subagent only if that one ends too.
    fn drop_calls(&mut self) {
        for at in self.state.index.running.clone() {
            let at = at as usize;
            let parent = self.state.calls.get(at).and_then(|call| call.parent);
            let lives_on = parent
                .and_then(|it| self.state.calls.get(it))
                .is_some_and(|it| it.state != CallState::Dropped);
            if !lives_on {
                self.drop_call(at);
            }
        }
    }
}

/// Whether a turn of this origin was begun by someone other than this side.
fn is_foreign(origin: &OriginKind) -> bool {
    match origin {
        OriginKind::TaskNotification
        | OriginKind::Channel
        | OriginKind::Peer
        | OriginKind::Coordinator
        | OriginKind::Observer
        | OriginKind::AutoContinuation
        | OriginKind::ObserverActivity => true,
        OriginKind::Human | OriginKind::Unclassified | OriginKind::Other(_) => false,
    }
}

impl From<read::Usage> for Tokens {
    fn from(usage: read::Usage) -> Self {
        Self {
            input: usage.input_tokens.count(),
            cache_read: usage.cache_read_input_tokens.count(),
            cache_write: usage.cache_creation_input_tokens.count(),
            output: usage.output_tokens.count(),
        }
    }
}
