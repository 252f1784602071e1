//! The tool that says more to a subagent, running or ended: `SendMessage`.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_tools::{Context, Descriptor, Invalid, Outcome, Pending, Tool};
use sluice_wire::ToAgent;
use sluice_wire::stdin;

use super::brief::{Bench, Brief};
use super::call::{Again, Order};
use super::crew::Member;
use super::{builtin, oversee, revive};
use crate::history::History;
use crate::port::Input as Heard;

/// The tool's name.
pub(crate) const NAME: &str = "SendMessage";

const ABOUT: &str = "Says something to a subagent you started with Agent. One that still works reads it before it asks its \
    model again; one that has ended goes on in the background with all it knows, and you are told when it has ended again.";

/// Says more to a subagent.
#[derive(Debug)]
pub(crate) struct SendMessage {
    descriptor: Descriptor,
    bench: Arc<Bench>,
}

#[derive(Debug, Deserialize)]
struct Input {
    to: String,
    message: String,
}

impl SendMessage {
    pub(crate) fn new(bench: Arc<Bench>) -> Self {
        Self {
            descriptor: Descriptor {
                name: NAME.into(),
                description: ABOUT.into(),
                schema: json!({
                    "type": "object",
                    "properties": {
                        "to": {"type": "string", "description": "The subagent's id, or the name it was given."},
                        "message": {"type": "string", "description": "What it is told."},
                    },
                    "required": ["to", "message"],
                }),
                aliases: &[],
                default: true,
                needs_person: false,
            },
            bench,
        }
    }
}

impl Tool for SendMessage {
    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    fn check(&self, input: &Value, _cwd: &Path) -> Result<Value, Invalid> {
        self.descriptor.checked(input)
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let (Some(brief), Ok(input)) = (self.bench.brief(), serde_json::from_value::<Input>(input)) else {
                return Outcome::failed("No subagent can be reached from here");
            };
            let known = match brief.crew.member(&input.to) {
                Some(member) => match &member.history {
                    None => return tell(&member, input.message).await,
                    Some(history) => Some(Resting::new(&member, history)),
                },
                None => revive::find(&brief, &input.to),
            };
            match known {
                Some(resting) => go_on(brief, resting, input.message, cx).await,
                None => Outcome::failed(format!(
                    "There is no subagent {}: start one with Agent, or give the id it was started under",
                    input.to
                )),
            }
        })
    }
}

/// One that still works reads it before its next request.
async fn tell(member: &Member, message: String) -> Outcome {
    let mut user = stdin::User::default();
    user.message.role = "user".to_owned();
    user.message.content = message.into();
    let heard = Heard::Message(Box::new(ToAgent::User(Box::new(user))));
    if member.inbox.send(vec![heard]).await.is_err() {
        return Outcome::failed(format!(
            "Subagent {} has just ended: say it again to go on with it",
            member.id
        ));
    }
    let result = json!({"success": true, "agentId": member.id, "status": "queued"});
    Outcome::ok(
        format!("Subagent {} will read it before its next step.", member.id),
        result,
    )
}

/// A subagent that has ended and can be gone on with.
#[derive(Debug)]
pub(crate) struct Resting {
    pub(crate) kind: String,
    pub(crate) description: String,
    pub(crate) name: Option<String>,
    pub(crate) again: Again,
}

impl Resting {
    fn new(member: &Member, history: &History) -> Self {
        Self {
            kind: member.kind.clone(),
            description: member.description.clone(),
            name: member.name.clone(),
            again: Again {
                id: member.id.clone(),
                call_id: member.relay.badge.call_id.clone(),
                history: history.clone(),
            },
        }
    }
}

/// One that has ended begins again where it stopped.
async fn go_on(brief: Arc<Brief>, resting: Resting, message: String, cx: &Context) -> Outcome {
    let kind = brief
        .roster
        .find(&resting.kind)
        .or_else(|| brief.roster.find(builtin::GENERAL));
    let Some(kind) = kind.cloned() else {
        return Outcome::failed(format!("There are no agents of the kind {} any more", resting.kind));
    };
    let model = kind.model.as_deref();
    let id = resting.again.id.clone();
    let background = !brief.options.agents.never_in_background;
    let order = Order {
        model: model.map_or_else(|| brief.model.clone(), |name| sluice_model::models::resolve(Some(name))),
        effort: kind.effort.clone(),
        mode: None,
        wanted: Some(true),
        background,
        isolated: false,
        description: resting.description,
        prompt: message,
        name: resting.name,
        again: Some(resting.again),
        fork: None,
        kind,
    };
    let mut outcome = oversee::start(brief, order, cx).await;
    if background && outcome.is_error != Some(true) {
        outcome.result = json!({"success": true, "message": format!("Resuming agent {id}"), "resumedAgentId": id});
    }
    outcome
}
