//! Hooks and MCP servers: server tools as hooks, and hooks on elicitations.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::mcp::ServerConfig;
use sluice_engine::{Options, StateEvents};
use sluice_simulator::Script;

use crate::hooks_calls::{hooked, on, says};
use crate::stage::Stage;

/// A server whose tools return their input, fail, or send an elicitation.
const SERVER: &str = r#"
say() { printf '%s\n' "$1"; }
answer() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
text() { answer "{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
tool() { printf '{"name":"%s","description":"d","inputSchema":{"type":"object"}}' "$1"; }
while IFS= read -r line; do
  id=; [[ $line =~ \"id\":([0-9]+) ]] && id=${BASH_REMATCH[1]}
  case $line in
    *'"server/discover"'*) say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}" ;;
    *'"initialize"'*)
      answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) answer "{\"tools\":[$(tool gate),$(tool fail),$(tool ask)]}" ;;
    *'"prompts/list"'*) answer '{"prompts":[{"name":"greet"}]}' ;;
    *'"prompts/get"'*) answer '{"messages":[{"role":"user","content":{"type":"text","text":"Greet them"}}]}' ;;
    *'"name":"gate"'*)
      [[ $line =~ \"what\":\"([^\"]*)\" ]]
      text "{\\\"decision\\\":\\\"block\\\",\\\"reason\\\":\\\"not ${BASH_REMATCH[1]}\\\"}" ;;
    *'"name":"fail"'*) answer '{"content":[{"type":"text","text":"it broke"}],"isError":true}' ;;
    *'"name":"ask"'*)
      call=$id
      say '{"jsonrpc":"2.0","id":900,"method":"elicitation/create","params":{"message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}'
      IFS= read -r said
      id=$call
      text "$(printf %s "$said" | tr -d '"{}')" ;;
  esac
done
"#;

fn with_server(options: &mut Options) {
    let script = options.cwd.join("server.sh");
    std::fs::write(&script, SERVER).unwrap();
    let config = ServerConfig::parse(&json!({"command": "bash", "args": [script]})).unwrap();
    options.servers.dynamic.insert("s".to_owned(), Ok(config));
    options.permissions.allowed = vec!["mcp__s__ask".into(), "Bash".into()];
}

fn calls(event: &str, tool: &str, input: &Value) -> Value {
    json!({event: [{"hooks": [{"type": "mcp_tool", "server": "s", "tool": tool, "input": input}]}]})
}

/// The content of the latest tool result.
fn outcome(stage: &Stage) -> String {
    let heard = stage.heard.iter().filter(|message| message["type"] == "user");
    let mut contents = heard.map(|message| message["message"]["content"][0]["content"].clone());
    contents.next_back().unwrap().to_string()
}

#[tokio::test]
async fn server_tool_runs_as_a_hook() {
    let script = || Script::new().tool("Bash", json!({"command": "echo ran"})).text("Done");
    let input = json!({"what": "${tool_input.command}"});
    let mut stage = hooked(script(), calls("PreToolUse", "gate", &input), with_server).await;
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(outcome(&stage), "\"PreToolUse:Bash hook error: not echo ran\"");
    stage.end().await;

    // A failing or missing tool is reported and does not block.
    let mut stranger = calls("PreToolUse", "gate", &input);
    stranger["PreToolUse"][0]["hooks"][0]["server"] = json!("nosuch");
    for (hooks, told) in [(calls("PreToolUse", "fail", &input), "it broke"), (stranger, "nosuch")] {
        let mut stage = hooked(script(), hooks, with_server).await;
        stage.prompt("go").await;
        stage.result().await;
        assert_eq!(outcome(&stage), "\"ran\"", "{told}");
        assert!(stage.last("info")["content"].as_str().unwrap().contains(told), "{told}");
        stage.end().await;
    }
}

#[tokio::test]
async fn denied_server_tool_is_not_run_as_a_hook() {
    let script = Script::new().tool("Bash", json!({"command": "echo ran"})).text("Done");
    let mut stage = hooked(script, calls("PreToolUse", "gate", &json!({})), |options| {
        with_server(options);
        options.permissions.disallowed = vec!["mcp__s__gate".into()];
    })
    .await;
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(outcome(&stage), "\"ran\"");
    assert!(
        stage.last("info")["content"]
            .as_str()
            .unwrap()
            .contains("PreToolUse hook failed")
    );
    stage.end().await;
}

fn asking() -> Script {
    Script::new().tool("mcp__s__ask", json!({})).text("Done")
}

