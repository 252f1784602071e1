//! The answer to a permission request, whoever gives it.

use std::path::Path;

use serde_json::{Value, json};
use sluice_permission::{Decision, PermissionUpdate, ReasonKind};
use sluice_tools::{Outcome, Pins};

use crate::state::Call;

/// The answer to a permission request.
#[derive(Debug, Clone)]
pub enum PermissionAnswer {
    /// It may run, as it is or with another input.
    Allow {
        changed: Option<Changed>,
        /// They hold for what comes after the call they came with.
        updates: Vec<PermissionUpdate>,
        grant: Grant,
    },
    /// It may not.
    Deny(Denial),
    /// It may not, and the turn ends.
    Interrupt,
}

/// A changed input of a call, validated by its tool.
#[derive(Debug, Clone)]
pub enum Changed {
    Valid(Box<Change>),
    /// It is none; this is the call's result.
    Invalid(Box<Outcome>),
}

/// Another input of a call.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Validated, with absolute paths.
    pub checked: Value,
    /// Where its paths lead now.
    pub pins: Pins,
    pub input: Value,
    /// An answer put it there: it is run as it was given.
    pub as_given: bool,
}

impl Changed {
    /// The input as hooks changed it, validated by the tool.
    #[must_use]
    pub fn by_hook(call: &Call, input: &Value, cwd: &Path) -> Option<Self> {
        let tool = call.tool.as_ref()?;
        let filled = tool.fill(input);
        Some(match tool.check(&filled, cwd) {
            Err(invalid) => Self::Invalid(Box::new(invalid.into())),
            Ok(checked) => Self::Valid(Box::new(Change {
                pins: Pins::of(tool.descriptor().touches, &checked, cwd),
                checked,
                input: filled,
                as_given: false,
            })),
        })
    }
}

/// How a call came to be allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    source: String,
    reason_type: Option<&'static str>,
}

impl Grant {
    /// By whoever was asked.
    pub fn by(source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            reason_type: None,
        }
    }

    /// By a hook that answered in a person's place.
    pub fn by_hook() -> Self {
        Self {
            source: "hook".to_owned(),
            reason_type: Some(ReasonKind::Hook.as_str()),
        }
    }

    /// Without a question.
    pub fn by_rules(decision: &Decision) -> Self {
        let by_hook = decision.reason.kind == Some(ReasonKind::Hook);
        Self {
            source: if by_hook { "hook" } else { "config" }.to_owned(),
            reason_type: decision.reason.kind.map(ReasonKind::as_str),
        }
    }

    /// As a result's meta says it.
    pub(crate) fn told(&self) -> Value {
        told("accept", &self.source, self.reason_type)
    }
}

/// How a call came to be denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// What the model is told.
    pub message: String,
    source: &'static str,
    reason_type: Option<&'static str>,
}

impl Denial {
    /// A hook denies a call that needed a permission request.
    #[must_use]
    pub fn of_hook(message: Option<String>) -> Self {
        Self::by_hook(message.unwrap_or_else(|| "A hook refused this call.".to_owned()))
    }

    /// By a person.
    pub fn by_person(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: "user_reject",
            reason_type: None,
        }
    }

    /// By a hook.
    pub fn by_hook(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: "hook",
            reason_type: Some(ReasonKind::Hook.as_str()),
        }
    }

    /// There is no answer, or none that can be read.
    pub fn unanswered(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: "config",
            reason_type: Some(ReasonKind::Other.as_str()),
        }
    }

    /// The permission request could not be made.
    pub fn request_failed(why: &str) -> Self {
        Self::unanswered(format!("Tool permission request failed: {why}"))
    }

    /// Without a question.
    pub fn by_rules(decision: &Decision) -> Self {
        match decision.reason.kind {
            Some(ReasonKind::Hook) => Self::by_hook(&decision.message),
            kind => Self {
                message: decision.message.clone(),
                source: "config",
                reason_type: kind.map(ReasonKind::as_str),
            },
        }
    }

    /// As a result's meta says it.
    pub(crate) fn told(&self) -> Value {
        told("reject", self.source, self.reason_type)
    }
}

fn told(decision: &str, source: &str, reason_type: Option<&str>) -> Value {
    let mut told = json!({"decision": decision, "source": source});
    if let (Some(reason), Some(map)) = (reason_type, told.as_object_mut()) {
        map.insert("reason_type".to_owned(), reason.into());
    }
    told
}
