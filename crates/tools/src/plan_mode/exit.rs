//! ExitPlanMode.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use sluice_permission::Touches;

use crate::context::Context;
use crate::outcome::{Effect, Invalid, Outcome};
use crate::tool::{Descriptor, Pending, Tool};
use crate::{atomic, input};

/// Input fields set by the session; values from the model are removed.
const SESSION_FIELDS: [&str; 2] = ["plan", "planFilePath"];
/// Maximum length of a displayed plan in bytes.
const MAX_PLAN: u64 = 1 << 20;

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "ExitPlanMode".into(),
    description: "Puts your plan before the person and, once it is approved, leaves plan mode.\n\n\
        Call it in plan mode when the plan stands in the plan file you were told about: the person is shown what that file holds, so there is nothing to pass. \
        Use it only for plans of work to be done, not at the end of a search for information. \
        Settle open questions with AskUserQuestion first; do not ask there whether the plan is good, this tool does.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "allowedPrompts": {
                "type": "array",
                "description": "Kinds of commands the plan will need.",
                "items": {
                    "type": "object",
                    "properties": {
                        "tool": {"type": "string", "enum": [sluice_permission::names::BASH]},
                        "prompt": {"type": "string", "description": "What kind of command, such as \"run tests\"."},
                    },
                    "required": ["tool", "prompt"],
                    "additionalProperties": false,
                },
            },
        },
        "required": [],
    }),
    touches: Touches::Person,
    needs_person: true,
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct ExitPlanMode;

impl Tool for ExitPlanMode {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn check(&self, input: &Value, cwd: &Path) -> Result<Value, Invalid> {
        let mut value = input::checked(&DESCRIPTOR, input, cwd)?;
        if let Some(fields) = value.as_object_mut() {
            for name in SESSION_FIELDS {
                fields.shift_remove(name);
            }
        }
        Ok(value)
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn vet<'a>(&'a self, _input: &'a Value, cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        Box::pin(async move {
            (cx.services.permission_mode() != "plan").then(|| {
                Outcome::refused(
                    "You are not in plan mode, so there is no plan to approve. If one was approved before, go on with the work.",
                )
            })
        })
    }

    /// Returns the input with the plan from the file, or unchanged if there is no file.
    fn present<'a>(&'a self, input: &'a Value, cx: &'a Context) -> Pending<'a, Option<Value>> {
        Box::pin(async move {
            let path = cx.services.plan_file();
            let plan = written(path.clone()).await?;
            let mut fields = input.as_object().cloned().unwrap_or_else(Map::new);
            fields.insert("plan".to_owned(), Value::from(plan));
            fields.insert("planFilePath".to_owned(), Value::from(path.display().to_string()));
            Some(Value::Object(fields))
        })
    }

    /// Does not repeat `vet`: the answer that approved the plan may have set another mode.
    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let path = cx.services.plan_file();
            let written = written(path.clone()).await;
            if let Some(edited) = edited(&input, written.as_deref()) {
                if let Err(error) = save(path.clone(), edited.clone()).await {
                    return Outcome::failed(format!("{} cannot be written: {error}", path.display()));
                }
                let result = json!({"plan": edited, "isAgent": false, "filePath": path, "planWasEdited": true});
                return Outcome::ok(approved(&edited, &path), result).with(Effect::ExitPlan { plan: Some(edited) });
            }
            let result = json!({"plan": written, "isAgent": false, "filePath": path});
            let text = match &written {
                Some(plan) => approved(plan, &path),
                None => "User has approved exiting plan mode. You can now proceed.".to_owned(),
            };
            Outcome::ok(text, result).with(Effect::ExitPlan { plan: written })
        })
    }
}

/// Returns the plan if the person edited it. A text from the model cannot get here, because `check` removes it.
fn edited(input: &Value, plan: Option<&str>) -> Option<String> {
    let edited = input.get("plan")?.as_str()?;
    (Some(edited) != plan && !edited.trim().is_empty()).then(|| edited.to_owned())
}

fn approved(plan: &str, path: &Path) -> String {
    format!(
        "User has approved your plan. You can now start coding. If you keep a list of what is to be done, bring it in line with the plan first.\n\n\
        The plan is saved in {}; look there should you lose sight of it.\n\n\
        ## Approved Plan:\n{plan}",
        path.display()
    )
}

async fn written(path: PathBuf) -> Option<String> {
    let read = move || {
        let metadata = std::fs::metadata(&path).ok()?;
        if !metadata.is_file() || metadata.len() > MAX_PLAN {
            return None;
        }
        let bytes = std::fs::read(&path).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (!text.trim().is_empty()).then_some(text)
    };
    tokio::task::spawn_blocking(read).await.ok().flatten()
}

async fn save(path: PathBuf, plan: String) -> std::io::Result<()> {
    tokio::task::spawn_blocking(move || atomic::write(&path, plan.as_bytes()).map(drop))
        .await
        .unwrap_or_else(|error| Err(std::io::Error::other(error)))
}
