//! Subagents: sessions that work for a session.
//!
//! A subagent has a conversation, tools, a model and a system prompt of its own, and runs in a task of its own. It
//! shares with the session that started it the account, the commands that run, the web and the rules: whatever is denied
//! above is denied below, and what a person allows below is allowed everywhere. Each ends once: in the result of the
//! call that started it, or in a notification and a turn of its own.
//!
//! * `definition`, `builtin`, `roster`: the kinds there are;
//! * `call`: the tool that starts one; `message`: the tool that goes on with one; `list`: the tool that says who works;
//! * `begin`, `stop`: where in a message one begins, and what an interrupt ends;
//! * `brief`: what a subagent is given; `child`: the session it is; `supervise`: its life;
//! * `relay`, `mouth`: what hosts hear of it; `report`: what its call comes to;
//! * `equip`: skills and servers its kind brings; `forks`: skills an agent of their own carries out;
//! * `revive`: going on with those of an earlier process;
//! * `summaries`: what one is at, in its own words;
//! * `shared`: what all of them share; `lead`: a session led by one; `inspect`: one that answers a hook;
//! * `notebook`: what one has learnt; `worktree`: a work tree of its own.

mod begin;
mod brief;
mod builtin;
mod call;
mod child;
mod definition;
mod equip;
mod forks;
mod inspect;
mod lead;
mod list;
mod message;
mod mouth;
mod notebook;
mod relay;
mod report;
mod revive;
mod roster;
mod shared;
mod stop;
mod summaries;
mod supervise;
mod worktree;

use std::sync::Arc;

use serde_json::Value;
use sluice_permission::PermissionMode;
use sluice_wire::ToAgent;
use sluice_wire::control::ControlResponse;
use sluice_wire::stdout::SubagentStats;
use tokio::sync::mpsc;

pub(crate) use brief::Bench;
pub(crate) use child::Part;
pub(crate) use definition::{Definition, Origin};
pub(crate) use forks::call as call_fork;
pub(crate) use inspect::inspect;
pub(crate) use roster::Roster;
pub(crate) use summaries::{Summaries, Summed, next as next_summary};

use shared::{SharedAgents, Standing};

use crate::catalogue::Catalogue;
use crate::messages;
use crate::options::Options;
use crate::policy::World;
use crate::port::Input;
use crate::session::Session;

