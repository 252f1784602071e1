//! MCP servers that a host names in `initialize`: calls over the protocol, and the permission policies declared for their
//! tools.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Options;
use sluice_permission::PermissionMode;
use sluice_simulator::Script;

use crate::servers::{SERVER, result_of};
use crate::stage::{Stage, prompt};

/// `initialize` with one server inside the host, `h`, whose tool `sum` has this policy.
fn initialize(policy: &str) -> Value {
    let info = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
        "serverInfo": {"name": "h", "version": "1"}});
    let tools = json!({"tools": [{"name": "sum", "inputSchema": {"type": "object"}}]});
    json!({
        "subtype": "initialize",
        "sdkMcpServers": ["h"],
        "sdkMcpServerManifests": {"h": {"initializeResult": info, "toolsListResult": tools}},
        "sdkMcpServerConfigs": {"h": {"tools": [{"name": "sum", "permission_policy": policy}]}},
    })
}

fn bypassing(options: &mut Options) {
    options.permissions.mode = Some(PermissionMode::BypassPermissions);
    options.permissions.bypass_launched = true;
    options.permissions.allowed.push("mcp__h__sum".to_owned());
}

/// Answers the next `tools/call`.
async fn answer_call(stage: &mut Stage) {
    let call = loop {
        let message = stage.next().await;
        if message["request"]["subtype"] == "mcp_message" {
            break message;
        }
    };
    let result = json!({"jsonrpc": "2.0", "id": call["request"]["message"]["id"],
        "result": {"content": [{"type": "text", "text": "1"}]}});
    stage.answer(&call, json!({"mcp_response": result})).await;
}

#[tokio::test]
async fn host_server_is_called_over_the_protocol() {
    let script = Script::new().tool("mcp__h__sum", json!({"a": 1})).text("Done");
    let mut stage = Stage::begin(script).await;
    let id = stage
        .request(json!({"subtype": "initialize", "sdkMcpServers": ["h"]}))
        .await;
    let opening = stage.next().await;
    assert_eq!(opening["request"]["message"]["method"], "initialize", "{opening}");
    let answered = stage.next().await;
    assert_eq!(
        answered["response"]["request_id"], *id,
        "only the first message comes before the answer"
    );
    let respond = |asked: &Value, result: Value| {
        let id = asked["request"]["message"]["id"].clone();
        json!({"mcp_response": {"jsonrpc": "2.0", "id": id, "result": result}})
    };
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}});
    stage.answer(&opening, respond(&opening, hello)).await;
    stage.prompt("go").await;
    loop {
        let message = stage.next().await;
        if message["type"] == "result" {
            break;
        }
        match message["request"]["message"]["method"].as_str() {
            Some("tools/list") => {
                let tools = json!({"tools": [{"name": "sum", "inputSchema": {"type": "object"}}]});
                stage.answer(&message, respond(&message, tools)).await;
            }
            Some("tools/call") => {
                assert_eq!(message["request"]["message"]["params"]["arguments"], json!({"a": 1}));
                let sum = json!({"content": [], "structuredContent": {"sum": 1}});
                stage.answer(&message, respond(&message, sum)).await;
            }
            Some(_) => {
                stage
                    .answer(&message, json!({"mcp_response": {"jsonrpc": "2.0", "result": {}}}))
                    .await;
            }
            None if message["request"]["subtype"] == "can_use_tool" => stage.allow(&message).await,
            None => {}
        }
    }
    assert_eq!(*result_of(&stage), json!("{\"sum\":1}"));
    stage.end().await;
}

/// Like the TypeScript SDK opens a session with its own servers.
#[tokio::test]
async fn host_server_with_manifest_is_called_without_handshake() {
    let script = Script::new().tool("mcp__h__sum", json!({"a": 1})).text("Done");
    let mut stage = Stage::begin(script).await;
    let info = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}},
        "serverInfo": {"name": "h", "version": "1"}});
    let tools = json!({"tools": [{"name": "sum", "inputSchema": {"type": "object"}}]});
    let manifests = json!({"h": {"initializeResult": info, "toolsListResult": tools}});
    let answer = stage
        .control(json!({"subtype": "initialize", "sdkMcpServers": ["h"], "sdkMcpServerManifests": manifests}))
        .await;
    assert_eq!(answer["response"]["sdk_mcp_manifests_parked"], json!({"h": "parked"}));
    stage.prompt("go").await;
    let ask = stage.ask().await;
    stage.allow(&ask).await;
    let call = loop {
        let message = stage.next().await;
        if message["request"]["subtype"] == "mcp_message" {
            break message;
        }
    };
    assert_eq!(
        call["request"]["message"]["method"], "tools/call",
        "the manifest replaces the earlier requests"
    );
    let sum = json!({"jsonrpc": "2.0", "id": call["request"]["message"]["id"], "result": {"content": [{"type": "text", "text": "1"}]}});
    stage.answer(&call, json!({"mcp_response": sum})).await;
    assert_eq!(stage.result().await["result"], "Done");
    stage.end().await;
}

