//! Control messages: permission requests, their withdrawal, and responses to the host.

use std::path::Path;

use serde::Serialize;
use sluice_call::Call;
use sluice_permission::{Decision, ReasonKind};
use sluice_wire::Raw;
use sluice_wire::control::{
    CanUseTool, ControlCancelRequest, ControlRequest, ControlResponse, DecisionReasonType, Failure, MatchedAskRule,
    McpServerProvenance, RequestId,
};
use sluice_wire::stdout::system::{ControlRequestProgress, ElicitationComplete, PermissionDenied};

use super::fresh_id;

/// The permission request for a call.
pub(crate) fn ask(request_id: &str, call: &Call, decision: &Decision, cwd: &Path) -> ControlRequest {
    let reason = &decision.reason;
    let matched = reason
        .rule
        .as_ref()
        .filter(|rule| rule.behavior == sluice_permission::Behavior::Ask);
    let by_hook = reason.kind == Some(ReasonKind::Hook);
    let known = call.tool.as_ref().and_then(|tool| tool.provenance());
    // A call that needs a person for its answer cannot be allowed permanently either.
    let for_a_person = known.as_ref().is_some_and(|known| known.needs_answer);
    // Nor can a call whose path leads elsewhere: a rule for the path would not say what it allows.
    let misleading = reason.kind == Some(ReasonKind::SafetyCheck) && decision.blocked_path.is_some();
    let request = CanUseTool {
        tool_name: call.name.clone(),
        display_name: Some(
            known
                .as_ref()
                .map_or_else(|| call.name.clone(), |known| known.spoken.clone()),
        ),
        mcp_server: known.as_ref().map(|known| McpServerProvenance {
            name: known.server.clone(),
            source: Some(known.source.to_owned()),
            ..McpServerProvenance::default()
        }),
        server_policy_ask_only: known.as_ref().map(|known| !known.needs_answer),
        suppress_always_allow_rule: (for_a_person || misleading).then_some(true),
        input: Raw::of(&call.checked),
        description: description(call, cwd),
        permission_suggestions: if for_a_person {
            Some(Vec::new())
        } else {
            decision.suggestions.clone()
        },
        blocked_path: decision.blocked_path.as_ref().map(|path| path.display().to_string()),
        decision_reason: reason.text.clone(),
        decision_reason_type: reason.kind.map(|kind| DecisionReasonType::from(kind.as_str())),
        matched_ask_rule: matched.map(|rule| MatchedAskRule {
            source: rule.source.as_str().to_owned(),
            tool_name: rule.tool.clone(),
            rule_content: rule.content.clone(),
            ..MatchedAskRule::default()
        }),
        extra: reason
            .rule
            .iter()
            .map(|rule| ("decision_reason_rule_source", rule.source.as_str()))
            .collect(),
        tool_use_id: Some(call.id.clone()),
        requires_user_interaction: (for_a_person || decision.requires_user_interaction).then_some(true),
        decision_reason_hook_event: by_hook.then(|| "PreToolUse".to_owned()),
        decision_reason_hook_source: by_hook.then(|| "settings".to_owned()),
        ..CanUseTool::default()
    };
    ControlRequest::new(request_id, request)
}

/// A short description of a call: the one the model gave, or the path of the file.
fn description(call: &Call, cwd: &Path) -> Option<String> {
    let text = |key: &str| call.checked.get(key).and_then(serde_json::Value::as_str);
    if let Some(description) = text("description") {
        return Some(description.to_owned());
    }
    let file = call.tool.as_ref()?.descriptor().touches.file()?;
    let path = Path::new(text(file)?);
    Some(path.strip_prefix(cwd).unwrap_or(path).display().to_string())
}

/// An elicitation of an MCP server is complete.
pub(crate) fn elicitation_complete(server: &str, elicitation_id: &str) -> ElicitationComplete {
    ElicitationComplete {
        mcp_server_name: server.to_owned(),
        elicitation_id: elicitation_id.to_owned(),
        uuid: fresh_id(),
        ..ElicitationComplete::default()
    }
}

/// Withdraws a request.
pub(crate) fn cancel(request_id: &str) -> ControlCancelRequest {
    ControlCancelRequest::new(request_id)
}

/// A call was denied without a permission request.
pub(crate) fn permission_denied(call: &Call, decision: &Decision) -> PermissionDenied {
    PermissionDenied {
        tool_name: call.name.clone(),
        tool_use_id: call.id.clone(),
        decision_reason_type: decision.reason.kind.map(|kind| kind.as_str().to_owned()),
        decision_reason: decision.reason.text.clone(),
        message: decision.message.clone(),
        uuid: fresh_id(),
        ..PermissionDenied::default()
    }
}

/// A slow request is being processed.
pub(crate) fn request_started(id: &RequestId) -> ControlRequestProgress {
    ControlRequestProgress {
        request_id: id.to_string(),
        status: "started".to_owned(),
        uuid: fresh_id(),
        ..ControlRequestProgress::default()
    }
}

/// A success response with content.
pub(crate) fn success<T: Serialize + ?Sized>(id: &RequestId, response: &T) -> ControlResponse {
    ControlResponse::success(id.clone(), response)
}

/// A success response without content.
pub(crate) fn ok(id: &RequestId) -> ControlResponse {
    ControlResponse::ok(id.clone())
}

/// An error response.
pub(crate) fn error(id: &RequestId, text: impl Into<String>) -> ControlResponse {
    ControlResponse::error(id.clone(), text)
}

/// An error response with an error code for programs.
pub(crate) fn refused(id: &RequestId, code: &str, text: impl Into<String>) -> ControlResponse {
    ControlResponse::from(Failure {
        request_id: id.clone(),
        error: text.into(),
        error_code: Some(code.to_owned()),
        ..Failure::default()
    })
}
