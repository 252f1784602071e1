//! TaskCreate.

use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use sluice_permission::Touches;

use crate::context::Context;
use crate::input;
use crate::outcome::{Invalid, Outcome};
use crate::tool::{Descriptor, ListKind, Pending, Tool};

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "TaskCreate".into(),
    description: "Adds one task to the session's task list, so that work of several steps is neither forgotten nor invisible.\n\n\
        - `subject`: a short order (\"Fix the login form\"). `description`: what is to be done and when it counts as done. `activeForm`: the subject while it is being done (\"Fixing the login form\").\n\
        - A new task is `pending` and waits for nothing; use TaskUpdate to start it, finish it or say what it waits for.\n\
        - Look at TaskList first, so that nothing stands there twice. For a single simple step no task is needed.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "subject": {"type": "string", "minLength": 1, "description": "A short title."},
            "description": {"type": "string", "description": "What is to be done."},
            "activeForm": {"type": "string", "description": "The title while it is being done."},
            "metadata": {"type": "object", "description": "Anything worth keeping with it."},
        },
        "required": ["subject", "description"],
        "additionalProperties": false,
    }),
    touches: Touches::Nothing,
    list: Some(ListKind::Tasks),
    default: false,
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct TaskCreate;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Input {
    subject: String,
    description: String,
    active_form: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
}

impl Tool for TaskCreate {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn check(&self, input: &Value, cwd: &Path) -> Result<Value, Invalid> {
        input::checked(&DESCRIPTOR, &with_subject(input.clone()), cwd)
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let input: Input = match input::parsed(&DESCRIPTOR, &with_subject(input)) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let mut list = cx.lists.items_mut();
            let item = list.add(input.subject, input.description, input.active_form, input.metadata);
            Outcome::ok(
                format!("Task #{} created successfully: {}", item.id, item.subject),
                json!({"task": {"id": item.id.to_string(), "subject": item.subject, "description": item.description}}),
            )
        })
    }
}

/// Fills in a missing subject or description from the other one, because models sometimes omit one.
fn with_subject(mut input: Value) -> Value {
    if let Some(fields) = input.as_object_mut() {
        for (missing, there) in [("subject", "description"), ("description", "subject")] {
            if !fields.contains_key(missing)
                && let Some(text) = fields.get(there).cloned()
            {
                fields.insert(missing.to_owned(), text);
            }
        }
    }
    input
}
