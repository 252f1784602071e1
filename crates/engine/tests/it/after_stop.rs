//! The state after a turn that ended early: a valid history, no open permission request, and the correct session state.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::StateEvents;
use sluice_simulator::{Reply, Script};

use crate::asks::touching;
use crate::bell::Bell;
use crate::stage::Stage;

/// The kinds of content blocks in every message of a request.
fn kinds(body: &Value) -> Vec<String> {
    let of = |message: &Value| {
        let blocks = message["content"].as_array().unwrap().iter();
        blocks
            .map(|it| it["type"].as_str().unwrap())
            .collect::<Vec<_>>()
            .join("+")
    };
    body["messages"].as_array().unwrap().iter().map(of).collect()
}

/// The API requires that tool results are the first blocks after the calls.
#[tokio::test]
async fn results_precede_the_interrupt_notice() {
    let bell = Bell::listen().await;
    let script = Script::new()
        .tool("Bash", json!({"command": bell.command()}))
        .text("Next");
    let mut stage = Stage::with(script, |options| options.permissions.allowed = vec!["Bash".into()]).await;
    stage.prompt("run it").await;
    let mut caller = bell.connected().await;
    stage.interrupt().await;
    stage.result().await;
    caller.ended().await;
    stage.prompt("next").await;
    stage.result().await;
    assert_eq!(kinds(&stage.sent(2)), ["text", "tool_use", "tool_result+text+text"]);
    stage.end().await;
}

#[tokio::test]
async fn results_precede_the_interrupt_notice_during_a_response() {
    let reply = Reply::tool("Teleport", json!({})).and_text("one two").gate_each("word");
    let mut stage = Stage::with(Script::new().reply(reply).text("Next"), |options| {
        options.host.partial = true;
    })
    .await;
    stage.prompt("go").await;
    stage.gate("word").open_n(3);
    stage.until("user:tool_error").await;
    stage.until("d").await;
    stage.interrupt().await;
    stage.result().await;
    stage.prompt("next").await;
    stage.result().await;
    assert_eq!(
        kinds(&stage.sent(2)),
        ["text", "tool_use+text", "tool_result+text+text"]
    );
    stage.end().await;
}

#[tokio::test]
async fn urgent_prompt_withdraws_open_permission_request() {
    let mut stage = Stage::begin(touching("touch never")).await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage.prompt_with("hurry", json!({"priority": "now"})).await;
    let told = stage.turn().await;
    assert!(told.contains(" cancel "), "{told}");
    assert_eq!(stage.last("cancel")["request_id"], ask["request_id"]);
    stage.result().await;
    stage.end().await;
}

#[tokio::test]
async fn prompt_does_not_answer_open_permission_request() {
    let mut stage = Stage::with(touching("touch made"), |options| {
        options.host.state_events = StateEvents::Visible;
    })
    .await;
    stage.prompt("touch").await;
    let ask = stage.ask().await;
    stage.prompt("and this").await;
    stage.silent().await;
    stage.allow(&ask).await;
    stage.until("state:idle").await;
    assert_eq!(
        stage.told(),
        "state:running init assistant:tool_use state:requires_action ask:Bash state:running user:tool_result \
         assistant:text result:success state:idle"
    );
    stage.end().await;
}

#[tokio::test]
async fn turn_continues_without_permission_requests_after_end_of_input() {
    let mut stage = Stage::with(touching("touch never"), |options| {
        options.host.state_events = StateEvents::Visible;
    })
    .await;
    stage.prompt("touch").await;
    stage.ask().await;
    stage.eof().await;
    stage.hear_out().await;
    assert_eq!(
        stage.told(),
        "state:running init assistant:tool_use state:requires_action ask:Bash state:running user:tool_error \
         assistant:text result:success state:idle"
    );
    stage.end().await;
}
