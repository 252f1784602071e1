//! The state of a session as the API has it.

use serde_json::Value;
use sluice_host::conversation::{Activity, End, Evidence, ProcessStatus, PromptState, TaskState, TransportStatus};
use sluice_host::items::TaskStatus;
use sluice_store::SessionRow;

use super::actor::{Actor, Extra, millis};
use super::asks;
use super::process::Ending;
use crate::api::{
    ActivityPhase, ActivityState, AskBrief, AskInfo, CommandInfo, ContextState, CostState, DriftState, Facts,
    ModelInfo, PluginInfo, ProcessPhase, ProcessState, QueueState, QueuedPrompt, RunningCall, ServerInfo, SessionInfo,
    SessionState, SimpleStatus, Standing, TaskInfo, TodoInfo, TransportPhase, TransportState, TurnResult, TurnState,
};

/// How many tasks that ended are still told of.
const ENDED_TASKS: usize = 50;

impl Actor {
    /// One word for the state.
    pub(super) fn work_out_standing(&self, at: i64) -> Standing {
        if self.lost_since.is_some() {
            return Standing::Lost;
        }
        match self.row.status.as_str() {
            "crashed" if !self.state_is_up() && self.connecting.is_none() => return Standing::Crashed,
            "stopped" if !self.state_is_up() && self.connecting.is_none() => return Standing::Stopped,
            _ => {}
        }
        if matches!(self.ending, Some(Ending::Stopped(_))) {
            return Standing::Stopping;
        }
        match self.state.activity_at(super::actor::time(at)) {
            Activity::Waiting { .. } => Standing::Waiting,
            Activity::Interrupting { .. } => Standing::Stopping,
            Activity::Stalled { .. } => Standing::Stalled,
            Activity::Running { evidence, .. } => {
                if evidence == Evidence::Retrying || self.retry.is_some() {
                    Standing::Retrying
                } else {
                    Standing::Running
                }
            }
            Activity::Idle if self.row.status == "starting" || self.connecting.is_some() => Standing::Starting,
            Activity::Idle if self.next_prompt().is_some() && self.state_is_up() => Standing::Running,
            Activity::Idle => Standing::Idle,
        }
    }

    /// Level 0's word.
    pub(super) fn status(&self) -> SimpleStatus {
        if self.state.pending_asks().any(crate::level0::shows) {
            return SimpleStatus::WaitingApproval;
        }
        match self.standing.0 {
            Standing::Waiting => SimpleStatus::WaitingApproval,
            Standing::Running | Standing::Retrying | Standing::Stalled | Standing::Stopping => SimpleStatus::Running,
            _ if self.state.open_turn().is_some() => SimpleStatus::Running,
            _ => SimpleStatus::Idle,
        }
    }

    fn about(&self) -> Option<String> {
        match self.standing.0 {
            Standing::Waiting => self.state.pending_asks().next().map(|ask| ask.name.to_string()),
            Standing::Crashed | Standing::Stopped => self.extra.reason.clone(),
            Standing::Running | Standing::Stalled => {
                self.state.running_calls().next().map(|call| call.name.to_string())
            }
            Standing::Retrying => self.retry.as_ref().and_then(|retry| retry.error.clone()),
            _ => None,
        }
    }

    /// The session in a list.
    pub(super) fn info(&mut self, at: i64) -> SessionInfo {
        self.flow.advance(at);
        let moving = self.state.open_turn().is_some();
        SessionInfo {
            status: self.status(),
            standing: self.standing.0,
            about: self.about(),
            since: self.standing.1,
            last_sign: self.last_sign.or_else(|| self.state.heard().map(millis)),
            model: self.model(),
            pending_asks: count(self.state.pending_asks().count()),
            queue: count(self.queue.len()),
            cost: self.state.cost().total.max(self.row.cost),
            turns: count(self.state.turns().len()).max(count(usize::try_from(self.row.turns).unwrap_or(0))),
            activity: if moving { self.flow.numbers() } else { Vec::new() },
            revision: self.feed.revision(self.state.item_revision()),
            finished_at: self.extra.finished_at,
            ask: self.oldest_ask(),
            branch: self.extra.branch.clone(),
            context: self.fullness(),
            ..info_of_row(&self.row)
        }
    }

