//! Control requests outside of turns: plan, rules, files, cost, context, side questions.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Reply, Script};

use crate::asks::touching;
use crate::stage::Stage;

/// A session after its first turn.
async fn after_first_turn(script: Script) -> Stage {
    let mut stage = Stage::begin(script).await;
    stage.prompt("hi").await;
    stage.turn().await;
    stage
}

#[tokio::test]
async fn plan_is_returned_once_it_exists() {
    let mut stage = Stage::with(Script::new().text("Hello"), |options| {
        options.permissions.mode = Some("plan".into());
    })
    .await;
    stage.prompt("plan").await;
    stage.turn().await;
    let reminder = stage.said_to_model(1).join(" ");
    let file = reminder
        .split_whitespace()
        .find(|word| word.ends_with(".md"))
        .unwrap()
        .to_owned();
    std::fs::create_dir_all(stage.path("home/plans")).unwrap();
    std::fs::write(&file, "1. Look").unwrap();
    let answer = stage.control(json!({"subtype": "get_plan"})).await;
    assert_eq!(
        answer["response"],
        json!({"exists": true, "plan": "1. Look", "filePath": file})
    );
    stage.end().await;
}

#[tokio::test]
async fn rules_and_folders_are_listed_with_their_source() {
    let mut stage = Stage::with(Script::new(), |options| {
        options.permissions.allowed = vec!["Bash(ls:*)".into()];
        options.permissions.disallowed = vec!["WebFetch".into()];
        options.folders.added = vec!["/somewhere".into()];
    })
    .await;
    let answer = stage.control(json!({"subtype": "list_permission_rules"})).await;
    let state = &answer["response"]["state"];
    assert_eq!(
        state["rules"],
        json!([
            {"behavior": "allow", "source": "cliArg", "rule": "Bash(ls:*)", "editability": "session",
             "description": {"prefix": "Any Bash command starting with ", "emphasis": "ls"}},
            {"behavior": "deny", "source": "cliArg", "rule": "WebFetch", "editability": "session",
             "description": {"prefix": "Any use of the ", "emphasis": "WebFetch", "suffix": " tool"}},
        ])
    );
    assert_eq!(
        state["workspaceDirectories"],
        json!([{"path": "/somewhere", "source": "cliArg"}])
    );
    assert_eq!(state["managedOnly"], false);
    stage.end().await;
}

#[tokio::test]
async fn read_file_applies_permission_rules() {
    let mut stage = Stage::with(Script::new(), |options| {
        options.permissions.disallowed = vec!["Read(./secret.txt)".into()];
    })
    .await;
    std::fs::write(stage.path("open.txt"), "hello").unwrap();
    std::fs::write(stage.path("secret.txt"), "hush").unwrap();
    std::os::unix::fs::symlink(stage.path("secret.txt"), stage.path("link.txt")).unwrap();
    let read = |path: &str| json!({"subtype": "read_file", "path": path});
    let answer = stage.control(read("open.txt")).await;
    assert_eq!(
        answer["response"],
        json!({"contents": "hello", "absPath": stage.path("open.txt"), "lossy": false, "requested_path": "open.txt"})
    );
    let cut = stage
        .control(json!({"subtype": "read_file", "path": "open.txt", "max_bytes": 2}))
        .await;
    assert_eq!(cut["response"]["contents"], "he");
    assert_eq!(cut["response"]["truncated"], true);
    for denied in ["secret.txt", "link.txt", "/etc/passwd", "../outside"] {
        let answer = stage.control(read(denied)).await;
        assert_eq!(answer["error"], format!("read denied: {denied}"));
    }
    assert_eq!(stage.control(read("missing.txt")).await["subtype"], "error");
    stage.end().await;
}

