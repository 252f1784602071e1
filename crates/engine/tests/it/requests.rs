//! Every control request, with valid and invalid fields: each is answered exactly once, with content or an error, and
//! none of them breaks the session.

use std::collections::HashMap;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Reply, Script};

use crate::stage::Stage;

/// The expected response.
#[derive(Debug, Clone, Copy)]
enum Expected {
    /// Success with at least these fields in `response`.
    Succeeds(&'static [&'static str]),
    /// An error without a code.
    Fails,
    /// An error with this code.
    FailsWith(&'static str),
}

use Expected::{Fails, FailsWith, Succeeds};

const UNSUPPORTED: Expected = FailsWith("unsupported_request");
const CONTEXT: &[&str] = &[
    "categories",
    "totalTokens",
    "maxTokens",
    "rawMaxTokens",
    "percentage",
    "gridRows",
    "model",
    "memoryFiles",
    "mcpTools",
    "agents",
    "isAutoCompactEnabled",
    "apiUsage",
];
const USAGE: &[&str] = &[
    "session",
    "subscription_type",
    "rate_limits_available",
    "rate_limits",
    "behaviors",
];

/// Valid requests, with the expected response.
fn valid_requests() -> Vec<(Value, Expected)> {
    let mut all = about_the_session();
    all.extend(invalid_or_unsupported());
    all.extend(about_surroundings());
    all.extend(about_servers());
    all
}

fn about_the_session() -> Vec<(Value, Expected)> {
    vec![
        (
            json!({"subtype": "initialize"}),
            Succeeds(&["commands", "agents", "models", "output_style", "account", "pid"]),
        ),
        (json!({"subtype": "interrupt"}), Succeeds(&["still_queued"])),
        (
            json!({"subtype": "interrupt", "cancel_queued": true}),
            Succeeds(&["still_queued", "cancelled"]),
        ),
        (
            json!({"subtype": "set_permission_mode", "mode": "default"}),
            Succeeds(&["mode"]),
        ),
        (
            json!({"subtype": "set_permission_mode", "mode": "none such"}),
            FailsWith("invalid_mode"),
        ),
        (
            json!({"subtype": "set_permission_mode", "mode": "bypassPermissions"}),
            FailsWith("bypass_not_launched"),
        ),
        (json!({"subtype": "set_model", "model": "sonnet"}), Succeeds(&["model"])),
        (json!({"subtype": "set_model"}), Succeeds(&["model"])),
        (
            json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 4000}),
            Succeeds(&[]),
        ),
        (json!({"subtype": "stop_task", "task_id": "none such"}), Succeeds(&[])),
        (
            json!({"subtype": "cancel_async_message", "message_uuid": "none such"}),
            Succeeds(&["cancelled"]),
        ),
        (json!({"subtype": "get_context_usage"}), Succeeds(CONTEXT)),
        (json!({"subtype": "get_usage"}), Succeeds(USAGE)),
        (json!({"subtype": "get_session_cost"}), Succeeds(&["text"])),
        (
            json!({"subtype": "get_binary_version"}),
            Succeeds(&["version", "buildTime"]),
        ),
        (json!({"subtype": "list_models"}), Succeeds(&["models"])),
        (json!({"subtype": "rename_session", "title": "A name"}), Succeeds(&[])),
        (json!({"subtype": "rename_session", "title": " "}), Fails),
        (
            json!({"subtype": "rewind_files", "user_message_id": "none such"}),
            Fails,
        ),
        (json!({"subtype": "background_tasks"}), Succeeds(&[])),
        (
            json!({"subtype": "background_tasks", "tool_use_id": "none such"}),
            Succeeds(&["backgrounded"]),
        ),
        (json!({"subtype": "get_task_output", "task_id": "none such"}), Fails),
        (
            json!({"subtype": "set_has_subscribers", "has_subscribers": true}),
            Succeeds(&[]),
        ),
        (json!({"subtype": "claim_session", "cwd": "."}), Fails),
        (json!({"subtype": "get_plan"}), Succeeds(&[])),
        (
            json!({"subtype": "generate_session_title", "description": "a walk"}),
            Succeeds(&["title"]),
        ),
        (
            json!({"subtype": "side_question", "question": "why?"}),
            Succeeds(&["response", "synthetic"]),
        ),
        (
            json!({"subtype": "message_rated", "messageUuid": "m", "sentiment": "positive"}),
            Succeeds(&[]),
        ),
        (
            json!({"subtype": "get_workspace_diff"}),
            Succeeds(&["diff", "noDiffReason"]),
        ),
    ]
}

