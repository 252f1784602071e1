//! TaskStop: stops a background task.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;

use crate::context::Context;
use crate::input;
use crate::outcome::Outcome;
use crate::tasks::{TaskStatus, TaskView};
use crate::tool::{Changes, Descriptor, Pending, Tool};

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "TaskStop".into(),
    description: "Ends a background task, such as a server you started with Bash and `run_in_background` or a subagent, together with everything it started. \
        `task_id` is the id you were given when it began. What it printed until then stays in its output file.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "task_id": {"type": "string", "description": "The id of the task to end."},
            "shell_id": {"type": "string", "description": "The old name of `task_id`."},
        },
        "required": [],
        "additionalProperties": false,
    }),
    touches: Touches::Nothing,
    changes: Some(Changes::Irrevocably),
    aliases: &["KillShell"],
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct TaskStop;

#[derive(Debug, Deserialize)]
struct Input {
    task_id: Option<String>,
    shell_id: Option<String>,
}

impl Tool for TaskStop {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn vet<'a>(&'a self, input: &'a Value, cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        Box::pin(async move { running(input, cx).err() })
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let task = match running(&input, cx) {
                Ok(task) => task,
                Err(outcome) => return outcome,
            };
            tokio::select! {
                _ = cx.tasks.kill(&task.id) => {}
                // the task is stopped regardless
                () = cx.cancel.cancelled() => return Outcome::interrupted(),
            }
            let result = json!({
                "message": format!("Successfully stopped task: {} ({})", task.id, task.command),
                "task_id": task.id,
                "task_type": task.kind(),
                "command": task.command,
            });
            Outcome::ok(result.to_string(), result)
        })
    }
}

/// Returns the task to stop, or why it cannot be stopped.
fn running(input: &Value, cx: &Context) -> Result<TaskView, Outcome> {
    let input: Input = input::parsed(&DESCRIPTOR, input)?;
    let Some(id) = input.task_id.or(input.shell_id) else {
        return Err(Outcome::refused("Say which task to stop: task_id is missing"));
    };
    let Some(task) = cx.tasks.get(&id) else {
        return Err(Outcome::refused(format!("No task found with ID: {id}")));
    };
    if task.status != TaskStatus::Running {
        let status = task.status.as_str();
        return Err(Outcome::refused(format!("Task {id} is not running (status: {status})")));
    }
    Ok(task)
}
