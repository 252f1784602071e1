//! `ConversationState`: everything known of a conversation, and its accessors.

use serde::{Deserialize, Serialize};
use sluice_wire::control::{RequestId, Subtype};

use super::activity;
use super::index;
use super::index::Places;
use super::seen::Seen;
use super::{
    Activity, Ask, Call, Context, Cost, Draft, Drift, Entry, Line, Patience, ProcessStatus, Rung, Session, Task, Time,
    Todo, TrackedPrompt, TransportStatus, Turn,
};
use crate::items::list::Items;

/// The state of a conversation with an agent, computed from events alone.
///
/// Only [`step`](super::step) changes it. Lists only grow, so a place in one stays what it is. A host may let go of words
/// it has shown ([`Client::let_go`](crate::Client::let_go)); everything else that is known of them stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationState {
    pub(crate) patience: Patience,
    pub(crate) now: Time,
    /// When the agent last wrote anything.
    pub(crate) heard: Option<Time>,
    pub(crate) process: ProcessStatus,
    pub(crate) transport: TransportStatus,
    /// How many processes there were.
    pub(crate) epoch: u32,
    /// Whether this process echoes prompts.
    pub(crate) echoes: bool,
    /// Whether this process tells what becomes of prompts.
    pub(crate) tells: bool,
    /// Whether any process told what becomes of prompts.
    #[serde(default)]
    pub(crate) told_once: bool,
    /// Whether the agent is known for one that announces its turns, with `system/init`.
    #[serde(default)]
    pub(crate) announces: bool,
    pub(crate) closed: bool,
    pub(crate) session: Session,
    pub(crate) entries: Vec<Entry>,
    pub(crate) prompts: Vec<TrackedPrompt>,
    pub(crate) turns: Vec<Turn>,
    pub(crate) calls: Vec<Call>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) todos: Vec<Todo>,
    pub(crate) requests: Vec<Pending>,
    pub(crate) interrupt: Option<Interruption>,
    pub(crate) cost: Cost,
    /// The process whose totals were last named.
    pub(crate) cost_epoch: u32,
    pub(crate) context: Context,
    pub(crate) drift: Drift,
    /// Lines that wait for the way to be open, other than prompts.
    pub(crate) held: Vec<Line>,
    /// The messages that were received.
    pub(crate) seen: Seen,
    /// The activity that was last told.
    pub(crate) told: Activity,
    /// The transcript as clients show it.
    pub(crate) items: Items,
    #[serde(skip)]
    pub(crate) index: Index,
}

/// A request of this side that waits for its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// Its id.
    pub id: RequestId,
    /// What is asked.
    pub subtype: Subtype,
    /// What the subtype is about: a mode, a model, a prompt.
    pub(crate) about: Option<Box<str>>,
    /// When it was sent.
    pub at: Time,
    /// Until when an answer is waited for.
    pub until: Time,
}

/// An interrupt that has not yet ended its turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interruption {
    /// The request.
    pub request: RequestId,
    /// The turn it is to end.
    pub turn: usize,
    /// How far it went.
    pub rung: Rung,
    /// When that was reached.
    pub since: Time,
}

/// Where things are, by their ids. Worked out from the lists.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Index {
    pub(crate) prompts: Places,
    pub(crate) calls: Places,
    pub(crate) asks: Places,
    pub(crate) tasks: Places,
    /// Calls without a result.
    pub(crate) running: Vec<u32>,
    /// Asks without an outcome.
    pub(crate) pending: Vec<u32>,
    /// Prompts that are not over.
    pub(crate) waiting: Vec<u32>,
    /// The turn that is open.
    pub(crate) open: Option<usize>,
}

impl Default for ConversationState {
    fn default() -> Self {
        Self::new(Patience::default())
    }
}

impl ConversationState {
    /// A new conversation.
    #[must_use]
    pub fn new(patience: Patience) -> Self {
        Self {
            patience,
            now: Time::default(),
            heard: None,
            process: ProcessStatus::Starting,
            transport: TransportStatus::Connected,
            epoch: 0,
            echoes: false,
            tells: false,
            told_once: false,
            announces: false,
            closed: false,
            session: Session::default(),
            entries: Vec::new(),
            prompts: Vec::new(),
            turns: Vec::new(),
            calls: Vec::new(),
            asks: Vec::new(),
            drafts: Vec::new(),
            tasks: Vec::new(),
            todos: Vec::new(),
            requests: Vec::new(),
            interrupt: None,
            cost: Cost::default(),
            cost_epoch: 0,
            context: Context::default(),
            drift: Drift::default(),
            held: Vec::new(),
            seen: Seen::default(),
            told: Activity::Idle,
            items: Items::default(),
            index: Index::default(),
        }
    }

    /// The time of the last event.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// When the agent last wrote anything at all.
    #[must_use]
    pub fn heard(&self) -> Option<Time> {
        self.heard
    }

    /// Whether there is a process.
    #[must_use]
    pub fn process(&self) -> ProcessStatus {
        self.process
    }

    /// Whether lines pass.
    #[must_use]
    pub fn transport(&self) -> TransportStatus {
        self.transport
    }

    /// Whether the conversation was closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The activity of the conversation.
    #[must_use]
    pub fn activity(&self) -> Activity {
        activity::of(self, self.now)
    }

