//! A snapshot of the conversation state: all a frame needs, taken in one look.

use std::time::Duration;

use sluice_host::conversation::{
    Activity, Ask, AskKind, Call, CallState, Command, Context, ConversationState, DraftKind, Entry, Evidence, Task,
    Time, Todo, Tokens, Turn,
};
use sluice_wire::ToAgent;
use sluice_wire::mode::PermissionMode;

use super::withdrawal::{self, Settled};

/// The conversation as one frame sees it.
#[derive(Debug, Clone, Default)]
pub struct Picture {
    /// Entries that were not looked at yet, with their places.
    pub entries: Vec<(usize, Entry)>,
    /// The place of the next entry.
    pub next: usize,
    /// The answer that is being written.
    pub draft: Option<Draft>,
    /// Every call that has no result or got it just now.
    pub calls: Vec<CallFacts>,
    /// The asks a person has to answer.
    pub asks: Vec<Ask>,
    /// Those of before, and what became of them.
    pub settled: Vec<Settled>,
    /// Prompts that wait: uuid and text.
    pub queue: Vec<(String, String)>,
    pub doing: Doing,
    /// The open turn's age.
    pub turn: Option<Duration>,
    /// How long the agent has been silent.
    pub silent: Duration,
    /// Tokens of the answer so far, about.
    pub written: u64,
    pub session: Option<String>,
    pub title: Option<String>,
    pub model: Option<String>,
    pub mode: Option<PermissionMode>,
    pub commands: Vec<Command>,
    pub failed_servers: usize,
    pub cost: f64,
    /// Tokens, all turns together.
    pub usage: Tokens,
    /// The style of answers.
    pub style: Option<String>,
    /// What the last turn cost.
    pub last_cost: Option<f64>,
    pub context: Context,
    pub todos: Vec<Todo>,
    pub jobs: Vec<Task>,
    /// The background tasks whose end is among these entries.
    pub ended_jobs: Vec<Task>,
    /// The turns that ended in these entries.
    pub turns: Vec<(usize, Turn, u64)>,
    pub turn_count: usize,
    /// How many of them somebody asked for.
    pub asked: usize,
}

/// What goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Doing {
    #[default]
    Idle,
    Asking,
    Thinking,
    Writing,
    Calling,
    Retrying,
    Compacting,
    Waiting,
    Stopping(Duration),
    Stalled,
}

/// A message that grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub message: String,
    pub blocks: Vec<(DraftKind, String)>,
}

/// A call as the conversation knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFacts {
    pub id: String,
    pub parent: Option<String>,
    pub state: CallState,
    pub time: Duration,
    /// Tokens and calls of its subagent.
    pub used: Option<(u64, u64)>,
    /// The task that runs it, once the agent has announced one.
    pub task: Option<String>,
}

impl Picture {
    /// Looks at a conversation, at the entries from `from` on.
    #[must_use]
    pub fn of(state: &ConversationState, from: usize, now: Time) -> Self {
        let session = state.session();
        let entries: Vec<(usize, Entry)> = state.entries().iter().cloned().enumerate().skip(from).collect();
        let draft = state.draft(None).map(|draft| Draft {
            message: draft.message.to_string(),
            blocks: draft
                .blocks
                .iter()
                .map(|block| (block.kind.clone(), block.text.clone()))
                .collect(),
        });
        let written: usize = draft
            .iter()
            .flat_map(|draft| &draft.blocks)
            .map(|(_, text)| text.len())
            .sum();
        let open = state.open_turn().and_then(|at| state.turns().get(at));
        let ended = entries
            .iter()
            .filter_map(|(_, entry)| entry.turn)
            .map(|turn| turn as usize);
        let mut ended: Vec<usize> = ended.collect();
        ended.dedup();
        let turns = ended.into_iter().filter_map(|at| {
            let calls = state.calls().iter().filter(|call| call.turn == Some(at)).count();
            Some((at, state.turns().get(at)?.clone(), calls as u64))
        });
        Self {
            next: from + entries.len(),
            doing: doing(state, now, draft.as_ref()),
            draft,
            calls: calls(state, now, from),
            asks: state.pending_asks().filter(|ask| is_for_us(ask)).cloned().collect(),
            settled: withdrawal::settled(state),
            queue: queue(state),
            turn: open.map(|turn| now.since(turn.began)),
            silent: state.heard().map(|heard| now.since(heard)).unwrap_or_default(),
            written: written as u64 / 4,
            session: session.id().map(str::to_owned),
            title: session.title.as_deref().map(str::to_owned),
            model: session.model.as_deref().map(str::to_owned),
            mode: session.mode.clone(),
            commands: session.commands.clone(),
            failed_servers: session
                .servers
                .iter()
                .filter(|server| &*server.status == "failed")
                .count(),
            cost: state.cost().total,
            usage: state.cost().tokens,
            style: session.style.as_deref().map(str::to_owned),
            last_cost: state.turns().iter().rev().find_map(|turn| turn.cost),
            context: state.context(),
            todos: state.todos().to_vec(),
            jobs: state
                .tasks()
                .iter()
                .filter(|task| task.is_open() && task.background)
                .cloned()
                .collect(),
            ended_jobs: ended_jobs(state, &entries),
            turns: turns.collect(),
            turn_count: state.turns().len(),
            asked: state.turns().iter().filter(|turn| !turn.prompts.is_empty()).count(),
            entries,
        }
    }

