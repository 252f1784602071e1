//! Skills and commands that run in a subagent (`context: fork`).

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use sluice_catalogue::agents::builtin;
use sluice_permission::{Behavior, Rule, Source};
use sluice_tools::{Context, Outcome, agent_id};

use super::call::Order;
use super::child;
use super::supervise;
use crate::agents::relay::{Relay, SubagentLabel};
use crate::agents::{Brief, BriefSlot};
use crate::catalogue::entry::{Entry, Origin};
use crate::commands::Failure;
use crate::session::Session;
use crate::session_loop::SessionLoop;

/// The skill or command that a subagent runs.
#[derive(Debug, Clone)]
pub(crate) struct Fork {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Typed by a person: there is no tool call, and its messages are sent when it has ended.
    pub(crate) typed: bool,
    /// Additional allow rules.
    pub(crate) rules: Vec<Rule>,
    pub(crate) hooks: Option<(sluice_hooks::Origin, Value)>,
    /// Whether its hooks run; those of an untrusted project do not.
    pub(crate) trusted: bool,
}

/// Creates the order for a skill.
fn order(brief: &Brief, entry: &Entry, typed: bool) -> Result<Order, String> {
    let named = entry.agent.as_deref().and_then(|name| brief.family.roster.find(name));
    // As in the reference CLI, a missing agent is replaced by the general one.
    let Some(kind) = named.or_else(|| brief.family.roster.find(builtin::GENERAL)).cloned() else {
        return Err("There is no agent to carry it out".to_owned());
    };
    if let Some(why) = brief.denies(&kind.name) {
        return Err(why);
    }
    let foreign = entry.origin == Origin::Project && !brief.options.settings.trusted();
    let rule = |text: &String| Rule::parse(Behavior::Allow, Source::Command, &brief.options.cwd, text).ok();
    // A typed command has applied its rules and hooks to the session already.
    let lends = !typed && !foreign;
    let root = entry.path.parent().unwrap_or(&brief.options.cwd).to_owned();
    let named = entry.model.as_deref().or(kind.model.as_deref());
    Ok(Order {
        model: named.map_or_else(|| brief.model.clone(), |name| brief.client.names().resolve(Some(name))),
        effort: entry.effort.clone().or_else(|| kind.effort.clone()),
        mode: None,
        run_in_background: Some(false),
        background: false,
        isolated: kind.isolated,
        description: entry.description.clone(),
        prompt: String::new(),
        name: None,
        continued: None,
        fork: Some(Fork {
            id: agent_id(),
            name: entry.name.clone(),
            typed,
            rules: match lends {
                true => entry.allowed_tools.iter().filter_map(rule).collect(),
                false => Vec::new(),
            },
            hooks: entry.hooks.clone().filter(|_| !typed).map(|hooks| {
                let name = entry.name.clone();
                (sluice_hooks::Origin::Skill { name, root }, hooks)
            }),
            trusted: !foreign,
        }),
        kind,
    })
}

/// Runs a skill with `context: fork` that the model invoked.
pub(crate) async fn call(brief_slot: &BriefSlot, entry: &Entry, args: &str, cx: &Context) -> Outcome {
    let Some(brief) = brief_slot.brief() else {
        return Outcome::failed("No subagent can be started here");
    };
    let mut order = match order(&brief, entry, false) {
        Ok(order) => order,
        Err(why) => return Outcome::failed(why),
    };
    match read(&brief, &order, entry, args).await {
        Ok(prompt) => order.prompt = prompt,
        Err(Failure::Failed(why)) => return Outcome::failed(why),
        Err(Failure::Stopped) => return Outcome::interrupted(),
    }
    supervise::start(brief, order, cx).await
}

/// Expands the skill with the permissions of the subagent: its shell commands run under the same rules.
async fn read(brief: &Arc<Brief>, order: &Order, entry: &Entry, args: &str) -> Result<String, Failure> {
    let relay = Relay::silent(SubagentLabel::default());
    let mut reader = child::make(brief, order, Arc::new(relay), PathBuf::new(), &brief.tools.cwd);
    let text = reader.session.expand(entry, args).await;
    reader.quit.cancel();
    text
}

impl Session {
    /// Sends the held messages of a subagent.
    pub(crate) async fn emit_held_messages(&mut self, id: &str) {
        let kept = self
            .agents
            .shared()
            .member(id)
            .map(|member| member.relay.take_held_messages());
        for message in kept.unwrap_or_default() {
            self.line.out().forward(message).await;
        }
    }
}

impl SessionLoop {
    /// Runs a command that a person typed in a subagent. Returns the id of the subagent, and its outcome unless the
    /// turn has to stop.
    pub(crate) async fn run_fork(&mut self, entry: &Entry, prompt: String) -> (String, Option<Outcome>) {
        let roster = self.session.load_roster();
        self.session.calls.reset(self.session.line.quit());
        let brief = Arc::new(self.session.brief(&roster));
        let mut order = match order(&brief, entry, true) {
            Ok(order) => order,
            Err(why) => return (String::new(), Some(Outcome::failed(why))),
        };
        order.prompt = prompt;
        let id = order.fork.as_ref().map(|fork| fork.id.clone()).unwrap_or_default();
        let context = self.session.context("");
        let mut running = Box::pin(async move { supervise::start(brief, order, &context).await });
        let outcome = match self.wait_for(Some(running.as_mut())).await {
            crate::session_loop::WaitOutcome::Ready(outcome) => {
                self.session.drain_events().await;
                Some(outcome)
            }
            crate::session_loop::WaitOutcome::Stopped | crate::session_loop::WaitOutcome::CallsDone => {
                self.session.stop_agents().await;
                None
            }
        };
        (id, outcome)
    }
}
