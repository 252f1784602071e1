//! State shared by a session and all its subagents: open permission requests, rules added meanwhile, how many run.

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

/// How many subagents may stand one below the other.
pub(crate) const DEEPEST: u32 = 5;
/// How many may run at a time.
pub(crate) const MOST: u64 = 64;
/// How many that have ended can still be gone on with.
const REMEMBERED: usize = 32;

/// Why another subagent is not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    #[error("Subagents are nested {DEEPEST} deep already: do this part yourself")]
    TooDeep,
    #[error("{MOST} subagents run already: wait for one of them to end, or do this yourself")]
    TooMany,
    #[error("The budget of this session is used up, so no further subagent is started")]
    Budget,
}

/// State shared by a session and all its subagents.
#[derive(Debug, Default)]
pub(crate) struct SharedAgents {
    shared: Mutex<Shared>,
    /// Rings when a place is free again.
    bell: Notify,
}

#[derive(Debug, Default)]
struct Shared {
    asks: Vec<Ask>,
    /// What was changed about permissions since the session began, and by whom.
    amendments: Vec<(Option<String>, PermissionUpdate)>,
    denials: Vec<Value>,
    members: Vec<Member>,
    running: u64,
    /// Nobody answers questions any more.
    eof: bool,
    stats: SubagentStats,
    by_type: BTreeMap<String, u64>,
    /// The settings that hold, and how often they have changed.
    standing: Option<Arc<Standing>>,
    changes: u64,
}

/// What holds for a session and all its subagents.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) settings: Settings,
    pub(crate) hooks: InheritedHooks,
}

#[derive(Debug)]
struct Ask {
    request: ControlRequest,
    inbox: mpsc::Sender<Vec<Input>>,
}

/// A subagent as the others know it.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) id: String,
    /// The name its call gave it.
    pub(crate) name: Option<String>,
    pub(crate) kind: String,
    pub(crate) description: String,
    /// The mode its call asked for.
    pub(crate) mode: Option<PermissionMode>,
    pub(crate) started: Instant,
    pub(crate) inbox: mpsc::Sender<Vec<Input>>,
    pub(crate) relay: Arc<Relay>,
    /// What was said, once it has ended.
    pub(crate) history: Option<History>,
}

/// Who ends a subagent before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ender {
    /// A person stopped it, or the call that waited for it.
    Person,
    /// The session that started it.
    Parent,
    /// An interrupt that was not about it.
    Interrupt,
}

/// How a call asked for its subagent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) background: Option<bool>,
    pub(crate) depth: u32,
    pub(crate) over_budget: bool,
}

impl SharedAgents {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more subagent begins, or may not.
    pub(crate) fn admit(&self, kind: &str, wanted: Wanted) -> Result<(), Refused> {
        let mut shared = self.lock();
        let running = shared.running;
        let refused = &mut shared.stats.refused;
        if wanted.depth > DEEPEST {
            refused.depth_limit += 1;
            return Err(Refused::TooDeep);
        }
        if running >= MOST {
            refused.concurrency_limit += 1;
            return Err(Refused::TooMany);
        }
        if wanted.over_budget {
            refused.budget += 1;
            return Err(Refused::Budget);
        }
        shared.running += 1;
        let stats = &mut shared.stats;
        stats.spawned += 1;
        match wanted.background {
            Some(true) => stats.requested.background += 1,
            Some(false) => stats.requested.foreground += 1,
            None => stats.requested.unset += 1,
        }
        stats.max_depth = stats.max_depth.max(u64::from(wanted.depth));
        stats.spawned_by_subagents += u64::from(wanted.depth > 1);
        *shared.by_type.entry(kind.to_owned()).or_default() += 1;
        Ok(())
    }

    /// It runs in the background from the start.
    pub(crate) fn count_background(&self) {
        self.lock().stats.started_in_background += 1;
    }

    /// A subagent has ended.
    pub(crate) fn count_end(&self, status: TaskStatus, by: Ender) {
        let mut shared = self.lock();
        let stats = &mut shared.stats;
        match status {
            TaskStatus::Completed | TaskStatus::Running => stats.completed += 1,
            TaskStatus::Failed => stats.failed += 1,
            TaskStatus::Killed => match by {
                Ender::Person => stats.killed.user += 1,
                Ender::Parent => stats.killed.parent += 1,
                Ender::Interrupt => stats.killed.system += 1,
            },
        }
    }

    /// How many are there.
    pub(crate) fn at_work(&self) -> u64 {
        self.lock().running
    }

    /// Its place is free again.
    pub(crate) fn dismiss(&self) {
        let mut shared = self.lock();
        shared.running = shared.running.saturating_sub(1);
        self.bell.notify_one();
    }

