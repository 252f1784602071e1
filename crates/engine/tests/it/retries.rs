//! Retries of failed model requests. The clock is paused: delays are skipped, and measured.

use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Reply, Script};
use tokio::time::Instant;

use crate::stage::Stage;

async fn with_partials(script: Script) -> Stage {
    Stage::with(script, |options| options.host.partial = true).await
}

#[tokio::test(start_paused = true)]
async fn retry_after_header_is_respected() {
    let script = Script::new()
        .reply(Reply::error(429).header("retry-after", "7"))
        .text("Now then");
    let mut stage = Stage::begin(script).await;
    let began = Instant::now();
    stage.prompt("hi").await;
    assert_eq!(stage.turn().await, "init retry assistant:text result:success");
    assert!(began.elapsed() >= Duration::from_secs(7));
    let retry = stage.last("retry");
    assert_eq!(retry["attempt"], 1);
    assert_eq!(retry["max_retries"], 2);
    assert_eq!(retry["retry_delay_ms"], 7000);
    assert_eq!(retry["error_status"], 429);
    assert_eq!(retry["error"], "rate_limit");
    // The same request, byte for byte.
    assert_eq!(stage.sent(1).to_string(), stage.sent(2).to_string());
    assert_eq!(stage.end().await, 0);
}

#[tokio::test(start_paused = true)]
async fn server_error_is_retried() {
    let script = Script::new().error(500).error(503).text("Better");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init requesting retry retry ms bs d assistant:text be md me result:success"
    );
    let retries = stage.all("retry");
    assert_eq!(
        (&retries[0]["error"], &retries[1]["error_status"]),
        (&json!("server_error"), &json!(503))
    );
    let delay = |retry: &Value| retry["retry_delay_ms"].as_u64().unwrap();
    assert!((500..=625).contains(&delay(retries[0])), "{}", delay(retries[0]));
    assert!((1000..=1250).contains(&delay(retries[1])), "{}", delay(retries[1]));
    // Failed requests cost nothing and are not counted as turns.
    assert_eq!(stage.last("result:success")["num_turns"], 1);
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn persistent_server_error_is_the_result() {
    let script = Script::new().reply(Reply::error(500).message("Internal").repeat());
    let mut stage = Stage::begin(script).await;
    stage.prompt("hi").await;
    assert_eq!(stage.turn().await, "init retry retry assistant:text result:success!");
    assert_eq!(stage.server.requests().len(), 3);
    let said = stage.last("assistant:text");
    assert_eq!(said["message"]["model"], "<synthetic>");
    assert_eq!(said["error"], "server_error");
    let result = stage.last("result:success!");
    assert!(
        result["result"]
            .as_str()
            .unwrap()
            .starts_with("API Error: 500 Internal."),
        "{result}"
    );
    assert_eq!(result["api_error_status"], 500);
    assert_eq!(stage.end().await, 1);
}

#[tokio::test(start_paused = true)]
async fn overloaded_server_is_given_up_after_three_attempts() {
    let script = Script::new().reply(Reply::error(529).repeat());
    let mut stage = Stage::with(script, |options| options.model.max_retries = 10).await;
    stage.prompt("hi").await;
    assert_eq!(stage.turn().await, "init retry retry assistant:text result:success!");
    assert_eq!(stage.server.requests().len(), 3);
    assert_eq!(stage.last("retry")["error"], "overloaded");
    assert_eq!(stage.last("assistant:text")["error"], "server_error");
    let result = stage.last("result:success!");
    assert!(
        result["result"]
            .as_str()
            .unwrap()
            .starts_with("API Error: 529 Overloaded"),
        "{result}"
    );
    stage.end().await;
}

#[tokio::test]
async fn fallback_replaces_unknown_model() {
    let unknown = Reply::error(404).message("model: claude-opus-5-5");
    let script = Script::new().reply(unknown).text("I take over");
    let mut stage = Stage::with(script, |options| {
        options.model.fallbacks = vec!["claude-sonnet-4-5".into()];
    })
    .await;
    stage.prompt("hi").await;
    assert_eq!(stage.turn().await, "init fallback assistant:text result:success");
    assert_eq!(stage.last("fallback")["trigger"], "model_not_found");
    assert_eq!(stage.sent(2)["model"], "claude-sonnet-4-5");
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn fallback_replaces_overloaded_model() {
    let script = Script::new()
        .error(529)
        .error(529)
        .error(529)
        .text("I take over")
        .text("Still me");
    let mut stage = Stage::with(script, |options| {
        options.model.fallbacks = vec!["claude-sonnet-4-5".into()];
    })
    .await;
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init retry retry fallback assistant:text result:success"
    );
    let fallback = stage.last("fallback");
    assert_eq!(fallback["trigger"], "overloaded");
    assert_eq!(fallback["original_model"], "claude-opus-5-5");
    assert_eq!(fallback["fallback_model"], "claude-sonnet-4-5");
    assert_eq!(stage.sent(3)["model"], stage.sent(1)["model"]);
    assert!(
        stage.sent(4)["model"]
            .as_str()
            .unwrap()
            .starts_with("claude-sonnet-4-5")
    );
    stage.prompt("and now?").await;
    stage.turn().await;
    assert_eq!(stage.last("init")["model"], "claude-sonnet-4-5");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test(start_paused = true)]
