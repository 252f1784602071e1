//! Origins and uses of MCP servers: plugins, agents, prompts, mentions, permission modes, context usage.

use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::mcp::ServerConfig;
use sluice_engine::settings::{Chosen, Opener, Settings};
use sluice_engine::{Options, PluginDir};
use sluice_permission::PermissionMode;
use sluice_simulator::Script;

use crate::stage::Stage;

/// A server that answers calls with its plugin folder, and logs a warning on each call.
const SERVER: &str = r#"
say() { printf '%s\n' "$1"; }
answer() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while IFS= read -r line; do
  id=; [[ $line =~ \"id\":([0-9]+) ]] && id=${BASH_REMATCH[1]}
  case $line in
    *'"server/discover"'*)
      say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}" ;;
    *'"initialize"'*)
      answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{},"logging":{}},"serverInfo":{"name":"s","version":"1"},"instructions":"Be brief."}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"where","description":"d","inputSchema":{"type":"object"}}]}' ;;
    *'"prompts/list"'*) answer '{"prompts":[{"name":"greet","description":"Greets","arguments":[{"name":"who","required":true},{"name":"how"}]}]}' ;;
    *'"prompts/get"'*)
      [[ $line =~ \"arguments\":(\{[^\}]*\}) ]]
      text=${BASH_REMATCH[1]//\"/}
      answer "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Greet $text @secret.txt\"}}]}" ;;
    *'"resources/list"'*) answer '{"resources":[{"uri":"s://1","name":"one"},{"uri":"s://2?","name":"two"}]}' ;;
    *'"resources/read"'*)
      [[ $line =~ \"uri\":\"([^\"]*)\" ]]
      uri=${BASH_REMATCH[1]}
      case $uri in
        s://1 | 's://2?') answer "{\"contents\":[{\"uri\":\"$uri\",\"text\":\"the text of $uri\"}]}" ;;
        *) say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32002,\"message\":\"no such thing\"}}" ;;
      esac ;;
    *'"tools/call"'*)
      say '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"running  low"}}'
      answer "{\"content\":[{\"type\":\"text\",\"text\":\"root=$CLAUDE_PLUGIN_ROOT\"}]}" ;;
  esac
done
"#;

fn config(folder: &Path) -> Value {
    let script = folder.join("server.sh");
    std::fs::write(&script, SERVER).unwrap();
    json!({"command": "bash", "args": [script]})
}

/// A session with the server as `s`.
fn serving(options: &mut Options) {
    let config = ServerConfig::parse(&config(&options.cwd)).unwrap();
    options.servers.dynamic.insert("s".to_owned(), Ok(config));
}

/// A plugin with the server as `p`.
fn plugin(folder: &Path) -> std::path::PathBuf {
    let root = folder.join("plug");
    std::fs::create_dir_all(&root).unwrap();
    config(&root);
    let servers = json!({"mcpServers": {"p": {"command": "bash", "args": ["${CLAUDE_PLUGIN_ROOT}/server.sh"]}}});
    std::fs::write(root.join(".mcp.json"), servers.to_string()).unwrap();
    root
}

fn with_plugin(without_mcp: bool) -> impl FnOnce(&mut Options) {
    move |options: &mut Options| {
        let path = plugin(&options.cwd);
        options.catalogue.plugin_dirs.push(PluginDir {
            path,
            without_mcp,
            failed: None,
        });
    }
}

async fn statuses(stage: &mut Stage) -> Vec<(String, String)> {
    let status = stage.control(json!({"subtype": "mcp_status"})).await;
    let servers = status["response"]["mcpServers"].as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    servers
        .iter()
        .map(|it| (text(&it["name"]), text(&it["status"])))
        .collect()
}

fn pair(name: &str, status: &str) -> (String, String) {
    (name.to_owned(), status.to_owned())
}

#[tokio::test]
async fn plugin_servers_are_connected() {
    let script = Script::new().tool("mcp__plugin_plug_p__where", json!({})).text("Done");
    let mut stage = Stage::with(script, with_plugin(false)).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    assert_eq!(
        ask["request"]["mcp_server"],
        json!({"name": "plugin:plug:p", "source": "plugin"})
    );
    stage.allow(&ask).await;
    stage.result().await;
    let said = stage.last("user:tool_result")["message"]["content"][0]["content"][0]["text"].clone();
    assert_eq!(said, format!("root={}", stage.path("plug")));
    assert_eq!(
        stage.last("init")["mcp_servers"],
        json!([{"name": "plugin:plug:p", "status": "connected", "source": "plugin"}])
    );
    stage.end().await;
}

#[tokio::test]
async fn plugin_servers_can_be_disabled() {
    let mut stage = Stage::with(Script::new().text("Hello"), with_plugin(true)).await;
    stage.prompt("hi").await;
    stage.result().await;
    assert_eq!(stage.last("init")["mcp_servers"], json!([]));
    assert_eq!(stage.last("init")["plugins"][0]["name"], "plug");
    stage.end().await;

    let strict = |options: &mut Options| {
        with_plugin(false)(options);
        options.servers.strict = true;
    };
    let mut stage = Stage::with(Script::new().text("Hello"), strict).await;
    stage.prompt("hi").await;
    stage.result().await;
    assert_eq!(stage.last("init")["mcp_servers"], json!([]));
    stage.end().await;
}

#[tokio::test]
async fn reloading_plugins_adds_and_removes_servers() {
    let mut stage = Stage::with(Script::new().text("Hello"), serving).await;
    let root = plugin(stage.dir.path());
    stage.prompt("hi").await;
    stage.result().await;
    let add = json!({"subtype": "reload_plugins", "add_plugins": [{"type": "local", "path": root}],
        "hold_on_cache_impact": true});
    let held = stage.control(add.clone()).await["response"].clone();
    assert_eq!(held["held"], true);
    assert_eq!(held["cache_impact"]["mcp_servers_added"], json!(["plugin:plug:p"]));
    assert_eq!(held["mcpServers"].as_array().unwrap().len(), 1);
    let mut add = add;
    add["hold_on_cache_impact"] = json!(false);
    let added = stage.control(add).await["response"].clone();
    let told: Vec<&Value> = added["mcpServers"].as_array().unwrap().iter().collect();
    assert_eq!(
        (&told[0]["name"], &told[0]["status"]),
        (&json!("plugin:plug:p"), &json!("connected"))
    );
    assert_eq!(told[1]["name"], "s");
    // The server keeps its connection while its plugin is unchanged.
    stage.control(json!({"subtype": "reload_plugins"})).await;
    assert_eq!(
        statuses(&mut stage).await,
        [pair("plugin:plug:p", "connected"), pair("s", "connected")]
    );
    std::fs::remove_file(root.join(".mcp.json")).unwrap();
    let gone = stage.control(json!({"subtype": "reload_plugins"})).await;
    assert_eq!(gone["response"]["mcpServers"].as_array().unwrap().len(), 1);
    assert_eq!(statuses(&mut stage).await, [pair("s", "connected")]);
    stage.end().await;
}

#[tokio::test]
async fn disabled_server_stays_disabled_in_the_next_session() {
    let dir = tempfile::tempdir().unwrap();
    let global = dir.path().join("claude.json");
    let shared = |global: &Path| {
        let global = global.to_owned();
        move |options: &mut Options| {
            serving(options);
            let mut places = options.settings.places().clone();
            places.global = global;
            places.cwd = global_cwd();
            options.settings = Settings::load(&places, &Chosen::ALL, None, None);
        }
    };
    let toggle = |on: bool| json!({"subtype": "mcp_toggle", "serverName": "s", "enabled": on});
    let mut stage = Stage::with(Script::new().text("Hello"), shared(&global)).await;
    assert_eq!(stage.control(toggle(false)).await["subtype"], "success");
    stage.end().await;
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(&global).unwrap()).unwrap();
    let project = kept["projects"].as_object().unwrap().values().next().unwrap();
    assert_eq!(project["disabledMcpServers"], json!(["s"]));

    let mut stage = Stage::with(Script::new().text("Hello"), shared(&global)).await;
    assert_eq!(statuses(&mut stage).await, [pair("s", "disabled")]);
    assert_eq!(stage.control(toggle(true)).await["subtype"], "success");
    assert_eq!(statuses(&mut stage).await, [pair("s", "connected")]);
    stage.end().await;
    let kept = std::fs::read_to_string(&global).unwrap();
    assert!(kept.contains("\"disabledMcpServers\": []"), "{kept}");
}

