//! A snapshot of the conversation state with everything that a frame needs.

use std::time::Duration;

use sluice_host::conversation::{
    Activity, Ask, AskKind, Command, Context, ConversationState, DraftKind, Evidence, Task, Time, Todo, Tokens,
};
use sluice_host::items::{FileCount, ItemBody, ItemChange, ItemCursor, NoticeKind};
use sluice_wire::ToAgent;
use sluice_wire::mode::PermissionMode;

use super::amount;
use super::withdrawal::{self, SettledRequest};

/// The conversation as one frame sees it.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Time of the snapshot.
    pub now: Time,
    /// Items that changed since the previous snapshot.
    pub changes: Vec<ItemChange>,
    /// Cursor after these changes.
    pub cursor: ItemCursor,
    /// True while an answer streams or a call runs.
    pub speaks: bool,
    /// Calls whose permission request another client answered, among the changes.
    pub answered: Vec<String>,
    /// Files changed in this session.
    pub changed: Vec<FileCount>,
    /// Pending requests that the user must answer.
    pub asks: Vec<Ask>,
    /// Earlier requests and their outcomes.
    pub settled: Vec<SettledRequest>,
    /// Queued prompts: id and text.
    pub queue: Vec<(String, String)>,
    pub phase: Phase,
    /// Duration of the running turn.
    pub turn: Option<Duration>,
    /// Time since the last output of the agent.
    pub silent: Duration,
    /// Estimated tokens of the answer so far.
    pub written: u64,
    pub session: Option<String>,
    pub title: Option<String>,
    pub model: Option<String>,
    pub mode: Option<PermissionMode>,
    pub commands: Vec<Command>,
    pub failed_servers: usize,
    pub cost: f64,
    /// Token usage of all turns.
    pub usage: Tokens,
    /// Output style.
    pub style: Option<String>,
    /// Cost of the last turn.
    pub last_cost: Option<f64>,
    pub context: Context,
    pub todos: Vec<Todo>,
    pub jobs: Vec<Task>,
    pub turn_count: usize,
    /// Number of turns started by a prompt of the user.
    pub asked: usize,
}

/// Current activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
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

impl Snapshot {
    /// Takes a snapshot of a conversation, with the items that changed since the cursor.
    #[must_use]
    pub fn of(state: &ConversationState, mut cursor: ItemCursor, now: Time) -> Self {
        let session = state.session();
        let draft = state.draft(None);
        let written: usize = draft
            .iter()
            .flat_map(|draft| &draft.blocks)
            .map(|block| block.text.len())
            .sum();
        let open = state.open_turn().and_then(|at| state.turns().get(at));
        let mut changes = state.item_changes(&mut cursor);
        // Changes come in the order of their revisions. A prompt that is revised at the end of its turn would follow the
        // output of its command.
        changes.sort_by_key(|change| match change {
            ItemChange::Item(item) => item.id,
            ItemChange::Delta { item, .. } | ItemChange::Removed { item, .. } => *item,
        });
        Self {
            now,
            answered: answered(state, &changes),
            changes,
            cursor,
            phase: phase(state, now),
            speaks: draft.is_some() || state.running_calls().next().is_some(),
            changed: state.files_changed(),
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
            turn_count: state.turns().len(),
            asked: state.turns().iter().filter(|turn| !turn.prompts.is_empty()).count(),
        }
    }

    /// Returns the number of added and removed lines.
    #[must_use]
    pub fn changed_lines(&self) -> (u64, u64) {
        let files = self.changed.iter();
        files.fold((0, 0), |(added, removed), file| {
            (added + file.added, removed + file.removed)
        })
    }

    /// Formats as `+164 -49 in 5 files`; `None` without changes.
    #[must_use]
    pub fn changed_words(&self) -> Option<String> {
        let (added, removed) = self.changed_lines();
        let lines = amount::lines(added, removed);
        let files = amount::count(self.changed.len() as u64, "file");
        (!lines.is_empty()).then(|| format!("{lines} in {files}"))
    }

    /// True while a turn is running.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.turn.is_some() || !matches!(self.phase, Phase::Idle)
    }
}

/// Returns the calls whose permission request another client answered.
fn answered(state: &ConversationState, changes: &[ItemChange]) -> Vec<String> {
    let notices = changes.iter().filter_map(|change| match change {
        ItemChange::Item(item) => match &item.body {
            ItemBody::Notice(notice) if notice.kind == NoticeKind::Answered => notice.call,
            _ => None,
        },
        _ => None,
    });
    let calls = notices.filter_map(|call| Some(state.item(call)?.call()?.id.to_string()));
    calls.collect()
}

fn is_for_us(ask: &Ask) -> bool {
    matches!(ask.kind, AskKind::Tool | AskKind::Elicitation)
}

fn phase(state: &ConversationState, now: Time) -> Phase {
    match state.activity_at(now) {
        Activity::Idle => Phase::Idle,
        Activity::Waiting { .. } => Phase::Waiting,
        Activity::Interrupting { since, .. } => Phase::Stopping(now.since(since)),
        Activity::Stalled { .. } => Phase::Stalled,
        Activity::Running { evidence, .. } => match evidence {
            Evidence::Retrying => Phase::Retrying,
            Evidence::Compacting => Phase::Compacting,
            _ if state.running_calls().next().is_some() => Phase::Calling,
            Evidence::Streaming => match state.draft(None).and_then(|draft| draft.blocks.last()) {
                Some(block) if block.kind == DraftKind::Thinking => Phase::Thinking,
                Some(_) => Phase::Writing,
                None => Phase::Asking,
            },
            _ => Phase::Asking,
        },
    }
}

/// Returns the submitted prompts that have not started; excludes the prompt of the turn that is starting.
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
