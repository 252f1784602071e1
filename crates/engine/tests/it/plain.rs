//! Ordinary turns: messages and their order.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_simulator::{Reply, Script};

use crate::stage::Stage;

#[tokio::test]
async fn no_message_is_sent_before_the_first_input() {
    let mut stage = Stage::begin(Script::new()).await;
    stage.silent().await;
    assert_eq!(stage.told(), "");
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn turn_without_partial_messages() {
    let mut stage = Stage::begin(Script::new().text("Hello there")).await;
    stage.prompt("hi").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    let result = stage.last("result:success");
    assert_eq!(result["result"], "Hello there");
    assert_eq!(result["num_turns"], 1);
    assert_eq!(result["stop_reason"], "end_turn");
    assert_eq!(result["terminal_reason"], "completed");
    assert_eq!(stage.said_to_model(1), ["hi"]);
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn turn_with_partial_messages() {
    let script = Script::new().text("one two three");
    let mut stage = Stage::with(script, |options| options.host.partial = true).await;
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs d×3 assistant:text be md me result:success"
    );
    let start = stage.last("ms");
    assert_eq!(start["api_message_id"], "msg_sim_1");
    assert!(start["ttft_ms"].is_number());
    assert_eq!(stage.all("d")[1]["event"]["delta"]["text"], "two ");
    stage.end().await;
}

#[tokio::test]
async fn every_block_is_a_separate_message() {
    let script = Script::new().reply(Reply::thinking("hm well").and_text("Alpha").and_text("Gamma"));
    let mut stage = Stage::with(script, |options| options.host.partial = true).await;
    stage.prompt("hi").await;
    assert_eq!(
        stage.turn().await,
        "init requesting ms bs thought d thought d×2 assistant:thinking be bs d assistant:text be bs d \
         assistant:text be md me result:success"
    );
    for assistant in stage.heard.iter().filter(|it| it["type"] == "assistant") {
        assert_eq!(assistant["message"]["content"].as_array().unwrap().len(), 1);
        assert_eq!(assistant["message"]["id"], "msg_sim_1");
        assert_eq!(assistant["message"]["stop_reason"], Value::Null);
        assert_eq!(assistant["message"]["usage"]["output_tokens"], 5);
        assert_eq!(assistant["request_id"], "req_sim_1");
    }
    // Only the last text is the answer.
    assert_eq!(stage.last("result:success")["result"], "Gamma");
    stage.end().await;
}

#[tokio::test]
async fn thinking_is_sent_with_its_signature_and_kept() {
    let script = Script::new()
        .reply(Reply::thinking("let me see").and_text("Seen"))
        .text("Again");
    let mut stage = Stage::begin(script).await;
    stage.prompt("one").await;
    assert_eq!(
        stage.turn().await,
        "init thought thought assistant:thinking assistant:text result:success"
    );
    let block = &stage.last("assistant:thinking")["message"]["content"][0];
    assert_eq!(block["thinking"], "let me see");
    assert_eq!(block["signature"], "c2ln");
    assert!(stage.last("thought")["estimated_tokens"].as_u64().unwrap() >= 2);

    stage.prompt("two").await;
    stage.turn().await;
    let kept = &stage.sent(2)["messages"][1]["content"];
    assert_eq!(kept[0]["thinking"], "let me see");
    assert_eq!(kept[0]["signature"], "c2ln");
    stage.end().await;
}

#[tokio::test]
async fn redacted_thinking_is_unchanged() {
    let redacted = json!({"type": "redacted_thinking", "data": "b3BhcXVl"});
    let script = Script::new()
        .reply(Reply::empty().and_block(redacted.clone()).and_text("Done"))
        .text("Again");
    let mut stage = Stage::begin(script).await;
    stage.prompt("one").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:redacted_thinking assistant:text result:success"
    );
    assert_eq!(
        stage.last("assistant:redacted_thinking")["message"]["content"][0],
        redacted
    );
    stage.prompt("two").await;
    stage.turn().await;
    assert_eq!(stage.sent(2)["messages"][1]["content"][0], redacted);
    stage.end().await;
}

