//! What a subagent is given by the session that starts it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use sluice_model::Client;
use sluice_permission::{Policy, Verdict};
use sluice_servers::Servers;
use sluice_tools::sandbox::Sandbox;
use sluice_tools::{Pins, Tasks, Tool, ToolEvent, Web};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::roster::Roster;
use super::shared::SharedAgents;
use super::{call, list, message};
use crate::background::Background;
use crate::call::Call;
use crate::catalogue::Catalogue;
use crate::commands::SKILL;
use crate::hooks::{Heirs, HookClient};
use crate::ledger::SharedLedger;
use crate::options::Options;
use crate::out::Out;
use crate::sandbox;
use crate::session::Session;

/// How the session stands when one of its calls starts a subagent.
pub(crate) struct Brief {
    pub(crate) options: Options,
    pub(crate) policy: Policy,
    pub(crate) model: String,
    pub(crate) client: Arc<Client>,
    pub(crate) ledger: SharedLedger,
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) web: Arc<Web>,
    pub(crate) sandbox: Option<Arc<Sandbox>>,
    pub(crate) cwd: PathBuf,
    pub(crate) out: Out,
    pub(crate) extras: Vec<Arc<dyn Tool>>,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) servers: Servers,
    /// The tools the session itself has.
    pub(crate) available: Vec<String>,
    pub(crate) background: Background,
    pub(crate) hooks: Heirs,
    pub(crate) hook_client: HookClient,
    /// Where the session hears of its subagents.
    pub(crate) events: mpsc::Sender<ToolEvent>,
    /// Where the session at the top hears that somebody waits for a person.
    pub(crate) top: mpsc::Sender<ToolEvent>,
    pub(crate) eof: bool,
    pub(crate) quit: CancellationToken,
    pub(crate) shared: Arc<SharedAgents>,
    pub(crate) roster: Arc<Roster>,
    /// The subagent that starts another one.
    pub(crate) parent: Option<String>,
    pub(crate) depth: u32,
    pub(crate) may_start: Option<Vec<String>>,
}

impl Brief {
    /// Why no subagent of this kind may be started, if a rule says so.
    pub(crate) fn denies(&self, kind: &str) -> Option<String> {
        let input = json!({"subagent_type": kind});
        let decision = sandbox::decide(&self.policy, None, &self.cwd, (call::FACTS, &input), &Pins::default());
        (decision.behavior == Verdict::Deny).then(|| call::denied(kind, &decision))
    }
}

/// Where the session leaves its brief for its calls.
#[derive(Default)]
pub(crate) struct Bench {
    brief: Mutex<Option<Arc<Brief>>>,
    /// The events of the session at the top, in a subagent.
    top: Mutex<Option<mpsc::Sender<ToolEvent>>>,
}

impl std::fmt::Debug for Bench {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bench").finish_non_exhaustive()
    }
}

impl Bench {
    pub(crate) fn below(top: mpsc::Sender<ToolEvent>) -> Self {
        Self {
            brief: Mutex::default(),
            top: Mutex::new(Some(top)),
        }
    }

    pub(crate) fn brief(&self) -> Option<Arc<Brief>> {
        self.brief.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn top(&self) -> Option<mpsc::Sender<ToolEvent>> {
        self.top.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Whether it is a tool that may start subagents. A subagent is given its own: one that holds a brief must not be in it.
fn ours(name: &str) -> bool {
    [call::NAME, call::OLD_NAME, message::NAME, list::NAME, SKILL].contains(&name)
}

impl Session {
    /// Leaves word for the calls that are about to start a subagent.
    pub(crate) fn brief_agents(&self) {
        let waits = |call: &Call| call.is_proposed() || call.ask().is_some();
        let asks = |name: &str| name == message::NAME || name == list::NAME;
        let needs = |call: &Call| asks(&call.name) || self.starts_agent(&call.name, &call.input);
        if !self.calls.list.iter().any(|call| waits(call) && needs(call)) {
            return;
        }
        if let Some(roster) = &self.agents.roster {
            let brief = self.brief(roster);
            *self.agents.bench.brief.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(brief));
        }
    }

    /// What a subagent that starts now is given.
    pub(super) fn brief(&self, roster: &Arc<Roster>) -> Brief {
        let seat = self.agents.seat.as_ref();
        Brief {
            options: self.options.clone(),
            policy: self.policy.clone(),
            model: self.model.name.clone(),
            client: self.model.client.clone(),
            ledger: self.account.ledger.clone(),
            tasks: self.tooling.tasks.clone(),
            web: self.tooling.web.clone(),
            sandbox: self.tooling.sandbox.clone(),
            cwd: self.tooling.cwd.get(),
            out: self.line.out.clone(),
            catalogue: self.commands.catalogue.clone(),
            servers: self.tooling.servers.of_agent(),
            extras: self
                .tooling
                .extras
                .iter()
                .filter(|tool| !ours(&tool.descriptor().name))
                .cloned()
                .collect(),
            available: self
                .toolbox()
                .filter(|tool| self.has(tool.descriptor()))
                .map(|tool| tool.descriptor().name.to_string())
                .collect(),
            background: self.background.of_agent(),
            hooks: self.hooks_for_agents(),
            hook_client: self.hooks.client(),
            events: self.tooling.reports.clone(),
            top: self.agents.bench.top().unwrap_or_else(|| self.tooling.reports.clone()),
            eof: self.line.eof,
            quit: self.line.quit.clone(),
            shared: self.agents.shared.clone(),
            roster: roster.clone(),
            parent: seat.map(|seat| seat.id.clone()),
            depth: seat.map_or(0, |seat| seat.depth),
            may_start: self.agents.may_start.clone(),
        }
    }

    /// What an agent that looks into something for a hook is given. Nothing is kept of it, and of the hooks only those
    /// before calls look at what it does.
    pub(crate) fn brief_inspector(&mut self) -> Brief {
        let roster = self.load_roster();
        let mut brief = self.brief(&roster);
        brief.hooks = brief.hooks.before_calls();
        brief.options.keeping.file = None;
        brief
    }
}
