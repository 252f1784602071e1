//! Subagent state of a session: available kinds, running subagents, and the identity of this session if it is a
//! subagent.
//!
//! * `names`: the tools that start subagents and send messages to them;
//! * `brief`: everything a subagent receives from the session that starts it;
//! * `shared`: what all subagents of a session share;
//! * `relay`: filters the messages of a subagent for the host; `summaries`: progress summaries that a subagent writes.
//!
//! `subagents` starts, supervises and ends subagents.

mod brief;
pub(crate) mod names;
pub(crate) mod relay;
pub(crate) mod shared;
mod summaries;

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use sluice_catalogue::agents::{AgentOrigin, Found, Roster};
use sluice_permission::PermissionUpdate;
use sluice_servers::Servers;
use sluice_tools::{TaskStatus, ToolEvent};
use sluice_wire::ToAgent;
use sluice_wire::control::ControlResponse;
use sluice_wire::stdout::SubagentStats;
use tokio::sync::mpsc;

pub(crate) use brief::{Brief, BriefLine, BriefSlot, BriefTools, Family};
pub(crate) use summaries::{SUMMARY_INTERVAL, Summaries, SummaryEvent};

use shared::{SharedAgents, SharedSettings, StopCause};

use crate::catalogue::Catalogue;
use crate::options::Options;
use crate::port::Input;

/// The subagent state of a session.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    shared: Arc<SharedAgents>,
    /// The kinds of subagents. Loaded when first needed.
    roster: Option<Arc<Roster>>,
    /// Kinds from files, if they were loaded before the session started.
    preloaded: Option<Roster>,
    /// Definitions from the host's `initialize` request.
    by_host: Option<Value>,
    /// Identity of this session, if it is a subagent.
    identity: Option<SubagentIdentity>,
    /// The current brief, from which tool calls start subagents.
    brief_slot: Arc<BriefSlot>,
    /// Number of permission changes already applied.
    known: usize,
    /// Number of settings changes already applied.
    settings_known: u64,
    main_agent: MainAgent,
    /// The kinds that may be started; `None` allows all.
    may_start: Option<Vec<String>>,
    /// Problems with definitions that have not been reported yet.
    problems: Vec<String>,
    pending_starts: PendingStarts,
    pending_ends: PendingEnds,
    equipment: Equipment,
    /// Progress summaries of this subagent, if the host asked for them.
    summaries: Option<Box<Summaries>>,
}

/// The agent of `--agent`.
#[derive(Debug, Default)]
struct MainAgent {
    /// It is unknown so far. The host may still define it in `initialize`.
    missing: bool,
    /// Its initial prompt, until `initialize` or the first prompt arrives.
    initial_prompt: Option<String>,
}

/// The identity of a subagent.
#[derive(Debug, Clone)]
pub(crate) struct SubagentIdentity {
    pub(crate) id: String,
    pub(crate) depth: u32,
    /// The call requested a permission mode. The subagent then follows mode changes of the session only if they are
    /// stricter.
    pub(crate) own_mode: bool,
    /// A person denied one of its calls and asked it to stop.
    pub(crate) refused: bool,
}

impl Agents {
    /// Creates the state for the session of a subagent.
    pub(crate) fn of_subagent(family: &Family, top: mpsc::Sender<ToolEvent>, identity: SubagentIdentity) -> Self {
        Self {
            known: family.shared.amendments(0, None).1,
            settings_known: family.shared.published(u64::MAX).1,
            shared: family.shared.clone(),
            brief_slot: Arc::new(BriefSlot::for_subagent(top)),
            identity: Some(identity),
            ..Self::default()
        }
    }

    /// Sets the pending equipment, the kinds that may be started, and the progress summaries.
    pub(crate) fn equip(&mut self, equipment: Equipment, may_start: Option<Vec<String>>, summaries: Option<Summaries>) {
        self.equipment = equipment;
        self.may_start = may_start;
        self.summaries = summaries.map(Box::new);
    }

    pub(crate) fn shared(&self) -> &Arc<SharedAgents> {
        &self.shared
    }

    /// The current brief, from which tool calls start subagents.
    pub(crate) fn brief_slot(&self) -> &Arc<BriefSlot> {
        &self.brief_slot
    }

    /// Identity of this session, if it is a subagent.
    pub(crate) fn identity(&self) -> Option<&SubagentIdentity> {
        self.identity.as_ref()
    }

    /// The kinds of subagents, if they are loaded.
    pub(crate) fn roster(&self) -> Option<&Arc<Roster>> {
        self.roster.as_ref()
    }

    pub(crate) fn set_roster(&mut self, roster: Arc<Roster>) {
        self.roster = Some(roster);
    }

    /// Stores kinds that were loaded from files before the session started.
    pub(crate) fn preload(&mut self, roster: Roster) {
        self.preloaded = Some(roster);
    }

    /// Returns the kinds from files and from the host. Calls `read` if the files have not been loaded yet.
    pub(crate) fn read_roster(&mut self, read: impl FnOnce() -> Roster) -> Roster {
        let mut roster = self.preloaded.take().unwrap_or_else(read);
        if let Some(given) = &self.by_host {
            roster.add_json(given);
        }
        self.problems.extend(roster.problems.iter().cloned());
        roster
    }