fn invalid_or_unsupported() -> Vec<(Value, Expected)> {
    vec![
        (json!({"subtype": "set_color", "color": "red"}), UNSUPPORTED),
        (json!({"subtype": "edit_hook"}), UNSUPPORTED),
        (json!({"subtype": "none such"}), UNSUPPORTED),
        (json!({"subtype": 5}), UNSUPPORTED),
        (json!({}), UNSUPPORTED),
        (
            json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t"}),
            UNSUPPORTED,
        ),
        (json!({"subtype": "can_use_tool"}), UNSUPPORTED),
        (json!({"subtype": "hook_callback"}), UNSUPPORTED),
    ]
}

fn about_surroundings() -> Vec<(Value, Expected)> {
    vec![
        (
            json!({"subtype": "get_settings"}),
            Succeeds(&["effective", "sources", "applied"]),
        ),
        (json!({"subtype": "apply_flag_settings", "settings": {}}), Succeeds(&[])),
        (
            json!({"subtype": "update_settings", "source": "localSettings", "settings": {}}),
            Succeeds(&[]),
        ),
        (
            json!({"subtype": "update_settings", "source": "policySettings", "settings": {}}),
            Fails,
        ),
        (json!({"subtype": "list_permission_rules"}), Succeeds(&["state"])),
        (
            json!({"subtype": "get_hooks_listing"}),
            Succeeds(&["events", "hooks", "eventCatalog", "policy"]),
        ),
        (
            json!({"subtype": "reload_plugins", "hold_on_cache_impact": true}),
            Succeeds(&["commands", "agents", "plugins", "mcpServers", "error_count", "held"]),
        ),
        (json!({"subtype": "reload_skills"}), Succeeds(&["skills"])),
        (
            json!({"subtype": "reload_output_styles"}),
            Succeeds(&["available_output_styles"]),
        ),
        (
            json!({"subtype": "register_repo_root", "directory": "sub", "reload_skills": true, "reload_claude_md": true}),
            Succeeds(&["directory"]),
        ),
        (json!({"subtype": "register_repo_root", "directory": "."}), Fails),
        (
            json!({"subtype": "register_repo_root", "directory": "none such"}),
            Fails,
        ),
        (
            json!({"subtype": "read_file", "path": "a.txt"}),
            Succeeds(&["contents", "absPath"]),
        ),
        (json!({"subtype": "read_file", "path": "none such"}), Fails),
        (
            json!({"subtype": "file_suggestions", "query": "a"}),
            Succeeds(&["suggestions", "cwd"]),
        ),
        (
            json!({"subtype": "seed_read_state", "path": "a.txt", "mtime": 1}),
            Succeeds(&[]),
        ),
    ]
}

fn about_servers() -> Vec<(Value, Expected)> {
    let set = json!({"subtype": "mcp_set_servers", "servers": {"s": {"command": "none such, surely"}}});
    vec![
        (json!({"subtype": "mcp_status"}), Succeeds(&["mcpServers"])),
        (set, Succeeds(&["added", "removed", "errors"])),
        (json!({"subtype": "mcp_reconnect", "serverName": "none such"}), Fails),
        (
            json!({"subtype": "mcp_toggle", "serverName": "none such", "enabled": true}),
            Fails,
        ),
        (
            json!({"subtype": "mcp_message", "server_name": "none such", "message": {}}),
            Succeeds(&[]),
        ),
        (json!({"subtype": "mcp_call", "tool": "mcp__none__such"}), Fails),
        (json!({"subtype": "mcp_call", "tool": "Bash"}), Fails),
        (
            json!({"subtype": "mcp_read_resource", "serverName": "none such", "uri": "ui://a"}),
            Fails,
        ),
        (
            json!({"subtype": "mcp_read_resource", "serverName": "s", "uri": "file:///a"}),
            Fails,
        ),
        (json!({"subtype": "mcp_authenticate", "serverName": "none such"}), Fails),
        (json!({"subtype": "mcp_clear_auth", "serverName": "none such"}), Fails),
        (
            json!({"subtype": "mcp_oauth_callback_url", "serverName": "none such", "callbackUrl": "http://a"}),
            Fails,
        ),
        (
            json!({"subtype": "set_mcp_permission_mode_override", "serverName": "none such", "mode": "auto"}),
            Succeeds(&["warning"]),
        ),
        (json!({"subtype": "channel_enable", "serverName": "none such"}), Fails),
    ]
}