/// Hosts write without waiting: the answer of a server may arrive together with the prompt, and after it.
#[tokio::test]
async fn answer_arriving_with_the_prompt_is_handled_first() {
    let mut stage = Stage::begin(Script::new().text("Done")).await;
    stage
        .request(json!({"subtype": "initialize", "sdkMcpServers": ["h"]}))
        .await;
    let opening = stage.next().await;
    stage.next().await;
    let refused = json!({"mcp_response": refusal_of(&opening)});
    let answer = json!({"type": "control_response", "response": {
        "subtype": "success", "request_id": opening["request_id"], "response": refused,
    }});
    stage.send(&[prompt("go"), answer]).await;
    // A rejected request is retried, which shows that the first answer was handled.
    let again = loop {
        let message = stage.next().await;
        assert_ne!(
            message["type"], "control_cancel_request",
            "the first answer was not handled"
        );
        if message["request"]["subtype"] == "mcp_message" {
            break message;
        }
    };
    stage.answer(&again, json!({"mcp_response": refusal_of(&again)})).await;
    stage.result().await;
    stage.end().await;
}

fn refusal_of(asked: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": asked["request"]["message"]["id"], "error": {"code": -32603, "message": "no"}})
}

#[tokio::test]
async fn always_deny_removes_the_tool_in_every_mode() {
    let script = Script::new().tool("mcp__h__sum", json!({})).text("Done");
    let mut stage = Stage::with(script, bypassing).await;
    stage.control(initialize("always_deny")).await;
    stage.prompt("go").await;
    stage.result().await;
    let tools = &stage.last("init")["tools"];
    assert!(!tools.as_array().unwrap().contains(&json!("mcp__h__sum")), "{tools}");
    stage.last("user:tool_error");
    assert!(
        stage
            .heard
            .iter()
            .all(|message| message["request"]["subtype"] != "mcp_message")
    );
    stage.end().await;
}

#[tokio::test]
async fn always_deny_applies_to_subagents() {
    let agent = json!({"description": "d", "prompt": "sub", "run_in_background": false});
    let script = Script::new()
        .tool("Agent", agent)
        .tool("mcp__h__sum", json!({}))
        .text("sub done")
        .text("Done");
    let mut stage = Stage::with(script, bypassing).await;
    stage.control(initialize("always_deny")).await;
    stage.prompt("go").await;
    stage.result().await;
    assert!(
        stage
            .heard
            .iter()
            .all(|message| message["request"]["subtype"] != "mcp_message")
    );
    stage.end_crew().await;
}

#[tokio::test]
async fn always_ask_overrides_bypass_mode_and_allow_rules() {
    let script = Script::new().tool("mcp__h__sum", json!({})).text("Done");
    let mut stage = Stage::with(script, bypassing).await;
    stage.control(initialize("always_ask")).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    let request = &ask["request"];
    assert_eq!(request["tool_name"], "mcp__h__sum");
    assert_eq!(request["decision_reason_type"], "rule");
    assert_eq!(request["decision_reason_rule_source"], "mcpServerPolicy");
    assert_eq!(request.get("permission_suggestions"), None, "no rule would change it");
    stage.allow(&ask).await;
    answer_call(&mut stage).await;
    assert_eq!(stage.result().await["result"], "Done");
    stage.end().await;
}

#[tokio::test]
async fn always_ask_is_denied_without_a_permission_handler() {
    let script = Script::new().tool("mcp__h__sum", json!({})).text("Done");
    let change = |options: &mut Options| {
        options.permissions.mode = Some(PermissionMode::DontAsk);
        options.permissions.allowed.push("mcp__h__sum".to_owned());
    };
    let mut stage = Stage::with(script, change).await;
    stage.control(initialize("always_ask")).await;
    stage.prompt("go").await;
    let result = stage.result().await;
    assert_eq!(result["permission_denials"][0]["tool_name"], "mcp__h__sum");
    stage.end().await;
}

