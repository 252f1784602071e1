//! EnterPlanMode.

use std::sync::LazyLock;

use serde_json::{Value, json};
use sluice_permission::Touches;

use crate::context::Context;
use crate::outcome::{Effect, Outcome};
use crate::tool::{Descriptor, Pending, Tool};

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "EnterPlanMode".into(),
    description: "Switches to plan mode: you look around and write a plan, and change nothing until the person has approved it.\n\n\
        Use it before work where the way is open and a wrong start is dear: a new feature, several ways to do it, changes across many files, unclear wishes. \
        Not for small or plainly described changes, and not when only a question is to be answered. \
        When the plan is written, ExitPlanMode puts it before the person.".into(),
    schema: json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false}),
    touches: Touches::Nothing,
    needs_person: true,
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct EnterPlanMode;

impl Tool for EnterPlanMode {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn run<'a>(&'a self, _input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let message = "Entered plan mode. Look around and work out how it should be done; change nothing until it is approved.";
            let said = format!(
                "{message}\n\n\
                1. Read what is there, and how similar things are done in it.\n\
                2. Weigh the ways it could be done. Where the choice is the person's, ask with AskUserQuestion.\n\
                3. Write the plan to {}; it is the only file you may write now.\n\
                4. Call ExitPlanMode to have the plan approved.",
                cx.services.plan_file().display()
            );
            Outcome::ok(said, json!({"message": message})).with(Effect::EnterPlan)
        })
    }
}