    /// Stores definitions of the host.
    pub(crate) fn name_kinds(&mut self, kinds: Value) {
        self.by_host = Some(kinds);
        self.roster = None;
    }

    /// Drops the loaded kinds, since files may have changed. They are loaded again when needed.
    pub(crate) fn forget(&mut self) {
        self.roster = None;
        self.preloaded = None;
    }

    /// Returns the problems with definitions that have not been reported yet, and clears them.
    pub(crate) fn take_problems(&mut self) -> Vec<String> {
        std::mem::take(&mut self.problems)
    }

    pub(crate) fn add_problem(&mut self, problem: Option<String>) {
        self.problems.extend(problem);
    }

    /// The kinds that may be started; `None` allows all.
    pub(crate) fn may_start(&self) -> Option<&Vec<String>> {
        self.may_start.as_ref()
    }

    pub(crate) fn limit_to(&mut self, kinds: Option<Vec<String>>) {
        self.may_start = kinds;
    }

    /// True if the agent of `--agent` is unknown so far. The host may still define it in `initialize`.
    pub(crate) fn is_main_agent_missing(&self) -> bool {
        self.main_agent.missing
    }

    /// Keeps the initial prompt of the agent of `--agent`.
    pub(crate) fn keep_initial_prompt(&mut self, prompt: Option<String>) {
        self.main_agent.initial_prompt = prompt;
    }

    /// Returns and removes the initial prompt of the agent of `--agent`.
    pub(crate) fn take_initial_prompt(&mut self) -> Option<String> {
        self.main_agent.initial_prompt.take()
    }

    /// Sets that flag and returns its previous value.
    pub(crate) fn set_main_agent_missing(&mut self, main_agent_missing: bool) -> bool {
        std::mem::replace(&mut self.main_agent.missing, main_agent_missing)
    }

    /// Returns permission changes made by other sessions of the group since the last call.
    pub(crate) fn new_amendments(&mut self) -> Vec<PermissionUpdate> {
        let (updates, known) = self.shared.amendments(self.known, self.id());
        self.known = known;
        updates
    }

    /// Publishes a permission change of this session to the other sessions of the group.
    pub(crate) fn amend(&mut self, update: &PermissionUpdate) {
        let me = self.id().map(str::to_owned);
        self.known = self.shared.amend(me, update.clone());
    }

    /// Returns the settings of the top session if they changed since the last call. Always `None` in the top session.
    pub(crate) fn new_settings(&mut self) -> Option<Arc<SharedSettings>> {
        self.identity.as_ref()?;
        let (shared_settings, known) = self.shared.published(self.settings_known);
        self.settings_known = known;
        shared_settings
    }

    /// Sets whether a block that starts a subagent has just ended and is not processed yet.
    pub(crate) fn set_at_block(&mut self, at_block: bool) {
        self.pending_starts.at_block = at_block;
    }

    /// Returns true, and registers the subagent as held, if it must not send messages yet.
    pub(crate) fn hold_if_at_block(&mut self, id: &str) -> bool {
        if self.pending_starts.at_block {
            self.pending_starts.held.push(id.to_owned());
        }
        self.pending_starts.at_block
    }

    pub(crate) fn has_held(&self) -> bool {
        !self.pending_starts.held.is_empty()
    }

    /// Returns the held subagents, which may send messages now.
    pub(crate) fn take_held(&mut self) -> Vec<String> {
        std::mem::take(&mut self.pending_starts.held)
    }

    /// Sets whether ends of subagents that are reported from now on are part of an interrupt.
    pub(crate) fn set_interrupting(&mut self, interrupting: bool) {
        self.pending_ends.interrupted = interrupting;
    }

    /// Registers a subagent whose end has been reported and whose call results are reported later.
    pub(crate) fn defer_results(&mut self, id: &str) {
        self.pending_ends.waiting.push(id.to_owned());
    }

    /// Returns the subagents whose call results may be reported now.
    pub(crate) fn take_deferred_results(&mut self) -> Vec<String> {
        std::mem::take(&mut self.pending_ends.waiting)
    }

    /// The equipment that this subagent has not set up yet.
    pub(crate) fn equipment(&mut self) -> &mut Equipment {
        &mut self.equipment
    }

    /// Progress summaries of this subagent, if the host asked for them.
    pub(crate) fn summaries(&mut self) -> Option<&mut Summaries> {
        self.summaries.as_deref_mut()
    }

    /// Returns the next summary event: one is due, or one was written.
    pub(crate) async fn next_summary(&mut self) -> SummaryEvent {
        summaries::next(&mut self.summaries).await
    }

    /// The id of this session, if it is a subagent.
    pub(crate) fn id(&self) -> Option<&str> {
        self.identity.as_ref().map(|identity| identity.id.as_str())
    }

