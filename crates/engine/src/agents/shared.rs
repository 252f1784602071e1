//! State shared by a session and all its subagents: open permission requests, rules added at run time, running
//! subagents.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::Value;
use sluice_hooks::InheritedHooks;
use sluice_permission::{PermissionMode, PermissionUpdate};
use sluice_settings::Settings;
use sluice_tools::TaskStatus;
use sluice_wire::Raw;
use sluice_wire::control::{ControlRequest, Request};
use sluice_wire::stdout::{SubagentKilled, SubagentRequested, SubagentStats};
use tokio::sync::{Notify, mpsc};

use super::relay::Relay;
use crate::history::History;
use crate::port::Input;

/// Maximum nesting depth of subagents.
pub(crate) const MAX_DEPTH: u32 = 5;
/// Maximum number of subagents that run at the same time.
pub(crate) const MAX_RUNNING: u64 = 64;
/// Maximum number of finished subagents whose history is kept, so that they can be continued.
const MAX_FINISHED: usize = 32;

/// Why a subagent is not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpawnError {
    #[error("Subagents are nested {MAX_DEPTH} deep already: do this part yourself")]
    TooDeep,
    #[error("{MAX_RUNNING} subagents run already: wait for one of them to end, or do this yourself")]
    TooMany,
    #[error("The budget of this session is used up, so no further subagent is started")]
    Budget,
}

/// State shared by a session and all its subagents.
#[derive(Debug, Default)]
pub(crate) struct SharedAgents {
    shared: Mutex<Shared>,
    /// Notified when a slot becomes free.
    slot_freed: Notify,
}

#[derive(Debug, Default)]
struct Shared {
    asks: Vec<Ask>,
    /// Permission changes since the session started, each with the id of the subagent that made it (`None`: the top
    /// session).
    amendments: Vec<(Option<String>, PermissionUpdate)>,
    denials: Vec<Value>,
    members: Vec<Member>,
    running: u64,
    /// The host's input has ended: permission requests are not answered any more.
    eof: bool,
    stats: SubagentStats,
    by_type: BTreeMap<String, u64>,
    /// The current settings of the top session.
    shared_settings: Option<Arc<SharedSettings>>,
    /// Number of times the settings were published.
    changes: u64,
}

/// Settings and hooks of the top session, which apply to all its subagents.
#[derive(Debug)]
pub(crate) struct SharedSettings {
    pub(crate) settings: Settings,
    pub(crate) hooks: InheritedHooks,
}

#[derive(Debug)]
struct Ask {
    request: ControlRequest,
    inbox: mpsc::Sender<Vec<Input>>,
}

/// A subagent, as the other sessions of the group see it.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) id: String,
    /// The name that its call specified.
    pub(crate) name: Option<String>,
    pub(crate) kind: String,
    pub(crate) description: String,
    /// The permission mode that its call requested.
    pub(crate) mode: Option<PermissionMode>,
    pub(crate) started: Instant,
    pub(crate) inbox: mpsc::Sender<Vec<Input>>,
    pub(crate) relay: Arc<Relay>,
    /// The conversation, once the subagent has ended.
    pub(crate) history: Option<History>,
}

/// The cause of an early end of a subagent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopCause {
    /// A person stopped it, or stopped the call that waited for it.
    Person,
    /// The parent session.
    Parent,
    /// An interrupt of the session.
    Interrupt,
}

/// A request to start a subagent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpawnRequest {
    pub(crate) background: Option<bool>,
    pub(crate) depth: u32,
    pub(crate) over_budget: bool,
}

