//! The `SendMessage` tool, which sends a message to a running or finished subagent.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_catalogue::agents::builtin;
use sluice_permission::{PermissionMode, Touches};
use sluice_tools::{Context, Descriptor, Invalid, Outcome, Pending, Tool};
use sluice_wire::ToAgent;
use sluice_wire::stdin;

use super::call::{Continued, Order};
use super::{revive, supervise};
use crate::agents::names;
use crate::agents::shared::Member;
use crate::agents::{Brief, BriefSlot};
use crate::history::History;
use crate::port::Input as SessionInput;

const ABOUT: &str = "Says something to a subagent you started with Agent. One that still works reads it before it asks its \
    model again; one that has ended goes on in the background with all it knows, and you are told when it has ended again.";

/// Input fields for display, which are not part of the call.
const SHOWN: [&str; 4] = ["type", "recipient", "recipient_kind", "content"];

/// The `SendMessage` tool.
#[derive(Debug)]
pub(crate) struct SendMessage {
    descriptor: Descriptor,
    brief_slot: Arc<BriefSlot>,
}

#[derive(Debug, Deserialize)]
struct Input {
    to: String,
    message: String,
}

/// True if the recipient is an id rather than a name.
fn is_id(to: &str) -> bool {
    let digits = to.strip_prefix('a').unwrap_or_default();
    digits.len() == 16 && digits.chars().all(|digit| digit.is_ascii_hexdigit())
}

/// A short suffix of the id that distinguishes subagents of the same name.
pub(super) fn tag(id: &str) -> &str {
    id.get(id.len().saturating_sub(6)..).unwrap_or(id)
}

/// The recipient of a message.
fn recipient(id: &str, name: Option<&str>) -> Value {
    json!({"id": id, "name": name.unwrap_or(id), "ref": tag(id)})
}

/// The outcome: the model receives the same content as the host, as text.
fn text_outcome(response: &Value, further: Value) -> Outcome {
    let mut result = response.clone();
    if let (Some(result), Value::Object(further)) = (result.as_object_mut(), further) {
        result.extend(further);
    }
    Outcome::ok(json!([{"type": "text", "text": response.to_string()}]), result)
}

/// The message was not sent. This is not an error.
fn not_sent(message: &str, display: Option<String>) -> Outcome {
    let further = display.map_or_else(|| json!({}), |display| json!({"display": display}));
    text_outcome(&json!({"success": false, "message": message}), further)
}

impl SendMessage {
    pub(crate) fn new(brief_slot: Arc<BriefSlot>) -> Self {
        Self {
            descriptor: Descriptor {
                name: names::SEND_MESSAGE.into(),
                description: ABOUT.into(),
                schema: json!({
                    "type": "object",
                    "properties": {
                        "to": {"type": "string", "description": "The subagent's id, or the name it was given."},
                        "message": {"type": "string", "description": "What it is told."},
                        "summary": {"type": "string", "description": "The message in five to ten words, for whoever watches."},
                    },
                    "required": ["to", "message"],
                }),
                touches: Touches::Nothing,
                ..Descriptor::default()
            },
            brief_slot,
        }
    }
}

impl Tool for SendMessage {
    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    fn check(&self, input: &Value, cwd: &Path) -> Result<Value, Invalid> {
        // Fields for display are not part of the input.
        let mut asked = input.clone();
        if let Some(fields) = asked.as_object_mut() {
            SHOWN.iter().for_each(|key| drop(fields.remove(*key)));
        }
        self.descriptor.checked(&asked, cwd)
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    /// Adds the recipient to the input that hosts display.
    fn present<'a>(&'a self, input: &'a Value, _cx: &'a Context) -> Pending<'a, Option<Value>> {
        Box::pin(async move {
            let mut fields = input.as_object()?.clone();
            let to = input.get("to")?.as_str()?;
            let kind = if is_id(to) { "agent" } else { "name" };
            fields.insert("type".to_owned(), json!("message"));
            fields.insert("recipient".to_owned(), json!(to));
            fields.insert("recipient_kind".to_owned(), json!(kind));
            fields.insert("content".to_owned(), input.get("message")?.clone());
            Some(Value::Object(fields))
        })
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let (Some(brief), Ok(input)) = (self.brief_slot.brief(), serde_json::from_value::<Input>(input)) else {
                return Outcome::failed("No subagent can be reached from here");
            };
            let known = match brief.family.shared.member(&input.to) {
                Some(member) => match &member.history {
                    None => return send_to_running(&member, input.message).await,
                    Some(history) => Some(Finished::new(&member, history)),
                },
                None => revive::find(&brief, &input.to),
            };
            match known {
                Some(finished) => continue_finished(brief, finished, input.message, cx).await,
                None if is_id(&input.to) => not_sent(
                    &format!(
                        "Agent \"{}\" could not be resumed: this session has no transcript of it. Start one with Agent.",
                        input.to
                    ),
                    None,
                ),
                None => not_sent(
                    &format!(
                        "No agent named '{}' is reachable. ListAgents says who is; Agent starts another.",
                        input.to
                    ),
                    Some(format!("Not sent: no agent named '{}' is reachable.", input.to)),
                ),
            }
        })
    }
}