    fn fullness(&self) -> Option<f64> {
        let context = self.state.context();
        let window = context.window.filter(|window| *window > 0)?;
        Some((context.tokens as f64 / window as f64).clamp(0.0, 1.0))
    }

    fn oldest_ask(&self) -> Option<AskBrief> {
        let ask = self.state.pending_asks().find(|ask| ask.kind.is_for_a_person())?;
        let request = asks::request(ask);
        let (about, whole) = asks::about(ask, &request);
        Some(AskBrief {
            ask: ask.id.to_string(),
            kind: asks::kind(ask),
            tool_name: ask.name.to_string(),
            about,
            at: millis(ask.at),
            whole,
        })
    }

    fn model(&self) -> Option<String> {
        let said = self.state.session().model.as_deref().map(str::to_owned);
        said.or_else(|| self.row.model.clone())
    }

    /// All of it.
    pub(super) fn view(&mut self, at: i64) -> SessionState {
        let info = self.info(at);
        let session = self.state.session();
        let cost = self.state.cost();
        let context = self.state.context();
        let drift = self.state.drift();
        SessionState {
            session_id: self.id.clone(),
            now: at,
            process: self.process_state(),
            transport: self.transport_state(),
            activity: self.activity_state(at),
            turn: self.turn_state(),
            retry: self.retry.clone(),
            asks: self.ask_infos(),
            queue: self.queued(),
            calls: self.running_calls(),
            tasks: self.task_infos(),
            todos: self.todo_infos(),
            cost: CostState {
                total: info.cost,
                turn: self.state.turns().iter().rev().find_map(|turn| turn.cost),
                input: cost.tokens.input,
                output: cost.tokens.output,
                cache_read: cost.tokens.cache_read,
                cache_write: cost.tokens.cache_write,
                by_model: self.by_model.clone(),
            },
            context: ContextState {
                tokens: context.tokens,
                window: context.window,
            },
            model: info.model.clone(),
            permission_mode: self.row.permission_mode.clone(),
            effort: self.extra.effort.clone(),
            thinking: self.extra.thinking,
            limits: session.limits.as_ref().and_then(|line| serde_json::from_str(line).ok()),
            drift: DriftState {
                unknown: drift.unknown,
                garbled: drift.garbled,
                repeated: drift.repeated,
                foreign: drift.foreign,
            },
            provider_session_ids: session.ids.iter().map(ToString::to_string).collect(),
            worktree: self.extra.worktree.clone(),
            info,
        }
    }

    fn process_state(&self) -> ProcessState {
        let (state, since, exit) = match self.state.process() {
            ProcessStatus::Starting if self.connecting.is_some() => (ProcessPhase::Starting, self.standing.1, None),
            ProcessStatus::Starting => (ProcessPhase::None, self.row.started_at, None),
            ProcessStatus::Up { since } => (ProcessPhase::Up, millis(since), None),
            ProcessStatus::Exited { exit, at } => (ProcessPhase::Exited, millis(at), Some(exit)),
        };
        ProcessState {
            state,
            since,
            code: exit.and_then(|exit| exit.code),
            signal: exit.and_then(|exit| exit.signal),
            stderr: self.stderr.iter().cloned().collect(),
            version: self.state.session().version.as_deref().map(str::to_owned),
        }
    }

    fn transport_state(&self) -> TransportState {
        let (state, since) = match self.state.transport() {
            TransportStatus::Connected => (TransportPhase::Connected, None),
            TransportStatus::CatchingUp => (TransportPhase::CatchingUp, None),
            TransportStatus::Lost { since } => (TransportPhase::Lost, Some(millis(since))),
        };
        TransportState { state, since }
    }

    fn activity_state(&self, at: i64) -> ActivityState {
        let mut view = ActivityState {
            state: ActivityPhase::Idle,
            since: self.standing.1,
            evidence: None,
            seen: None,
            deadline: None,
            rung: None,
        };
        let turn_began = |turn: usize| self.state.turns().get(turn).map_or(at, |turn| millis(turn.began));
        match self.state.activity_at(super::actor::time(at)) {
            Activity::Idle => {}
            Activity::Running { turn, evidence, seen } => {
                view.state = ActivityPhase::Running;
                view.since = turn_began(turn);
                view.evidence = Some(evidence);
                view.seen = Some(millis(seen));
                view.deadline = self.state.deadline().map(millis);
            }
            Activity::Waiting { since, .. } => {
                view.state = ActivityPhase::Waiting;
                view.since = millis(since);
            }
            Activity::Interrupting { rung, since } => {
                view.state = ActivityPhase::Interrupting;
                view.since = millis(since);
                view.rung = Some(rung);
                view.deadline = self.state.deadline().map(millis);
            }
            Activity::Stalled { turn, evidence, seen } => {
                view.state = ActivityPhase::Stalled;
                view.since = turn_began(turn);
                view.evidence = Some(evidence);
                view.seen = Some(millis(seen));
            }
        }
        view
    }

