//! Subagents and the person: permission requests, interrupts, stops, messages.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::StateEvents;
use sluice_simulator::{Reply, Script};

use crate::agents::{agent, foreground_agent};
use crate::bell::Bell;
use crate::stage::Stage;

fn touch(name: &str) -> Reply {
    Reply::tool(
        "Bash",
        json!({"command": format!("touch {name}"), "description": "touch"}),
    )
}

#[tokio::test]
async fn answer_to_subagent_request_applies_to_all_sessions() {
    let script = Script::new()
        .tool("Agent", foreground_agent("SUB"))
        .reply(touch("one"))
        .text("Sub answer")
        .reply(touch("two"))
        .text("Done");
    let mut stage = Stage::with(script, |options| options.host.state_events = StateEvents::Visible).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["agent_id"], stage.last("task_started")["task_id"]);
    stage.until("state:requires_action").await;
    let attached = stage.control(json!({"subtype": "initialize"})).await;
    assert_eq!(
        attached["pending_permission_requests"][0]["request_id"],
        ask["request_id"]
    );
    let rule = json!({"type": "addRules", "behavior": "allow", "destination": "session",
        "rules": [{"toolName": "Bash", "ruleContent": "touch:*"}]});
    let mode = json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
    stage
        .answer(&ask, json!({"behavior": "allow", "updatedPermissions": [rule, mode]}))
        .await;
    stage.until("state:running").await;
    let told = stage.turn().await;
    assert!(!told.contains("requires_action state:running ask"), "{told}");
    assert_eq!(
        stage.heard.iter().filter(|it| it["type"] == "control_request").count(),
        1
    );
    assert_eq!(stage.all("mode:acceptEdits").len(), 1);
    assert!(stage.dir.path().join("one").exists() && stage.dir.path().join("two").exists());
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn denial_with_interrupt_stops_only_the_subagent() {
    let script = Script::new()
        .tool("Agent", foreground_agent("SUB"))
        .reply(touch("one"))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    stage.told();
    stage
        .answer(&ask, json!({"behavior": "deny", "message": "no", "interrupt": true}))
        .await;
    assert_eq!(
        stage.turn().await,
        "user:tool_error task_updated task:stopped user:tool_error assistant:text result:success"
    );
    let result = stage.last("result:success");
    assert_eq!(result["permission_denials"][0]["tool_name"], "Bash");
    assert_eq!(result["subagent_stats"]["killed"]["user"], 1);
    assert!(
        stage
            .last("user:tool_error")
            .to_string()
            .contains("[Request interrupted by user for tool use]")
    );
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn interrupt_stops_foreground_subagent() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .tool("Agent", foreground_agent("SUB"))
        .reply(Reply::tool(
            "Bash",
            json!({"command": bell.command(), "description": "ring"}),
        ))
        .text("never");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    let mut caller = bell.connected().await;
    stage.until("assistant:tool_use").await;
    stage.until("assistant:tool_use").await;
    stage.told();
    stage.interrupt().await;
    assert_eq!(
        stage.turn().await,
        "ok user:tool_error task_updated task:stopped notice result:error_during_execution!"
    );
    caller.ended().await;
    assert_eq!(stage.last("task_updated")["patch"]["status"], "killed");
    assert_eq!(stage.leave_now().await, 1);
}

#[tokio::test]
async fn interrupt_withdraws_requests_of_subagents() {
    let script = Script::new()
        .tool("Agent", foreground_agent("SUB"))
        .reply(touch("one"))
        .text("never");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    stage.ask().await;
    stage.told();
    stage.interrupt().await;
    let told = stage.turn().await;
    assert!(told.contains("cancel"), "{told}");
    assert!(!stage.dir.path().join("one").exists());
    let attached = stage.control(json!({"subtype": "initialize"})).await;
    assert_eq!(attached["pending_permission_requests"], json!([]));
    stage.leave_now().await;
}

/// A session with a background subagent that runs a command connected to the bell.
async fn session_with_bell(bell: &Bell) -> Stage {
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB", json!({}))).when("go"))
        .reply(Reply::tool("Bash", json!({"command": bell.command(), "description": "ring"})).when("SUB"))
        .reply(Reply::text("Noted").when("task-notification"))
        .reply(Reply::text("Sub answer").when("ding"))
        .text("Launched");
    let stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    stage
}

