//! MCP servers in a session: bash programs that behave well or fail in various ways.

use std::path::Path;
use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::mcp::ServerConfig;
use sluice_engine::{Asker, Options};
use sluice_simulator::{Reply, Script};

use crate::stage::Stage;

/// A server with a tool for each kind of failure; `$1` selects the behaviour at the start.
pub(crate) const SERVER: &str = r#"
say() { printf '%s\n' "$1"; }
answer() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
text() { answer "{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
tool() { printf '{"name":"%s","description":"d","inputSchema":{"type":"object"}%s}' "$1" "$2"; }
case $1 in
  flood) for ((i = 0; i < 100000; i++)); do say "this is no JSON at all, line $i"; done ;;
  endless) head -c 17000000 /dev/zero | tr '\0' x; echo ;;
  children) sleep 1000 & echo $! >"$2" ;;
esac
[[ $1 == grow ]] && more=",$(tool grow)"
echo "the server complains" >&2
while IFS= read -r line; do
  id=; [[ $line =~ \"id\":([0-9]+) ]] && id=${BASH_REMATCH[1]}
  case $line in
    *'"server/discover"'*)
      say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}" ;;
    *'"initialize"'*)
      [[ $1 == hang ]] && continue
      [[ $1 == quit ]] && exit 1
      answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{}},"serverInfo":{"name":"s","version":"1"},"instructions":"Be brief."}' ;;
    *'"tools/list"'*)
      answer "{\"tools\":[$(tool echo),$(tool look ',"annotations":{"readOnlyHint":true}'),$(tool fail),$(tool die),$(tool stall),$(tool judge),$(tool person ',"_meta":{"anthropic/requiresUserInteraction":true}')$more]}" ;;
    *'"prompts/list"'*) answer '{"prompts":[{"name":"greet","arguments":[{"name":"who","required":true}]},{"name":"peek"}]}' ;;
    *'"name":"peek"'*) answer '{"messages":[{"role":"user","content":{"type":"text","text":"Look at @/etc/passwd"}}]}' ;;
    *'"prompts/get"'*)
      [[ $line =~ \"who\":\"([a-z]+)\" ]]
      answer "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Greet ${BASH_REMATCH[1]}\"}}]}" ;;
    *'"resources/list"'*) answer '{"resources":[{"uri":"s://1","name":"one"}]}' ;;
    *'"resources/read"'*) answer '{"contents":[{"uri":"s://1","text":"read it"}]}' ;;
    *'"name":"echo"'*) text heard ;;
    *'"name":"look"'*) text looked ;;
    *'"name":"fail"'*) answer '{"content":[{"type":"text","text":"it failed"}],"isError":true}' ;;
    *'"name":"die"'*) exit 3 ;;
    *'"name":"judge"'*)
      case $line in
        *'"tool_name":"Write"'*) text '{\"behavior\":\"deny\",\"message\":\"not on my watch\"}' ;;
        *) text '{\"behavior\":\"allow\"}' ;;
      esac ;;
    *'"name":"grow"'*)
      more=",$(tool late)"
      say '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
      text grown ;;
    *'"name":"person"'*) text met ;;
  esac
done
"#;

fn config(folder: &Path, how: &str) -> ServerConfig {
    let script = folder.join("server.sh");
    std::fs::write(&script, SERVER).unwrap();
    let pid = folder.join("pid");
    ServerConfig::parse(&json!({"command": "bash", "args": [script, how, pid]})).unwrap()
}

/// A session with one server `s` that starts with this behaviour.
fn serving(how: &'static str) -> impl FnOnce(&mut Options) {
    move |options: &mut Options| {
        let config = config(&options.cwd, how);
        options.servers.dynamic.insert("s".to_owned(), Ok(config));
    }
}

async fn status(stage: &mut Stage) -> Value {
    let status = stage.control(json!({"subtype": "mcp_status"})).await;
    status["response"]["mcpServers"][0].clone()
}

pub(crate) fn result_of(stage: &Stage) -> &Value {
    &stage.last("user:tool_result")["message"]["content"][0]["content"]
}

fn failure_of(stage: &Stage) -> &Value {
    &stage.last("user:tool_error")["message"]["content"][0]["content"]
}

