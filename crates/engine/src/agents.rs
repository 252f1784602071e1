//! What a session knows about subagents: the kinds there are, the ones at work, and its own place among them.
//!
//! * `names`: the tools that start and reach subagents;
//! * `brief`: what a subagent is given;
//! * `shared`: what all subagents of a session share;
//! * `relay`: what hosts hear of one; `summaries`: what one is at, in its own words.
//!
//! How subagents are started, supervised and ended is `subagents`.

mod brief;
pub(crate) mod names;
pub(crate) mod relay;
pub(crate) mod shared;
mod summaries;

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

pub(crate) use brief::{Bench, Brief, BriefLine, BriefTools, Family};
pub(crate) use summaries::{EVERY, Summaries, Summed};

use shared::{Ender, SharedAgents, Standing};

use crate::catalogue::Catalogue;
use crate::options::Options;
use crate::port::Input;

/// What a session knows about subagents.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    shared: Arc<SharedAgents>,
    /// Read when it is first needed.
    roster: Option<Arc<Roster>>,
    /// What files say of them, where it was read before the session began.
    preloaded: Option<Roster>,
    /// What the host said in `initialize`.
    by_host: Option<Value>,
    /// Who this session is, if it is a subagent.
    seat: Option<Seat>,
    /// What the tools take from the session.
    bench: Arc<Bench>,
    /// How many changes of permissions are known.
    known: usize,
    /// How many changes of the settings are known.
    settings_known: u64,
    /// The kind that is to lead is not known; the host may still name it.
    leaderless: bool,
    /// The kinds that may be started; none is all.
    may_start: Option<Vec<String>>,
    /// What is wrong with definitions and was not told yet.
    problems: Vec<String>,
    beginning: Beginning,
    stopping: Stopping,
    equipment: Equipment,
    /// Where the host wants to be told what this subagent is at.
    summaries: Option<Box<Summaries>>,
}

/// A subagent's place.
#[derive(Debug, Clone)]
pub(crate) struct Seat {
    pub(crate) id: String,
    pub(crate) depth: u32,
    /// It was given a mode of its own: it follows the session only where that asks more.
    pub(crate) own_mode: bool,
    /// A person refused a call of it and wanted it to stop.
    pub(crate) refused: bool,
}

impl Agents {
    /// Those of a subagent's session.
    pub(crate) fn of_subagent(family: &Family, top: mpsc::Sender<ToolEvent>, seat: Seat) -> Self {
        Self {
            known: family.shared.amendments(0, None).1,
            settings_known: family.shared.published(u64::MAX).1,
            shared: family.shared.clone(),
            bench: Arc::new(Bench::below(top)),
            seat: Some(seat),
            ..Self::default()
        }
    }

    /// What it is equipped with, what it may start, and whether the host is told what it is at.
    pub(crate) fn equip(&mut self, equipment: Equipment, may_start: Option<Vec<String>>, summaries: Option<Summaries>) {
        self.equipment = equipment;
        self.may_start = may_start;
        self.summaries = summaries.map(Box::new);
    }

    pub(crate) fn shared(&self) -> &Arc<SharedAgents> {
        &self.shared
    }

    /// What the tools take from the session.
    pub(crate) fn bench(&self) -> &Arc<Bench> {
        &self.bench
    }

    /// Who this session is, if it is a subagent.
    pub(crate) fn seat(&self) -> Option<&Seat> {
        self.seat.as_ref()
    }

    /// The kinds there are, once they were read.
    pub(crate) fn roster(&self) -> Option<&Arc<Roster>> {
        self.roster.as_ref()
    }

    /// The kinds were read.
    pub(crate) fn set_roster(&mut self, roster: Arc<Roster>) {
        self.roster = Some(roster);
    }

    /// The kinds of files were read before the session began.
    pub(crate) fn preload(&mut self, roster: Roster) {
        self.preloaded = Some(roster);
    }

