//! Limits on the number of requests per turn and on the cost of a session.

use pretty_assertions::assert_eq;
use serde_json::json;
use sluice_simulator::{Reply, Script};

use crate::stage::Stage;

fn echo() -> Reply {
    Reply::tool("Bash", json!({"command": "echo hello"}))
}

#[tokio::test]
async fn requests_per_turn_are_limited() {
    let script = Script::new().reply(echo()).reply(echo()).text("Fresh start");
    let mut stage = Stage::with(script, |options| options.limits.max_turns = Some(2)).await;
    stage.prompt("loop").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_result assistant:tool_use user:tool_result result:error_max_turns!"
    );
    let result = stage.last("result:error_max_turns!");
    assert_eq!(result["errors"], json!(["Reached maximum number of turns (2)"]));
    assert_eq!(result["terminal_reason"], "max_turns");
    assert_eq!(result["num_turns"], 3);
    assert!(result.get("result").is_none());
    // The limit applies to each turn.
    stage.prompt("again").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn session_ending_at_its_limit_exits_with_code_1() {
    let mut stage = Stage::with(Script::new().reply(echo()), |options| {
        options.limits.max_turns = Some(1);
    })
    .await;
    stage.prompt("loop").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_result result:error_max_turns!"
    );
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn limit_of_zero_means_no_limit() {
    let script = Script::new().reply(echo()).reply(echo()).reply(echo()).text("Done");
    let mut stage = Stage::with(script, |options| options.limits.max_turns = Some(0)).await;
    stage.prompt("loop").await;
    let told = stage.turn().await;
    assert!(told.ends_with("assistant:text result:success"), "{told}");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn parallel_calls_count_as_turns_but_not_against_the_limit() {
    let script = Script::new()
        .reply(echo().and_tool("Bash", json!({"command": "echo two"})))
        .text("Done");
    let mut stage = Stage::with(script, |options| options.limits.max_turns = Some(2)).await;
    stage.prompt("both").await;
    stage.result().await;
    assert_eq!(stage.last("result:success")["num_turns"], 3);
    stage.end().await;
}

#[tokio::test]
async fn automatic_continuations_count_against_the_limit() {
    let script = Script::new()
        .reply(Reply::text("half").stop_reason("max_tokens"))
        .text("Never");
    let mut stage = Stage::with(script, |options| options.limits.max_turns = Some(1)).await;
    stage.prompt("talk").await;
    assert_eq!(stage.turn().await, "init assistant:text nudge result:error_max_turns!");
    assert_eq!(stage.server.requests().len(), 1);
    stage.end().await;
}

/// A response that costs more than half a dollar.
fn expensive(reply: Reply) -> Reply {
    reply.usage(&json!({"input_tokens": 1_000_000}))
}

#[tokio::test]
async fn budget_is_checked_before_tools_run() {
    let script = Script::new()
        .reply(expensive(Reply::tool("Bash", json!({"command": "touch never"}))))
        .text("Never");
    let mut stage = Stage::with(script, |options| options.limits.max_budget_usd = Some(0.5)).await;
    stage.prompt("touch").await;
    // There is not even a permission request.
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use result:error_max_budget_usd!"
    );
    let result = stage.last("result:error_max_budget_usd!");
    assert_eq!(result["errors"], json!(["Reached maximum budget ($0.5)"]));
    assert_eq!(result["terminal_reason"], "budget_exhausted");

    // The budget is exhausted, so later turns end immediately.
    for _ in 0..2 {
        stage.prompt("again").await;
        assert_eq!(stage.turn().await, "init result:error_max_budget_usd!");
    }
    assert_eq!(stage.server.requests().len(), 1);
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn budget_is_checked_before_tools_run_without_streaming() {
    let script = Script::new()
        .reply(Reply::text("one two").error_after(3))
        .reply(expensive(Reply::tool("Bash", json!({"command": "touch never"}))));
    let mut stage = Stage::with(script, |options| options.limits.max_budget_usd = Some(0.5)).await;
    stage.prompt("touch").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use result:error_max_budget_usd!"
    );
    assert_eq!(stage.sent(2)["stream"], false);
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn budget_is_checked_after_a_text_response() {
    let script = Script::new().reply(expensive(Reply::text("Dear words")));
    let mut stage = Stage::with(script, |options| options.limits.max_budget_usd = Some(0.5)).await;
    stage.prompt("talk").await;
    assert_eq!(stage.turn().await, "init assistant:text result:error_max_budget_usd!");
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn tools_run_within_the_budget() {
    let script = Script::new().reply(echo()).text("Done");
    let mut stage = Stage::with(script, |options| options.limits.max_budget_usd = Some(0.5)).await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_result assistant:text result:success"
    );
    assert_eq!(stage.end().await, 0);
}