/// A folder that all sessions of a test share.
fn global_cwd() -> std::path::PathBuf {
    std::env::temp_dir().canonicalize().unwrap()
}

#[tokio::test]
async fn server_prompt_is_a_slash_command() {
    let mut stage = Stage::with(Script::new().text("Hello"), serving).await;
    std::fs::write(stage.path("secret.txt"), "the secret").unwrap();
    stage.control(json!({"subtype": "initialize"})).await;
    stage.prompt("/mcp__s__greet zoe warmly and more").await;
    stage.result().await;
    let said = stage.said_to_model(1);
    let at = said
        .iter()
        .position(|text| text.contains("<command-name>/mcp__s__greet</command-name>"))
        .unwrap();
    assert!(
        said[at].contains("<command-args>zoe warmly and more</command-args>"),
        "{said:?}"
    );
    assert_eq!(said[at + 1], "Greet {who:zoe,how:warmly} @secret.txt");
    assert!(
        !said.join("\n").contains("the secret"),
        "a server does not mention files in the person's name"
    );
    assert!(
        stage.last("init")["slash_commands"]
            .as_array()
            .unwrap()
            .contains(&json!("mcp__s__greet"))
    );
    let words: Vec<String> = stage.heard.iter().map(crate::words::word).collect();
    let at = |wanted: &str| words.iter().position(|word| word == wanted).unwrap();
    assert!(at("init") < at("commands_changed"), "{words:?}");
    assert_eq!(stage.all("commands_changed").len(), 1);
    let told = stage.last("commands_changed")["commands"].as_array().unwrap().clone();
    let told = told.iter().find(|command| command["name"] == "mcp__s__greet").unwrap();
    assert_eq!(
        (&told["description"], &told["argumentHint"]),
        (&json!("Greets"), &json!("<who> [how]"))
    );
    let kept = std::fs::read_to_string(stage.path("home/projects/stage/11111111-2222-4333-8444-555555555555.jsonl"));
    assert!(kept.unwrap().contains("Greet {who:zoe"));
    stage.end().await;
}