#[tokio::test]
async fn mcp_set_servers_replaces_policies() {
    let script = Script::new().tool("mcp__h__sum", json!({})).text("Done");
    let mut stage = Stage::with(script, bypassing).await;
    stage.control(initialize("always_ask")).await;
    let servers = json!({"h": {"type": "sdk", "name": "h", "timeout": 5000}});
    let answer = stage
        .control(json!({"subtype": "mcp_set_servers", "servers": servers}))
        .await;
    assert_eq!(answer["response"]["added"], json!([]), "the server stays connected");
    stage.prompt("go").await;
    answer_call(&mut stage).await;
    assert_eq!(stage.result().await["result"], "Done", "no permission request");
    stage.end().await;
}

fn waiting(options: &mut Options) {
    options.host.awaits_initialize = true;
    std::fs::write(options.cwd.join("server.sh"), SERVER).unwrap();
}

fn servers_of(stage: &Stage) -> Value {
    json!({
        "s": {"command": "bash", "args": [stage.path("server.sh"), ""]},
        "pigeon": {"type": "carrier-pigeon"},
        "empty": {"type": "stdio"},
        "number": 5,
    })
}

#[tokio::test]
async fn servers_of_initialize_are_connected_before_the_first_turn() {
    let script = Script::new().tool("mcp__s__echo", json!({})).text("Done");
    let mut stage = Stage::with(script, waiting).await;
    let servers = servers_of(&stage);
    let answer = stage
        .control(json!({"subtype": "initialize", "mcpServers": servers}))
        .await;
    assert_eq!(answer["response"]["mcp_servers_applied"], true);
    stage.prompt("go").await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["tool_name"], "mcp__s__echo");
    stage.allow(&ask).await;
    stage.result().await;
    let init = stage.last("init").clone();
    assert_eq!(
        init["mcp_servers"],
        json!([{"name": "s", "status": "connected", "source": "dynamic"}])
    );
    let errors: Vec<(&str, &str)> = init["mcp_server_errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["name"].as_str().unwrap(), error["type"].as_str().unwrap()))
        .collect();
    assert_eq!(
        errors,
        [
            ("pigeon", "unknown_type"),
            ("empty", "invalid_config"),
            ("number", "invalid_config")
        ]
    );
    stage.end().await;
}

#[tokio::test]
async fn servers_of_late_initialize_are_not_applied() {
    let mut stage = Stage::with(Script::new().text("Done"), |options| {
        waiting(options);
        options.host.awaits_initialize = false;
    })
    .await;
    let servers = servers_of(&stage);
    let answer = stage
        .control(json!({"subtype": "initialize", "mcpServers": servers}))
        .await;
    assert_eq!(answer["response"]["mcp_servers_applied"], false);
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(stage.last("init")["mcp_servers"], json!([]));
    assert_eq!(stage.last("init").get("mcp_server_errors"), None);
    stage.end().await;
}

#[tokio::test]
async fn only_the_first_initialize_adds_servers() {
    let mut stage = Stage::with(Script::new().text("Done"), waiting).await;
    let first = stage.control(json!({"subtype": "initialize"})).await;
    assert_eq!(first["response"].get("mcp_servers_applied"), None, "none were sent");
    let servers = servers_of(&stage);
    let answer = stage
        .control(json!({"subtype": "initialize", "mcpServers": servers}))
        .await;
    assert_eq!(answer["response"]["mcp_servers_applied"], false);
    stage.end().await;
}

#[tokio::test]
async fn server_of_a_launch_flag_is_not_replaced_by_initialize() {
    let mut stage = Stage::with(Script::new().text("Done"), |options| {
        waiting(options);
        let server = json!({"command": "bash", "args": [options.cwd.join("server.sh"), ""]});
        let config = sluice_engine::mcp::ServerConfig::parse(&server);
        options.servers.dynamic.insert("s".to_owned(), config);
    })
    .await;
    let servers = json!({"s": {"command": "/nonexistent"}});
    stage
        .control(json!({"subtype": "initialize", "mcpServers": servers}))
        .await;
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(stage.last("init")["mcp_servers"][0]["status"], "connected");
    stage.end().await;
}
