//! SetGoal: proposes a goal for the session.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_permission::Touches;

use crate::context::Context;
use crate::input;
use crate::outcome::{Effect, Outcome};
use crate::tool::{Changes, Descriptor, Pending, Tool};

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "SetGoal".into(),
    aliases: &["ProposeGoal"],
    description: "Proposes a goal for the session: a condition that is checked whenever you would stop, and until it is met you \
        go on. Use it when the person wants something done to the end, such as all tests passing. The person decides about it.\n\n\
        `condition`: one sentence that the conversation can show to be true."
        .into(),
    schema: json!({
        "type": "object",
        "properties": {
            "condition": {"type": "string", "minLength": 1, "description": "When the goal is met."},
        },
        "required": ["condition"],
    }),
    touches: Touches::Person,
    needs_person: true,
    of_conversation: true,
    changes: Some(Changes::Something),
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct SetGoal;

#[derive(Debug, Deserialize)]
struct Input {
    condition: String,
}

impl Tool for SetGoal {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn deferred(&self) -> bool {
        true
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn run<'a>(&'a self, input: Value, _cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let input: Input = match input::parsed(&DESCRIPTOR, &input) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let text = format!(
                "The goal is set: {}. It is checked whenever you would stop.",
                input.condition
            );
            let result = json!({"condition": input.condition, "askUser": true});
            Outcome::ok(text, result).with(Effect::SetGoal(input.condition))
        })
    }
}
