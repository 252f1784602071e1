//! Responses to control requests survive a round trip round_trip_as their structs.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sluice_wire::control;
use sluice_wire::hook::HookOutput;

/// Parses `response` as the response type of `subtype` and serialises it again; `None` if there is no such type.
pub(crate) fn round_trip(subtype: &str, response: &Value) -> Option<Result<Value, String>> {
    let read = match subtype {
        "initialize" => round_trip_as::<control::InitializeResponse>,
        "interrupt" => round_trip_as::<control::InterruptResponse>,
        "set_permission_mode" => round_trip_as::<control::SetPermissionModeResponse>,
        "set_model" => round_trip_as::<control::SetModelResponse>,
        "mcp_status" => round_trip_as::<control::McpStatusResponse>,
        "mcp_set_servers" => round_trip_as::<control::McpSetServersResponse>,
        "mcp_message" => round_trip_as::<control::McpMessageResponse>,
        "rewind_files" => round_trip_as::<control::RewindFilesResponse>,
        "get_settings" => round_trip_as::<control::GetSettingsResponse>,
        "cancel_async_message" => round_trip_as::<control::CancelAsyncMessageResponse>,
        "get_context_usage" => round_trip_as::<control::GetContextUsageResponse>,
        "reload_plugins" => round_trip_as::<control::ReloadPluginsResponse>,
        "read_file" => round_trip_as::<control::ReadFileResponse>,
        "file_suggestions" => round_trip_as::<control::FileSuggestionsResponse>,
        "get_binary_version" => round_trip_as::<control::GetBinaryVersionResponse>,
        "get_session_cost" => round_trip_as::<control::GetSessionCostResponse>,
        "mcp_authenticate" => round_trip_as::<control::McpAuthenticateResponse>,
        "mcp_call" => round_trip_as::<control::McpCallResponse>,
        "background_tasks" => round_trip_as::<control::BackgroundTasksResponse>,
        "get_usage" => round_trip_as::<control::GetUsageResponse>,
        "reload_skills" => round_trip_as::<control::ReloadSkillsResponse>,
        "list_models" => round_trip_as::<control::ListModelsResponse>,
        "get_hooks_listing" => round_trip_as::<control::GetHooksListingResponse>,
        "list_permission_rules" => round_trip_as::<control::ListPermissionRulesResponse>,
        "reload_output_styles" => round_trip_as::<control::ReloadOutputStylesResponse>,
        "mcp_read_resource" => round_trip_as::<control::McpReadResourceResponse>,
        "get_task_output" => round_trip_as::<control::GetTaskOutputResponse>,
        "set_mcp_permission_mode_override" => round_trip_as::<control::SetMcpPermissionModeOverrideResponse>,
        "generate_session_title" => round_trip_as::<control::GenerateSessionTitleResponse>,
        "side_question" => round_trip_as::<control::SideQuestionResponse>,
        "can_use_tool" => round_trip_as::<control::CanUseToolResponse>,
        "elicitation" => round_trip_as::<control::ElicitationResponse>,
        "request_user_dialog" => round_trip_as::<control::RequestUserDialogResponse>,
        "hook_callback" => round_trip_as::<HookOutput>,
        _ => return None,
    };
    Some(read(response))
}

fn round_trip_as<T: DeserializeOwned + Serialize>(value: &Value) -> Result<Value, String> {
    let text = value.to_string();
    let from_text: T = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let from_value: T = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    let written = serde_json::to_value(&from_text).map_err(|error| error.to_string())?;
    let again = serde_json::to_value(&from_value).map_err(|error| error.to_string())?;
    assert_eq!(
        written, again,
        "parsing from text and from a value gives the same result"
    );
    Ok(written)
}

#[test]
fn every_response_survives_a_round_trip() {
    for line in include_str!("lines/answer.ndjson").lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let subtype = entry["subtype"].as_str().unwrap();
        let written = round_trip(subtype, &entry["response"]).unwrap().unwrap();
        assert_eq!(written, entry["response"], "{subtype}");
    }
}