#[tokio::test]
async fn usage_is_per_turn_and_cost_per_session() {
    let usage = json!({"input_tokens": 1000, "cache_read_input_tokens": 7});
    let script = Script::new()
        .reply(Reply::text("One").usage(&usage).output_tokens(100))
        .reply(Reply::text("Two").usage(&usage).output_tokens(50));
    let mut stage = Stage::begin(script).await;
    stage.prompt("one").await;
    let one = stage.result().await;
    stage.prompt("two").await;
    let two = stage.result().await;

    assert_eq!(one["usage"]["output_tokens"], 100);
    assert_eq!(two["usage"]["output_tokens"], 50);
    assert_eq!(two["usage"]["input_tokens"], 1000);
    assert_eq!(two["usage"]["cache_read_input_tokens"], 7);
    let spent = |result: &Value| result["total_cost_usd"].as_f64().unwrap();
    assert!(spent(&one) > 0.0);
    assert!(spent(&two) > spent(&one) * 1.5, "{} {}", spent(&one), spent(&two));
    let model = &two["modelUsage"]["claude-opus-5-5"];
    assert_eq!(model["outputTokens"], 150);
    assert_eq!(model["inputTokens"], 2000);
    assert_eq!((&one["result_index"], &two["result_index"]), (&json!(0), &json!(1)));
    stage.end().await;
}

#[tokio::test]
async fn every_turn_starts_with_init() {
    let mut stage = Stage::begin(Script::new().text("One").text("Two")).await;
    for text in ["one", "two"] {
        stage.prompt(text).await;
        assert_eq!(stage.turn().await, "init assistant:text result:success");
    }
    let init = stage.last("init");
    assert_eq!(init["model"], "claude-opus-5-5");
    assert_eq!(init["permissionMode"], "default");
    assert_eq!(init["apiKeySource"], "ANTHROPIC_API_KEY");
    assert_eq!(init["cwd"], stage.dir.path().display().to_string());
    let tools = init["tools"].as_array().unwrap();
    assert!(
        tools.contains(&json!("Bash")) && tools.contains(&json!("Read")),
        "{tools:?}"
    );
    stage.end().await;
}

#[tokio::test]
async fn prompt_is_replayed_on_request() {
    let script = Script::new().text("One").text("Two");
    let mut stage = Stage::with(script, |options| options.host.replay = true).await;
    stage.prompt("one").await;
    assert_eq!(stage.turn().await, "init replay assistant:text result:success");
    let echo = stage.last("replay").clone();
    assert_eq!(echo["message"]["content"], "one");
    assert_ne!(echo["session_id"], "");
    assert!(echo["uuid"].is_string());
    // Synthetic prompts are not replayed.
    stage.prompt_with("two", json!({"isSynthetic": true})).await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    stage.end().await;
}

#[tokio::test]
async fn lifecycle_of_a_prompt_with_uuid_is_reported() {
    let script = Script::new().text("One").text("Two");
    let mut stage = Stage::with(script, |options| options.host.replay = true).await;
    stage.prompt_as("u1", "one").await;
    stage.until("completed:u1").await;
    assert_eq!(
        stage.told(),
        "queued:u1 started:u1 init replay assistant:text result:success completed:u1"
    );
    let result = stage.last("result:success");
    assert_eq!(result["user_message_uuid"], "u1");
    assert_eq!(result["user_message_uuids"], json!(["u1"]));
    assert_eq!(stage.last("assistant:text")["user_message_uuid"], "u1");
    assert_eq!(stage.last("replay")["uuid"], "u1");

    // Prompts without a UUID have no lifecycle messages.
    stage.prompt("two").await;
    assert_eq!(stage.turn().await, "init replay assistant:text result:success");
    assert!(stage.last("result:success").get("user_message_uuid").is_none());
    stage.end().await;
}

