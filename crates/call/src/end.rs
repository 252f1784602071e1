//! The end of a call: its outcome, the reason for it, and the `tool_result` block.

use serde_json::{Value, json};
use sluice_tools::Outcome;

use crate::{Denial, Grant};

/// What a call came to.
#[derive(Debug, Clone)]
pub struct End {
    pub outcome: Outcome,
    pub basis: Basis,
}

/// How it came to that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Basis {
    /// Nothing was decided about it: it could not be made.
    Unfit,
    /// It was allowed, and ran.
    Allowed(Grant),
    /// It was not allowed.
    Denied(Denial),
    /// The turn was stopped before it was done.
    Stopped,
}

impl End {
    /// The call could not be made.
    pub fn unfit(outcome: Outcome) -> Self {
        Self {
            outcome,
            basis: Basis::Unfit,
        }
    }

    /// The turn was stopped.
    pub fn stopped(outcome: Outcome) -> Self {
        Self {
            outcome,
            basis: Basis::Stopped,
        }
    }

    /// It was denied.
    pub fn denied(denial: Denial) -> Self {
        Self {
            outcome: Outcome::failed(&denial.message),
            basis: Basis::Denied(denial),
        }
    }

    /// The reason for it, for the meta data of the result.
    pub fn meta(&self) -> Option<Value> {
        match &self.basis {
            Basis::Unfit => None,
            Basis::Allowed(grant) if self.outcome.interrupted => {
                Some(json!({"permission_decision": grant.told(), "non_execution_kind": "interrupted"}))
            }
            Basis::Allowed(grant) => Some(json!({"permission_decision": grant.told()})),
            Basis::Denied(denial) => {
                Some(json!({"non_execution_kind": "permission-rule", "permission_decision": denial.told()}))
            }
            Basis::Stopped => Some(json!({"non_execution_kind": "user-rejected"})),
        }
    }
}

/// A `tool_result` block, as the wire shows it: a success begins with the id, a failure ends
/// with it.
pub fn result_block(id: &str, content: &Value, is_error: Option<bool>) -> Value {
    match is_error {
        Some(true) => json!({"type": "tool_result", "content": content, "is_error": true, "tool_use_id": id}),
        Some(false) => json!({"tool_use_id": id, "type": "tool_result", "content": content, "is_error": false}),
        None => json!({"tool_use_id": id, "type": "tool_result", "content": content}),
    }
}

/// A result as the model is given it back. References to tools are a notation of the wire: what the model needs to
/// know is that the tools are there.
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
