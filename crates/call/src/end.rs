//! The end of a call: its outcome, the reason for it and the `tool_result` block.

use serde_json::{Value, json};
use sluice_tools::Outcome;

use crate::{Denial, Grant};

/// The end of a call.
#[derive(Debug, Clone)]
pub struct End {
    pub outcome: Outcome,
    pub basis: Basis,
}

/// The reason for the outcome of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Basis {
    /// The call was invalid, so there was no permission decision.
    Unfit,
    /// The call was allowed and ran.
    Allowed(Grant),
    /// The call was denied.
    Denied(Denial),
    /// The turn was stopped before the call ended.
    Stopped,
}

impl End {
    /// Creates the end of an invalid call.
    pub fn unfit(outcome: Outcome) -> Self {
        Self {
            outcome,
            basis: Basis::Unfit,
        }
    }

    /// Creates the end of a call whose turn was stopped.
    pub fn stopped(outcome: Outcome) -> Self {
        Self {
            outcome,
            basis: Basis::Stopped,
        }
    }

    /// Creates the end of a denied call.
    pub fn denied(denial: Denial) -> Self {
        Self {
            outcome: Outcome::failed(&denial.message),
            basis: Basis::Denied(denial),
        }
    }

    /// Returns the reason in the format of the result's metadata.
    pub fn meta(&self) -> Option<Value> {
        match &self.basis {
            Basis::Unfit => None,
            Basis::Allowed(grant) if self.outcome.interrupted => {
                Some(json!({"permission_decision": grant.metadata(), "non_execution_kind": "interrupted"}))
            }
            Basis::Allowed(grant) => Some(json!({"permission_decision": grant.metadata()})),
            Basis::Denied(denial) => {
                Some(json!({"non_execution_kind": "permission-rule", "permission_decision": denial.metadata()}))
            }
            Basis::Stopped => Some(json!({"non_execution_kind": "user-rejected"})),
        }
    }
}

/// Returns a `tool_result` block with the field order of the reference CLI: the id comes first in a success and last in
/// a failure.
pub fn result_block(id: &str, content: &Value, is_error: Option<bool>) -> Value {
    match is_error {
        Some(true) => json!({"type": "tool_result", "content": content, "is_error": true, "tool_use_id": id}),
        Some(false) => json!({"tool_use_id": id, "type": "tool_result", "content": content, "is_error": false}),
        None => json!({"tool_use_id": id, "type": "tool_result", "content": content}),
    }
}

/// Returns the block in the form for the model: references to tools, which only the protocol uses, are replaced with
/// text.
pub fn for_model(mut block: Value) -> Value {
    if let Some(Value::Array(parts)) = block.get_mut("content") {
        for part in parts {
            if part.get("type").and_then(Value::as_str) == Some("tool_reference") {
                let name = part.get("tool_name").and_then(Value::as_str).unwrap_or_default();
                *part = json!({"type": "text", "text": format!("{name} is loaded: you can call it from now on.")});
            }
        }
    }
    block
}