    fn turn_state(&self) -> Option<TurnState> {
        let at = self.state.open_turn()?;
        let turn = self.state.turns().get(at)?;
        let prompts = turn
            .prompts
            .iter()
            .filter_map(|prompt| self.state.prompts().get(*prompt));
        Some(TurnState {
            turn: u32::try_from(at).unwrap_or(u32::MAX),
            began: millis(turn.began),
            prompts: prompts.map(|prompt| prompt.id.to_string()).collect(),
            origin: turn.origin.as_ref().map(ToString::to_string),
            calls: count(self.state.calls().iter().filter(|call| call.turn == Some(at)).count()),
        })
    }

    fn ask_infos(&self) -> Vec<AskInfo> {
        let asks = self.state.pending_asks().filter(|ask| ask.kind.is_for_a_person());
        asks.map(|ask| AskInfo {
            ask: ask.id.to_string(),
            kind: asks::kind(ask),
            tool_name: ask.name.to_string(),
            tool_use_id: ask.call.as_deref().map(str::to_owned),
            agent: ask.agent.as_deref().map(str::to_owned),
            at: millis(ask.at),
            card: asks::card(ask).map(Box::new),
            item: ask.call.as_deref().and_then(|call| self.state.item_id_of_call(call)),
            request: asks::request(ask),
        })
        .collect()
    }

    /// Prompts that are not over: those the agent has, then those that wait here.
    pub(super) fn queued(&self) -> Vec<QueuedPrompt> {
        let images = |content: &str| {
            let images: Vec<Value> = serde_json::from_str(content).unwrap_or_default();
            count(images.len())
        };
        let sent = self.state.queue().filter_map(|prompt| {
            let row = self.sent.get(&*prompt.id)?;
            Some(QueuedPrompt {
                uuid: row.uuid.clone(),
                text: row.text.clone(),
                images: images(&row.content),
                state: match prompt.state {
                    PromptState::Indeterminate => QueueState::Indeterminate,
                    _ => QueueState::Sent,
                },
                by: row.by_name.clone(),
                device: row.by.clone(),
                at: row.at,
                since: millis(prompt.since),
            })
        });
        let waiting = self.queue.iter().map(|row| QueuedPrompt {
            uuid: row.uuid.clone(),
            text: row.text.clone(),
            images: images(&row.content),
            state: match self.is_held(&row.uuid) {
                true => QueueState::Held,
                false => QueueState::Queued,
            },
            by: row.by_name.clone(),
            device: row.by.clone(),
            at: row.at,
            since: row.since,
        });
        sent.chain(waiting).collect()
    }

    fn running_calls(&self) -> Vec<RunningCall> {
        let calls = self.state.running_calls();
        calls
            .map(|call| RunningCall {
                id: call.id.to_string(),
                name: call.name.to_string(),
                since: millis(call.at),
                parent: call
                    .parent
                    .and_then(|at| self.state.calls().get(at))
                    .map(|parent| parent.id.to_string()),
                item: self.state.item_id_of_call(&call.id),
            })
            .collect()
    }

    fn task_infos(&self) -> Vec<TaskInfo> {
        let tasks = self.state.tasks();
        let ended = tasks.iter().filter(|task| !task.is_open()).count();
        let mut skip = ended.saturating_sub(ENDED_TASKS);
        let shown = tasks.iter().filter(move |task| {
            let old = !task.is_open() && skip > 0;
            skip -= usize::from(old);
            !old
        });
        shown
            .map(|task| TaskInfo {
                id: task.id.to_string(),
                kind: task.kind.to_string(),
                description: task.description.to_string(),
                tool_use_id: task.call.as_deref().map(str::to_owned),
                agent: task.agent.as_deref().map(str::to_owned),
                background: task.background,
                state: match &task.state {
                    TaskState::Open(status) => status.to_string(),
                    TaskState::Ended(outcome) => outcome.to_string(),
                    TaskState::Gone => "gone".to_owned(),
                },
                began: millis(task.began),
                ended: task.ended.map(millis),
                tokens: task.tokens,
                calls: task.calls,
                last_tool: task.last_tool.as_deref().map(str::to_owned),
                summary: task.summary.as_deref().map(str::to_owned),
            })
            .collect()
    }