#[tokio::test]
async fn prompt_content_is_sent_unchanged() {
    let blocks = json!([{"type": "text", "text": "look"}, {"type": "text", "text": "here"}]);
    let script = Script::new().text("Seen");
    let mut stage = Stage::with(script, |options| options.host.replay = true).await;
    let line = json!({"type": "user", "message": {"role": "user", "content": blocks}});
    stage.send(&[line]).await;
    stage.turn().await;
    assert_eq!(stage.said_to_model(1), ["look", "here"]);
    assert_eq!(stage.last("replay")["message"]["content"], blocks);
    stage.end().await;
}

#[tokio::test]
async fn invalid_image_is_removed() {
    let picture = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "bm9uZQ=="}});
    let mut stage = Stage::begin(Script::new().text("Seen")).await;
    let line = json!({"type": "user", "message": {"role": "user", "content": [picture]}});
    stage.send(&[line]).await;
    stage.turn().await;
    let said = stage.said_to_model(1);
    assert!(said[0].starts_with("[Image could not be processed"), "{said:?}");
    stage.end().await;
}

#[tokio::test]
async fn call_and_result_are_sent_to_the_model() {
    let script = Script::new()
        .reply(Reply::text("Let me look").and_tool_with_id("toolu_1", "Bash", json!({"command": "echo hello"})))
        .text("It said hello");
    let mut stage = Stage::begin(script).await;
    stage.prompt("look").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:text assistant:tool_use user:tool_result assistant:text result:success"
    );
    assert_eq!(stage.last("result:success")["num_turns"], 2);
    let result = &stage.sent(2)["messages"][2]["content"][0];
    assert_eq!(result["tool_use_id"], "toolu_1");
    assert!(result["content"].as_str().unwrap().contains("hello"), "{result}");
    assert_eq!(stage.last("user:tool_result")["tool_use_result"]["stdout"], "hello");
    stage.end().await;
}

#[tokio::test]
async fn every_request_is_announced_with_partial_messages() {
    let script = Script::new()
        .tool("Bash", json!({"command": "echo hello"}))
        .text("Done");
    let mut stage = Stage::with(script, |options| options.host.partial = true).await;
    stage.prompt("look").await;
    stage.result().await;
    assert_eq!(stage.all("requesting").len(), 2);
    assert_eq!(stage.all("ms").len(), 2);
    assert_eq!(stage.all("me").len(), 2);
    // The message with the block is sent before the event that closes it.
    let told = stage.told();
    assert!(
        told.starts_with("init requesting ms bs d×2 assistant:tool_use be "),
        "{told}"
    );
    stage.end().await;
}

#[tokio::test]
async fn invalid_calls_get_an_immediate_result() {
    let script = Script::new()
        .reply(
            Reply::empty()
                .and_tool("Teleport", json!({}))
                .and_tool("Read", json!({"path": 7}))
                .and_block(json!({"type": "tool_use", "name": "Bash", "raw_input": "{\"command\": "})),
        )
        .text("Sorry");
    let mut stage = Stage::begin(script).await;
    stage.prompt("go").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_error assistant:tool_use user:tool_error assistant:tool_use \
         user:tool_error assistant:text result:success"
    );
    let said = |index: usize| stage.all("user:tool_error")[index]["message"]["content"][0]["content"].to_string();
    assert!(said(0).contains("No such tool available: Teleport"), "{}", said(0));
    assert!(said(1).contains("InputValidationError"), "{}", said(1));
    let shown = &stage.last("assistant:tool_use")["message"]["content"][0]["input"];
    assert_eq!(shown["__unparsedToolInput"]["raw"], "{\"command\": ");
    stage.end().await;
}

#[tokio::test]
async fn empty_text_is_dropped() {
    let script = Script::new().reply(Reply::text("").and_text("Words")).text("Next");
    let mut stage = Stage::begin(script).await;
    stage.prompt("one").await;
    assert_eq!(stage.turn().await, "init assistant:text result:success");
    stage.prompt("two").await;
    stage.turn().await;
    let reply = &stage.sent(2)["messages"][1]["content"];
    assert_eq!(
        (reply.as_array().unwrap().len(), &reply[0]["text"]),
        (1, &json!("Words"))
    );
    stage.end().await;
}