#[tokio::test]
async fn file_suggestions_match_letters() {
    let mut stage = Stage::begin(Script::new()).await;
    std::fs::create_dir(stage.path("src")).unwrap();
    std::fs::write(stage.path("src/alpha.rs"), "").unwrap();
    std::fs::write(stage.path("beta.rs"), "").unwrap();
    let ask = json!({"subtype": "file_suggestions", "query": "alrs"});
    let answer = stage.control(ask.clone()).await;
    assert_eq!(
        answer["response"]["suggestions"],
        json!([{"path": "src/alpha.rs", "type": "file"}])
    );
    assert_eq!(answer["response"]["cwd"], stage.dir.path().display().to_string());
    stage.end().await;
}

#[tokio::test]
async fn seeded_file_counts_as_read() {
    let edit = |file: &str| Reply::tool("Edit", json!({"file_path": file, "old_string": "a", "new_string": "b"}));
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f.txt").display().to_string();
    std::fs::write(&file, "a\n").unwrap();
    let script = Script::new().reply(edit(&file)).text("Done");
    let mut stage = Stage::with(script, |options| {
        options.folders.added = vec![dir.path().to_path_buf()];
        options.permissions.allowed = vec!["Edit".into()];
    })
    .await;
    let seeded = stage
        .control(json!({"subtype": "seed_read_state", "path": file, "mtime": 9e15}))
        .await;
    assert_eq!(seeded["subtype"], "success");
    stage.prompt("edit").await;
    stage.turn().await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "b\n");
    let usage = stage.control(json!({"subtype": "get_usage"})).await;
    assert_eq!(usage["response"]["session"]["total_lines_added"], 1);
    assert_eq!(usage["response"]["session"]["total_lines_removed"], 1);
    stage.end().await;
}

#[tokio::test]
async fn cost_and_context_usage_are_returned() {
    let mut stage = after_first_turn(Script::new().text("Hello")).await;
    let cost = stage.control(json!({"subtype": "get_session_cost"})).await;
    assert!(
        cost["response"]["text"].as_str().unwrap().starts_with("Cost: $0.0"),
        "{cost}"
    );
    let usage = stage.control(json!({"subtype": "get_usage"})).await;
    let session = &usage["response"]["session"];
    assert_eq!(
        session["total_cost_usd"],
        stage.last("result:success")["total_cost_usd"]
    );
    assert_eq!(usage["response"]["rate_limits_available"], false);
    let context = stage.control(json!({"subtype": "get_context_usage"})).await;
    let response = &context["response"];
    assert_eq!(response["model"], "claude-opus-5-5");
    assert!(response["totalTokens"].as_u64().unwrap() > 0);
    assert_eq!(
        response["apiUsage"]["output_tokens"],
        stage.last("result:success")["usage"]["output_tokens"]
    );
    let summary = stage
        .control(json!({"subtype": "get_context_usage", "detail": "summary"}))
        .await;
    assert_eq!(summary["response"]["gridRows"], json!([]));
    assert_eq!(summary["response"]["totalTokens"], response["totalTokens"]);
    // These requests are not turns and do not change what is sent to the model.
    stage.prompt("again").await;
    stage.turn().await;
    stage.end().await;
}

#[tokio::test]
async fn side_question_runs_concurrently_and_is_not_recorded() {
    let script = Script::new()
        .text("Hello")
        .reply(Reply::text("A side answer").when("what was that?").gate("side"))
        .text("Again");
    let mut stage = after_first_turn(script).await;
    let id = stage
        .request(json!({"subtype": "side_question", "question": "what was that?"}))
        .await;
    let progress = stage.until("control_request_progress").await;
    assert_eq!(
        (&progress["request_id"], &progress["status"]),
        (&json!(id), &json!("started"))
    );
    stage.gate("side").reached().await;
    // A whole turn runs while the side question is open.
    stage.prompt("again").await;
    assert_eq!(stage.result().await["result"], "Again");
    stage.gate("side").open();
    let answer = stage.until("ok").await;
    assert_eq!(answer["response"]["request_id"], *id);
    assert_eq!(
        answer["response"]["response"],
        json!({"response": "A side answer", "synthetic": false})
    );
    let bodies: Vec<Value> = stage.server.requests().iter().map(|it| it.body.clone()).collect();
    let (side, main): (Vec<_>, Vec<_>) = bodies.iter().partition(|it| it.to_string().contains("what was that?"));
    assert_eq!((side.len(), main.len()), (1, 2));
    assert_eq!(side[0]["tool_choice"], json!({"type": "none"}));
    assert_eq!(stage.leave_now().await, 0);
}

