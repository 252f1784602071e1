//! The outcome of a tool call.

use std::path::PathBuf;

use serde_json::{Value, json};

/// The outcome for the model and for the host.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// `tool_result.content`: a string or a list of blocks.
    pub content: Value,
    /// `tool_result.is_error` as on the wire: Bash always sets it, other tools only if it is true.
    pub is_error: Option<bool>,
    /// `tool_use_result`: an object, or a string if the call failed.
    pub result: Value,
    /// True if the call was cancelled before it completed.
    pub interrupted: bool,
    /// Actions of the session before it reports the result.
    pub effects: Vec<Effect>,
}

/// Action that a call requests from the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Enter permission mode `plan`.
    EnterPlan,
    /// Leave permission mode `plan` for the previous mode, unless an answer has already set another one.
    ExitPlan {
        /// The approved plan; `None` if none was written.
        plan: Option<String>,
    },
    /// Offer these tools with their schemas from now on.
    LoadTools(Vec<String>),
    /// Send the instructions of this skill to the model after the tool results.
    TakeUpSkill {
        /// Name in the catalogue.
        name: String,
        /// Arguments of the skill.
        args: String,
    },
    /// Make the session work until this condition is met.
    SetGoal(String),
    /// Change the folder of the session.
    MoveTo(PathBuf),
    /// Show the schema to the model if it has not seen it, because the call may have failed due to its input.
    TeachSchema,
}

impl Outcome {
    /// Creates a successful outcome without an explicit `is_error`.
    pub fn ok(content: impl Into<Value>, result: Value) -> Self {
        Self {
            content: content.into(),
            is_error: None,
            result,
            interrupted: false,
            effects: Vec::new(),
        }
    }

    /// Adds an effect.
    #[must_use]
    pub fn with(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }

    /// Creates an outcome for an error at run time: the message for the model, `Error: …` for the host.
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

    /// Creates an outcome for a call refused before it ran: `<tool_use_error>` for the model, `Error: …` for the host.
    pub fn refused(message: impl AsRef<str>) -> Self {
        let message = message.as_ref();
        Self {
            content: Value::from(wrapped(message)),
            ..Self::failed(message)
        }
    }

    /// Creates an outcome for a cancelled call.
    pub fn interrupted() -> Self {
        Self {
            content: Value::from("The call was interrupted before it was done."),
            is_error: Some(true),
            result: Value::from("Error: the call was interrupted before it was done"),
            interrupted: true,
            effects: Vec::new(),
        }
    }

    /// Creates an outcome for an unknown tool.
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

    /// Creates an outcome for input that is not JSON.
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

/// Input that does not match the schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Invalid {
    /// Text for the model: `<tool_use_error>InputValidationError: …</tool_use_error>`.
    pub content: String,
    /// Text for the host: `InputValidationError: ` and the list of issues.
    pub result: String,
}

impl Invalid {
    /// Builds the texts from one sentence per issue and the issues in wire format.
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

/// Wraps a refusal in its marker.
fn wrapped(message: &str) -> String {
    format!("<tool_use_error>{message}</tool_use_error>")
}