    /// The activity at `now`, if nothing happens until then.
    #[must_use]
    pub fn activity_at(&self, now: Time) -> Activity {
        activity::of(self, now)
    }

    /// When the state has to be told the time, with [`What::Tick`](super::What::Tick), at the latest.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        activity::deadline(self)
    }

    /// The facts of the session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The conversation in order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entries of the subagent that the call `parent` started, or of the main conversation.
    pub fn thread(&self, parent: Option<usize>) -> impl Iterator<Item = (usize, &Entry)> {
        let parent = parent.and_then(|it| u32::try_from(it).ok());
        let entries = self.entries.iter().enumerate();
        entries.filter(move |(_, entry)| entry.parent == parent)
    }

    /// Every prompt, in the order they were handed in.
    #[must_use]
    pub fn prompts(&self) -> &[TrackedPrompt] {
        &self.prompts
    }

    /// The prompt with this uuid.
    #[must_use]
    pub fn prompt(&self, id: &str) -> Option<&TrackedPrompt> {
        self.prompts.get(self.find_prompt(id)?)
    }

    /// The prompts that are not over: queued, sent, or nobody knows.
    pub fn queue(&self) -> impl Iterator<Item = &TrackedPrompt> {
        self.index
            .waiting
            .iter()
            .filter_map(|at| self.prompts.get(*at as usize))
    }

    /// Every turn, in order.
    #[must_use]
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The place of the turn that is open.
    #[must_use]
    pub fn open_turn(&self) -> Option<usize> {
        self.index.open
    }

    /// Every call, in order.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The call with this id.
    #[must_use]
    pub fn call(&self, id: &str) -> Option<&Call> {
        self.calls.get(self.find_call(id)?)
    }

    /// The calls without a result.
    pub fn running_calls(&self) -> impl Iterator<Item = &Call> {
        self.index.running.iter().filter_map(|at| self.calls.get(*at as usize))
    }

    /// Every ask, in order, with its outcome: the ledger.
    #[must_use]
    pub fn asks(&self) -> &[Ask] {
        &self.asks
    }

    /// The place of the ask with this request id.
    #[must_use]
    pub fn find_ask(&self, id: &RequestId) -> Option<usize> {
        let is = |at: usize| self.asks.get(at).is_some_and(|ask| ask.id == *id);
        self.index.asks.find(&id.to_string(), is)
    }

    /// The ask with this request id.
    #[must_use]
    pub fn ask(&self, id: &RequestId) -> Option<&Ask> {
        self.asks.get(self.find_ask(id)?)
    }

    /// The asks without an outcome.
    pub fn pending_asks(&self) -> impl Iterator<Item = &Ask> {
        self.index.pending.iter().filter_map(|at| self.asks.get(*at as usize))
    }

    /// Messages that are being written: at most one in the main conversation and one for each subagent.
    #[must_use]
    pub fn drafts(&self) -> &[Draft] {
        &self.drafts
    }

    /// The message that is being written in the main conversation, or by the subagent of this call.
    #[must_use]
    pub fn draft(&self, parent: Option<usize>) -> Option<&Draft> {
        self.drafts.iter().find(|draft| draft.parent == parent)
    }

    /// Everything that ran beside turns.
    #[must_use]
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// What the agent has on its list.
    #[must_use]
    pub fn todos(&self) -> &[Todo] {
        &self.todos
    }

    /// Requests of this side that wait for an answer.
    #[must_use]
    pub fn requests(&self) -> &[Pending] {
        &self.requests
    }

    /// The interrupt that is under way.
    #[must_use]
    pub fn interruption(&self) -> Option<&Interruption> {
        self.interrupt.as_ref()
    }

    /// Cost and usage.
    #[must_use]
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Context usage.
    #[must_use]
    pub fn context(&self) -> Context {
        self.context
    }

    /// What came and was not understood.
    #[must_use]
    pub fn drift(&self) -> Drift {
        self.drift
    }

    /// The deadlines it goes by.
    #[must_use]
    pub fn patience(&self) -> &Patience {
        &self.patience
    }

    /// Empties the lines of all entries, except those that open items still need, or items that changed after this revision.
    pub(crate) fn let_go(&mut self, seen: u64) {
        let needed = self.items.needed_entries(seen);
        let held = std::mem::take(&mut self.items.held);
        let new = self.items.released..self.entries.len();
        self.items.released = new.end;
        for at in held.into_iter().chain(new.map(index::place)) {
            match self.entries.get_mut(at as usize) {
                Some(_) if needed.contains(&at) => self.items.held.push(at),
                Some(entry) => entry.line = Line::default(),
                None => {}
            }
        }
    }

    pub(crate) fn find_prompt(&self, id: &str) -> Option<usize> {
        let is = |at: usize| self.prompts.get(at).is_some_and(|prompt| &*prompt.id == id);
        self.index.prompts.find(id, is)
    }

    pub(crate) fn find_call(&self, id: &str) -> Option<usize> {
        let is = |at: usize| self.calls.get(at).is_some_and(|call| &*call.id == id);
        self.index.calls.find(id, is)
    }

    pub(crate) fn find_task(&self, id: &str) -> Option<usize> {
        let is = |at: usize| self.tasks.get(at).is_some_and(|task| &*task.id == id);
        self.index.tasks.find(id, is)
    }
}