#[tokio::test]
async fn unknown_server_prompt_is_text_and_missing_arguments_are_reported() {
    let mut stage = Stage::with(Script::new().text("Hello"), serving).await;
    stage.prompt("/mcp__s__none now").await;
    assert_eq!(stage.result().await["result"], "Hello");
    assert!(stage.said_to_model(1).join("\n").contains("/mcp__s__none now"));
    stage.prompt("/mcp__s__greet").await;
    let told = stage.result().await;
    assert_eq!(told["result"], "/mcp__s__greet requires <who> [how]");
    assert_eq!(stage.server.requests().len(), 1);
    stage.end().await;
}

#[tokio::test]
async fn resources_are_suggested_after_files() {
    let mut stage = Stage::with(Script::new().text("Done"), serving).await;
    stage.prompt("go").await;
    stage.result().await;
    let answer = stage
        .control(json!({"subtype": "file_suggestions", "query": "S://1"}))
        .await;
    assert_eq!(
        answer["response"]["suggestions"],
        json!([{"path": "s:s://1", "type": "resource", "server": "s", "name": "one"}])
    );
    let answer = stage
        .control(json!({"subtype": "file_suggestions", "query": "tw"}))
        .await;
    assert_eq!(answer["response"]["suggestions"][0]["path"], "s:s://2?");
    stage.end().await;
}