    /// Whether a turn is open.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.turn.is_some() || !matches!(self.doing, Doing::Idle)
    }
}

/// The tasks that ended, where one of the entries reports such an end.
fn ended_jobs(state: &ConversationState, entries: &[(usize, Entry)]) -> Vec<Task> {
    let reports = entries
        .iter()
        .any(|(_, entry)| entry.line.contains("task_notification"));
    let ended = state.tasks().iter().filter(|task| reports && !task.is_open());
    ended.cloned().collect()
}

fn is_for_us(ask: &Ask) -> bool {
    matches!(ask.kind, AskKind::Tool | AskKind::Elicitation)
}

fn doing(state: &ConversationState, now: Time, draft: Option<&Draft>) -> Doing {
    match state.activity_at(now) {
        Activity::Idle => Doing::Idle,
        Activity::Waiting { .. } => Doing::Waiting,
        Activity::Interrupting { since, .. } => Doing::Stopping(now.since(since)),
        Activity::Stalled { .. } => Doing::Stalled,
        Activity::Running { evidence, .. } => match evidence {
            Evidence::Retrying => Doing::Retrying,
            Evidence::Compacting => Doing::Compacting,
            _ if state.running_calls().next().is_some() => Doing::Calling,
            Evidence::Streaming => match draft.and_then(|draft| draft.blocks.last()) {
                Some((DraftKind::Thinking, _)) => Doing::Thinking,
                Some(_) => Doing::Writing,
                None => Doing::Asking,
            },
            _ => Doing::Asking,
        },
    }
}

fn calls(state: &ConversationState, now: Time, from: usize) -> Vec<CallFacts> {
    let is_new = |place: Option<usize>| place.is_some_and(|at| at >= from);
    let calls = state.calls().iter().rev().take(2000);
    let mut found: Vec<CallFacts> = calls
        .filter(|call| {
            call.state == CallState::Running
                || is_new(call.result)
                || is_new(call.entry)
                || call.state == CallState::Dropped
        })
        .map(|call| {
            let task = state
                .tasks()
                .iter()
                .find(|task| task.call.as_deref() == Some(&*call.id));
            CallFacts {
                id: call.id.to_string(),
                parent: call
                    .parent
                    .and_then(|at| state.calls().get(at))
                    .map(|call| call.id.to_string()),
                state: call.state,
                time: call.ended.unwrap_or(now).since(started(state, call)),
                task: task.map(|task| task.id.to_string()),
                used: task.map(|task| (task.tokens, task.calls)),
            }
        })
        .collect();
    found.reverse();
    found
}

/// When a call began to run: after the answer, where a person was asked about it.
fn started(state: &ConversationState, call: &Call) -> Time {
    let asks = state.asks().iter().rev().take(50);
    let answered = asks
        .filter(|ask| ask.call.as_deref() == Some(&*call.id))
        .filter_map(|ask| ask.settled);
    answered.fold(call.at, Time::max)
}

/// Prompts that were handed in and have not begun; not the one a turn is about to begin with.
fn queue(state: &ConversationState) -> Vec<(String, String)> {
    let waiting = state.queue().filter(|prompt| prompt.turn.is_none());
    waiting
        .map(|prompt| {
            let text = match prompt.line.to_agent() {
                Ok(ToAgent::User(user)) => user.message.content.text(),
                _ => String::new(),
            };
            (prompt.id.to_string(), text)
        })
        .collect()
}
