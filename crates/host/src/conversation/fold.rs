//! The step function: applies one event to the state, with one file for each kind of message.

mod asks;
mod facts;
mod items;
mod life;
mod messages;
mod notes;
mod prompts;
mod requests;
mod said;
mod streams;
mod system;
mod tasks;
mod todos;
mod turns;

use sluice_wire::Frame;

use super::index::place;
use super::{
    Change, ConversationEvent, ConversationState, Effect, Effects, Entry, EntryKind, Evidence, Line, ProcessStatus,
    TransportStatus, What,
};

/// Applies one event to the state, and gives the effects the driver has to carry out.
///
/// The same events give the same state and the same effects, whenever and wherever they are folded.
/// Nothing an agent can write makes it fail: what is not understood is kept, counted and shown.
///
/// ```
/// use sluice_host::conversation::{Effect, ConversationEvent, ConversationState, Submit, What, step};
/// use sluice_wire::stdin::User;
///
/// let mut state = ConversationState::default();
/// step(&mut state, ConversationEvent::new(0, What::Up));
/// let prompt = Submit::new("0b2f7c62-0000-4000-8000-000000000001", User::new("hello"));
/// let effects = step(&mut state, ConversationEvent::new(1, What::Submit(prompt)));
/// assert!(effects.iter().any(|effect| matches!(effect, Effect::Send(line) if line.contains("hello"))));
/// ```
pub fn step(state: &mut ConversationState, event: ConversationEvent) -> Effects {
    let mut fold = Fold {
        state,
        line: Line::default(),
        effects: Effects::new(),
    };
    // A clock that goes back does not make anything younger.
    fold.state.now = fold.state.now.max(event.at);
    fold.time_passes();
    match event.what {
        What::Submit(submit) => fold.submit(submit),
        What::Withdraw { prompt, request } => fold.withdraw(&prompt, request),
        What::NotWritten(prompt) => fold.not_written(&prompt),
        What::Answer(answer) => fold.answer(answer),
        What::Request(request) => fold.request(request),
        What::Said(frame) => fold.said(&frame),
        What::Garbled(line) => fold.garbled(line),
        What::Noted(note) => fold.host_note(note),
        What::Wrote(frame) => fold.wrote(&frame),
        What::Starting { resumed } => fold.starting(resumed),
        What::Up => fold.up(),
        What::Exited(exit) => fold.exited(exit),
        What::Connected => fold.connected(),
        What::CatchingUp => fold.transport(TransportStatus::CatchingUp),
        What::Lost => {
            let since = fold.state.now;
            fold.transport(TransportStatus::Lost { since });
        }
        What::Closed => fold.closed(),
        What::Tick => {}
    }
    fold.write();
    fold.tell();
    fold.effects
}

/// A step under way.
struct Fold<'s> {
    state: &'s mut ConversationState,
    /// The line of the agent that is being applied; empty for other events.
    line: Line,
    effects: Effects,
}

impl Fold<'_> {
    fn change(&mut self, change: Change) {
        match change {
            Change::Task(task) => self.task_changed(task),
            Change::Call(call) => self.call_changed(call),
            Change::Prompt(prompt) => self.prompt_changed(prompt),
            _ => {}
        }
        let change = Effect::Changed(change);
        // Most steps change a thing or two; looking is cheaper than telling twice.
        if !self.effects.contains(&change) {
            self.effects.push(change);
        }
    }

    /// Says when the activity is another than the one last told of.
    fn tell(&mut self) {
        let activity = self.state.activity();
        if std::mem::discriminant(&activity) != std::mem::discriminant(&self.state.told) || self.moved(activity) {
            self.state.told = activity;
            self.change(Change::Activity);
        }
    }

    /// Whether an activity of the same kind is yet another one; a fresher sign of the same is not.
    fn moved(&self, activity: super::Activity) -> bool {
        use super::Activity::{Interrupting, Running, Stalled, Waiting};
        match (activity, self.state.told) {
            (
                Running { turn, evidence, .. },
                Running {
                    turn: t, evidence: e, ..
                },
            )
            | (
                Stalled { turn, evidence, .. },
                Stalled {
                    turn: t, evidence: e, ..
                },
            ) => turn != t || evidence != e,
            (Waiting { ask, .. }, Waiting { ask: a, .. }) => ask != a,
            (Interrupting { rung, .. }, Interrupting { rung: r, .. }) => rung != r,
            _ => false,
        }
    }

    /// Whether a line can be written now.
    fn is_writable(&self) -> bool {
        matches!(self.state.process, ProcessStatus::Up { .. }) && self.state.transport == TransportStatus::Connected
    }

    /// Writes what waits, in its order: first what was held, then prompts.
    fn write(&mut self) {
        if !self.is_writable() {
            return;
        }
        for line in std::mem::take(&mut self.state.held) {
            self.effects.push(Effect::Send(line));
        }
        self.write_prompts();
    }

    /// Writes a line that is not a prompt, now or as soon as it can be.
    fn send(&mut self, line: Line) {
        if self.is_writable() {
            self.effects.push(Effect::Send(line));
        } else {
            self.state.held.push(line);
        }
    }

    /// Adds an entry for a line of the agent.
    fn entry(&mut self, frame: &Frame, kind: EntryKind, parent: Option<usize>) -> usize {
        let turn = self.state.index.open.filter(|_| parent.is_none());
        self.add_entry(Line::from(frame), kind, parent, turn)
    }

    fn add_entry(&mut self, line: Line, kind: EntryKind, parent: Option<usize>, turn: Option<usize>) -> usize {
        let at = self.state.entries.len();
        self.state.entries.push(Entry {
            at: self.state.now,
            turn: turn.map(place),
            parent: parent.map(place),
            kind,
            line,
        });
        self.effects.push(Effect::Changed(Change::Entry(at)));
        at
    }

    /// Notes why the open turn is believed to run.
    fn evidence(&mut self, evidence: Evidence) {
        let now = self.state.now;
        if let Some(turn) = self.state.index.open.and_then(|at| self.state.turns.get_mut(at)) {
            turn.evidence = evidence;
            turn.seen = now;
        }
    }

    /// The open turn gave a sign, whatever it is doing.
    fn sign(&mut self) {
        let now = self.state.now;
        if let Some(turn) = self.state.index.open.and_then(|at| self.state.turns.get_mut(at)) {
            turn.seen = now;
        }
    }
}

/// Puts `at` into a list of places that stays in order.
fn insert(list: &mut Vec<u32>, at: usize) {
    let at = place(at);
    if let Err(gap) = list.binary_search(&at) {
        list.insert(gap, at);
    }
}

/// Takes `at` out of it.
fn remove(list: &mut Vec<u32>, at: usize) {
    if let Ok(found) = list.binary_search(&place(at)) {
        list.remove(found);
    }
}