/// Sends a message to a running subagent, which reads it before its next model request.
async fn send_to_running(member: &Member, message: String) -> Outcome {
    let mut user = stdin::User::default();
    user.message.role = "user".to_owned();
    user.message.content = message.into();
    let input = SessionInput::Message(Box::new(ToAgent::User(Box::new(user))));
    if member.inbox.send(vec![input]).await.is_err() {
        return Outcome::failed(format!(
            "Subagent {} has just ended: say it again to go on with it",
            member.id
        ));
    }
    let name = member.name.as_deref();
    let message = format!(
        "Message queued for {}, which reads it before its next step. You are told when it has ended.",
        name.unwrap_or(&member.id)
    );
    text_outcome(
        &json!({"success": true, "message": message, "pin": recipient(&member.id, name)}),
        json!({}),
    )
}

/// A finished subagent that can be continued.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) kind: String,
    pub(crate) description: String,
    pub(crate) name: Option<String>,
    /// The permission mode that its call requested.
    pub(crate) mode: Option<PermissionMode>,
    pub(crate) continued: Continued,
}

impl Finished {
    fn new(member: &Member, history: &History) -> Self {
        Self {
            kind: member.kind.clone(),
            description: member.description.clone(),
            name: member.name.clone(),
            mode: member.mode.clone(),
            continued: Continued {
                id: member.id.clone(),
                call_id: member.relay.label.call_id.clone(),
                history: history.clone(),
            },
        }
    }
}

/// Continues a finished subagent.
async fn continue_finished(brief: Arc<Brief>, finished: Finished, message: String, cx: &Context) -> Outcome {
    // The kind must be the original one: another kind might have more permissions.
    let wanted = if finished.kind.is_empty() {
        builtin::GENERAL
    } else {
        &finished.kind
    };
    let Some(kind) = brief.family.roster.find(wanted).cloned() else {
        return not_sent(
            &format!(
                "Agent \"{}\" could not be resumed: there is no kind {wanted} any more.",
                finished.continued.id
            ),
            None,
        );
    };
    if let Some(why) = brief.denies(&kind.name) {
        return not_sent(&why, None);
    }
    let model = kind.model.as_deref();
    let (id, name) = (finished.continued.id.clone(), finished.name.clone());
    let background = !brief.options.agents.never_in_background;
    let order = Order {
        model: model.map_or_else(|| brief.model.clone(), |name| brief.client.names().resolve(Some(name))),
        effort: kind.effort.clone(),
        mode: finished.mode,
        run_in_background: Some(true),
        background,
        isolated: false,
        description: finished.description,
        prompt: message,
        name: finished.name,
        continued: Some(finished.continued),
        fork: None,
        kind,
    };
    let mut outcome = supervise::start(brief, order, cx).await;
    if background && outcome.is_error != Some(true) {
        let short: String = id.chars().take(7).collect();
        let response = json!({
            "success": true,
            "message": format!("Resuming agent {short}"),
            "resumedAgentId": id,
            "pin": recipient(&id, name.as_deref()),
        });
        let shown = text_outcome(&response, json!({"revivedAgentId": id}));
        (outcome.content, outcome.result) = (shown.content, shown.result);
    }
    outcome
}
