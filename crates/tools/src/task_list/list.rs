//! TaskList.

use std::sync::LazyLock;

use serde_json::{Value, json};
use sluice_permission::Touches;

use super::{names, spelled};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::tool::{Changes, Descriptor, ListKind, Pending, Tool};

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "TaskList".into(),
    description: "Gives the session's task list, one line for each task: its number, its status, its subject, who does it and which unfinished tasks it waits for. \
        Look here for what to do next: the lowest number that is pending, belongs to nobody and waits for nothing.".into(),
    schema: json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false}),
    touches: Touches::Nothing,
    changes: Some(Changes::Nothing),
    list: Some(ListKind::Tasks),
    default: false,
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct TaskList;

impl Tool for TaskList {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn run<'a>(&'a self, _input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let list = cx.lists.items_mut();
            let mut lines = Vec::new();
            let mut tasks = Vec::new();
            for item in list.all() {
                let waits = list.open_blockers(&item);
                let status = item.status.as_str();
                let mut line = format!("#{} [{status}] {}", item.id, item.subject);
                let mut task = json!({"id": item.id.to_string(), "subject": item.subject, "status": status});
                if let Some(owner) = item.owner {
                    line.push_str(&format!(" ({owner})"));
                    put(&mut task, "owner", Value::from(owner));
                }
                if !waits.is_empty() {
                    line.push_str(&format!(" [blocked by {}]", spelled(&waits)));
                }
                put(&mut task, "blockedBy", json!(names(&waits)));
                lines.push(line);
                tasks.push(task);
            }
            let said = if lines.is_empty() {
                "No tasks found".to_owned()
            } else {
                lines.join("\n")
            };
            Outcome::ok(said, json!({"tasks": tasks}))
        })
    }
}

fn put(object: &mut Value, key: &str, value: Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(key.to_owned(), value);
    }
}
