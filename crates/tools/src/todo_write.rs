//! TodoWrite: the session's todo list, replaced as a whole.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;

use crate::context::Context;
use crate::input;
use crate::lists::Todo;
use crate::outcome::Outcome;
use crate::tool::{Descriptor, ListKind, Pending, Tool};

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "TodoWrite".into(),
    description: "Writes the list of what is to be done in this session, so that nothing is forgotten and the person sees how far you are.\n\n\
        - Use it for work of three or more steps, or when several things are asked for at once; not for a single simple step.\n\
        - Every call replaces the whole list: send all entries, also the finished ones.\n\
        - `content` says what is to be done (\"Run the tests\"), `activeForm` the same while it is being done (\"Running the tests\").\n\
        - Exactly one entry is `in_progress` at a time. Mark an entry `completed` as soon as it is wholly done, and only then.\n\
        - Take out what turned out not to be needed, and add what you find on the way.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "todos": {
                "type": "array",
                "description": "The whole new list.",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string", "minLength": 1},
                        "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
                        "activeForm": {"type": "string", "minLength": 1},
                    },
                    "required": ["content", "status", "activeForm"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["todos"],
        "additionalProperties": false,
    }),
    touches: Touches::Nothing,
    list: Some(ListKind::Todos),
    default: false,
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct TodoWrite;

#[derive(Debug, Deserialize)]
struct Input {
    todos: Vec<Todo>,
}

impl Tool for TodoWrite {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let Input { todos } = match input::parsed(&DESCRIPTOR, &input) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let old = cx.lists.replace_todos(todos.clone());
            Outcome::ok(
                "Todos have been modified successfully. Go on with what is in progress, and keep the list true as you work.",
                json!({"oldTodos": old, "newTodos": todos}),
            )
        })
    }
}
