//! Commands whose output lines are reported as they are printed.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::Asker;
use sluice_simulator::{Reply, Script};

use crate::bell::Bell;
use crate::stage::Stage;

fn monitor(command: &str) -> Value {
    json!({"description": "the log", "timeout_ms": 60_000, "command": command})
}

#[tokio::test]
async fn printed_lines_and_the_end_are_reported() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .tool(
            "Monitor",
            monitor(&format!("echo one; echo two; {}; printf last", bell.command())),
        )
        .text("Started")
        .text("Two lines")
        .reply(Reply::text("It rang").repeat());
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("watch it").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use background:1 task_started user:tool_result assistant:text result:success"
    );
    let started = stage.last("user:tool_result")["tool_use_result"].clone();
    let task = stage.last("task_started").clone();
    assert_eq!(
        (&started["taskId"], &started["timeoutMs"]),
        (&task["task_id"], &json!(60_000))
    );
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    assert_eq!(stage.last("result:success")["origin"]["kind"], "task-notification");
    let told = stage.said_to_model(3)[0].clone();
    assert!(
        told.contains("<event>one\ntwo</event>") && told.contains("the log"),
        "{told}"
    );

    bell.connected().await.finish("ding").await;
    let ended = stage.until("task:completed").await;
    assert_eq!(ended["summary"], "Monitor \"the log\" has ended");
    stage.result().await;
    let told = stage.said_to_model(4)[0].clone();
    assert!(
        told.contains("<event>ding\nlast</event>") && told.contains("has ended"),
        "{told}"
    );
    stage.silent().await;
    stage.leave_now().await;
}

#[tokio::test]
async fn command_rules_apply_and_websockets_are_rejected() {
    let script = Script::new()
        .tool("Monitor", monitor("touch denied"))
        .tool(
            "Monitor",
            json!({"description": "d", "timeout_ms": 1000, "ws": {"url": "ws://localhost"}}),
        )
        .tool("Monitor", monitor("touch asked"))
        .text("Done");
    let mut stage = Stage::with(script, |options| {
        options.permissions.asker = Asker::Host;
        options.permissions.disallowed = vec!["Bash(touch denied)".into()];
    })
    .await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["tool_name"], "Monitor");
    assert_eq!(ask["request"]["input"]["command"], "touch asked");
    stage.deny(&ask).await;
    stage.result().await;
    let all = stage.all("user:tool_error");
    assert_eq!(all.len(), 3);
    assert!(
        all[0].to_string().contains("denied") && all[1].to_string().contains("WebSockets"),
        "{all:?}"
    );
    stage.leave_now().await;
}

#[tokio::test]
async fn monitor_requires_bash() {
    let mut stage = Stage::with(Script::new().text("Hi"), |options| {
        options.permissions.disallowed = vec!["Bash".into()];
    })
    .await;
    stage.prompt("go").await;
    let init = stage.until("init").await;
    let tools = init["tools"].as_array().unwrap();
    assert!(
        !tools.contains(&json!("Monitor")) && tools.contains(&json!("Grep")),
        "{tools:?}"
    );
    stage.result().await;
    stage.leave_now().await;
}

#[tokio::test]
async fn expired_monitor_is_stopped_and_the_model_is_notified() {
    let bell = Bell::listen().await;
    let input = json!({"description": "the log", "timeout_ms": 1000, "command": bell.command()});
    let script = Script::new().tool("Monitor", input).text("Started").text("It expired");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("watch it").await;
    stage.result().await;
    stage.result().await;
    assert_eq!(stage.last("task_updated")["patch"]["status"], "killed");
    let told = stage.said_to_model(3)[0].clone();
    assert!(told.contains("expired after 1 s"), "{told}");
    stage.leave_now().await;
}

#[tokio::test]
async fn stopped_monitor_starts_no_turn() {
    let bell = Bell::listen().await;
    let script = Script::new().tool("Monitor", monitor(&bell.command())).text("Started");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("watch it").await;
    stage.result().await;
    let mut caller = bell.connected().await;
    let id = stage.last("task_started")["task_id"].clone();
    stage.control(json!({"subtype": "stop_task", "task_id": id})).await;
    caller.ended().await;
    assert_eq!(stage.last("task_updated")["patch"]["status"], "killed");
    stage.silent().await;
    stage.leave_now().await;
}
