//! Turns that continue until a goal is met.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_engine::Asker;
use sluice_simulator::{Reply, Script};

use crate::stage::Stage;

#[tokio::test]
async fn model_continues_until_the_goal_is_met() {
    let script = Script::new()
        .text("I begin")
        .text("{\"met\": false, \"reason\": \"no file x\"}")
        .text("I made it")
        .text("{\"met\": true, \"reason\": \"x is there\"}");
    let mut stage = Stage::begin(script).await;
    stage.prompt("/goal the file x exists").await;
    let result = stage.result().await;
    assert_eq!(result["result"], "I made it");
    let first = stage.all("assistant:text")[0].clone();
    assert_eq!(first["message"]["model"], "<synthetic>");
    assert_eq!(first["message"]["content"][0]["text"], "Goal set: the file x exists");
    assert_eq!(
        first["local_command_run"],
        json!({"command": "goal", "args": "the file x exists"})
    );
    assert!(
        stage
            .last("info")
            .to_string()
            .contains("Goal met: the file x exists (x is there)")
    );
    assert!(
        stage
            .said_to_model(1)
            .iter()
            .any(|text| text.contains("the file x exists"))
    );
    assert!(
        stage
            .said_to_model(3)
            .iter()
            .any(|text| text.contains("not met yet") && text.contains("no file x"))
    );
    stage.leave_now().await;
}

#[tokio::test]
async fn goal_can_be_shown_and_removed_and_failed_check_ends_the_turn() {
    let script = Script::new().text("I begin").text("what?").text("Free");
    let mut stage = Stage::begin(script).await;
    stage.prompt("/goal").await;
    assert!(
        stage.result().await["result"]
            .as_str()
            .unwrap()
            .contains("No goal is set")
    );
    stage.prompt("/goal be done").await;
    assert_eq!(stage.result().await["result"], "I begin");
    assert!(stage.last("info").to_string().contains("could not be checked"));
    stage.prompt("/goal").await;
    assert_eq!(stage.result().await["result"], "Goal: be done (not checked yet)");
    stage.prompt("/goal clear").await;
    assert_eq!(stage.result().await["result"], "Goal removed: be done");
    stage.prompt("go").await;
    assert_eq!(stage.result().await["result"], "Free");
    stage.leave_now().await;
}

#[tokio::test]
async fn continuations_of_a_turn_are_limited() {
    let mut script = Script::new();
    for _ in 0..26 {
        script = script.text("Trying").text("{\"met\": false, \"reason\": \"no\"}");
    }
    let mut stage = Stage::begin(script.reply(Reply::text("Too often").repeat())).await;
    stage.prompt("/goal the impossible").await;
    assert_eq!(stage.result().await["result"], "Trying");
    assert!(stage.last("info").to_string().contains("after 25 continuations"));
    stage.leave_now().await;
}

#[tokio::test]
async fn goal_proposed_by_the_model_needs_permission() {
    let script = Script::new()
        .tool("SetGoal", json!({"condition": "tests pass"}))
        .text("I begin")
        .text("{\"met\": false, \"impossible\": true, \"reason\": \"there are none\"}");
    let mut stage = Stage::with(script, |options| options.permissions.asker = Asker::Host).await;
    stage.prompt("go").await;
    let ask = stage.ask().await;
    assert_eq!(ask["request"]["input"]["condition"], "tests pass");
    stage.allow(&ask).await;
    stage.result().await;
    assert!(
        stage
            .last("info")
            .to_string()
            .contains("cannot be met: tests pass (there are none)")
    );
    stage.leave_now().await;
}
