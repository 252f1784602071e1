//! The outcome of a call.

use std::path::PathBuf;

use serde_json::{Value, json};

/// The end of one call: what the model reads and what the host reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// `tool_result.content`: a string or a list of blocks.
    pub content: Value,
    /// `tool_result.is_error` as the wire shows it: Bash says it always, others only when it is true.
    pub is_error: Option<bool>,
    /// `tool_use_result`: an object, or a string where the call failed.
    pub result: Value,
    /// The call was cancelled before it was done.
    pub interrupted: bool,
    /// What the session must do before it reports the result.
    pub effects: Vec<Effect>,
}

/// What a call asks the session to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Permission mode `plan`.
    EnterPlan,
    /// Out of permission mode `plan`, into the one that was before it, unless an answer has already set one.
    ExitPlan {
        /// The plan that was approved; `None` where none was written.
        plan: Option<String>,
    },
    /// Offer these tools with their schemas from now on.
    LoadTools(Vec<String>),
    /// Give the model the instructions of this skill, behind the results of its calls.
    TakeUpSkill {
        /// As the catalogue knows it.
        name: String,
        /// What the skill is told.
        args: String,
    },
    /// The session works until this condition is met.
    SetGoal(String),
    /// The session works in this folder from now on.
    MoveTo(PathBuf),
    /// The call failed, perhaps for its input: where the model was not shown the tool's schema, it is shown it now.
    TeachSchema,
}

impl Outcome {
    /// A success without an explicit `is_error`.
    pub fn ok(content: impl Into<Value>, result: Value) -> Self {
        Self {
            content: content.into(),
            is_error: None,
            result,
            interrupted: false,
            effects: Vec::new(),
        }
    }

    /// The same, and the session has something to do.
    #[must_use]
    pub fn with(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }

    /// A failure while running: the bare message to the model, `Error: …` to the host.
    pub fn failed(message: impl AsRef<str>) -> Self {
        let message = message.as_ref();
        Self {
            content: Value::from(message),
            is_error: Some(true),
            result: Value::from(format!("Error: {message}")),
            interrupted: false,
            effects: Vec::new(),
        }
    }

    /// A refusal before running: the message in `<tool_use_error>` to the model, `Error: …` to the host.
    pub fn refused(message: impl AsRef<str>) -> Self {
        let message = message.as_ref();
        Self {
            content: Value::from(wrapped(message)),
            ..Self::failed(message)
        }
    }

    /// A call that was cancelled.
    pub fn interrupted() -> Self {
        Self {
            content: Value::from("The call was interrupted before it was done."),
            is_error: Some(true),
            result: Value::from("Error: the call was interrupted before it was done"),
            interrupted: true,
            effects: Vec::new(),
        }
    }

    /// The answer to a call of a tool that is not there.
    pub fn unknown_tool(name: &str) -> Self {
        let message = format!("Error: No such tool available: {name}");
        Self {
            content: Value::from(wrapped(&message)),
            is_error: Some(true),
            result: Value::from(message),
            interrupted: false,
            effects: Vec::new(),
        }
    }

    /// The answer to a call whose input text was not JSON.
    pub fn unparsed_input(name: &str, raw: &str) -> Self {
        let message = format!(
            "InputValidationError: {name} was called with input that is not valid JSON. Send the call again with one complete JSON object."
        );
        Self {
            content: Value::from(wrapped(&message)),
            is_error: Some(true),
            result: Value::from(format!("InputValidationError: JSON parse failed ({} bytes)", raw.len())),
            interrupted: false,
            effects: Vec::new(),
        }
    }
}

/// Input that does not fit the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Invalid {
    /// For the model: `<tool_use_error>InputValidationError: …</tool_use_error>`.
    pub content: String,
    /// `tool_use_result`: `InputValidationError: ` and the list of issues.
    pub result: String,
}

impl Invalid {
    /// From one sentence per issue and the issues as the wire lists them.
    pub(crate) fn new(tool: &str, sentences: &[String], issues: &[Value]) -> Self {
        let word = if sentences.len() == 1 { "issue" } else { "issues" };
        let list = sentences.join("\n");
        let issues = serde_json::to_string_pretty(&json!(issues)).unwrap_or_default();
        Self {
            content: wrapped(&format!(
                "InputValidationError: {tool} failed due to the following {word} with its input:\n{list}"
            )),
            result: format!("InputValidationError: {issues}"),
        }
    }
}

impl From<Invalid> for Outcome {
    fn from(invalid: Invalid) -> Self {
        Self {
            content: Value::from(invalid.content),
            is_error: Some(true),
            result: Value::from(invalid.result),
            interrupted: false,
            effects: Vec::new(),
        }
    }
}

/// The marker around what a tool refuses.
fn wrapped(message: &str) -> String {
    format!("<tool_use_error>{message}</tool_use_error>")
}
