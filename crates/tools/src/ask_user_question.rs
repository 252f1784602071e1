//! AskUserQuestion: the model asks questions, and a person answers them in the permission request.
//!
//! The tool itself does not ask: the host adds `answers` (and `annotations`) to the input it allows, and `run` formats
//! them for the model. Values that the model writes into these fields are removed, because only a person may answer.

mod answers;

use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use sluice_permission::Touches;

use crate::ask_user_question::answers::Answers;
use crate::context::Context;
use crate::input;
use crate::outcome::{Invalid, Outcome};
use crate::tool::{Descriptor, Pending, Tool};

/// Input fields that only the host may fill in.
const HOST_FIELDS: [&str; 3] = ["answers", "annotations", "response"];

static DESCRIPTOR: LazyLock<Descriptor> = LazyLock::new(|| {
    Descriptor {
    name: "AskUserQuestion".into(),
    description: "Asks the person you work for, when you cannot go on well without a decision that is theirs.\n\n\
        - Up to four questions at once, each with two to four options. The person can always answer in their own words instead, so there is no need for an option \"Other\".\n\
        - `question`: the whole question, ending in a question mark. `header`: a label of at most 12 characters. `options`: short labels that differ clearly, each with a description of what it would mean.\n\
        - If you would recommend one, put it first and say so in its label.\n\
        - `multiSelect`: several options may be chosen together. `preview`: something to look at for an option, such as a sketch or a piece of code; only where one option is chosen.\n\
        - Do not ask what you can find out yourself, nor whether a plan is good: that is what ExitPlanMode does.".into(),
    schema: json!({
        "type": "object",
        "properties": {
            "questions": {
                "type": "array",
                "minItems": 1,
                "maxItems": 4,
                "description": "The questions.",
                "items": {
                    "type": "object",
                    "properties": {
                        "question": {"type": "string", "minLength": 1, "description": "The whole question."},
                        "header": {"type": "string", "maxLength": 12, "description": "A very short label."},
                        "options": {
                            "type": "array",
                            "minItems": 2,
                            "maxItems": 4,
                            "items": {
                                "type": "object",
                                "properties": {
                                    "label": {"type": "string", "minLength": 1, "description": "The choice, in 1 to 5 words."},
                                    "description": {"type": "string", "description": "What choosing it means."},
                                    "preview": {"type": "string", "description": "Something to look at."},
                                },
                                "required": ["label", "description"],
                                "additionalProperties": false,
                            },
                        },
                        "multiSelect": {"type": "boolean", "default": false, "description": "Whether several may be chosen."},
                    },
                    "required": ["question", "header", "options"],
                    "additionalProperties": false,
                },
            },
            "metadata": {
                "type": "object",
                "description": "Where the question comes from; not shown.",
                "properties": {"source": {"type": "string"}},
            },
        },
        "required": ["questions"],
        "additionalProperties": false,
    }),
    touches: Touches::Person,
    needs_person: true,
    ..Descriptor::default()
}
});

#[derive(Debug)]
pub(crate) struct AskUserQuestion;

impl Tool for AskUserQuestion {
    fn descriptor(&self) -> &Descriptor {
        &DESCRIPTOR
    }

    fn fill(&self, input: &Value) -> Value {
        unanswered(input)
    }

    fn check(&self, input: &Value, cwd: &Path) -> Result<Value, Invalid> {
        let value = input::checked(&DESCRIPTOR, &unanswered(input), cwd)?;
        let (sentences, issues) = doubles(&value);
        if issues.is_empty() {
            Ok(value)
        } else {
            Err(Invalid::new(&DESCRIPTOR.name, &sentences, &issues))
        }
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    /// Accepts the input from the host even if its questions differ.
    fn run<'a>(&'a self, input: Value, _cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(std::future::ready(told(&input)))
    }
}

fn told(input: &Value) -> Outcome {
    let given = |name: &str| input.get(name).filter(|value| !value.is_null()).cloned();
    let mut result = Map::new();
    result.insert("questions".to_owned(), given("questions").unwrap_or_else(|| json!([])));
    result.insert("answers".to_owned(), given("answers").unwrap_or_else(|| json!({})));
    for name in ["response", "annotations"] {
        if let Some(value) = given(name) {
            result.insert(name.to_owned(), value);
        }
    }
    Outcome::ok(Answers::of(input).sentence(), Value::Object(result))
}

/// Returns the input without the fields that only the host may fill in.
fn unanswered(input: &Value) -> Value {
    let mut input = input.clone();
    if let Some(fields) = input.as_object_mut() {
        for name in HOST_FIELDS {
            fields.shift_remove(name);
        }
    }
    input
}

/// Finds duplicate questions and labels, whose answers would be ambiguous.
fn doubles(input: &Value) -> (Vec<String>, Vec<Value>) {
    let (mut sentences, mut issues) = (Vec::new(), Vec::new());
    let mut add = |path: Value, message: String| {
        issues.push(json!({"code": "custom", "path": path, "message": message}));
        sentences.push(message);
    };
    let mut seen = HashSet::new();
    let questions = input.get("questions").and_then(Value::as_array);
    for (at, question) in questions.into_iter().flatten().enumerate() {
        let text = question.get("question").and_then(Value::as_str).unwrap_or_default();
        if !seen.insert(text) {
            add(
                json!(["questions", at, "question"]),
                format!("The question \"{text}\" is asked twice"),
            );
        }
        let mut labels = HashSet::new();
        let options = question.get("options").and_then(Value::as_array);
        for (index, option) in options.into_iter().flatten().enumerate() {
            let label = option.get("label").and_then(Value::as_str).unwrap_or_default();
            if !labels.insert(label) {
                add(
                    json!(["questions", at, "options", index, "label"]),
                    format!("The question \"{text}\" offers \"{label}\" twice"),
                );
            }
        }
    }
    (sentences, issues)
}