    /// A person denied a call and asked the agent to stop. A subagent then ends without a final message.
    pub(crate) fn refuse(&mut self) {
        if let Some(identity) = &mut self.identity {
            identity.refused = true;
        }
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.identity.as_ref().is_some_and(|identity| identity.refused)
    }

    pub(crate) fn stats(&self) -> SubagentStats {
        self.shared.stats()
    }

    /// Forwards a host's answer to the subagent that is waiting for it. Returns false if none is.
    pub(crate) fn route(&self, id: &str, answer: &ControlResponse) -> bool {
        let Some(inbox) = self.shared.take_ask(id) else {
            return false;
        };
        let answer = ToAgent::ControlResponse(Box::new(answer.clone()));
        deliver(inbox, Input::Message(Box::new(answer)));
        true
    }

    /// Signals to all subagents that the host's input has ended and no more answers will arrive.
    pub(crate) fn send_eof(&self) {
        for inbox in self.shared.close() {
            deliver(inbox, Input::Eof);
        }
    }
}

/// Returns the kinds of subagents defined by files, plugins and `--agents`.
pub(crate) fn of_files(options: &Options, catalogue: &Catalogue) -> Roster {
    let plugins = catalogue.plugins.agent_files().into_iter();
    let plugins = plugins.map(|(plugin, path)| Found {
        path,
        origin: AgentOrigin::Plugin,
        prefix: Some(plugin),
    });
    let settings = &options.settings;
    let bounds = settings.bounds();
    let mut roster = Roster::load(
        settings.places(),
        settings.customs(),
        plugins.collect(),
        bounds.as_deref(),
    );
    if let Some(given) = &options.agents.given {
        roster.add_argument(given, &options.cwd);
    }
    roster
}

/// Returns the problems of agent definitions: JSON text, or the path of a JSON file in `folder`.
#[must_use]
pub fn agent_problems(definitions: &str, folder: &Path) -> Vec<String> {
    let mut roster = Roster::default();
    roster.add_argument(definitions, folder);
    problems(&roster)
}

/// Returns the problems of these definitions, one sentence each.
pub(crate) fn problems(roster: &Roster) -> Vec<String> {
    roster.problems.iter().chain(&roster.left_out).cloned().collect()
}

impl Agents {
    /// Returns the problems of the definitions that were loaded.
    pub(crate) fn file_problems(&self) -> Vec<String> {
        self.roster.as_ref().map(|roster| problems(roster)).unwrap_or_default()
    }
}

/// Sends an input that must not be lost. If the inbox is full, a separate task delivers it. If the inbox is closed, the
/// subagent has ended and the input is dropped.
pub(crate) fn deliver(inbox: mpsc::Sender<Vec<Input>>, input: Input) {
    if let Err(mpsc::error::TrySendError::Full(inputs)) = inbox.try_send(vec![input]) {
        tokio::spawn(async move { inbox.send(inputs).await.ok() });
    }
}

/// Subagents whose start was announced while a message was still incomplete.
#[derive(Debug, Default)]
struct PendingStarts {
    /// A block that starts a subagent has just ended.
    at_block: bool,
    /// Ids of subagents that must not send messages yet.
    held: Vec<String>,
}

/// Subagents whose end was reported and whose call results are reported later.
#[derive(Debug, Default)]
struct PendingEnds {
    /// Ends that are reported now are part of an interrupt.
    interrupted: bool,
    waiting: Vec<String>,
}

/// Equipment that a subagent has not set up yet.
#[derive(Debug, Default)]
pub(crate) struct Equipment {
    /// Skills to preload.
    pub(crate) skills: Vec<String>,
    /// The kind that names the skills.
    pub(crate) kind: String,
    /// Problems with its MCP servers.
    pub(crate) problems: Vec<String>,
    /// MCP servers that belong to this subagent and end with it.
    pub(crate) servers: Option<Servers>,
}

impl Agents {
    /// True if ends that are reported now are part of an interrupt.
    pub(crate) fn is_interrupting(&self) -> bool {
        self.pending_ends.interrupted
    }

    /// Counts the end of a subagent in the statistics.
    pub(crate) fn count_end(&self, status: TaskStatus, by_person: bool) {
        let by = match (self.pending_ends.interrupted, by_person) {
            (true, _) => StopCause::Interrupt,
            (false, true) => StopCause::Person,
            (false, false) => StopCause::Parent,
        };
        self.shared.count_end(status, by);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sluice_wire::control::{ControlRequest, Request};

    use super::*;

    #[tokio::test]
    async fn answers_to_a_busy_subagent_are_not_lost() {
        let agents = Agents::default();
        let (inbox, mut received) = mpsc::channel(1);
        for id in ["q1", "q2", "q3"] {
            let request = ControlRequest {
                request_id: id.into(),
                request: Request::default(),
                ..ControlRequest::default()
            };
            agents.shared.register_ask(&request, &inbox);
        }
        for id in ["q1", "q2", "q3"] {
            assert!(agents.route(id, &ControlResponse::default()));
        }
        agents.send_eof();
        for _ in 0..3 {
            assert!(matches!(received.recv().await.unwrap().as_slice(), [Input::Message(_)]));
        }
    }
}