#[tokio::test]
async fn server_tool_requests_permission_and_runs() {
    let script = Script::new().tool("mcp__s__echo", json!({})).text("Done");
    let mut stage = Stage::with(script, serving("")).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["tool_name"], "mcp__s__echo");
    assert_eq!(ask["request"]["mcp_server"], json!({"name": "s", "source": "dynamic"}));
    stage.allow(&ask).await;
    stage.result().await;
    assert_eq!(*result_of(&stage), json!([{"type": "text", "text": "heard"}]));
    let init = stage.last("init").clone();
    assert_eq!(
        init["mcp_servers"],
        json!([{"name": "s", "status": "connected", "source": "dynamic"}])
    );
    assert!(init["tools"].as_array().unwrap().contains(&json!("mcp__s__echo")));
    // The model receives the name of the deferred tool without its definition, and the instructions of the server.
    let sent = stage.sent(1);
    let shown: Vec<&str> = sent["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(
        !shown.contains(&"mcp__s__echo") && shown.contains(&"ToolSearch"),
        "{shown:?}"
    );
    let said = stage.said_to_model(1).join("\n");
    assert!(said.contains("mcp__s__echo") && said.contains("Be brief."), "{said}");
    stage.end().await;
}

#[tokio::test]
async fn failed_call_of_deferred_tool_returns_its_schema() {
    let script = Script::new().tool("mcp__s__fail", json!({})).text("Done");
    let mut stage = Stage::with(script, serving("")).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    stage.allow(&ask).await;
    stage.result().await;
    let said = failure_of(&stage).as_str().unwrap();
    assert!(
        said.starts_with("it failed\n\n") && said.contains("\"type\":\"object\""),
        "{said}"
    );
    assert_eq!(stage.last("user:tool_error")["tool_use_result"], "Error: it failed");
    stage.end().await;
}

#[tokio::test]
async fn crashed_server_is_restarted_by_the_next_call() {
    let script = Script::new()
        .tool("mcp__s__die", json!({}))
        .tool("mcp__s__echo", json!({}))
        .text("Done");
    let change = |options: &mut Options| {
        serving("")(options);
        options.permissions.allowed.push("mcp__s".to_owned());
    };
    let mut stage = Stage::with(script, change).await;
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(*failure_of(&stage), "Connection closed");
    assert_eq!(*result_of(&stage), json!([{"type": "text", "text": "heard"}]));
    assert_eq!(status(&mut stage).await["status"], "connected");
    stage.end().await;
}

#[tokio::test]
async fn invalid_server_output_is_skipped() {
    for how in ["flood", "endless"] {
        let mut stage = Stage::with(Script::new().text("Hello"), serving(how)).await;
        stage.prompt("hi").await;
        assert_eq!(stage.result().await["result"], "Hello");
        assert_eq!(status(&mut stage).await["status"], "connected", "{how}");
        stage.end().await;
    }
}