#[tokio::test]
async fn side_question_leaves_out_open_calls() {
    let script = touching("touch made").reply(Reply::text("Still waiting").when("well?"));
    let mut stage = Stage::begin(script).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    let answer = stage
        .control(json!({"subtype": "side_question", "question": "well?"}))
        .await;
    assert_eq!(answer["response"]["synthetic"], false, "{answer}");
    // The call has no result yet, so the request leaves it out.
    assert!(!stage.sent(2)["messages"].to_string().contains("tool_use"));
    stage.allow(&ask).await;
    assert_eq!(stage.result().await["subtype"], "success");
    assert_eq!(stage.leave_now().await, 0);
}

#[tokio::test]
async fn open_requests_are_answered_before_exit() {
    let script = Script::new().text("Hello").reply(Reply::text("Late").gate("side"));
    let mut stage = after_first_turn(script).await;
    stage
        .request(json!({"subtype": "side_question", "question": "still there?"}))
        .await;
    stage.gate("side").reached().await;
    stage.eof().await;
    stage.gate("side").open();
    assert_eq!(stage.until("ok").await["response"]["response"]["response"], "Late");
    assert_eq!(stage.leave().await, 0);
}

#[tokio::test]
async fn failed_side_question_returns_the_error() {
    let mut stage = after_first_turn(Script::new().text("Hello").error(400)).await;
    let answer = stage
        .control(json!({"subtype": "side_question", "question": "hm?"}))
        .await;
    assert_eq!(answer["response"]["synthetic"], true);
    assert!(
        answer["response"]["response"]
            .as_str()
            .unwrap()
            .starts_with("(API error: ")
    );
    assert_eq!(
        stage.control(json!({"subtype": "side_question"})).await["subtype"],
        "error"
    );
    stage.leave_now().await;
}

#[tokio::test]
async fn title_request_without_text_returns_null() {
    let mut stage = Stage::begin(Script::new()).await;
    let about = |text: &str| json!({"subtype": "generate_session_title", "description": text});
    let answer = stage.control(about("")).await;
    assert_eq!(answer["response"], json!({"title": null}));
    let answer = stage.control(json!({"subtype": "generate_session_title"})).await;
    assert_eq!(answer["subtype"], "error");
    stage.end().await;
}

#[tokio::test]
async fn running_command_can_move_to_background() {
    let script = Script::new()
        .reply(Reply::tool_with_id(
            "toolu_1",
            "Bash",
            json!({"command": "echo begun; sleep 600"}),
        ))
        .reply(Reply::text("Done").repeat());
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    stage.until("assistant:tool_use").await;
    loop {
        let moved = stage
            .control(json!({"subtype": "background_tasks", "tool_use_id": "toolu_1"}))
            .await;
        if moved["response"]["backgrounded"] == true {
            break;
        }
    }
    stage.result().await;
    let started = stage.all("task_started");
    let task = started[0]["task_id"].as_str().unwrap().to_owned();
    let output = stage
        .control(json!({"subtype": "get_task_output", "task_id": task}))
        .await;
    assert_eq!(output["response"]["truncated"], false, "{output}");
    assert_eq!(
        output["response"]["total_bytes"],
        output["response"]["output"].as_str().unwrap().len()
    );
    stage.control(json!({"subtype": "stop_task", "task_id": task})).await;
    let none = stage
        .control(json!({"subtype": "get_task_output", "task_id": "none"}))
        .await;
    assert_eq!(none["error"], "No such task: none");
    let nothing = stage.control(json!({"subtype": "background_tasks"})).await;
    assert_eq!(nothing["response"], json!({}));
    stage.end().await;
}

