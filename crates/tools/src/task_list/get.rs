//! TaskGet.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;

use super::{names, spelled};
use crate::context::Context;
use crate::input;
use crate::lists::Item;
use crate::outcome::Outcome;
use crate::tool::{Changes, Descriptor, ListKind, Pending, Tool};

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "TaskGet".into(),
    description: "Gives one task of the session's task list in full: its description, its status, which tasks it waits for and which wait for it. \
        Use it before you start on a task whose description you have not seen.".into(),
    schema: json!({
        "type": "object",
        "properties": {"taskId": {"type": "string", "description": "The number of the task."}},
        "required": ["taskId"],
        "additionalProperties": false,
    }),
    touches: Touches::Nothing,
    changes: Some(Changes::Nothing),
    list: Some(ListKind::Tasks),
    default: false,
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct TaskGet;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Input {
    task_id: String,
}

impl Tool for TaskGet {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let input: Input = match input::parsed(&DESCRIPTOR, &input) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let list = cx.lists.items_mut();
            match list.get(&input.task_id) {
                Some(item) => report(item),
                None => Outcome::ok("Task not found", json!({"task": null})),
            }
        })
    }
}

fn report(item: &Item) -> Outcome {
    let mut lines = vec![
        format!("Task #{}: {}", item.id, item.subject),
        format!("Status: {}", item.status.as_str()),
        format!("Description: {}", item.description),
    ];
    if let Some(owner) = &item.owner {
        lines.push(format!("Owner: {owner}"));
    }
    if !item.blocked_by.is_empty() {
        lines.push(format!("Blocked by: {}", spelled(&item.blocked_by)));
    }
    if !item.blocks.is_empty() {
        lines.push(format!("Blocks: {}", spelled(&item.blocks)));
    }
    Outcome::ok(
        lines.join("\n"),
        json!({"task": {
            "id": item.id.to_string(),
            "subject": item.subject,
            "description": item.description,
            "status": item.status,
            "blocks": names(&item.blocks),
            "blockedBy": names(&item.blocked_by),
        }}),
    )
}