    /// The kinds of files, by `read` where they were not read before, and those of the host.
    pub(crate) fn read_roster(&mut self, read: impl FnOnce() -> Roster) -> Roster {
        let mut roster = self.preloaded.take().unwrap_or_else(read);
        if let Some(given) = &self.by_host {
            roster.add_json(given);
        }
        self.problems.extend(roster.problems.iter().cloned());
        roster
    }

    /// The host names kinds of its own.
    pub(crate) fn name_kinds(&mut self, kinds: Value) {
        self.by_host = Some(kinds);
        self.roster = None;
    }

    /// What is on disk may have changed: it is read again when it is next needed.
    pub(crate) fn forget(&mut self) {
        self.roster = None;
        self.preloaded = None;
    }

    /// What is wrong with definitions and was not told yet.
    pub(crate) fn take_problems(&mut self) -> Vec<String> {
        std::mem::take(&mut self.problems)
    }

    pub(crate) fn add_problem(&mut self, problem: Option<String>) {
        self.problems.extend(problem);
    }

    /// The kinds that may be started; none is all.
    pub(crate) fn may_start(&self) -> Option<&Vec<String>> {
        self.may_start.as_ref()
    }

    pub(crate) fn limit_to(&mut self, kinds: Option<Vec<String>>) {
        self.may_start = kinds;
    }

    /// Whether the kind that is to lead is not known; the host may still name it.
    pub(crate) fn is_leaderless(&self) -> bool {
        self.leaderless
    }

    /// Sets that; gives what it was.
    pub(crate) fn set_leaderless(&mut self, leaderless: bool) -> bool {
        std::mem::replace(&mut self.leaderless, leaderless)
    }

    /// Changes of permissions elsewhere in the session that are new here.
    pub(crate) fn new_amendments(&mut self) -> Vec<PermissionUpdate> {
        let (updates, known) = self.shared.amendments(self.known, self.id());
        self.known = known;
        updates
    }

    /// Permissions were changed here: all others are told.
    pub(crate) fn amend(&mut self, update: &PermissionUpdate) {
        let me = self.id().map(str::to_owned);
        self.known = self.shared.amend(me, update.clone());
    }

    /// The settings of the session at the top, where they are new to this subagent.
    pub(crate) fn new_settings(&mut self) -> Option<Arc<Standing>> {
        self.seat.as_ref()?;
        let (standing, known) = self.shared.published(self.settings_known);
        self.settings_known = known;
        standing
    }

    /// A block ends that starts a subagent, or has been dealt with.
    pub(crate) fn set_at_block(&mut self, at_block: bool) {
        self.beginning.at_block = at_block;
    }

    /// Whether a subagent that begins now may not speak yet; then it is remembered.
    pub(crate) fn silence(&mut self, id: &str) -> bool {
        if self.beginning.at_block {
            self.beginning.silent.push(id.to_owned());
        }
        self.beginning.at_block
    }

    pub(crate) fn any_silent(&self) -> bool {
        !self.beginning.silent.is_empty()
    }

    /// Those who may speak now.
    pub(crate) fn take_silent(&mut self) -> Vec<String> {
        std::mem::take(&mut self.beginning.silent)
    }

    /// Ends that are told now are part of an interrupt, or no longer.
    pub(crate) fn set_interrupting(&mut self, interrupting: bool) {
        self.stopping.interrupted = interrupting;
    }

    /// The end of this one was told; what became of its calls is told later.
    pub(crate) fn wait_with(&mut self, id: &str) {
        self.stopping.waiting.push(id.to_owned());
    }

    /// Those whose calls may be told of now.
    pub(crate) fn take_waiting(&mut self) -> Vec<String> {
        std::mem::take(&mut self.stopping.waiting)
    }

    /// What this subagent has not taken up yet.
    pub(crate) fn equipment(&mut self) -> &mut Equipment {
        &mut self.equipment
    }

    /// Where the host wants to be told what this subagent is at.
    pub(crate) fn summaries(&mut self) -> Option<&mut Summaries> {
        self.summaries.as_deref_mut()
    }

    /// The next summary that is due or made.
    pub(crate) async fn next_summary(&mut self) -> Summed {
        summaries::next(&mut self.summaries).await
    }

