//! What a subagent is given by the session that starts it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use sluice_catalogue::agents::Roster;
use sluice_hooks::{HookClient, InheritedHooks};
use sluice_model::Client;
use sluice_permission::{Policy, Verdict};
use sluice_servers::Servers;
use sluice_tools::sandbox::Sandbox;
use sluice_tools::{Pinned, Pins, Tasks, Tool, ToolEvent, Web};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::names;
use super::shared::SharedAgents;
use crate::background::Background;
use crate::catalogue::Catalogue;
use crate::ledger::SharedLedger;
use crate::options::Options;
use crate::out::Out;
use crate::sandbox;

/// How the session stands when one of its calls starts a subagent.
pub(crate) struct Brief {
    pub(crate) options: Options,
    pub(crate) policy: Arc<Policy>,
    pub(crate) model: String,
    pub(crate) client: Arc<Client>,
    pub(crate) ledger: SharedLedger,
    pub(crate) tools: BriefTools,
    pub(crate) line: BriefLine,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) background: Background,
    pub(crate) hooks: InheritedHooks,
    pub(crate) hook_client: HookClient,
    pub(crate) family: Family,
}

/// What it works with.
pub(crate) struct BriefTools {
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) web: Arc<Web>,
    pub(crate) sandbox: Option<Arc<Sandbox>>,
    pub(crate) cwd: PathBuf,
    pub(crate) extras: Vec<Arc<dyn Tool>>,
    pub(crate) servers: Servers,
    /// The tools the session itself has.
    pub(crate) available: Vec<String>,
}

/// Who hears of it.
pub(crate) struct BriefLine {
    pub(crate) out: Out,
    /// Where the session hears of its subagents.
    pub(crate) events: mpsc::Sender<ToolEvent>,
    /// Where the session at the top hears that somebody waits for a person.
    pub(crate) top: mpsc::Sender<ToolEvent>,
    pub(crate) eof: bool,
    pub(crate) quit: CancellationToken,
}

/// Its place among the subagents.
pub(crate) struct Family {
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
        let decision = sandbox::decide(
            &self.policy,
            None,
            &self.tools.cwd,
            (names::FACTS, &input),
            Pinned {
                pins: &Pins::default(),
                env: &self.options.env,
            },
        );
        (decision.behavior == Verdict::Deny).then(|| names::denied(kind, &decision))
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

    /// Leaves a brief for the calls that start.
    pub(crate) fn leave(&self, brief: Brief) {
        *self.brief.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(brief));
    }

    pub(crate) fn brief(&self) -> Option<Arc<Brief>> {
        self.brief.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn top(&self) -> Option<mpsc::Sender<ToolEvent>> {
        self.top.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