    /// Waits until somebody has gone since this was last waited for.
    pub(crate) async fn dismissed(&self) {
        self.bell.notified().await;
    }

    /// The subagents so far.
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

    /// A subagent has asked the host something.
    pub(crate) fn asked(&self, request: &ControlRequest, inbox: &mpsc::Sender<Vec<Input>>) {
        self.lock().asks.push(Ask {
            request: request.clone(),
            inbox: inbox.clone(),
        });
    }

    /// Whose question this is, which is open no longer.
    pub(crate) fn take_ask(&self, request_id: &str) -> Option<mpsc::Sender<Vec<Input>>> {
        let mut shared = self.lock();
        let is = |ask: &Ask| ask.request.request_id.as_str() == Some(request_id);
        let at = shared.asks.iter().position(is)?;
        Some(shared.asks.remove(at).inbox)
    }

    /// The questions of one subagent that are still open, which they then no longer are.
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

    /// Every question of a subagent that is open.
    pub(crate) fn open_asks(&self) -> Vec<ControlRequest> {
        let shared = self.lock();
        // A callback is answered by a program: nobody has to look.
        let asks = shared.asks.iter().map(|ask| &ask.request);
        asks.filter(|request| !matches!(request.request, Request::HookCallback(_)))
            .cloned()
            .collect()
    }

    /// Somebody changed what is permitted; gives how many changes there are now.
    pub(crate) fn amend(&self, by: Option<String>, update: PermissionUpdate) -> usize {
        let mut shared = self.lock();
        shared.amendments.push((by, update));
        shared.amendments.len()
    }

    /// What others changed since so many changes were known.
    pub(crate) fn amendments(&self, known: usize, me: Option<&str>) -> (Vec<PermissionUpdate>, usize) {
        let shared = self.lock();
        let news = shared.amendments.iter().skip(known);
        let others = news
            .filter(|(by, _)| by.as_deref() != me)
            .map(|(_, update)| update.clone());
        (others.collect(), shared.amendments.len())
    }

    /// The session at the top has other settings.
    pub(crate) fn publish(&self, standing: Standing) {
        let mut shared = self.lock();
        shared.standing = Some(Arc::new(standing));
        shared.changes += 1;
    }

    /// The settings that hold, if they have changed since so many changes were known.
    pub(crate) fn published(&self, known: u64) -> (Option<Arc<Standing>>, u64) {
        let shared = self.lock();
        let news = shared.standing.clone().filter(|_| shared.changes > known);
        (news, shared.changes)
    }

    /// Calls of subagents that were denied, for the next result.
    pub(crate) fn denied(&self, denials: Vec<Value>) {
        self.lock().denials.extend(denials);
    }

    pub(crate) fn take_denials(&self) -> Vec<Value> {
        std::mem::take(&mut self.lock().denials)
    }

    /// A subagent has begun, or begun again; true if nobody will answer its questions.
    pub(crate) fn join(&self, member: Member) -> bool {
        let mut shared = self.lock();
        shared.members.retain(|known| known.id != member.id);
        shared.members.push(member);
        shared.eof
    }

    /// A subagent has ended; what was said is kept for a while, so that it can be gone on with.
    pub(crate) fn rest(&self, id: &str, history: History) {
        let mut shared = self.lock();
        if let Some(member) = shared.members.iter_mut().find(|member| member.id == id) {
            member.history = Some(history);
        }
        let resting = shared.members.iter().filter(|member| member.history.is_some()).count();
        if resting > REMEMBERED
            && let Some(oldest) = shared.members.iter().position(|member| member.history.is_some())
        {
            shared.members.remove(oldest);
        }
    }

    /// The subagent of this id or name; of several of one name the newest.
    pub(crate) fn member(&self, id: &str) -> Option<Member> {
        let shared = self.lock();
        let named = |member: &&Member| member.id == id || member.name.as_deref() == Some(id);
        shared.members.iter().rev().find(named).cloned()
    }

    /// The process goes: nobody is told what becomes of them.
    pub(crate) fn hush(&self) {
        self.running().iter().for_each(|member| member.relay.mute());
    }

    /// Those that work, in the order in which they began.
    pub(crate) fn running(&self) -> Vec<Member> {
        let shared = self.lock();
        let running = shared.members.iter().filter(|member| member.history.is_none());
        running.cloned().collect()
    }

    /// Nobody will answer any more: gives everybody who runs, and remembers it for who begins later.
    pub(crate) fn close(&self) -> Vec<mpsc::Sender<Vec<Input>>> {
        let mut shared = self.lock();
        shared.eof = true;
        // Who asked will hear of it, and give its questions up.
        shared.asks.clear();
        let running = shared.members.iter().filter(|member| member.history.is_none());
        running.map(|member| member.inbox.clone()).collect()
    }
}
