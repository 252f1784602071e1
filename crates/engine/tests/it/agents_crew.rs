//! Subagents of one session: messages among them, permission changes of the host, and notifications within a turn.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Signal;
use sluice_engine::settings::Opener;
use sluice_simulator::{Reply, Script};

use crate::agents::{agent, foreground_agent};
use crate::bell::Bell;
use crate::commands;
use crate::stage::Stage;

const ID: &str = "$REQ{agentId: (a[0-9a-f]{16})}";

fn write(stage_file: &str) -> Reply {
    Reply::tool("Write", json!({"file_path": stage_file, "content": "w\n"}))
}

/// The kind `ed`, which defines its own permission mode.
fn of_mode(mode: &str) -> String {
    json!({"ed": {"description": "edits", "prompt": "You edit.", "permissionMode": mode}}).to_string()
}

#[tokio::test]
async fn stricter_host_mode_overrides_mode_of_kind() {
    for (own, set) in [
        ("acceptEdits", "plan"),
        ("acceptEdits", "dontAsk"),
        ("acceptEdits", "default"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("w.txt");
        let script = Script::new()
            .reply(Reply::tool("Agent", agent("SUB", json!({"subagent_type": "ed"}))).when("go"))
            .reply(write(file.to_str().unwrap()).gate_head("sub").when("SUB"))
            .reply(Reply::text("Noted").when("task-notification"))
            .reply(Reply::text("Launched").when("agentId"))
            .text("Sub answer");
        let mut stage = Stage::with(script, |options| {
            options.agents.given = Some(of_mode(own));
            options.folders.added = vec![dir.path().to_owned()];
        })
        .await;
        stage.prompt("go").await;
        stage.result().await;
        stage.gate("sub").reached().await;
        stage
            .control(json!({"subtype": "set_permission_mode", "mode": set}))
            .await;
        stage.gate("sub").open();
        if set == "dontAsk" {
            stage.result().await;
        } else {
            let ask = stage.ask().await;
            assert_eq!(ask["request"]["tool_name"], "Write", "{set}");
            stage.deny(&ask).await;
            stage.result().await;
        }
        assert!(!file.exists(), "{set}");
        assert_eq!(stage.end_crew().await, 0);
    }
}

#[tokio::test]
async fn more_permissive_host_mode_keeps_mode_of_kind() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("w.txt");
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB", json!({"subagent_type": "ed"}))).when("go"))
        .reply(write(file.to_str().unwrap()).gate_head("sub").when("SUB"))
        .reply(Reply::text("Noted").when("task-notification"))
        .reply(Reply::text("Launched").when("agentId"))
        .text("Sub answer");
    let mut stage = Stage::with(script, |options| {
        options.agents.given = Some(of_mode("dontAsk"));
        options.folders.added = vec![dir.path().to_owned()];
    })
    .await;
    stage.prompt("go").await;
    stage.result().await;
    stage.gate("sub").reached().await;
    stage
        .control(json!({"subtype": "set_permission_mode", "mode": "acceptEdits"}))
        .await;
    stage.gate("sub").open();
    stage.result().await;
    assert!(!file.exists());
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn task_end_during_a_call_joins_the_turn() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB", json!({}))).when("go"))
        .reply(Reply::text("Sub answer").gate_head("sub").when("SUB"))
        .reply(Reply::tool("Bash", json!({"command": bell.command(), "description": "ring"})).when("agentId"))
        .text("Done");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    let caller = bell.connected().await;
    stage.gate("sub").open();
    stage.until("background:0").await;
    caller.finish("ding").await;
    let result = stage.result().await;
    assert_eq!(result["result"], "Done");
    let said = stage.said_to_model(stage.server.requests().len()).join("\n");
    for part in [
        "<task-notification>",
        "<status>completed</status>",
        "<result>Sub answer</result>",
        "<task-id>a",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // It was reported within the turn, so no further turn follows.
    stage.silent().await;
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn task_end_before_a_prompt_is_reported_first() {
    let bell = Bell::listen().await;
    let ring = json!({"command": bell.command(), "description": "ring", "run_in_background": true});
    let script = Script::new()
        .reply(Reply::tool("Bash", ring).when("go"))
        .reply(Reply::text("One two").gate("middle").when("number two"))
        .reply(Reply::text("Three").when("number three"))
        .reply(Reply::text("Noted").when("task-notification"))
        .text("Launched");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    let caller = bell.connected().await;
    stage.result().await;
    stage.prompt("number two").await;
    stage.gate("middle").reached().await;
    caller.finish("ding").await;
    stage.until("background:0").await;
    stage.prompt("number three").await;
    stage.gate("middle").open();
    let told: Vec<Value> = [stage.result().await, stage.result().await, stage.result().await].into();
    let told: Vec<&str> = told.iter().map(|result| result["result"].as_str().unwrap()).collect();
    assert_eq!(told, ["One two", "Noted", "Three"]);
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn prompt_hook_receives_notifications() {
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB", json!({}))).when("go"))
        .reply(Reply::text("Sub answer").gate_head("sub").when("SUB"))
        .reply(Reply::text("Noted").when("task-notification"))
        .text("Launched");
    let mut stage = Stage::begin(script).await;
    let hooks = json!({"UserPromptSubmit": [{"hookCallbackIds": ["cb"]}]});
    stage.control(json!({"subtype": "initialize", "hooks": hooks})).await;
    stage.prompt("go").await;
    let asked = stage.until("hook:cb").await;
    stage.answer(&asked, json!({})).await;
    stage.result().await;
    stage.gate("sub").open();
    let asked = stage.until("hook:cb").await;
    let prompt = asked["request"]["input"]["prompt"].as_str().unwrap();
    assert!(prompt.contains("<task-notification>"), "{prompt}");
    stage.answer(&asked, json!({"decision": "block", "reason": "no"})).await;
    let result = stage.result().await;
    assert_eq!(result["origin"]["kind"], "task-notification");
    assert_eq!(result["num_turns"], 0);
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn model_lists_subagents_and_addresses_them_by_name() {
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB", json!({"name": "bee"}))).when("go"))
        .reply(Reply::text("Sub answer").gate_head("sub").when("SUB"))
        .reply(
            Reply::tool("SendMessage", json!({"to": "wasp", "message": "hello", "summary": "s"})).when("Subagents (1)"),
        )
        .reply(Reply::text("Noted").when("task-notification"))
        .reply(Reply::text("Done").when("reachable"))
        .reply(Reply::tool("ListAgents", json!({})).when("agentId"))
        .text("None");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    stage.result().await;
    let results: Vec<Value> = stage.all("user:tool_result").into_iter().cloned().collect();
    let id = &results[0]["tool_use_result"]["agentId"];
    let listed = &results[1]["tool_use_result"];
    assert_eq!(listed["notes"], json!([]));
    let section = &listed["sections"][0];
    assert_eq!((&section["kind"], &section["total"]), (&json!("subagents"), &json!(1)));
    assert_eq!(
        (&section["rows"][0]["id"], &section["rows"][0]["name"]),
        (id, &json!("bee"))
    );
    assert_eq!(section["rows"][0]["status"], "running");
    let unsent = &results[2]["tool_use_result"];
    assert_eq!(unsent["success"], false);
    assert!(unsent["display"].as_str().unwrap().contains("wasp"));
    let calls = stage.all("assistant:tool_use");
    let shown = &calls.last().unwrap()["message"]["content"][0]["input"];
    assert_eq!(
        (
            &shown["type"],
            &shown["recipient"],
            &shown["recipient_kind"],
            &shown["content"]
        ),
        (&json!("message"), &json!("wasp"), &json!("name"), &json!("hello"))
    );
    stage.gate("sub").open();
    stage.result().await;
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn continued_subagent_keeps_the_mode_of_its_call() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("w.txt");
    let script = Script::new()
        .reply(
            Reply::tool(
                "Agent",
                agent("SUB", json!({"mode": "dontAsk", "run_in_background": false})),
            )
            .when("go"),
        )
        .reply(Reply::text("Sub answer").when("SUB"))
        .reply(write(file.to_str().unwrap()).when("MORE"))
        .reply(Reply::text("Noted").when("task-notification"))
        .reply(Reply::tool("SendMessage", json!({"to": ID, "message": "MORE"})).when("Sub answer"))
        .reply(Reply::text("Sent").when("Resuming"))
        .text("Sub end");
    let mut stage = Stage::with(script, |options| options.folders.added = vec![dir.path().to_owned()]).await;
    stage.prompt("go").await;
    stage.result().await;
    let told = stage.turn().await;
    assert!(!told.contains("ask:Write") && told.contains("denied"), "{told}");
    assert!(!file.exists());
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn denied_kind_is_not_started_by_calls_or_skills() {
    let skill = "---\nname: paint\ndescription: paints\ncontext: fork\nagent: Explore\n---\nPaint it.\n";
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB", json!({"subagent_type": "Explore"}))).when("go"))
        .reply(Reply::tool("Skill", json!({"skill": "paint"})).when("denied by permission rule"))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        commands::with_files(options, &[(".claude/skills/paint/SKILL.md", skill)]);
        options.settings = options.settings.clone().opened_by(Opener::Host);
        options.permissions.disallowed = vec!["Agent(Explore)".into()];
    })
    .await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_error assistant:tool_use user:tool_error assistant:text result:success"
    );
    assert_eq!(stage.last("result:success")["permission_denials"], json!([]));
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn request_of_stopped_subagent_is_withdrawn_before_its_end() {
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB", json!({}))).when("go"))
        .reply(Reply::tool("Bash", json!({"command": "touch one", "description": "touch"})).when("SUB"))
        .reply(Reply::text("Noted").when("task-notification"))
        .text("Launched");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    stage.ask().await;
    if stage.all("result:success").is_empty() {
        stage.result().await;
    }
    stage.told();
    let id = stage.last("task_started")["task_id"].clone();
    stage.request(json!({"subtype": "stop_task", "task_id": id})).await;
    stage.result().await;
    assert_eq!(
        stage.told(),
        "cancel task_updated task:stopped background:0 ok user:tool_error notice init assistant:text result:success"
    );
    assert_eq!(stage.last("result:success")["permission_denials"], json!([]));
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn nested_subagent_reports_only_progress() {
    let script = Script::new()
        .reply(Reply::tool("Agent", foreground_agent("SUB")).when("go"))
        .reply(Reply::tool("Agent", foreground_agent("DEEPER")).when("SUB"))
        .reply(Reply::tool("Bash", json!({"command": "echo inside", "description": "run"})).when("DEEPER"))
        .reply(Reply::text("Deep answer").when("inside"))
        .reply(Reply::text("Sub answer").when("Deep answer"))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use task_started notice task_progress assistant:tool_use task_started task_progress \
         task_updated task:completed user:tool_result task_updated task:completed user:tool_result assistant:text \
         result:success"
    );
    let started = stage.all("task_started");
    assert_eq!(started[1]["parent_task_id"], started[0]["task_id"]);
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn background_command_is_reported_stopped_on_exit() {
    let bell = Bell::listen().await;
    let ring = json!({"command": bell.command(), "description": "ring", "run_in_background": true});
    let script = Script::new()
        .reply(Reply::tool("Bash", ring).when("go"))
        .text("Launched");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    let _caller = bell.connected().await;
    stage.result().await;
    stage.told();
    stage.signal(Signal::Leave(143)).await;
    stage.hear_out().await;
    assert_eq!(stage.told(), "task:stopped task_updated background:0");
    assert_eq!(stage.leave().await, 143);
}

#[tokio::test]
async fn signal_is_handled_after_end_of_input() {
    let bell = Bell::listen().await;
    let ring = json!({"command": bell.command(), "description": "ring", "run_in_background": true});
    let script = Script::new()
        .reply(Reply::tool("Bash", ring).when("go"))
        .text("Launched");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    let mut caller = bell.connected().await;
    stage.result().await;
    stage.eof().await;
    stage.signal(Signal::Leave(143)).await;
    assert_eq!(stage.leave().await, 143);
    caller.ended().await;
}

#[tokio::test]
async fn progress_summaries_are_sent_on_request() {
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB", json!({}))).when("go"))
        .reply(Reply::tool("Bash", json!({"command": "echo inside", "description": "run"})).when("SUB"))
        .reply(Reply::text("\"Reading a.rs\"\n").when("beside the task").repeat())
        .reply(Reply::text("Sub answer").gate_head("sub").when("inside"))
        .reply(Reply::text("Noted").when("task-notification"))
        .text("Launched");
    let mut stage = Stage::begin(script).await;
    stage
        .control(json!({"subtype": "initialize", "agentProgressSummaries": true}))
        .await;
    stage.prompt("go").await;
    stage.gate("sub").reached().await;
    stage.result().await;
    let before = stage.all("task_progress").len();
    tokio::time::pause();
    while stage.all("task_progress").len() == before {
        stage.next().await;
    }
    tokio::time::resume();
    let told = stage.last("task_progress").clone();
    assert_eq!(
        (&told["summary"], &told["description"]),
        (&json!("Reading a.rs"), &json!("Reading a.rs"))
    );
    assert_eq!(
        (&told["usage"]["tool_uses"], told.get("last_tool_name")),
        (&json!(1), None)
    );
    stage.gate("sub").open();
    stage.result().await;
    assert_eq!(stage.leave_now().await, 0);
}

#[tokio::test]
async fn report_mentions_the_request_limit() {
    let kinds = json!({"short": {"description": "s", "prompt": "You.", "maxTurns": 1}});
    let script = Script::new()
        .tool(
            "Agent",
            agent("SUB", json!({"subagent_type": "short", "run_in_background": false})),
        )
        .reply(Reply::text("working").and_tool("Bash", json!({"command": "echo x", "description": "run"})))
        .text("Done");
    let mut stage = Stage::with(script, |options| options.agents.given = Some(kinds.to_string())).await;
    stage.prompt("go").await;
    assert_eq!(stage.result().await["result"], "Done");
    let result = &stage.last("user:tool_result")["tool_use_result"];
    assert!(
        result["content"][1]["text"].as_str().unwrap().contains("limit of 1"),
        "{result}"
    );
    assert_eq!(result["content"][2]["text"], "working");
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn interrupt_stops_subagents_in_reverse_order() {
    let bell = Bell::listen().await;
    let ring = || Reply::tool("Bash", json!({"command": bell.command(), "description": "ring"}));
    let two = Reply::tool_with_id("toolu_1", "Agent", foreground_agent("SUB one"))
        .and_tool_with_id("toolu_2", "Agent", foreground_agent("SUB two"))
        .when("go");
    let script = Script::new()
        .reply(two)
        .reply(ring().when("SUB one"))
        .reply(ring().when("SUB two"));
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    let (_one, _two) = (bell.connected().await, bell.connected().await);
    while stage.all("task_progress").len() < 2 || stage.all("assistant:tool_use").len() < 4 {
        stage.next().await;
    }
    stage.told();
    stage.interrupt().await;
    assert_eq!(
        stage.turn().await,
        "ok user:tool_error task_updated task:stopped user:tool_error task_updated task:stopped notice \
         result:error_during_execution!"
    );
    let ended: Vec<&Value> = stage.all("task:stopped").iter().map(|it| &it["tool_use_id"]).collect();
    assert_eq!(ended, ["toolu_2", "toolu_1"]);
    // A response that was cut off has the stop reason of the one before.
    assert_eq!(stage.last("result:error_during_execution!")["stop_reason"], "tool_use");
    stage.leave_now().await;
}