#[tokio::test]
async fn mentioned_resource_is_attached() {
    let script = || Script::new().text("Hello").text("Hello").text("Hello");
    let mut stage = Stage::with(script(), serving).await;
    stage.prompt("see @s:s://1, and @s:s://2?").await;
    stage.result().await;
    let said = stage.said_to_model(1).join("\n");
    assert!(said.contains("the text of s://1\n"), "{said}");
    assert!(
        said.contains("the text of s://2?\n"),
        "the mark is part of a listed address: {said}"
    );
    stage.prompt("see @s:s://nowhere and @t:x and mail a@s:s://1").await;
    stage.result().await;
    let said = stage.said_to_model(2).join("\n");
    assert!(
        said.contains("@s:s://nowhere was mentioned and could not be read: no such thing"),
        "{said}"
    );
    assert!(!said.contains("@t:x,") && !said.contains("the text of"), "{said}");
    stage.end().await;

    let denied = |options: &mut Options| {
        serving(options);
        options.permissions.disallowed.push("ReadMcpResourceTool".to_owned());
    };
    let mut stage = Stage::with(script(), denied).await;
    stage.prompt("see @s:s://1").await;
    stage.result().await;
    assert!(!stage.said_to_model(1).join("\n").contains("the text of"));
    stage.end().await;
}

#[tokio::test]
async fn server_can_have_a_stricter_permission_mode() {
    let script = Script::new()
        .tool("mcp__s__where", json!({}))
        .text("Done")
        .tool("mcp__s__where", json!({}))
        .text("Done");
    let bypass = |options: &mut Options| {
        serving(options);
        options.permissions.mode = Some(PermissionMode::BypassPermissions);
        options.permissions.bypass_launched = true;
    };
    let mut stage = Stage::with(script, bypass).await;
    let mode = |name: &str, mode: Value| json!({"subtype": "set_mcp_permission_mode_override", "serverName": name, "mode": mode});
    let set = stage.control(mode("s", json!("default"))).await;
    assert_eq!((&set["subtype"], &set["response"]), (&json!("success"), &Value::Null));
    let early = stage.control(mode("later", json!("auto"))).await;
    assert!(
        early["response"]["warning"].as_str().unwrap().contains("'later'"),
        "{early}"
    );
    let looser = stage.control(mode("s", json!("bypassPermissions"))).await;
    assert_eq!(looser["subtype"], "error");
    assert!(looser["error"].as_str().unwrap().contains("tighten-only"), "{looser}");
    stage.prompt("go").await;
    let ask = stage.ask().await;
    stage.allow(&ask).await;
    stage.result().await;
    stage.control(mode("s", Value::Null)).await;
    let asked = stage.all("ask:mcp__s__where").len();
    stage.prompt("go").await;
    stage.result().await;
    assert_eq!(
        stage.all("ask:mcp__s__where").len(),
        asked,
        "in the session's own mode nothing is asked"
    );
    stage.end().await;
}

#[tokio::test]
async fn context_usage_of_servers_is_returned() {
    for defer in [true, false] {
        let change = |options: &mut Options| {
            serving(options);
            options.servers.defer = defer;
        };
        let mut stage = Stage::with(Script::new().text("Hello"), change).await;
        stage.prompt("hi").await;
        stage.result().await;
        let usage = stage.control(json!({"subtype": "get_context_usage"})).await["response"].clone();
        let tool = &usage["mcpTools"][0];
        assert_eq!(
            (&tool["name"], &tool["serverName"]),
            (&json!("mcp__s__where"), &json!("s"))
        );
        assert_eq!(tool["isLoaded"], !defer);
        assert_eq!(usage["mcpInstructions"][0]["serverName"], "s");
        let parts = usage["categories"].as_array().unwrap();
        let part = |id: &str| parts.iter().find(|part| part["id"] == *id);
        assert!(part("mcp_instructions").is_some());
        assert_eq!(part("mcp_tools_deferred").is_some(), defer);
        assert_eq!(part("mcp_tools").is_some(), !defer);
        let counted = parts.iter().filter(|part| part["kind"] != "deferred");
        let sum: u64 = counted.map(|part| part["tokens"].as_u64().unwrap()).sum();
        assert_eq!(sum, usage["maxTokens"].as_u64().unwrap());
        stage.end().await;
    }
}

