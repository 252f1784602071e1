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
use sluice_servers::Servers;
use sluice_tools::TaskStatus;
use sluice_wire::ToAgent;
use sluice_wire::control::ControlResponse;
use sluice_wire::stdout::SubagentStats;
use tokio::sync::mpsc;

pub(crate) use brief::{Bench, Brief, BriefLine, BriefTools, Family};
pub(crate) use summaries::{EVERY, Summaries, Summed, next as next_summary};

use shared::{Ender, SharedAgents};

use crate::catalogue::Catalogue;
use crate::options::Options;
use crate::port::Input;

/// What a session knows about subagents.
#[derive(Debug, Default)]
pub(crate) struct Agents {
    pub(crate) shared: Arc<SharedAgents>,
    /// Read when it is first needed.
    pub(crate) roster: Option<Arc<Roster>>,
    /// What files say of them, where it was read before the session began.
    pub(crate) preloaded: Option<Roster>,
    /// What the host said in `initialize`.
    pub(crate) by_host: Option<Value>,
    /// Who this session is, if it is a subagent.
    pub(crate) seat: Option<Seat>,
    /// What the tools take from the session.
    pub(crate) bench: Arc<Bench>,
    /// How many changes of permissions are known.
    pub(crate) known: usize,
    /// How many changes of the settings are known.
    pub(crate) settings_known: u64,
    /// The kind that is to lead is not known; the host may still name it.
    pub(crate) leaderless: bool,
    /// The kinds that may be started; none is all.
    pub(crate) may_start: Option<Vec<String>>,
    /// What is wrong with definitions and was not told yet.
    pub(crate) problems: Vec<String>,
    pub(crate) beginning: Beginning,
    pub(crate) stopping: Stopping,
    pub(crate) equipment: Equipment,
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
pub(crate) fn tell(inbox: mpsc::Sender<Vec<Input>>, input: Input) {
    if let Err(mpsc::error::TrySendError::Full(inputs)) = inbox.try_send(vec![input]) {
        tokio::spawn(async move { inbox.send(inputs).await.ok() });
    }
}

/// Subagents that were announced in the middle of a message.
#[derive(Debug, Default)]
pub(crate) struct Beginning {
    /// A block has just ended that starts one.
    pub(crate) at_block: bool,
    /// Those who may not speak yet.
    pub(crate) silent: Vec<String>,
}

/// Subagents whose end was told and who may not yet say what became of their calls.
#[derive(Debug, Default)]
pub(crate) struct Stopping {
    /// Ends that are told now are part of an interrupt.
    pub(crate) interrupted: bool,
    pub(crate) waiting: Vec<String>,
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