#[tokio::test]
async fn end_session_interrupts_and_exits() {
    let mut stage = Stage::begin(touching("touch made")).await;
    stage.prompt("touch").await;
    stage.ask().await;
    stage.told();
    stage.request(json!({"subtype": "end_session"})).await;
    let result = stage.result().await;
    assert_eq!(result["terminal_reason"], "aborted_tools");
    // The turn ended with an error.
    assert_eq!(stage.leave().await, 1);
}

#[tokio::test]
async fn requests_about_unknown_objects_are_errors() {
    let mut stage = Stage::begin(Script::new()).await;
    let error = |answer: Value| answer["error"].as_str().unwrap_or_default().to_owned();
    let status = stage.control(json!({"subtype": "mcp_status"})).await;
    assert_eq!(status["response"], json!({"mcpServers": []}));
    let none = stage
        .control(json!({"subtype": "mcp_set_servers", "servers": {}}))
        .await;
    assert_eq!(none["response"], json!({"added": [], "removed": [], "errors": {}}));
    let some = stage
        .control(json!({"subtype": "mcp_set_servers", "servers": {"x": {"command": "x"}}}))
        .await;
    assert!(some["response"]["errors"]["x"].is_string());
    let reconnect = stage
        .control(json!({"subtype": "mcp_reconnect", "serverName": "y"}))
        .await;
    assert_eq!(error(reconnect), "Server not found: y");
    let toggle = stage
        .control(json!({"subtype": "mcp_toggle", "serverName": "y", "enabled": true}))
        .await;
    assert_eq!(error(toggle), "Server not found: y");
    let call = stage.control(json!({"subtype": "mcp_call", "tool": "mcp__x__y"})).await;
    assert_eq!(error(call), "MCP server not connected: x");
    let channel = stage
        .control(json!({"subtype": "channel_enable", "serverName": "x"}))
        .await;
    assert_eq!(error(channel), "server x is not connected");
    let plan = stage.control(json!({"subtype": "get_plan"})).await;
    assert_eq!(plan["response"], json!({"exists": false}));
    let rewind = stage
        .control(json!({"subtype": "rewind_files", "user_message_id": "u"}))
        .await;
    assert_eq!(error(rewind), "File rewinding is not enabled.");
    let colour = stage.control(json!({"subtype": "set_color", "color": "red"})).await;
    assert_eq!(colour["error_code"], "unsupported_request");
    let rated = json!({"subtype": "message_rated", "messageUuid": "u", "sentiment": "positive"});
    assert_eq!(stage.control(rated).await["subtype"], "success");
    assert_eq!(
        stage.control(json!({"subtype": "message_rated"})).await["subtype"],
        "error"
    );
    let watched = stage
        .control(json!({"subtype": "set_has_subscribers", "has_subscribers": true}))
        .await;
    assert_eq!(watched["subtype"], "success");
    stage.end().await;
}

#[tokio::test]
async fn foreground_output_can_be_read_by_call_id() {
    let command = "echo out; echo problem >&2; echo more; sleep 600";
    let script = Script::new()
        .reply(Reply::tool_with_id("toolu_1", "Bash", json!({"command": command})))
        .reply(Reply::text("Done").repeat());
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    stage.until("assistant:tool_use").await;
    loop {
        let watched = stage
            .control(json!({"subtype": "get_task_output", "task_id": "toolu_1"}))
            .await;
        if watched["response"]["output"] == "out\nproblem\nmore\n" {
            break;
        }
    }
    stage.interrupt().await;
    stage.result().await;
    let gone = stage
        .control(json!({"subtype": "get_task_output", "task_id": "toolu_1"}))
        .await;
    assert!(
        gone["error"].as_str().is_some_and(|why| why.contains("No such task")),
        "{gone}"
    );
    stage.end().await;
}