#[tokio::test]
async fn mcp_command_lists_server_status() {
    let script = Script::new().tool("mcp__s__where", json!({})).text("Done");
    let change = |options: &mut Options| {
        serving(options);
        let broken = ServerConfig::parse(&json!({"command": "/no/such/program"})).unwrap();
        options.servers.dynamic.insert("broken".to_owned(), Ok(broken));
        options.permissions.allowed.push("mcp__s".to_owned());
    };
    let mut stage = Stage::with(script, change).await;
    stage.prompt("go").await;
    stage.result().await;
    stage.prompt("/mcp").await;
    let told = stage.result().await["result"].as_str().unwrap().to_owned();
    assert!(
        told.starts_with("2 MCP server(s): 1 connected, 1 not connected, 0 disabled."),
        "{told}"
    );
    assert!(
        told.contains("- s (dynamic): connected, 1 tools - last warning: running low"),
        "{told}"
    );
    assert!(told.contains("- broken (dynamic): failed - cannot start"), "{told}");
    stage.prompt("/doctor").await;
    let told = stage.result().await["result"].as_str().unwrap().to_owned();
    assert!(told.contains("MCP server broken: cannot start"), "{told}");
    stage.end().await;
}

/// Adds a project agent that defines a server.
fn agent_of(options: &mut Options, tools: &str, opener: Opener) {
    let settings = Settings::load(options.settings.places(), &Chosen::ALL, None, None);
    options.settings = settings.opened_by(opener);
    let config = config(&options.cwd);
    let agents = options.cwd.join(".claude/agents");
    std::fs::create_dir_all(&agents).unwrap();
    let text = format!(
        "---\nname: helper\ndescription: helps\ntools: {tools}\nmcpServers:\n  - own: {config}\n---\nYou help.\n"
    );
    std::fs::write(agents.join("helper.md"), text).unwrap();
}

#[tokio::test]
async fn server_of_agent_is_connected_while_it_runs() {
    let script = Script::new()
        .tool(
            "Agent",
            json!({"description": "d", "prompt": "look", "subagent_type": "helper", "run_in_background": false}),
        )
        .tool("mcp__own__where", json!({}))
        .text("Seen")
        .text("Done");
    let change = |options: &mut Options| {
        agent_of(options, "mcp__own__*, Read", Opener::Host);
        options
            .permissions
            .allowed
            .extend(["mcp__own".to_owned(), "Agent".to_owned()]);
    };
    let mut stage = Stage::with(script, change).await;
    stage.prompt("go").await;
    assert_eq!(stage.result().await["result"], "Done");
    let results = stage.all("user:tool_result");
    assert!(
        results.iter().any(|it| it.to_string().contains("root=")),
        "the agent's call: {results:?}"
    );
    assert_eq!(statuses(&mut stage).await, [], "the session itself has no server");
    stage.end_crew().await;
}

#[tokio::test]
async fn agent_of_untrusted_folder_has_no_servers() {
    let script = Script::new()
        .tool(
            "Agent",
            json!({"description": "d", "prompt": "look", "subagent_type": "helper", "run_in_background": false}),
        )
        .tool("mcp__own__where", json!({}))
        .text("Seen")
        .text("Done");
    let change = |options: &mut Options| {
        agent_of(options, "mcp__own__*, Read", Opener::Person);
        options
            .permissions
            .allowed
            .extend(["mcp__own".to_owned(), "Agent".to_owned()]);
    };
    let mut stage = Stage::with(script, change).await;
    stage.prompt("go").await;
    assert_eq!(stage.result().await["result"], "Done", "the agent works without it");
    let results = stage.all("user:tool_result");
    assert!(!results.iter().any(|it| it.to_string().contains("root=")));
    stage.end_crew().await;
}
