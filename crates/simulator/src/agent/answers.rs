//! Default responses to control requests that a script does not mention.

use serde_json::{Value, json};

use super::steps::ControlAnswer;

/// Returns the response of a real agent, reduced to the fields that hosts need.
pub(super) fn default_response(request: &Value) -> Value {
    let field = |key: &str| request.get(key).cloned().unwrap_or(Value::Null);
    match request.get("subtype").and_then(Value::as_str).unwrap_or("") {
        "initialize" => json!({
            "commands": [], "agents": [], "output_style": "default", "available_output_styles": ["default"],
            "models": [{"value": "default", "displayName": "Default", "description": "The scripted agent"}],
            "account": {},
        }),
        "interrupt" => json!({"still_queued": []}),
        "set_permission_mode" => json!({"mode": field("mode")}),
        "set_model" => json!({"model": field("model")}),
        "mcp_status" => json!({"mcpServers": []}),
        "mcp_set_servers" => json!({"added": [], "removed": [], "errors": {}}),
        "cancel_async_message" => json!({"cancelled": false}),
        "list_models" => json!({"models": []}),
        _ => json!({}),
    }
}

/// Returns the message for a response.
pub(super) fn frame(request_id: &Value, answer: &ControlAnswer) -> Value {
    let response = match answer {
        ControlAnswer::Success(payload) => json!({"subtype": "success", "request_id": request_id, "response": payload}),
        ControlAnswer::Error(text) => json!({"subtype": "error", "request_id": request_id, "error": text}),
    };
    json!({"type": "control_response", "response": response})
}
