//! TaskUpdate.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use sluice_permission::Touches;

use crate::context::Context;
use crate::input;
use crate::lists::{Change, Progress, Refusal, Update};
use crate::outcome::Outcome;
use crate::tool::{Descriptor, ListKind, Pending, Tool};

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "TaskUpdate".into(),
    description: "Changes one task of the session's task list. What you leave out stays.\n\n\
        - `status`: `in_progress` when you start on it, `completed` when it is wholly done (not while tests fail or parts are missing), `deleted` to take it out for good.\n\
        - `addBlockedBy`: the tasks that must be done first; `addBlocks`: the tasks that must wait for this one.\n\
        - `owner`: who does it. `metadata`: keys to set; `null` removes a key.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "taskId": {"type": "string", "description": "The number of the task."},
            "subject": {"type": "string", "minLength": 1},
            "description": {"type": "string"},
            "activeForm": {"type": "string"},
            "status": {"type": "string", "enum": ["pending", "in_progress", "completed", "deleted"]},
            "addBlocks": {"type": "array", "items": {"type": "string"}, "description": "Numbers of tasks that wait for this one."},
            "addBlockedBy": {"type": "array", "items": {"type": "string"}, "description": "Numbers of tasks this one waits for."},
            "owner": {"type": "string"},
            "metadata": {"type": "object"},
        },
        "required": ["taskId"],
        "additionalProperties": false,
    }),
    touches: Touches::Nothing,
    list: Some(ListKind::Tasks),
    default: false,
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct TaskUpdate;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Input {
    task_id: String,
    subject: Option<String>,
    description: Option<String>,
    active_form: Option<String>,
    status: Option<Status>,
    #[serde(default)]
    add_blocks: Vec<String>,
    #[serde(default)]
    add_blocked_by: Vec<String>,
    owner: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Status {
    Progress(Progress),
    Deleted(Deleted),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Deleted {
    Deleted,
}

impl Tool for TaskUpdate {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let input: Input = match input::parsed(&DESCRIPTOR, &input) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let mut list = cx.lists.items_mut();
            let id = list.get(&input.task_id).map(|item| item.id.to_string());
            let id = id.unwrap_or_else(|| input.task_id.clone());
            let status = match input.status {
                Some(Status::Deleted(Deleted::Deleted)) => {
                    return match list.remove(&id) {
                        Some(item) => changed(&id, &["deleted"], Some((item.status.as_str(), "deleted"))),
                        None => refused(&id, &Refusal::NotFound),
                    };
                }
                Some(Status::Progress(status)) => Some(status),
                None => None,
            };
            let update = Update {
                subject: input.subject,
                description: input.description,
                active_form: input.active_form,
                owner: input.owner,
                metadata: input.metadata,
                status,
                add_blocks: input.add_blocks,
                add_blocked_by: input.add_blocked_by,
            };
            match list.update(&id, update) {
                Ok(Change { fields, status }) => {
                    let status = status.map(|(from, to)| (from.as_str(), to.as_str()));
                    changed(&id, &fields, status)
                }
                Err(refusal) => refused(&id, &refusal),
            }
        })
    }
}

fn changed(id: &str, fields: &[&str], status: Option<(&str, &str)>) -> Outcome {
    let said = if fields.is_empty() {
        format!("Task #{id} is as it was")
    } else {
        format!("Updated task #{id} {}", fields.join(", "))
    };
    let mut result = json!({"success": true, "taskId": id, "updatedFields": fields});
    if let (Some((from, to)), Some(result)) = (status, result.as_object_mut()) {
        result.insert("statusChange".to_owned(), json!({"from": from, "to": to}));
    }
    Outcome::ok(said, result)
}

/// Not an error on the wire; the model reads the message and continues.
fn refused(id: &str, refusal: &Refusal) -> Outcome {
    let error = refusal.to_string();
    let result = json!({"success": false, "taskId": id, "updatedFields": [], "error": error});
    Outcome::ok(error, result)
}