impl SharedAgents {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves a slot for a new subagent and counts it, or returns why it may not start.
    pub(crate) fn admit(&self, kind: &str, request: SpawnRequest) -> Result<(), SpawnError> {
        let mut shared = self.lock();
        let running = shared.running;
        let refused = &mut shared.stats.refused;
        if request.depth > MAX_DEPTH {
            refused.depth_limit += 1;
            return Err(SpawnError::TooDeep);
        }
        if running >= MAX_RUNNING {
            refused.concurrency_limit += 1;
            return Err(SpawnError::TooMany);
        }
        if request.over_budget {
            refused.budget += 1;
            return Err(SpawnError::Budget);
        }
        shared.running += 1;
        let stats = &mut shared.stats;
        stats.spawned += 1;
        match request.background {
            Some(true) => stats.requested.background += 1,
            Some(false) => stats.requested.foreground += 1,
            None => stats.requested.unset += 1,
        }
        stats.max_depth = stats.max_depth.max(u64::from(request.depth));
        stats.spawned_by_subagents += u64::from(request.depth > 1);
        *shared.by_type.entry(kind.to_owned()).or_default() += 1;
        Ok(())
    }

    /// Counts a subagent that runs in the background from the start.
    pub(crate) fn count_background(&self) {
        self.lock().stats.started_in_background += 1;
    }

    /// Counts the end of a subagent.
    pub(crate) fn count_end(&self, status: TaskStatus, by: StopCause) {
        let mut shared = self.lock();
        let stats = &mut shared.stats;
        match status {
            TaskStatus::Completed | TaskStatus::Running => stats.completed += 1,
            TaskStatus::Failed => stats.failed += 1,
            TaskStatus::Killed => match by {
                StopCause::Person => stats.killed.user += 1,
                StopCause::Parent => stats.killed.parent += 1,
                StopCause::Interrupt => stats.killed.system += 1,
            },
        }
    }

    /// Number of running subagents.
    pub(crate) fn running_count(&self) -> u64 {
        self.lock().running
    }

    /// Frees the slot of a subagent.
    pub(crate) fn release_slot(&self) {
        let mut shared = self.lock();
        shared.running = shared.running.saturating_sub(1);
        self.slot_freed.notify_one();
    }

    /// Waits until a slot has been freed since the last call.
    pub(crate) async fn slot_released(&self) {
        self.slot_freed.notified().await;
    }

    /// Statistics on the subagents so far.
    pub(crate) fn stats(&self) -> SubagentStats {
        let shared = self.lock();
        SubagentStats {
            requested: SubagentRequested {
                ..shared.stats.requested.clone()
            },
            killed: SubagentKilled {
                ..shared.stats.killed.clone()
            },
            by_type: shared
                .by_type
                .iter()
                .map(|(kind, count)| (kind.clone(), Raw::of(count)))
                .collect(),
            ..shared.stats.clone()
        }
    }

    /// Registers an open request of a subagent to the host.
    pub(crate) fn register_ask(&self, request: &ControlRequest, inbox: &mpsc::Sender<Vec<Input>>) {
        self.lock().asks.push(Ask {
            request: request.clone(),
            inbox: inbox.clone(),
        });
    }

    /// Removes an open request and returns the inbox of the subagent that sent it.
    pub(crate) fn take_ask(&self, request_id: &str) -> Option<mpsc::Sender<Vec<Input>>> {
        let mut shared = self.lock();
        let is = |ask: &Ask| ask.request.request_id.as_str() == Some(request_id);
        let at = shared.asks.iter().position(is)?;
        Some(shared.asks.remove(at).inbox)
    }

    /// Removes the open permission requests of a subagent and returns their ids.
    pub(crate) fn take_asks_of(&self, id: &str) -> Vec<String> {
        let mut shared = self.lock();
        let is =
            |ask: &Ask| matches!(&ask.request.request, Request::CanUseTool(ask) if ask.agent_id.as_deref() == Some(id));
        let ids = shared.asks.iter().filter(|ask| is(ask));
        let ids = ids
            .filter_map(|ask| ask.request.request_id.as_str().map(str::to_owned))
            .collect();
        shared.asks.retain(|ask| !is(ask));
        ids
    }