    fn todo_infos(&self) -> Vec<TodoInfo> {
        let todos = self.state.todos().iter();
        todos
            .map(|todo| TodoInfo {
                id: todo.id.as_deref().map(str::to_owned),
                subject: todo.subject.to_string(),
                active: todo.active.as_deref().map(str::to_owned),
                status: match &*todo.status {
                    "in_progress" => TaskStatus::InProgress,
                    "completed" => TaskStatus::Completed,
                    _ => TaskStatus::Pending,
                },
                blocked_by: Vec::new(),
            })
            .collect()
    }

    pub(super) fn facts(&self) -> Facts {
        let session = self.state.session();
        let texts = |list: &[Box<str>]| list.iter().map(ToString::to_string).collect();
        Facts {
            session_id: self.id.clone(),
            commands: session
                .commands
                .iter()
                .map(|command| CommandInfo {
                    name: command.name.to_string(),
                    description: command.description.as_deref().map(str::to_owned),
                    hint: command.hint.as_deref().map(str::to_owned),
                })
                .collect(),
            models: session
                .models
                .iter()
                .map(|model| ModelInfo {
                    value: model.value.to_string(),
                    name: model.name.to_string(),
                })
                .collect(),
            tools: texts(&session.tools),
            agents: texts(&session.agents),
            skills: texts(&session.skills),
            plugins: session
                .plugins
                .iter()
                .map(|plugin| PluginInfo {
                    name: plugin.name.to_string(),
                    path: plugin.path.as_deref().map(str::to_owned),
                })
                .collect(),
            servers: session
                .servers
                .iter()
                .map(|server| ServerInfo {
                    name: server.name.to_string(),
                    status: server.status.to_string(),
                })
                .collect(),
            style: session.style.as_deref().map(str::to_owned),
            capabilities: texts(&session.capabilities),
            version: session.version.as_deref().map(str::to_owned),
            cwd: session.cwd.as_deref().map(str::to_owned),
        }
    }
}

/// A session in a list that is not loaded.
pub(crate) fn info_of_row(row: &SessionRow) -> SessionInfo {
    let extra: Extra = serde_json::from_str(&row.extra).unwrap_or_default();
    let standing = match row.status.as_str() {
        "crashed" => Standing::Crashed,
        "stopped" => Standing::Stopped,
        _ => Standing::Idle,
    };
    SessionInfo {
        session_id: row.id.clone(),
        project_path: row.folder.clone(),
        title: row.title.clone(),
        status: SimpleStatus::Idle,
        standing,
        about: extra.reason,
        since: row.last_activity_at,
        last_sign: None,
        model: row.model.clone(),
        permission_mode: row.permission_mode.clone(),
        started_at: row.started_at,
        last_activity_at: row.last_activity_at,
        pending_asks: 0,
        queue: row.queue_len,
        cost: row.cost,
        turns: u32::try_from(row.turns).unwrap_or(u32::MAX),
        provider_session_id: row.provider_id.clone(),
        agent: row.agent.clone(),
        archived: row.archived,
        external: false,
        preview: row.preview.clone(),
        activity: Vec::new(),
        revision: 0,
        finished_at: extra.finished_at,
        ask: None,
        branch: extra.branch,
        context: None,
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// How a turn ended, in one word.
pub(crate) fn turn_result(end: &End) -> TurnResult {
    match end {
        End::Result { .. } if !end.is_error() => TurnResult::Success,
        End::Result {
            reason: Some(reason), ..
        } if reason.to_string().contains("abort") => TurnResult::Stopped,
        End::Result { .. } => TurnResult::Error,
        End::Unreported => TurnResult::Unreported,
        End::Died(_) => TurnResult::Died,
    }
}
