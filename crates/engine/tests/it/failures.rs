//! Requests that fail finally, and responses without a usable answer.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::KeySource;
use sluice_model::Auth;
use sluice_simulator::{Reply, Script};

use crate::stage::Stage;

/// Runs a turn whose requests all fail.
async fn failing(reply: Reply) -> (Stage, String) {
    let script = Script::new().reply(reply.clone().repeat());
    let mut stage = Stage::begin(script).await;
    stage.prompt("hi").await;
    let told = stage.turn().await;
    let result = stage.last("result:success!").clone();
    let said = stage.last("assistant:text").clone();
    assert_eq!(result["result"], said["message"]["content"][0]["text"]);
    assert_eq!(result["api_error_status"], said["api_error_status"]);
    assert_eq!(result["stop_reason"], "stop_sequence");
    assert_eq!(said["message"]["model"], "<synthetic>");
    assert_eq!(said["is_api_error_message"], true);
    assert_eq!(result["total_cost_usd"], 0);
    (stage, told)
}

fn text(stage: &Stage) -> String {
    stage.last("result:success!")["result"].as_str().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn invalid_api_key() {
    let (stage, told) = failing(Reply::error(401).message("invalid x-api-key")).await;
    assert_eq!(told, "init retry retry assistant:text result:success!");
    assert_eq!(text(&stage), "Invalid API key · Fix external API key");
    assert_eq!(stage.last("retry")["error"], "authentication_failed");
    let said = stage.last("assistant:text");
    assert_eq!(said["error"], "authentication_failed");
    assert_eq!(said["api_error_type"], "authentication_error");
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn api_key_without_permission() {
    let (stage, told) = failing(Reply::error(403).message("not yours")).await;
    assert_eq!(told, "init assistant:text result:success!");
    assert_eq!(text(&stage), "Failed to authenticate. API Error: 403 not yours");
    assert_eq!(stage.last("assistant:text")["error"], "authentication_failed");
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn unknown_model() {
    let (stage, told) = failing(Reply::error(404).message("model: claude-opus-5-5")).await;
    assert_eq!(told, "init assistant:text result:success!");
    assert!(
        text(&stage).contains("claude-opus-5-5 was not found"),
        "{}",
        text(&stage)
    );
    assert_eq!(stage.last("assistant:text")["error"], "model_not_found");
    // Only a 404 that is not about the model may mean that the server does not support streaming.
    assert_eq!(stage.server.requests().len(), 1);
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn invalid_request() {
    let (stage, told) = failing(Reply::error(400).message("messages: too odd")).await;
    assert_eq!(told, "init assistant:text result:success!");
    assert_eq!(text(&stage), "API Error: 400 messages: too odd");
    let result = stage.last("result:success!");
    assert_eq!(result["api_error_status"], 400);
    assert_eq!(result["api_error_type"], "invalid_request_error");
    assert_eq!(result["terminal_reason"], "api_error");
    assert_eq!(stage.last("assistant:text")["error"], "unknown");
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn request_too_large() {
    let (stage, told) = failing(Reply::error(413).message("Request exceeds the maximum size")).await;
    assert_eq!(told, "init assistant:text result:success!");
    assert!(text(&stage).starts_with("API Error: 413"), "{}", text(&stage));
    assert_eq!(stage.last("assistant:text")["error"], "invalid_request");
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn conversation_too_long() {
    let long = "prompt is too long: 210000 tokens > 200000 maximum";
    let (stage, _) = failing(Reply::error(400).message(long)).await;
    assert!(text(&stage).starts_with("Prompt is too long"), "{}", text(&stage));
    assert_eq!(stage.last("result:success!")["terminal_reason"], "prompt_too_long");
    assert_eq!(stage.last("assistant:text")["error"], "invalid_request");
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn credit_balance_too_low() {
    let (stage, _) = failing(Reply::error(400).message("Your credit balance is too low to go on")).await;
    assert_eq!(text(&stage), "Credit balance is too low");
    assert_eq!(stage.last("assistant:text")["error"], "billing_error");
    assert_eq!(stage.end().await, 1);
}

#[tokio::test(start_paused = true)]
async fn refused_connection_is_retried_and_reported() {
    let mut stage = Stage::begin(Script::new().refuse()).await;
    stage.prompt("hi").await;
    assert_eq!(stage.turn().await, "init retry retry assistant:text result:success!");
    let retry = stage.last("retry");
    assert_eq!(
        (&retry["error"], &retry["error_status"]),
        (&json!("unknown"), &Value::Null)
    );
    let result = stage.last("result:success!");
    assert!(result["result"].as_str().unwrap().contains("ECONNREFUSED"), "{result}");
    assert_eq!(result["api_error"], "connection_failed");
    assert_eq!(stage.last("assistant:text")["error"], "server_error");
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn without_credentials_no_request_is_sent() {
    let mut stage = Stage::with(Script::new(), |options| {
        options.model.config.auth = Auth::None;
        options.model.key_source = KeySource::None;
    })
    .await;
    stage.prompt("hi").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success!");
    for helps in [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "start sluice in a terminal and type /login",
    ] {
        assert!(text(&stage).contains(helps), "{}", text(&stage));
    }
    assert_eq!(stage.last("init")["apiKeySource"], "none");
    assert_eq!(stage.server.everything().len(), 0);
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn turn_after_a_failed_request_works() {
    let script = Script::new()
        .tool("Bash", json!({"command": "echo hello"}))
        .error(400)
        .text("Recovered");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_result assistant:text result:success!"
    );
    stage.prompt("again").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    // Error messages that the engine wrote are not sent to the model.
    assert!(!stage.sent(3)["messages"].to_string().contains("API Error"));
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn response_at_the_token_limit_is_continued() {
    let script = Script::new()
        .reply(Reply::text("First half").stop_reason("max_tokens"))
        .text("second half");
    let mut stage = Stage::begin(script).await;
    stage.prompt("talk").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:text nudge assistant:text result:success"
    );
    assert_eq!(stage.last("nudge")["isSynthetic"], true);
    assert_eq!(stage.sent(2)["messages"][1]["content"][0]["text"], "First half");
    let result = stage.last("result:success");
    assert_eq!(
        (&result["result"], &result["stop_reason"]),
        (&json!("second half"), &json!("end_turn"))
    );
    stage.end().await;
}

#[tokio::test]
async fn response_that_ends_without_its_call_or_at_the_context_limit_is_continued() {
    for reason in ["tool_use", "model_context_window_exceeded"] {
        let script = Script::new()
            .reply(Reply::text("Let me see").stop_reason(reason))
            .text("Done");
        let mut stage = Stage::begin(script).await;
        stage.prompt("talk").await;
        assert_eq!(
            stage.turn().await,
            "init assistant:text nudge assistant:text result:success",
            "{reason}"
        );
        assert_eq!(stage.last("result:success")["result"], "Done");
        stage.end().await;
    }
}

#[tokio::test]
async fn continuations_of_a_response_are_limited() {
    let script = Script::new().reply(Reply::text("more").stop_reason("max_tokens").repeat());
    let mut stage = Stage::begin(script).await;
    stage.prompt("talk").await;
    let told = stage.turn().await;
    assert_eq!(told.matches("nudge").count(), 3, "{told}");
    assert_eq!(stage.last("result:success")["stop_reason"], "max_tokens");
    stage.end().await;
}

#[tokio::test]
async fn empty_response_is_requested_again_once() {
    let mut stage = Stage::begin(Script::new().reply(Reply::empty()).text("Here")).await;
    stage.prompt("hi").await;
    assert_eq!(stage.turn().await, "init nudge assistant:text result:success");
    // An empty message cannot be sent back: the prompt and the nudge are in one message.
    let roles: Vec<Value> = stage.sent(2)["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["role"].clone())
        .collect();
    assert!(!roles.contains(&json!("assistant")), "{roles:?}");
    stage.end().await;
}

#[tokio::test]
async fn response_with_only_thinking_is_empty() {
    let script = Script::new()
        .reply(Reply::thinking("hm"))
        .reply(Reply::thinking("hm again"));
    let mut stage = Stage::begin(script).await;
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init thought thought assistant:thinking nudge thought thought assistant:thinking result:success"
    );
    assert_eq!(stage.last("result:success")["result"], "");
    stage.end().await;
}

#[tokio::test]
async fn refusal_is_reported_and_retried_once() {
    let refusal = || Reply::text("I").stop_reason("refusal");
    let mut stage = Stage::begin(Script::new().reply(refusal()).reply(refusal())).await;
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:text info nudge assistant:text result:success"
    );
    assert_eq!(stage.last("result:success")["stop_reason"], "refusal");
    stage.end().await;
}

#[tokio::test]
async fn paused_response_is_continued() {
    let script = Script::new()
        .reply(Reply::text("Wait").stop_reason("pause_turn"))
        .text("Done");
    let mut stage = Stage::begin(script).await;
    stage.prompt("hi").await;
    stage.result().await;
    assert_eq!(stage.told(), "init assistant:text assistant:text result:success");
    // The paused response is the last message, so that the model continues it.
    let messages = stage.sent(2)["messages"].clone();
    assert_eq!(messages.as_array().unwrap().last().unwrap()["role"], "assistant");
    stage.leave_now().await;
}

fn prompt_with_image() -> Value {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data":
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="}});
    let mut prompt = crate::stage::prompt("");
    prompt["message"]["content"] = json!([{"type": "text", "text": "look"}, image]);
    prompt
}

#[tokio::test]
async fn rejected_image_is_removed_and_the_turn_continues() {
    for (status, message) in [
        (
            400,
            "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum",
        ),
        (413, "Request too large"),
    ] {
        let script = Script::new()
            .reply(Reply::error(status).message(message))
            .text("Without")
            .text("Later");
        let mut stage = Stage::begin(script).await;
        stage.send(&[prompt_with_image()]).await;
        assert_eq!(stage.turn().await, "init assistant:text assistant:text result:success");
        let told = stage.all("assistant:text")[0].clone();
        assert_eq!(
            (&told["api_error"], &told["is_api_error_message"]),
            (&json!("media_removed"), &json!(true))
        );
        assert_eq!(told["message"]["stop_reason"], "tool_use");
        stage.prompt("next").await;
        stage.turn().await;
        for sent in [2, 3] {
            assert!(
                !stage.sent(sent).to_string().contains("iVBORw0KGgo"),
                "{status}: request {sent}"
            );
        }
        // The rejected request is not part of the conversation, so the next request need not start with it.
        stage.leave_now().await;
    }
}

#[tokio::test]
async fn too_large_request_without_images_fails() {
    let (stage, told) = failing(Reply::error(413).message("Request too large")).await;
    assert_eq!(told, "init assistant:text result:success!");
    assert_eq!(stage.last("result:success!")["terminal_reason"], "image_error");
    assert_eq!(stage.end().await, 1);
}