    /// Returns all open requests of subagents that a person can answer.
    pub(crate) fn open_asks(&self) -> Vec<ControlRequest> {
        let shared = self.lock();
        // Hook callbacks are answered by the host program, not by a person.
        let asks = shared.asks.iter().map(|ask| &ask.request);
        asks.filter(|request| !matches!(request.request, Request::HookCallback(_)))
            .cloned()
            .collect()
    }

    /// Registers a permission change. Returns the new number of changes.
    pub(crate) fn amend(&self, by: Option<String>, update: PermissionUpdate) -> usize {
        let mut shared = self.lock();
        shared.amendments.push((by, update));
        shared.amendments.len()
    }

    /// Returns the changes that other sessions made after the first `known` ones, and the total number of changes.
    pub(crate) fn amendments(&self, known: usize, me: Option<&str>) -> (Vec<PermissionUpdate>, usize) {
        let shared = self.lock();
        let news = shared.amendments.iter().skip(known);
        let others = news
            .filter(|(by, _)| by.as_deref() != me)
            .map(|(_, update)| update.clone());
        (others.collect(), shared.amendments.len())
    }

    /// Publishes the settings of the top session to all subagents.
    pub(crate) fn publish(&self, shared_settings: SharedSettings) {
        let mut shared = self.lock();
        shared.shared_settings = Some(Arc::new(shared_settings));
        shared.changes += 1;
    }

    /// Returns the settings if they were published more than `known` times, and the number of times.
    pub(crate) fn published(&self, known: u64) -> (Option<Arc<SharedSettings>>, u64) {
        let shared = self.lock();
        let news = shared.shared_settings.clone().filter(|_| shared.changes > known);
        (news, shared.changes)
    }

    /// Stores denied calls of subagents for the next `result` message.
    pub(crate) fn denied(&self, denials: Vec<Value>) {
        self.lock().denials.extend(denials);
    }

    pub(crate) fn take_denials(&self) -> Vec<Value> {
        std::mem::take(&mut self.lock().denials)
    }

    /// Registers a subagent that starts or continues. Returns true if the host's input has ended.
    pub(crate) fn join(&self, member: Member) -> bool {
        let mut shared = self.lock();
        shared.members.retain(|known| known.id != member.id);
        shared.members.push(member);
        shared.eof
    }

    /// Marks a subagent as ended and keeps its conversation for a while, so that it can be continued.
    pub(crate) fn finish(&self, id: &str, history: History) {
        let mut shared = self.lock();
        if let Some(member) = shared.members.iter_mut().find(|member| member.id == id) {
            member.history = Some(history);
        }
        let resting = shared.members.iter().filter(|member| member.history.is_some()).count();
        if resting > MAX_FINISHED
            && let Some(oldest) = shared.members.iter().position(|member| member.history.is_some())
        {
            shared.members.remove(oldest);
        }
    }

    /// Returns the subagent with this id or name. If several have the name, returns the newest one.
    pub(crate) fn member(&self, id: &str) -> Option<Member> {
        let shared = self.lock();
        let named = |member: &&Member| member.id == id || member.name.as_deref() == Some(id);
        shared.members.iter().rev().find(named).cloned()
    }

    /// Mutes all running subagents, because the process is about to exit.
    pub(crate) fn mute_all(&self) {
        self.running().iter().for_each(|member| member.relay.stop_forwarding());
    }

    /// Returns the running subagents in the order in which they started.
    pub(crate) fn running(&self) -> Vec<Member> {
        let shared = self.lock();
        let running = shared.members.iter().filter(|member| member.history.is_none());
        running.cloned().collect()
    }

    /// Records that the host's input has ended. Returns the inboxes of the running subagents.
    pub(crate) fn close(&self) -> Vec<mpsc::Sender<Vec<Input>>> {
        let mut shared = self.lock();
        shared.eof = true;
        // The subagents receive the end of input and withdraw their requests themselves.
        shared.asks.clear();
        let running = shared.members.iter().filter(|member| member.history.is_none());
        running.map(|member| member.inbox.clone()).collect()
    }
}
