//! Everything a subagent receives from the session that starts it.

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

/// A snapshot of the session, taken when one of its calls starts a subagent.
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

/// The tools and the environment of a subagent.
pub(crate) struct BriefTools {
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) web: Arc<Web>,
    pub(crate) sandbox: Option<Arc<Sandbox>>,
    pub(crate) cwd: PathBuf,
    pub(crate) extras: Vec<Arc<dyn Tool>>,
    pub(crate) servers: Servers,
    /// Names of the tools that the session itself has.
    pub(crate) available: Vec<String>,
}

/// The connections of a subagent to its parent session and to the host.
pub(crate) struct BriefLine {
    pub(crate) out: Out,
    /// Events for the parent session.
    pub(crate) events: mpsc::Sender<ToolEvent>,
    /// Events for the top session: a subagent waits for an answer of a person.
    pub(crate) top: mpsc::Sender<ToolEvent>,
    pub(crate) eof: bool,
    pub(crate) quit: CancellationToken,
}

/// The position of a new subagent in the tree of subagents.
pub(crate) struct Family {
    pub(crate) shared: Arc<SharedAgents>,
    pub(crate) roster: Arc<Roster>,
    /// Id of the subagent that starts the new one, if it is one.
    pub(crate) parent: Option<String>,
    pub(crate) depth: u32,
    pub(crate) may_start: Option<Vec<String>>,
}

impl Brief {
    /// Returns the error for the model if a permission rule denies starting this kind.
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

/// Holds the latest brief of a session, for the calls that start subagents.
#[derive(Default)]
pub(crate) struct BriefSlot {
    brief: Mutex<Option<Arc<Brief>>>,
    /// Event channel of the top session, if this session is a subagent.
    top: Mutex<Option<mpsc::Sender<ToolEvent>>>,
}

impl std::fmt::Debug for BriefSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bench").finish_non_exhaustive()
    }
}

impl BriefSlot {
    pub(crate) fn for_subagent(top: mpsc::Sender<ToolEvent>) -> Self {
        Self {
            brief: Mutex::default(),
            top: Mutex::new(Some(top)),
        }
    }

    /// Stores the brief for the calls that start next.
    pub(crate) fn set(&self, brief: Brief) {
        *self.brief.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(brief));
    }

    pub(crate) fn brief(&self) -> Option<Arc<Brief>> {
        self.brief.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn top(&self) -> Option<mpsc::Sender<ToolEvent>> {
        self.top.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