/// Returns the request with only its subtype, and with an invalid value for each field.
fn invalid_variants(request: &Value) -> Vec<Value> {
    let fields = request.as_object().unwrap();
    let mut all: Vec<Value> = fields
        .get("subtype")
        .map(|name| json!({"subtype": name}))
        .into_iter()
        .collect();
    for key in fields.keys().filter(|key| *key != "subtype") {
        for wrong in [json!(null), json!([[]]), json!(-0.5), json!({"a": {}}), json!("\u{0}")] {
            let mut other = request.clone();
            other[key] = wrong;
            all.push(other);
        }
    }
    all
}

async fn stage() -> Stage {
    Stage::with(Script::new().reply(Reply::text("Hello").repeat()), |options| {
        std::fs::create_dir(options.cwd.join("sub")).unwrap();
        std::fs::write(options.cwd.join("a.txt"), "a").unwrap();
    })
    .await
}

/// Reads messages until every request has its response.
async fn answers(stage: &mut Stage, ids: &[String]) -> HashMap<String, Value> {
    let mut answers = HashMap::new();
    while answers.len() < ids.len() {
        let message = stage.next().await;
        if message["type"] != "control_response" {
            continue;
        }
        let id = message["response"]["request_id"].as_str().unwrap().to_owned();
        let before = answers.insert(id, message["response"].clone());
        assert_eq!(before, None, "answered twice");
    }
    answers
}

/// Checks that the session still works and has sent no further responses.
async fn check_session(mut stage: Stage, asked: usize) {
    stage
        .control(json!({"subtype": "set_permission_mode", "mode": "default"}))
        .await;
    stage.prompt("still there?").await;
    assert_eq!(stage.result().await["subtype"], "success");
    stage.request(json!({"subtype": "end_session"})).await;
    stage.hear_out().await;
    let answered = stage.heard.iter().filter(|it| it["type"] == "control_response").count();
    assert_eq!(answered, asked + 2);
    stage.leave().await;
}

#[tokio::test]
async fn valid_requests_succeed_or_fail_with_a_reason() {
    let mut stage = stage().await;
    let mut ids = Vec::new();
    for (request, _) in valid_requests() {
        ids.push(stage.request(request).await);
    }
    let answers = answers(&mut stage, &ids).await;
    for ((request, due), id) in valid_requests().iter().zip(&ids) {
        let answer = &answers[id];
        match due {
            Succeeds(fields) => {
                assert_eq!(answer["subtype"], "success", "{request}: {answer}");
                for field in *fields {
                    assert!(
                        answer["response"].get(field).is_some(),
                        "{request} gives no {field}: {answer}"
                    );
                }
            }
            Fails => {
                assert_eq!(answer["subtype"], "error", "{request}: {answer}");
                assert!(answer.get("error_code").is_none(), "{request}: {answer}");
            }
            FailsWith(code) => assert_eq!(answer["error_code"], *code, "{request}: {answer}"),
        }
        if answer["subtype"] == "error" {
            assert!(!answer["error"].as_str().unwrap().is_empty(), "{request}");
        }
    }
    check_session(stage, ids.len()).await;
}

#[tokio::test]
async fn invalid_requests_are_answered() {
    let mut stage = stage().await;
    let all: Vec<Value> = valid_requests()
        .iter()
        .flat_map(|(request, _)| invalid_variants(request))
        .collect();
    let mut asked = 0;
    // In chunks, so that the channel does not fill up.
    for some in all.chunks(10) {
        let mut ids = Vec::new();
        for request in some {
            ids.push(stage.request(request.clone()).await);
        }
        let answers = answers(&mut stage, &ids).await;
        for (request, id) in some.iter().zip(&ids) {
            let error = answers[id].get("error").and_then(Value::as_str);
            assert!(error.is_none_or(|text| text.len() > 3), "{request}: {error:?}");
            // The position in the line would be useless for the host.
            assert!(!error.unwrap_or_default().contains(" column "), "{request}: {error:?}");
        }
        asked += ids.len();
    }
    check_session(stage, asked).await;
}