async fn broken_connection_is_retried() {
    let script = Script::new().reply(Reply::cut_before_headers()).text("Better");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init requesting retry ms bs d assistant:text be md me result:success"
    );
    let retry = stage.last("retry");
    assert_eq!(
        (&retry["error"], &retry["error_status"]),
        (&json!("unknown"), &Value::Null)
    );
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn empty_stream_is_retried() {
    let script = Script::new().reply(Reply::text("Never").cut_after(0)).text("Better");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init requesting retry ms bs d assistant:text be md me result:success"
    );
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn broken_text_is_closed_and_requested_again() {
    let script = Script::new()
        .reply(Reply::text("one two three").cut_after(4))
        .text("Whole");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs d×2 be me retry ms bs d assistant:text be md me result:success"
    );
    assert_eq!(stage.all("me")[0]["abandoned_blocks"]["from_block_index"], 0);
    assert_eq!(stage.last("result:success")["result"], "Whole");
    // The model is not informed: the request is the same.
    assert_eq!(stage.sent(1).to_string(), stage.sent(2).to_string());
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn complete_blocks_before_the_break_are_kept() {
    let script = Script::new()
        .reply(Reply::text("Alpha").and_text("Beta gamma").cut_after(6))
        .text("And on");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs d assistant:text be bs d me nudge requesting ms bs d×2 assistant:text be md me \
         result:success"
    );
    assert_eq!(stage.all("me")[0]["abandoned_blocks"]["from_block_index"], 1);
    let result = stage.last("result:success");
    assert_eq!((&result["result"], &result["num_turns"]), (&json!("And on"), &json!(2)));
    let second = stage.sent(2);
    assert_eq!(
        second["messages"][1]["content"],
        json!([{"type": "text", "text": "Alpha"}])
    );
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn call_with_broken_input_is_dropped() {
    let script = Script::new()
        .reply(
            Reply::text("Alpha")
                .and_tool("Bash", json!({"command": "touch never"}))
                .cut_after(6),
        )
        .text("And on");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs d assistant:text be bs d me nudge requesting ms bs d×2 assistant:text be md me \
         result:success"
    );
    stage.end().await;
}

#[tokio::test]
async fn complete_call_before_the_break_runs() {
    let script = Script::new()
        .reply(
            Reply::tool("Bash", json!({"command": "echo kept"}))
                .and_text("more")
                .cut_after(6),
        )
        .text("And on");
    let mut stage = Stage::begin(script).await;
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_result nudge assistant:text result:success"
    );
    assert_eq!(stage.last("user:tool_result")["tool_use_result"]["stdout"], "kept");
    stage.end().await;
}

#[tokio::test]
async fn error_in_stream_is_retried_without_streaming() {
    let script = Script::new()
        .reply(Reply::text("one two").error_after(3))
        .reply(Reply::text("Whole").and_tool("Bash", json!({"command": "echo called"})))
        .text("Streamed again");
    let mut stage = with_partials(script).await;
    stage.prompt("hi").await;
    stage.result().await;
    let told = stage.told();
    let begin = "init requesting ms bs d be me assistant:text assistant:tool_use user:tool_result requesting ms ";
    assert!(told.starts_with(begin), "{told}");
    assert_eq!(stage.sent(1)["stream"], true);
    assert_eq!(stage.sent(2)["stream"], false);
    assert_eq!(stage.sent(3)["stream"], true);
    stage.end().await;
}

#[tokio::test(start_paused = true)]
async fn stalled_stream_is_given_up() {
    let minutes = |count: u64| Duration::from_secs(60 * count);
    let script = Script::new()
        .reply(Reply::text("one two").hang_after(3, minutes(4)))
        .reply(Reply::text("one two").hang_after(3, minutes(6)))
        .text("Whole");
    let mut stage = Stage::with(script, |options| {
        options.host.partial = true;
        options.model.config.stall_timeout = minutes(5);
    })
    .await;
    // A shorter pause is waited out.
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs d×2 assistant:text be md me result:success"
    );
    let began = Instant::now();
    stage.prompt("again").await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs d be me assistant:text result:success"
    );
    assert!(began.elapsed() >= minutes(5));
    assert_eq!(stage.sent(3)["stream"], false);
    stage.end().await;
}
