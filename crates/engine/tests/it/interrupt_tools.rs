//! Interrupts while tools run or permission requests are open. The session works normally afterwards.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_engine::Signal;
use sluice_simulator::{Reply, Script};

use crate::bell::Bell;
use crate::stage::Stage;

const NOTICE: &str = "[Request interrupted by user for tool use]";

async fn free_bash(script: Script) -> Stage {
    Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await
}

fn interrupted(stage: &Stage) {
    let result = stage.last("result:error_during_execution!");
    assert_eq!(result["terminal_reason"], "aborted_tools");
    assert_eq!(
        stage.last("notice")["message"]["content"],
        json!([{"type": "text", "text": NOTICE}])
    );
    let refused = stage.last("user:tool_error");
    assert_eq!(refused["tool_use_result"], "User rejected tool use");
    assert_eq!(refused["tool_result_meta"][0]["non_execution_kind"], "user-rejected");
}

async fn check_next_turn(mut stage: Stage) {
    stage.told();
    stage.prompt("go on").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    let n = stage.server.requests().len();
    assert_eq!(stage.said_to_model(n), [NOTICE, "go on"]);
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn interrupt_kills_a_running_command() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .tool("Bash", json!({"command": bell.command()}))
        .text("Next");
    let mut stage = free_bash(script).await;
    stage.prompt("run it").await;
    let mut caller = bell.connected().await;
    assert!(caller.is_running());
    stage.interrupt().await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ok user:tool_error notice result:error_during_execution!"
    );
    caller.ended().await;
    assert!(!caller.is_running(), "{} still runs", caller.pid);
    interrupted(&stage);
    assert_eq!(stage.last("result:error_during_execution!")["num_turns"], 3);
    check_next_turn(stage).await;
}

#[tokio::test]
async fn interrupt_kills_children_of_a_command() {
    let bell = Bell::listen().await;
    let command = format!("bash -c '{}' & wait", bell.command().replace('\'', "'\\''"));
    let script = Script::new().tool("Bash", json!({"command": command})).text("Next");
    let mut stage = free_bash(script).await;
    stage.prompt("run it").await;
    let mut child = bell.connected().await;
    stage.interrupt().await;
    stage.turn().await;
    child.ended().await;
    interrupted(&stage);
    check_next_turn(stage).await;
}

#[tokio::test]
async fn interrupt_rejects_calls_that_have_not_started() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .reply(
            Reply::tool("Bash", json!({"command": bell.command()})).and_tool("Bash", json!({"command": "touch never"})),
        )
        .text("Next");
    let mut stage = free_bash(script).await;
    stage.prompt("run both").await;
    stage.until_n("assistant:tool_use", 2).await;
    let mut caller = bell.connected().await;
    stage.interrupt().await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use assistant:tool_use ok user:tool_error user:tool_error notice \
         result:error_during_execution!"
    );
    caller.ended().await;
    assert!(!stage.dir.path().join("never").exists());
    interrupted(&stage);
    check_next_turn(stage).await;
}

#[tokio::test]
async fn interrupt_withdraws_open_request_and_ignores_late_answer() {
    let script = Script::new()
        .tool("Bash", json!({"command": "touch never"}))
        .text("Next");
    let mut stage = Stage::begin(script).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage.interrupt().await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use ask:Bash cancel ok user:tool_error notice result:error_during_execution!"
    );
    assert_eq!(stage.last("cancel")["request_id"], ask["request_id"]);
    interrupted(&stage);
    let denials = &stage.last("result:error_during_execution!")["permission_denials"];
    assert_eq!(denials[0]["tool_name"], "Bash");

    stage.allow(&ask).await;
    stage.silent().await;
    assert!(!stage.dir.path().join("never").exists());
    check_next_turn(stage).await;
}

#[tokio::test]
async fn interrupt_withdraws_every_open_request() {
    let read = |name: &str| json!({"file_path": format!("/etc/{name}")});
    let script = Script::new()
        .reply(Reply::tool("Read", read("hostname")).and_tool("Read", read("hosts")))
        .text("Next");
    let mut stage = Stage::begin(script).await;
    stage.prompt("read").await;
    stage.until_n("ask:Read", 2).await;
    stage.told();
    stage.interrupt().await;
    assert_eq!(
        stage.turn().await,
        "cancel cancel ok user:tool_error user:tool_error notice result:error_during_execution!"
    );
    interrupted(&stage);
    check_next_turn(stage).await;
}

#[tokio::test]
async fn two_interrupts_while_a_command_runs() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .tool("Bash", json!({"command": bell.command()}))
        .text("Next");
    let mut stage = free_bash(script).await;
    stage.prompt("run it").await;
    let mut caller = bell.connected().await;
    stage.interrupt().await;
    stage.interrupt().await;
    stage.until_n("ok", 2).await;
    caller.ended().await;
    let results = || stage.all("result:error_during_execution!").len();
    if results() == 0 {
        stage.result().await;
    }
    interrupted(&stage);
    check_next_turn(stage).await;
}

#[tokio::test]
async fn queued_prompt_runs_after_the_interrupt() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .tool("Bash", json!({"command": bell.command()}))
        .text("Next");
    let mut stage = free_bash(script).await;
    stage.prompt("run it").await;
    let mut caller = bell.connected().await;
    stage.prompt_as("u2", "second").await;
    let answer = stage.control(json!({"subtype": "interrupt"})).await;
    assert_eq!(answer["response"], json!({"still_queued": ["u2"]}));
    stage.until("completed:u2").await;
    assert_eq!(
        stage.told(),
        "init assistant:tool_use queued:u2 ok user:tool_error notice result:error_during_execution! started:u2 \
         init assistant:text result:success completed:u2"
    );
    caller.ended().await;
    assert_eq!(stage.said_to_model(2), [NOTICE, "second"]);
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn urgent_prompt_waits_for_a_running_command_only() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .tool("Bash", json!({"command": bell.command()}))
        .text("At once");
    let mut stage = free_bash(script).await;
    stage.prompt_as("u1", "run it").await;
    let caller = bell.connected().await;
    stage
        .prompt_with("hurry", json!({"uuid": "u2", "priority": "now"}))
        .await;
    stage.until("queued:u2").await;
    assert!(caller.is_running());
    caller.finish("ding").await;
    stage.until("completed:u2").await;
    assert_eq!(
        stage.told(),
        "queued:u1 started:u1 init assistant:tool_use queued:u2 user:tool_result result:success cancelled:u1 \
         started:u2 init assistant:text result:success completed:u2"
    );
    assert_eq!(stage.all("result:success")[0]["terminal_reason"], "aborted_tools");
    assert_eq!(stage.last("user:tool_result")["tool_use_result"]["stdout"], "ding");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn leave_signal_kills_the_command() {
    let bell = Bell::listen().await;
    let script = Script::new().tool("Bash", json!({"command": bell.command()}));
    let mut stage = free_bash(script).await;
    stage.prompt("run it").await;
    let mut caller = bell.connected().await;
    stage.signal(Signal::Leave(143)).await;
    stage.hear_out().await;
    caller.ended().await;
    assert!(!stage.told().contains("result:"));
    assert_eq!(stage.leave().await, 143);
}

#[tokio::test]
async fn closed_door_kills_the_command() {
    let bell = Bell::listen().await;
    let script = Script::new().tool("Bash", json!({"command": bell.command()}));
    let mut stage = free_bash(script).await;
    stage.prompt("run it").await;
    let mut caller = bell.connected().await;
    stage.quit();
    stage.hear_out().await;
    caller.ended().await;
    assert_eq!(stage.leave().await, 0);
}