    /// Who this session is, if it is a subagent.
    pub(crate) fn id(&self) -> Option<&str> {
        self.seat.as_ref().map(|seat| seat.id.as_str())
    }

    /// A person refused a call and wants all of it to stop: a subagent ends without a word about it.
    pub(crate) fn refuse(&mut self) {
        if let Some(seat) = &mut self.seat {
            seat.refused = true;
        }
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.seat.as_ref().is_some_and(|seat| seat.refused)
    }

    pub(crate) fn stats(&self) -> SubagentStats {
        self.shared.stats()
    }

    /// An answer that is for a subagent goes to it; true if it was.
    pub(crate) fn route(&self, id: &str, answer: &ControlResponse) -> bool {
        let Some(inbox) = self.shared.take_ask(id) else {
            return false;
        };
        let answer = ToAgent::ControlResponse(Box::new(answer.clone()));
        tell(inbox, Input::Message(Box::new(answer)));
        true
    }

    /// Nobody will answer any more.
    pub(crate) fn tell_eof(&self) {
        for inbox in self.shared.close() {
            tell(inbox, Input::Eof);
        }
    }
}

/// The kinds of subagents that files, plugins and `--agents` bring.
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

/// What is wrong with the definitions of these, each a sentence.
pub(crate) fn problems(roster: &Roster) -> Vec<String> {
    roster.problems.iter().chain(&roster.left_out).cloned().collect()
}

impl Agents {
    /// What is wrong with the definitions that were read.
    pub(crate) fn file_problems(&self) -> Vec<String> {
        self.roster.as_ref().map(|roster| problems(roster)).unwrap_or_default()
    }
}

/// Tells a subagent something that must reach it, beside the session where its inbox is full. One that does not take it
/// has ended meanwhile.
pub(crate) fn tell(inbox: mpsc::Sender<Vec<Input>>, input: Input) {
    if let Err(mpsc::error::TrySendError::Full(inputs)) = inbox.try_send(vec![input]) {
        tokio::spawn(async move { inbox.send(inputs).await.ok() });
    }
}

/// Subagents that were announced in the middle of a message.
#[derive(Debug, Default)]
struct Beginning {
    /// A block has just ended that starts one.
    at_block: bool,
    /// Those who may not speak yet.
    silent: Vec<String>,
}

/// Subagents whose end was told and who may not yet say what became of their calls.
#[derive(Debug, Default)]
struct Stopping {
    /// Ends that are told now are part of an interrupt.
    interrupted: bool,
    waiting: Vec<String>,
}

/// What a subagent has not taken up yet.
#[derive(Debug, Default)]
pub(crate) struct Equipment {
    /// Skills it is to know, and the kind that names them.
    pub(crate) skills: Vec<String>,
    pub(crate) kind: String,
    /// What is wrong with its servers.
    pub(crate) problems: Vec<String>,
    /// Servers of its own, which end with it.
    pub(crate) servers: Option<Servers>,
}

impl Agents {
    /// Whether ends that are told now are part of an interrupt.
    pub(crate) fn is_interrupting(&self) -> bool {
        self.stopping.interrupted
    }

    /// A subagent has ended.
    pub(crate) fn count_end(&self, status: TaskStatus, by_person: bool) {
        let by = match (self.stopping.interrupted, by_person) {
            (true, _) => Ender::Interrupt,
            (false, true) => Ender::Person,
            (false, false) => Ender::Parent,
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
    async fn no_answer_is_lost_where_a_subagent_is_too_busy_to_take_it() {
        let agents = Agents::default();
        let (inbox, mut heard) = mpsc::channel(1);
        for id in ["q1", "q2", "q3"] {
            let request = ControlRequest {
                request_id: id.into(),
                request: Request::default(),
                ..ControlRequest::default()
            };
            agents.shared.asked(&request, &inbox);
        }
        for id in ["q1", "q2", "q3"] {
            assert!(agents.route(id, &ControlResponse::default()));
        }
        agents.tell_eof();
        for _ in 0..3 {
            assert!(matches!(heard.recv().await.unwrap().as_slice(), [Input::Message(_)]));
        }
    }
}