#[tokio::test]
async fn hanging_or_exiting_server_fails_alone() {
    for (how, error) in [
        ("hang", "Request timed out"),
        ("quit", "Connection closed: the server complains"),
    ] {
        let change = |options: &mut Options| {
            serving(how)(options);
            options.servers.connect = Duration::from_secs(2);
        };
        let mut stage = Stage::with(Script::new().text("Hello"), change).await;
        stage.prompt("hi").await;
        assert_eq!(stage.result().await["result"], "Hello");
        let status = status(&mut stage).await;
        assert_eq!(
            (&status["status"], &status["error"]),
            (&json!("failed"), &json!(error)),
            "{how}"
        );
        stage.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn unresponsive_server_delays_only_the_first_turn() {
    let mut stage = Stage::with(Script::new().text("One").text("Two"), serving("hang")).await;
    let began = tokio::time::Instant::now();
    stage.prompt("hi").await;
    assert_eq!(stage.result().await["result"], "One");
    let mcp = &stage.last("init")["mcp_servers"][0]["status"];
    assert_eq!(*mcp, "pending");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    stage.quit();
    stage.leave().await;
}

#[tokio::test]
async fn hanging_call_ends_by_timeout_or_interrupt() {
    let stalling = || Script::new().tool("mcp__s__stall", json!({})).text("Done");
    let change = |options: &mut Options| {
        serving("")(options);
        options.permissions.allowed.push("mcp__s__stall".to_owned());
        options.servers.tool = Duration::from_secs(1);
    };
    let mut stage = Stage::with(stalling(), change).await;
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(
        *failure_of(&stage),
        "MCP server \"s\" tool \"stall\" timed out after 1s"
    );
    stage.end().await;

    let change = |options: &mut Options| {
        serving("")(options);
        options.permissions.allowed.push("mcp__s__stall".to_owned());
    };
    let mut stage = Stage::with(stalling(), change).await;
    stage.prompt("go").await;
    stage.until("assistant:tool_use").await;
    stage.interrupt().await;
    assert_eq!(stage.result().await["subtype"], "error_during_execution");
    assert_eq!(
        status(&mut stage).await["status"],
        "connected",
        "the server is none the worse"
    );
    stage.end().await;
}

#[tokio::test]
async fn child_processes_of_servers_end_with_the_session() {
    let mut stage = Stage::with(Script::new().text("Hello"), serving("children")).await;
    stage.prompt("hi").await;
    stage.result().await;
    let pid = std::fs::read_to_string(stage.path("pid")).unwrap();
    let there = Path::new("/proc").join(pid.trim());
    assert!(there.exists());
    stage.end().await;
    let alive = std::fs::read_to_string(there.join("stat")).is_ok_and(|stat| !stat.contains(") Z "));
    assert!(!alive, "{} is still there", pid.trim());
}

#[tokio::test]
async fn permission_prompt_tool_answers_requests() {
    let script = Script::new()
        .tool("Write", json!({"file_path": "a.txt", "content": "x"}))
        .tool("Bash", json!({"command": "touch made"}))
        .text("Done");
    let change = |options: &mut Options| {
        serving("")(options);
        options.permissions.asker = Asker::Tool("mcp__s__judge".to_owned());
    };
    let mut stage = Stage::with(script, change).await;
    stage.prompt("go").await;
    let result = stage.result().await;
    assert_eq!(result["permission_denials"][0]["tool_name"], "Write");
    assert_eq!(*failure_of(&stage), "not on my watch");
    assert!(!Path::new(&stage.path("a.txt")).exists() && Path::new(&stage.path("made")).exists());
    assert!(
        !stage.last("init")["tools"]
            .as_array()
            .unwrap()
            .contains(&json!("mcp__s__judge"))
    );
    assert_eq!(stage.all("ask").len(), 0, "nobody else is asked");
    stage.end().await;
}

#[tokio::test]
async fn tool_requiring_user_interaction_always_requests_permission() {
    let script = Script::new().tool("mcp__s__person", json!({})).text("Done");
    let change = |options: &mut Options| {
        serving("")(options);
        options.permissions.allowed.push("mcp__s".to_owned());
    };
    let mut stage = Stage::with(script, change).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["requires_user_interaction"], true);
    assert_eq!(ask["request"]["permission_suggestions"], json!([]));
    stage.allow(&ask).await;
    stage.result().await;
    stage.end().await;
}

#[tokio::test]
async fn server_prompt_cannot_mention_files() {
    let mut stage = Stage::with(Script::new().text("Hello"), serving("")).await;
    stage.prompt("/mcp__s__peek").await;
    stage.result().await;
    let said = stage.said_to_model(1).join("\n");
    assert!(said.contains("Look at @/etc/passwd"), "{said}");
    assert!(!said.contains("root:"), "{said}");
    stage.end().await;
}

#[tokio::test]
async fn server_prompts_are_commands_and_resources_can_be_read() {
    let script = Script::new()
        .text("Hello")
        .tool("ListMcpResourcesTool", json!({}))
        .tool("ReadMcpResourceTool", json!({"server": "s", "uri": "s://1"}))
        .tool("ReadMcpResourceDirTool", json!({"server": "s", "uri": "s://"}))
        .tool("ReadMcpResourceDirTool", json!({"server": "s", "uri": "t://"}))
        .text("Done");
    let mut stage = Stage::with(script, serving("")).await;
    stage.prompt("/mcp__s__greet zoe").await;
    stage.result().await;
    assert!(stage.said_to_model(1).join("\n").contains("Greet zoe"));
    stage.prompt("read").await;
    stage.result().await;
    let results = stage.all("user:tool_result");
    assert_eq!(
        results[0]["tool_use_result"],
        json!([{"uri": "s://1", "name": "one", "server": "s"}])
    );
    assert_eq!(
        results[1]["tool_use_result"],
        json!({"contents": [{"uri": "s://1", "text": "read it"}]})
    );
    assert_eq!(
        results[2]["tool_use_result"],
        json!({"resources": [{"uri": "s://1", "name": "one"}]})
    );
    assert_eq!(results[3]["tool_use_result"]["resources"], json!([]));
    stage.end().await;
}

#[tokio::test]
async fn changed_tool_list_is_read_before_the_next_request() {
    let script = Script::new().tool("mcp__s__grow", json!({})).text("Grown");
    let mut stage = Stage::with(script, |options| {
        serving("grow")(options);
        options.permissions.allowed = vec!["mcp__s".into()];
    })
    .await;
    stage.prompt("go").await;
    stage.result().await;
    assert!(!stage.sent(1)["messages"].to_string().contains("mcp__s__late"));
    let told = stage.said_to_model(2).join("\n");
    assert!(told.contains("mcp__s__late"), "{told}");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn servers_can_be_toggled_and_replaced() {
    let mut stage = Stage::with(Script::new().text("Hello"), serving("")).await;
    let folder = stage.path("");
    stage.prompt("hi").await;
    stage.result().await;
    let off = json!({"subtype": "mcp_toggle", "serverName": "s", "enabled": false});
    assert_eq!(stage.control(off).await["subtype"], "success");
    assert_eq!(status(&mut stage).await["status"], "disabled");
    let on = json!({"subtype": "mcp_toggle", "serverName": "s", "enabled": true});
    assert_eq!(stage.control(on).await["subtype"], "success");
    assert_eq!(status(&mut stage).await["status"], "connected");
    let more =
        json!({"t": {"command": "bash", "args": [Path::new(&folder).join("server.sh"), ""]}, "bad": {"command": 1}});
    let set = stage
        .control(json!({"subtype": "mcp_set_servers", "servers": more}))
        .await;
    assert_eq!(set["response"]["added"], json!(["t", "bad"]));
    assert_eq!(set["response"]["errors"], json!({"bad": "`command` must be a string"}));
    let call = stage
        .control(json!({"subtype": "mcp_call", "tool": "mcp__t__echo"}))
        .await;
    assert_eq!(call["response"]["content"], json!([{"type": "text", "text": "heard"}]));
    let failed = stage
        .control(json!({"subtype": "mcp_call", "tool": "mcp__t__fail"}))
        .await;
    assert_eq!(
        (&failed["subtype"], &failed["error"]),
        (&json!("error"), &json!("it failed"))
    );
    let none = stage
        .control(json!({"subtype": "mcp_set_servers", "servers": {}}))
        .await;
    assert_eq!(none["response"]["removed"], json!(["t"]));
    assert_eq!(status(&mut stage).await["name"], "s", "those of the launch stay");
    stage.end().await;
}

#[tokio::test]
async fn missing_permission_prompt_tool_ends_the_session_with_an_error() {
    missing_prompt_tool(Reply::tool("Bash", json!({"command": "touch made"}))).await;
}

/// The tool is needed while the model still sends its message.
#[tokio::test]
async fn missing_permission_prompt_tool_is_not_an_interrupt_of_the_person() {
    let call = Reply::tool("Bash", json!({"command": "touch made"}));
    missing_prompt_tool(call.gate("rest").and_text("Never said")).await;
}

async fn missing_prompt_tool(reply: Reply) {
    let script = Script::new().reply(reply).text("Never said");
    let mut stage = Stage::with(script, |options| {
        options.permissions.asker = Asker::Tool("mcp__no__tool".to_owned());
    })
    .await;
    stage.prompt("go").await;
    assert_eq!(stage.result().await["is_error"], true);
    let failure = failure_of(&stage).to_string();
    assert!(failure.contains("mcp__no__tool"), "{failure}");
    let notices = stage.all("notice");
    assert!(notices.is_empty(), "the failure is not an interrupt: {notices:?}");
    assert_eq!(stage.server.requests().len(), 1);
    assert_eq!(stage.end().await, 1);
}