/// What a session knows about subagents.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    pub(crate) shared: Arc<SharedAgents>,
    /// Read when it is first needed.
    roster: Option<Arc<Roster>>,
    /// What the host said in `initialize`.
    by_host: Option<Value>,
    /// Who this session is, if it is a subagent.
    seat: Option<Seat>,
    /// What the tools take from the session.
    pub(crate) bench: Arc<Bench>,
    /// How many changes of permissions are known.
    known: usize,
    /// How many changes of the settings are known.
    settings_known: u64,
    /// The kind that is to lead is not known; the host may still name it.
    pub(crate) leaderless: bool,
    /// The kinds that may be started; none is all.
    may_start: Option<Vec<String>>,
    /// What is wrong with definitions and was not told yet.
    problems: Vec<String>,
    beginning: begin::Beginning,
    stopping: stop::Stopping,
    equipment: equip::Equipment,
    /// Where the host wants to be told what this subagent is at.
    pub(crate) summaries: Option<Box<Summaries>>,
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
    let plugins = plugins.map(|(plugin, path)| roster::Found {
        path,
        origin: definition::Origin::Plugin,
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
pub(crate) fn problems(options: &Options, catalogue: &Catalogue) -> Vec<String> {
    of_files(options, catalogue).problems
}

impl Agents {
    /// What is wrong with the definitions that were read.
    pub(crate) fn file_problems(&self) -> &[String] {
        self.roster.as_ref().map_or(&[], |roster| &roster.problems)
    }
}

/// Tells a subagent something that must reach it, beside the session where its inbox is full. One that does not take it
/// has ended meanwhile.
fn tell(inbox: mpsc::Sender<Vec<Input>>, input: Input) {
    if let Err(mpsc::error::TrySendError::Full(inputs)) = inbox.try_send(vec![input]) {
        tokio::spawn(async move { inbox.send(inputs).await.ok() });
    }
}

/// How much a mode lets through unasked. A mode nobody knows lets nothing through.
fn freedom(mode: &PermissionMode) -> u8 {
    match mode {
        PermissionMode::Plan => 0,
        PermissionMode::DontAsk => 1,
        PermissionMode::AcceptEdits => 3,
        PermissionMode::Auto => 4,
        PermissionMode::BypassPermissions => 5,
        _ => 2,
    }
}

impl Session {
    /// The kinds of subagents there are, and the tools to start them with; read once.
    pub(crate) fn load_roster(&mut self) -> Arc<Roster> {
        if let Some(roster) = &self.agents.roster {
            return roster.clone();
        }
        let mut roster = of_files(&self.options, &self.commands.catalogue);
        if let Some(given) = &self.agents.by_host {
            roster.add_json(given);
        }
        self.agents.problems.extend(roster.problems.iter().cloned());
        let roster = Arc::new(roster);
        self.take_roster(roster.clone());
        roster
    }

    /// Names what is wrong with definitions, each thing once.
    pub(crate) async fn say_agent_problems(&mut self) {
        for problem in std::mem::take(&mut self.agents.problems) {
            if !self.line.told_problems.contains(&problem) {
                self.say(messages::informational(&problem, "warning")).await;
                self.line.told_problems.push(problem);
            }
        }
    }

    /// Offers these kinds.
    fn take_roster(&mut self, roster: Arc<Roster>) {
        let shown = |name: &str| {
            let allowed = self.agents.may_start.as_ref();
            allowed.is_none_or(|types| types.iter().any(|known| known == name)) && !self.denies_kind(name)
        };
        let kinds = roster.kinds().filter(|kind| shown(&kind.name));
        let start = call::AgentTool::new(kinds, self.agents.bench.clone());
        let go_on = message::SendMessage::new(self.agents.bench.clone());
        let say_who = list::ListAgents::new(self.agents.bench.clone());
        let of_ours = |name: &str| [call::NAME, message::NAME, list::NAME].contains(&name);
        self.tooling.extras.retain(|tool| !of_ours(&tool.descriptor().name));
        self.tooling.extras.push(Arc::new(start));
        self.tooling.extras.push(Arc::new(go_on));
        self.tooling.extras.push(Arc::new(say_who));
        self.agents.roster = Some(roster);
    }

    fn denies_kind(&self, name: &str) -> bool {
        let input = serde_json::json!({"subagent_type": name});
        self.decide(call::FACTS, &input).behavior == sluice_permission::Verdict::Deny
    }

    /// The host names kinds of its own.
    pub(crate) fn take_agents(&mut self, agents: Option<Value>) {
        if agents.is_some() {
            self.agents.by_host = agents;
            self.agents.roster = None;
        }
    }

    /// What is on disk may have changed: it is read again when it is next needed.
    pub(crate) fn forget_agents(&mut self) {
        self.agents.roster = None;
    }

    /// The names of the kinds, as `init` tells them.
    pub(crate) fn agent_names(&self) -> Vec<String> {
        self.agents
            .roster
            .as_ref()
            .map(|roster| roster.names())
            .unwrap_or_default()
    }

    /// Takes over what was allowed or forbidden elsewhere in the session since.
    pub(crate) async fn catch_up(&mut self) {
        self.catch_up_settings();
        let (updates, known) = self.agents.shared.amendments(self.agents.known, self.agents.id());
        self.agents.known = known;
        let own_mode = self.agents.seat.as_ref().is_some_and(|seat| seat.own_mode);
        for update in updates {
            if own_mode
                && let sluice_permission::PermissionUpdate::SetMode(set) = &update
                && freedom(&set.mode) >= freedom(&self.policy.mode)
            {
                continue;
            }
            let before = self.policy.mode.clone();
            let places = self.options.settings.places().clone();
            let applied = sluice_permission::apply(&mut self.policy, &update, &|source| places.root(source), &World);
            if let Ok(Some(_)) = applied {
                // It was written down: the file decides what holds.
                self.reread_settings();
            }
            if self.policy.mode != before {
                self.say(messages::mode(&self.policy.mode)).await;
            }
        }
    }

    /// The settings of the session at the top hold for its subagents too, as soon as they begin something.
    fn catch_up_settings(&mut self) {
        if self.agents.seat.is_none() {
            return;
        }
        let (standing, known) = self.agents.shared.published(self.agents.settings_known);
        self.agents.settings_known = known;
        if let Some(standing) = standing {
            self.adopt(standing.settings.clone());
            self.hooks.inherit(&standing.hooks);
        }
    }

    /// Tells the subagents that other settings hold.
    pub(crate) fn publish_settings(&self) {
        if self.agents.seat.is_none() {
            self.agents.shared.publish(Standing {
                settings: self.options.settings.clone(),
                hooks: self.hooks_for_agents(),
            });
        }
    }

    /// Tells the rest of the session what was allowed or forbidden here.
    pub(crate) fn amend(&mut self, update: &sluice_permission::PermissionUpdate) {
        let me = self.agents.id().map(str::to_owned);
        self.agents.known = self.agents.shared.amend(me, update.clone());
    }

    /// Tells the rest of the session that the host switched the mode.
    pub(crate) fn amend_mode(&mut self, mode: &sluice_permission::PermissionMode) {
        let update = sluice_wire::permission_update::SetMode {
            mode: mode.clone(),
            destination: sluice_wire::permission_update::Destination::Session,
            ..Default::default()
        };
        self.amend(&update.into());
    }

    /// The session waits for a person when one of its subagents does.
    pub(crate) async fn agents_wait(&mut self) {
        let own = !self.calls.open_asks().is_empty();
        let theirs = !self.agents.shared.open_asks().is_empty();
        if own || theirs {
            self.enter(messages::State::RequiresAction).await;
        } else if self.line.state == messages::State::RequiresAction {
            let state = if self.turn.open {
                messages::State::Running
            } else {
                messages::State::Idle
            };
            self.enter(state).await;
        }
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