#[tokio::test]
async fn elicitation_hook_answers_for_the_person() {
    let accept = says("Elicitation", json!({"action": "accept", "content": {"name": "Zoe"}}));
    for (hooks, told) in [
        (on("Elicitation", &[&accept]), "action:accept,content:name:Zoe"),
        (on("Elicitation", &["echo never >&2; exit 2"]), "action:decline"),
    ] {
        let mut stage = hooked(asking(), hooks, with_server).await;
        stage.prompt("go").await;
        stage.result().await;
        assert!(outcome(&stage).contains(told), "{}", outcome(&stage));
        assert!(stage.heard.iter().all(|it| it["request"]["subtype"] != "elicitation"));
        stage.end().await;
    }
}

#[tokio::test]
async fn elicitation_result_hook_can_change_the_answer() {
    let mut hooks = on(
        "ElicitationResult",
        &[&says("ElicitationResult", json!({"action": "cancel"}))],
    );
    let told = on("Elicitation", &["cat > \"$CLAUDE_PROJECT_DIR/asked\""]);
    let noticed = on("Notification", &["cat > \"$CLAUDE_PROJECT_DIR/noticed\""]);
    for more in [told, noticed] {
        hooks.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    }
    let mut stage = hooked(asking(), hooks, with_server).await;
    stage.prompt("go").await;
    let question = loop {
        let message = stage.next().await;
        if message["request"]["subtype"] == "elicitation" {
            break message;
        }
    };
    stage
        .answer(&question, json!({"action": "accept", "content": {"name": "Zoe"}}))
        .await;
    stage.result().await;
    assert!(outcome(&stage).contains("action:cancel"), "{}", outcome(&stage));
    let read =
        |name: &str| -> Value { serde_json::from_str(&std::fs::read_to_string(stage.path(name)).unwrap()).unwrap() };
    let asked = read("asked");
    assert_eq!(
        (&asked["mcp_server_name"], &asked["message"], &asked["mode"]),
        (&json!("s"), &json!("Name?"), &json!("form"))
    );
    assert_eq!(asked["session_id"], "11111111-2222-4333-8444-555555555555");
    assert_eq!(read("noticed")["notification_type"], "elicitation_dialog");
    stage.end().await;
}

#[tokio::test]
async fn expansion_hook_can_block_server_prompts() {
    let hooks = on(
        "UserPromptExpansion",
        &["grep -q mcp_prompt && { echo no greetings >&2; exit 2; }"],
    );
    let mut stage = hooked(Script::new().text("Hello"), hooks, with_server).await;
    stage.prompt("/mcp__s__greet").await;
    let result = stage.result().await;
    assert!(result["result"].as_str().unwrap().contains("no greetings"), "{result}");
    assert!(stage.server.requests().is_empty());
    stage.end().await;
}

#[tokio::test]
async fn form_of_a_server_requires_an_action() {
    let mut stage = Stage::with(asking(), |options| {
        with_server(options);
        options.host.state_events = StateEvents::Visible;
    })
    .await;
    stage.prompt("go").await;
    let question = loop {
        let message = stage.next().await;
        if message["request"]["subtype"] == "elicitation" {
            break message;
        }
    };
    let state = |stage: &Stage| {
        let mut states = stage.heard.iter().filter(|it| it["subtype"] == "session_state_changed");
        states.next_back().map(|it| it["state"].clone())
    };
    assert_eq!(state(&stage), Some(json!("requires_action")));
    stage
        .answer(&question, json!({"action": "accept", "content": {"name": "Zoe"}}))
        .await;
    stage.until("user:tool_result").await;
    assert_eq!(state(&stage), Some(json!("running")));
    stage.until("state:idle").await;
    stage.end().await;
}

#[tokio::test]
async fn interrupted_call_withdraws_the_form_of_its_server() {
    let mut stage = Stage::with(asking(), |options| {
        with_server(options);
        options.host.state_events = StateEvents::Visible;
    })
    .await;
    stage.prompt("go").await;
    let question = loop {
        let message = stage.next().await;
        if message["request"]["subtype"] == "elicitation" {
            break message;
        }
    };
    stage.request(json!({"subtype": "interrupt"})).await;
    let withdrawn = loop {
        let message = stage.next().await;
        if message["type"] == "control_cancel_request" {
            break message;
        }
    };
    assert_eq!(withdrawn["request_id"], question["request_id"]);
    stage.end().await;
}
