//! Commands that continue after their call has returned.

use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_simulator::{Reply, Script};

use crate::bell::{Bell, Caller};
use crate::stage::Stage;

fn in_background(bell: &Bell) -> Reply {
    Reply::tool(
        "Bash",
        json!({"command": bell.command(), "description": "ring", "run_in_background": true}),
    )
}

/// A session with a running background command and no open turn.
async fn session_with_bell(bell: &Bell, script: Script) -> (Stage, Caller) {
    session_with_bell_and_wait(bell, script, None).await
}

async fn session_with_bell_and_wait(bell: &Bell, script: Script, wait: Option<Duration>) -> (Stage, Caller) {
    let mut stage = Stage::with(script, |options| {
        options.permissions.allowed = vec!["Bash".into()];
        options.limits.background_wait = wait;
    })
    .await;
    stage.prompt("start it").await;
    let caller = bell.connected().await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use background:1 task_started user:tool_result assistant:text result:success"
    );
    (stage, caller)
}

#[tokio::test]
async fn end_of_background_command_starts_a_turn() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .reply(in_background(&bell))
        .text("Started")
        .text("It rang");
    let (mut stage, caller) = session_with_bell(&bell, script).await;
    let started = stage.last("task_started").clone();
    assert_eq!(started["is_backgrounded"], true);
    assert_eq!(started["task_type"], "local_bash");
    assert_eq!(started["description"], "ring");
    let result = stage.last("user:tool_result");
    assert_eq!(result["tool_use_result"]["backgroundTaskId"], started["task_id"]);

    caller.finish("ding").await;
    assert_eq!(
        stage.turn().await,
        "task_updated task:completed background:0 init assistant:text result:success"
    );
    assert_eq!(stage.last("task_updated")["patch"]["status"], "completed");
    let note = stage.last("task:completed");
    assert_eq!(note["task_id"], started["task_id"]);
    let output = std::fs::read_to_string(note["output_file"].as_str().unwrap()).unwrap();
    assert_eq!(output, "ding\n");
    let result = stage.last("result:success");
    assert_eq!(result["origin"]["kind"], "task-notification");
    assert!(result.get("user_message_uuid").is_none());
    assert!(stage.said_to_model(3)[0].contains(started["task_id"].as_str().unwrap()));
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn failed_background_command_is_reported() {
    let script = Script::new()
        .tool("Bash", json!({"command": "exit 3", "run_in_background": true}))
        .reply(Reply::text("Started").repeat());
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("start it").await;
    let note = stage.until("task:failed").await;
    assert!(note["summary"].as_str().unwrap().contains('3'), "{note}");
    let code = stage.end().await;
    assert_eq!(code, 0);
}

#[tokio::test]
async fn stopped_background_command_starts_no_turn() {
    let bell = Bell::listen().await;
    let script = Script::new().reply(in_background(&bell)).text("Started");
    let (mut stage, mut caller) = session_with_bell(&bell, script).await;
    let id = stage.last("task_started")["task_id"].clone();
    let answer = stage.control(json!({"subtype": "stop_task", "task_id": id})).await;
    assert_eq!(answer["response"], json!({}));
    assert_eq!(stage.told(), "task_updated task:stopped background:0 ok");
    assert_eq!(stage.last("task_updated")["patch"]["status"], "killed");
    caller.ended().await;
    assert!(!caller.is_running());
    stage.silent().await;
    // Stopping an unknown task succeeds.
    let answer = stage
        .control(json!({"subtype": "stop_task", "task_id": "nonsense"}))
        .await;
    assert_eq!(answer["response"], json!({}));
    assert_eq!(stage.end().await, 0);
    // No turn followed.
}

#[tokio::test]
async fn background_command_survives_an_interrupt() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .reply(in_background(&bell))
        .text("Started")
        .reply(Reply::text("Never").gate_head("head"))
        .text("It rang");
    let (mut stage, caller) = session_with_bell(&bell, script).await;
    stage.prompt("and now").await;
    stage.gate("head").reached().await;
    stage.interrupt().await;
    stage.turn().await;
    assert!(caller.is_running());
    caller.finish("ding").await;
    assert_eq!(
        stage.turn().await,
        "task_updated task:completed background:0 init assistant:text result:success"
    );
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn end_of_input_waits_for_background_task() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .reply(in_background(&bell))
        .text("Started")
        .text("It rang");
    let (mut stage, caller) = session_with_bell(&bell, script).await;
    stage.eof().await;
    caller.finish("ding").await;
    stage.hear_out().await;
    assert_eq!(
        stage.told(),
        "task_updated task:completed background:0 init assistant:text result:success"
    );
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn wait_after_end_of_input_is_limited() {
    let bell = Bell::listen().await;
    let script = Script::new().reply(in_background(&bell)).text("Started");
    let (mut stage, mut caller) = session_with_bell_and_wait(&bell, script, Some(Duration::ZERO)).await;
    stage.eof().await;
    stage.hear_out().await;
    // Commands end with their session.
    caller.ended().await;
    assert!(!caller.is_running());
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn end_of_command_during_a_response_starts_a_later_turn() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .reply(in_background(&bell))
        .text("Started")
        .reply(Reply::text("one two").gate_each("word"))
        .text("It rang");
    let (mut stage, caller) = session_with_bell(&bell, script).await;
    stage.prompt("talk").await;
    stage.gate("word").reached().await;
    caller.finish("ding").await;
    stage.until("background:0").await;
    stage.gate("word").open();
    assert_eq!(
        stage.turn().await,
        "init task_updated task:completed background:0 assistant:text result:success"
    );
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    let results = stage.all("result:success");
    assert!(results[1].get("origin").is_none());
    assert_eq!(results[2]["origin"]["kind"], "task-notification");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn second_initialize_lists_background_tasks() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .reply(in_background(&bell))
        .text("Started")
        .text("It rang");
    let (mut stage, caller) = session_with_bell(&bell, script).await;
    stage.control(json!({"subtype": "initialize"})).await;
    let running = stage.until("background:1").await;
    assert_eq!(running["tasks"][0]["task_id"], stage.last("task_started")["task_id"]);
    caller.finish("ding").await;
    stage.result().await;
    assert_eq!(stage.end().await, 0);
}
