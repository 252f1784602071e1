//! TaskOutput: the output of a background task so far, or its complete output after its end.

use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;
use tokio::io::{AsyncReadExt, AsyncSeekExt};

use crate::context::Context;
use crate::input;
use crate::outcome::Outcome;
use crate::tasks::{TaskStatus, TaskView};
use crate::tool::{Changes, Descriptor, Pending, Tool};

/// Default timeout in milliseconds.
const DEFAULT_TIMEOUT: u64 = 30_000;
/// Maximum timeout in milliseconds.
const MAX_TIMEOUT: u64 = 600_000;
/// Number of bytes shown from the end of the output.
const MAX_SHOWN: u64 = 30_000;

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "TaskOutput".into(),
    description: "Gives the status of a background task and what it has printed.\n\n\
        - With `block` (the default) it waits for the task's end, at most `timeout` milliseconds; without, it tells how things stand now.\n\
        - Of long output only the end is shown; the whole is in the task's output file, which Read can open.\n\
        - You are told when a background task ends: there is no need to ask again and again.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "task_id": {"type": "string", "description": "The id of the task."},
            "block": {"type": "boolean", "default": true, "description": "Wait for its end."},
            "timeout": {"type": "integer", "minimum": 0, "default": DEFAULT_TIMEOUT, "description": "Milliseconds to wait at most, up to 600000."},
        },
        "required": ["task_id"],
        "additionalProperties": false,
    }),
    touches: Touches::Nothing,
    changes: Some(Changes::Nothing),
    default: false,
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct TaskOutput;

#[derive(Debug, Deserialize)]
struct Input {
    task_id: String,
    block: bool,
    timeout: u64,
}

impl Tool for TaskOutput {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn vet<'a>(&'a self, input: &'a Value, cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        Box::pin(async move { known(input, cx).err() })
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let (input, mut task) = match known(&input, cx) {
                Ok(known) => known,
                Err(outcome) => return outcome,
            };
            if input.block && task.status == TaskStatus::Running {
                let limit = Duration::from_millis(input.timeout.min(MAX_TIMEOUT));
                let ended = tokio::select! {
                    ended = tokio::time::timeout(limit, cx.tasks.wait(&input.task_id)) => ended,
                    () = cx.cancel.cancelled() => return Outcome::interrupted(),
                };
                task = ended.ok().flatten().unwrap_or(task);
            }
            let retrieval = match task.status {
                TaskStatus::Running if input.block => "timeout",
                TaskStatus::Running => "not_ready",
                _ => "success",
            };
            report(&task, retrieval, &printed(&task).await)
        })
    }
}

fn known(input: &Value, cx: &Context) -> Result<(Input, TaskView), Outcome> {
    let input: Input = input::parsed(&DESCRIPTOR, input)?;
    match cx.tasks.get(&input.task_id) {
        Some(task) => Ok((input, task)),
        None => Err(Outcome::refused(format!("No task found with ID: {}", input.task_id))),
    }
}

/// Returns the end of the output; empty for a command without an output file.
async fn printed(task: &TaskView) -> String {
    let Some(path) = &task.output_file else {
        return String::new();
    };
    let read = async {
        let mut file = tokio::fs::File::open(path).await?;
        let length = file.metadata().await?.len();
        file.seek(std::io::SeekFrom::Start(length.saturating_sub(MAX_SHOWN)))
            .await?;
        let mut bytes = Vec::new();
        file.take(MAX_SHOWN).read_to_end(&mut bytes).await?;
        std::io::Result::Ok((length, bytes))
    };
    match read.await {
        Ok((length, bytes)) if length > MAX_SHOWN => {
            let end = String::from_utf8_lossy(&bytes);
            // the first line is incomplete, possibly starting inside a character
            let end = end.split_once('\n').map_or(end.as_ref(), |(_, rest)| rest);
            format!(
                "[The beginning is left out; all {length} bytes are in {}]\n{end}",
                path.display()
            )
        }
        Ok((_, bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => format!("[{} cannot be read: {error}]", path.display()),
    }
}

fn report(task: &TaskView, retrieval: &str, output: &str) -> Outcome {
    let mut parts = vec![
        format!("<retrieval_status>{retrieval}</retrieval_status>"),
        format!("<task_id>{}</task_id>", task.id),
        format!("<task_type>{}</task_type>", task.kind()),
        format!("<status>{}</status>", task.status.as_str()),
    ];
    if let Some(code) = task.exit_code {
        parts.push(format!("<exit_code>{code}</exit_code>"));
    }
    if !output.trim().is_empty() {
        parts.push(format!("<output>\n{}\n</output>", output.trim_end()));
    }
    Outcome::ok(
        parts.join("\n\n"),
        json!({
            "retrieval_status": retrieval,
            "task": {
                "task_id": task.id,
                "task_type": task.kind(),
                "status": task.status.as_str(),
                "description": task.description,
                "output": output,
                "exitCode": task.exit_code,
            },
        }),
    )
}