#[tokio::test]
async fn stopped_subagent_is_reported_to_the_model() {
    let bell = Bell::listen().await;
    let mut stage = session_with_bell(&bell).await;
    let mut caller = bell.connected().await;
    stage.result().await;
    stage.told();
    let id = stage.last("task_started")["task_id"].clone();
    stage.request(json!({"subtype": "stop_task", "task_id": id})).await;
    stage.result().await;
    caller.ended().await;
    let told = stage.told();
    let told = told
        .trim_start_matches("assistant:tool_use ")
        .trim_start_matches("task_progress ");
    assert_eq!(
        told,
        "task_updated task:stopped background:0 ok user:tool_error notice init assistant:text result:success"
    );
    let result = stage.last("result:success");
    assert_eq!(result["origin"]["kind"], "task-notification");
    assert_eq!(result["subagent_stats"]["killed"]["user"], 1);
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn interrupt_stops_background_subagents() {
    let bell = Bell::listen().await;
    let mut stage = session_with_bell(&bell).await;
    let mut caller = bell.connected().await;
    stage.result().await;
    stage.told();
    stage.interrupt().await;
    stage.until("notice").await;
    caller.ended().await;
    let told = stage.told();
    assert!(
        told.ends_with("task_updated task:stopped background:0 ok user:tool_error notice"),
        "{told}"
    );
    // The host initiated the interrupt, so no turn follows.
    stage.silent().await;
    stage.prompt("two").await;
    let result = stage.result().await;
    assert_eq!(
        result["subagent_stats"]["killed"],
        json!({"parent": 0, "user": 0, "system": 1})
    );
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn interrupted_subagent_reports_results_after_the_turn() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB", json!({}))).when("go"))
        .reply(Reply::tool("Bash", json!({"command": bell.command(), "description": "ring"})).when("SUB"))
        .reply(Reply::text("one two").gate("middle").when("works"));
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    let mut caller = bell.connected().await;
    stage.gate("middle").reached().await;
    stage.until("task_progress").await;
    stage.until("assistant:text").await;
    stage.told();
    stage.interrupt().await;
    let told = stage.turn().await;
    assert_eq!(
        told,
        "task_updated task:stopped background:0 ok notice result:error_during_execution!"
    );
    stage.until("user:tool_error").await;
    caller.ended().await;
    stage.leave_now().await;
}

#[tokio::test]
async fn interrupt_keeps_subagents_that_host_stops_individually() {
    let bell = Bell::listen().await;
    let mut stage = session_with_bell(&bell).await;
    stage
        .control(json!({"subtype": "initialize", "perTaskStopAffordance": true}))
        .await;
    let caller = bell.connected().await;
    stage.result().await;
    stage.interrupt().await;
    stage.until("ok").await;
    assert!(caller.is_running());
    caller.finish("ding").await;
    let result = stage.result().await;
    assert_eq!(result["origin"]["kind"], "task-notification");
    assert_eq!(stage.last("task:completed")["summary"], "Sub answer");
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn subagent_starts_when_its_block_ends() {
    for _ in 0..10 {
        let script = Script::new()
            .tool("Agent", foreground_agent("SUB"))
            .text("Sub answer")
            .text("Done");
        let mut stage = Stage::with(script, |options| options.host.partial = true).await;
        stage.prompt("go").await;
        let told = stage.turn().await;
        let begins = "assistant:tool_use be task_started md notice me task_updated task:completed user:tool_result";
        assert!(told.contains(begins), "{told}");
        assert_eq!(stage.end_crew().await, 0);
    }
}

#[tokio::test]
async fn foreground_subagent_can_move_to_background() {
    let script = Script::new()
        .reply(Reply::tool("Agent", foreground_agent("SUB")).when("go"))
        .reply(Reply::text("Sub answer").gate_head("sub").when("SUB"))
        .reply(Reply::text("Noted").when("task-notification"))
        .text("Going on");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    stage.gate("sub").reached().await;
    stage.until("notice").await;
    stage.told();
    let answer = stage.control(json!({"subtype": "background_tasks"})).await;
    assert_eq!(answer["subtype"], "success");
    let told = stage.turn().await;
    assert!(
        told.ends_with("background:1 task_updated ok user:tool_result assistant:text result:success"),
        "{told} {:?}",
        stage.all("assistant:text")
    );
    stage.gate("sub").open();
    assert_eq!(
        stage.turn().await,
        "assistant:text task_updated task:completed background:0 init assistant:text result:success"
    );
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn model_reads_and_stops_a_subagent() {
    let id = "$REQ{agentId: (a[0-9a-f]{16})}";
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB", json!({}))).when("go"))
        .reply(Reply::text("never").gate_head("sub").when("SUB"))
        .reply(Reply::tool("TaskOutput", json!({"task_id": id, "block": false})))
        .reply(Reply::tool("TaskStop", json!({"task_id": id})))
        .text("Stopped");
    let tools = ["Agent", "TaskOutput", "TaskStop"].map(str::to_owned).to_vec();
    let mut stage = Stage::with(script, |options| options.tools.offered = Some(tools)).await;
    stage.prompt("go").await;
    stage.gate("sub").reached().await;
    let told = stage.turn().await;
    assert!(told.contains("task_updated task:stopped background:0"), "{told}");
    let results: Vec<Value> = stage.all("user:tool_result").into_iter().cloned().collect();
    assert_eq!(results[1]["tool_use_result"]["task"]["task_type"], "local_agent");
    assert_eq!(results[1]["tool_use_result"]["task"]["status"], "running");
    assert_eq!(results[2]["tool_use_result"]["task_type"], "local_agent");
    // Its current work ends before or after the end of the turn; a notification turn follows.
    let result = stage.result().await;
    assert_eq!(result["origin"]["kind"], "task-notification");
    assert!(!stage.all("notice").is_empty());
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn end_of_input_fails_requests_of_subagents() {
    let script = Script::new()
        .tool("Agent", foreground_agent("SUB"))
        .reply(touch("one"))
        .text("Sub answer")
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    stage.ask().await;
    stage.told();
    stage.eof().await;
    let told = stage.turn().await;
    assert_eq!(
        told,
        "user:tool_error task_updated task:completed user:tool_result assistant:text result:success"
    );
    assert!(stage.all("user:tool_error")[0].to_string().contains("stream closed"));
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn running_subagent_receives_a_message() {
    let id = "$REQ{agentId: (a[0-9a-f]{16})}";
    let bell = Bell::listen().await;
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB", json!({"name": "bee"}))).when("go"))
        .reply(Reply::tool("Bash", json!({"command": bell.command(), "description": "ring"})).when("SUB"))
        .reply(Reply::text("Both done").when("and this too"))
        .reply(Reply::text("Noted").when("task-notification"))
        .reply(
            Reply::tool("SendMessage", json!({"to": id, "message": "and this too"}))
                .gate("tell")
                .when("works"),
        )
        .text("Told");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    let caller = bell.connected().await;
    stage.gate("tell").open();
    stage.result().await;
    let sent = &stage.last("user:tool_result")["tool_use_result"];
    assert_eq!((&sent["success"], &sent["pin"]["name"]), (&json!(true), &json!("bee")));
    caller.finish("rang").await;
    stage.result().await;
    assert_eq!(stage.last("task:completed")["summary"], "Both done");
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn mentions_in_messages_to_subagents_are_not_trusted() {
    let id = "$REQ{agentId: (a[0-9a-f]{16})}";
    let bell = Bell::listen().await;
    let message = "and this too: @/etc/passwd";
    let script = Script::new()
        .reply(Reply::tool("Agent", agent("SUB", json!({"name": "bee"}))).when("go"))
        .reply(Reply::tool("Bash", json!({"command": bell.command(), "description": "ring"})).when("SUB"))
        .reply(Reply::text("Both done").when("and this too"))
        .reply(Reply::text("Noted").when("task-notification"))
        .reply(
            Reply::tool("SendMessage", json!({"to": id, "message": message}))
                .gate("tell")
                .when("works"),
        )
        .text("Told");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("go").await;
    let caller = bell.connected().await;
    stage.gate("tell").open();
    stage.result().await;
    caller.finish("rang").await;
    stage.result().await;
    let requests = stage.server.requests();
    let told = |text: &str| requests.iter().any(|request| request.body.to_string().contains(text));
    assert!(told(message));
    assert!(!told("root:"));
    assert_eq!(stage.end_crew().await, 0);
}

#[tokio::test]
async fn finished_subagent_continues_its_conversation() {
    let script = Script::new()
        .reply(
            Reply::tool(
                "Agent",
                agent("SUB", json!({"name": "bee", "run_in_background": false})),
            )
            .when("go"),
        )
        .reply(Reply::text("The answer is 7").when("SUB"))
        .reply(Reply::tool("SendMessage", json!({"to": "bee", "message": "and why"})).when("The answer is 7"))
        .reply(Reply::text("Because").when("and why"))
        .reply(Reply::text("Noted").when("task-notification"))
        .text("Asked");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    stage.result().await;
    stage.result().await;
    let ids: Vec<&Value> = stage.all("task_started").iter().map(|it| &it["task_id"]).collect();
    assert_eq!(ids.len(), 2);
    assert_eq!(ids[0], ids[1]);
    assert_eq!(stage.last("task:completed")["summary"], "Because");
    let requests = stage.server.requests();
    let again = requests
        .iter()
        .find(|it| it.body.to_string().contains("and why") && it.body.to_string().contains("SUB"));
    assert!(again.unwrap().body["messages"].to_string().contains("The answer is 7"));
    stage.leave_now().await;
}

#[tokio::test]
async fn api_error_in_subagent_fails_only_its_call() {
    let script = Script::new()
        .tool("Agent", foreground_agent("SUB"))
        .reply(Reply::error(403).kind("permission_error").message("no"))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use task_started notice task_updated task:failed user:tool_error assistant:text \
         result:success"
    );
    let text = stage.last("user:tool_error").to_string();
    assert!(text.contains("Agent terminated early due to an API error"), "{text}");
    assert_eq!(stage.last("result:success")["subagent_stats"]["failed"], 1);
    assert_eq!(stage.end_crew().await, 0);
}
