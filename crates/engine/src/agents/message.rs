//! The tool that says more to a subagent, running or ended: `SendMessage`.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_tools::{Context, Descriptor, Invalid, Outcome, Pending, Tool};
use sluice_wire::ToAgent;
use sluice_wire::stdin;

use super::brief::{Bench, Brief};
use super::call::Order;
use super::crew::Member;
use super::{builtin, oversee};
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
            let Some(member) = brief.crew.member(&input.to) else {
                return Outcome::failed(format!(
                    "There is no subagent {}: start one with Agent, or give the id it was started under",
                    input.to
                ));
            };
            match member.history.clone() {
                None => tell(&member, input.message).await,
                Some(_) => go_on(brief, member, input.message, cx).await,
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

/// One that has ended begins again where it stopped.
async fn go_on(brief: Arc<Brief>, member: Member, message: String, cx: &Context) -> Outcome {
    let kind = brief
        .roster
        .find(&member.kind)
        .or_else(|| brief.roster.find(builtin::GENERAL));
    let Some(kind) = kind.cloned() else {
        return Outcome::failed(format!("There are no agents of the kind {} any more", member.kind));
    };
    let model = kind.model.as_deref();
    let order = Order {
        model: model.map_or_else(|| brief.model.clone(), |name| sluice_model::models::resolve(Some(name))),
        effort: kind.effort.clone(),
        mode: None,
        wanted: Some(true),
        background: !brief.options.agents.never_in_background,
        isolated: false,
        description: member.description.clone(),
        prompt: message,
        name: member.name.clone(),
        again: member.history.map(|history| (member.id, history)),
        kind,
    };
    oversee::start(brief, order, cx).await
}
