//! What requests are answered with, by subtype.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sluice_wire::control;
use sluice_wire::hook::HookOutput;

/// Reads `response` as what answers `subtype` and writes it back; `None` when it has no struct.
pub(crate) fn back(subtype: &str, response: &Value) -> Option<Result<Value, String>> {
    let read = match subtype {
        "initialize" => through::<control::InitializeResponse>,
        "interrupt" => through::<control::InterruptResponse>,
        "set_permission_mode" => through::<control::SetPermissionModeResponse>,
        "set_model" => through::<control::SetModelResponse>,
        "mcp_status" => through::<control::McpStatusResponse>,
        "mcp_set_servers" => through::<control::McpSetServersResponse>,
        "mcp_message" => through::<control::McpMessageResponse>,
        "rewind_files" => through::<control::RewindFilesResponse>,
        "get_settings" => through::<control::GetSettingsResponse>,
        "cancel_async_message" => through::<control::CancelAsyncMessageResponse>,
        "get_context_usage" => through::<control::GetContextUsageResponse>,
        "reload_plugins" => through::<control::ReloadPluginsResponse>,
        "read_file" => through::<control::ReadFileResponse>,
        "file_suggestions" => through::<control::FileSuggestionsResponse>,
        "get_binary_version" => through::<control::GetBinaryVersionResponse>,
        "get_session_cost" => through::<control::GetSessionCostResponse>,
        "mcp_authenticate" => through::<control::McpAuthenticateResponse>,
        "mcp_call" => through::<control::McpCallResponse>,
        "background_tasks" => through::<control::BackgroundTasksResponse>,
        "get_usage" => through::<control::GetUsageResponse>,
        "reload_skills" => through::<control::ReloadSkillsResponse>,
        "list_models" => through::<control::ListModelsResponse>,
        "get_hooks_listing" => through::<control::GetHooksListingResponse>,
        "list_permission_rules" => through::<control::ListPermissionRulesResponse>,
        "reload_output_styles" => through::<control::ReloadOutputStylesResponse>,
        "mcp_read_resource" => through::<control::McpReadResourceResponse>,
        "get_task_output" => through::<control::GetTaskOutputResponse>,
        "set_mcp_permission_mode_override" => through::<control::SetMcpPermissionModeOverrideResponse>,
        "generate_session_title" => through::<control::GenerateSessionTitleResponse>,
        "side_question" => through::<control::SideQuestionResponse>,
        "can_use_tool" => through::<control::CanUseToolResponse>,
        "elicitation" => through::<control::ElicitationResponse>,
        "request_user_dialog" => through::<control::RequestUserDialogResponse>,
        "hook_callback" => through::<HookOutput>,
        _ => return None,
    };
    Some(read(response))
}

fn through<T: DeserializeOwned + Serialize>(value: &Value) -> Result<Value, String> {
    let text = value.to_string();
    let from_text: T = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let from_value: T = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    let written = serde_json::to_value(&from_text).map_err(|error| error.to_string())?;
    let again = serde_json::to_value(&from_value).map_err(|error| error.to_string())?;
    assert_eq!(written, again, "text and value are read alike");
    Ok(written)
}

#[test]
fn every_answer_is_read_and_written_back() {
    for line in include_str!("lines/answer.ndjson").lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let subtype = entry["subtype"].as_str().unwrap();
        let written = back(subtype, &entry["response"]).unwrap().unwrap();
        assert_eq!(written, entry["response"], "{subtype}");
    }
}
