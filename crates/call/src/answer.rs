//! The answer to a permission request, from the user or from a hook.

use std::path::Path;

use serde_json::{Value, json};
use sluice_permission::{Decision, PermissionUpdate, ReasonKind};
use sluice_tools::{Outcome, Pins};

use crate::state::Call;

/// The answer to a permission request.
#[derive(Debug, Clone)]
pub enum PermissionAnswer {
    /// The call may run, optionally with a changed input.
    Allow {
        changed: Option<Changed>,
        /// Changes of permissions, which apply to later calls.
        updates: Vec<PermissionUpdate>,
        grant: Grant,
    },
    /// The call is denied.
    Deny(Denial),
    /// The call is denied and the turn ends.
    Interrupt,
}

/// A changed input of a call, validated by its tool.
#[derive(Debug, Clone)]
pub enum Changed {
    Valid(Box<Change>),
    /// The input is invalid; this is the result of the call.
    Invalid(Box<Outcome>),
}

/// A changed input of a call.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The validated input with absolute paths.
    pub checked: Value,
    /// The resolved paths of the input.
    pub pins: Pins,
    pub input: Value,
    /// Whether the input comes from an answer and is used unchanged.
    pub as_given: bool,
}

impl Changed {
    /// Validates an input that a hook changed.
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

/// Why a call was allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    source: String,
    reason_type: Option<&'static str>,
}

impl Grant {
    /// Allowed by the given source (answer to the permission request).
    pub fn by(source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            reason_type: None,
        }
    }

    /// Allowed by a hook that answered the permission request.
    pub fn by_hook() -> Self {
        Self {
            source: "hook".to_owned(),
            reason_type: Some(ReasonKind::Hook.as_str()),
        }
    }

    /// Allowed without a permission request.
    pub fn by_rules(decision: &Decision) -> Self {
        let by_hook = decision.reason.kind == Some(ReasonKind::Hook);
        Self {
            source: if by_hook { "hook" } else { "config" }.to_owned(),
            reason_type: decision.reason.kind.map(ReasonKind::as_str),
        }
    }

    /// Returns the decision in the format of the result's metadata.
    pub(crate) fn metadata(&self) -> Value {
        metadata("accept", &self.source, self.reason_type)
    }
}

/// Why a call was denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// The message for the model.
    pub message: String,
    source: &'static str,
    reason_type: Option<&'static str>,
}

impl Denial {
    /// Denied by a hook that answered the permission request.
    #[must_use]
    pub fn of_hook(message: Option<String>) -> Self {
        Self::by_hook(message.unwrap_or_else(|| "A hook refused this call.".to_owned()))
    }

    /// Denied by the user.
    pub fn by_person(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: "user_reject",
            reason_type: None,
        }
    }

    /// Denied by a hook.
    pub fn by_hook(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: "hook",
            reason_type: Some(ReasonKind::Hook.as_str()),
        }
    }

    /// Denied because there is no valid answer.
    pub fn unanswered(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: "config",
            reason_type: Some(ReasonKind::Other.as_str()),
        }
    }

    /// Denied because the permission request could not be sent.
    pub fn request_failed(why: &str) -> Self {
        Self::unanswered(format!("Tool permission request failed: {why}"))
    }

    /// Denied without a permission request.
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

    /// Returns the decision in the format of the result's metadata.
    pub(crate) fn metadata(&self) -> Value {
        metadata("reject", self.source, self.reason_type)
    }
}

fn metadata(decision: &str, source: &str, reason_type: Option<&str>) -> Value {
    let mut metadata = json!({"decision": decision, "source": source});
    if let (Some(reason), Some(map)) = (reason_type, metadata.as_object_mut()) {
        map.insert("reason_type".to_owned(), reason.into());
    }
    metadata
}
