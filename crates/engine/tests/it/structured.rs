//! Structured output: responses that match a JSON schema of the host.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_engine::{Options, OutputSchema};
use sluice_simulator::{Reply, Script};

use crate::stage::Stage;

fn schema() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]})
}

fn shaped(options: &mut Options) {
    options.conversation.output_schema = Some(OutputSchema::new(schema()).unwrap());
}

fn answer(n: impl Into<Value>) -> Reply {
    Reply::tool("StructuredOutput", json!({"n": n.into()}))
}

#[tokio::test]
async fn first_valid_output_ends_the_turn() {
    let script = Script::new().reply(answer(4)).reply(answer(5));
    let mut stage = Stage::with(script, shaped).await;
    for n in [4, 5] {
        stage.prompt("count").await;
        assert_eq!(
            stage.turn().await,
            "init assistant:tool_use user:tool_result result:success"
        );
        let result = stage.last("result:success");
        assert_eq!(result["structured_output"], json!({"n": n}));
        assert_eq!(result["result"], format!("{{\"n\":{n}}}"));
        assert_eq!(result["stop_reason"], "tool_use");
        assert_eq!(result["num_turns"], 2);
    }
    let offered = stage.sent(1)["tools"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(offered["name"], "StructuredOutput");
    assert_eq!(offered["input_schema"], schema());
    let named = stage.last("init")["tools"].as_array().unwrap().clone();
    assert!(named.contains(&json!("StructuredOutput")));
    assert_eq!(stage.end().await, 0);
}

#[tokio::test]
async fn other_calls_of_the_message_run_too() {
    let script = Script::new()
        .reply(Reply::tool("Bash", json!({"command": "touch made"})).and_tool("StructuredOutput", json!({"n": 1})));
    let mut stage = Stage::with(script, |options| {
        shaped(options);
        options.permissions.allowed = vec!["Bash".into()];
    })
    .await;
    stage.prompt("count").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use assistant:tool_use user:tool_result user:tool_result result:success"
    );
    assert!(stage.dir.path().join("made").exists());
    assert_eq!(stage.server.requests().len(), 1);
    stage.end().await;
}

#[tokio::test]
async fn invalid_output_is_returned_with_the_error() {
    let script = Script::new().reply(answer("four")).reply(answer(4));
    let mut stage = Stage::with(script, shaped).await;
    stage.prompt("count").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_error assistant:tool_use user:tool_result result:success"
    );
    let told = &stage.last("user:tool_error")["message"]["content"][0]["content"];
    assert_eq!(*told, "Output does not match required schema: /n: must be number");
    assert_eq!(stage.last("result:success")["structured_output"], json!({"n": 4}));
    stage.end().await;
}

#[tokio::test]
async fn five_invalid_outputs_end_the_turn() {
    let mut stage = Stage::with(Script::new().reply(answer("x").repeat()), shaped).await;
    stage.prompt("count").await;
    let result = stage.result().await;
    assert_eq!(result["subtype"], "error_max_structured_output_retries");
    assert_eq!(result["terminal_reason"], "structured_output_retry_exhausted");
    assert_eq!(result["num_turns"], 6);
    assert!(result["errors"][0].as_str().unwrap().contains("/n: must be number"));
    assert!(result.get("structured_output").is_none());
    assert_eq!(stage.server.requests().len(), 5);
    assert_eq!(stage.end().await, 1);
}

#[tokio::test]
async fn text_response_is_prompted_once_and_then_accepted() {
    let mut stage = Stage::with(Script::new().reply(Reply::text("Four").repeat()), shaped).await;
    stage.prompt("count").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:text nudge assistant:text result:success"
    );
    let nudge = stage.last("nudge")["message"]["content"][0]["text"].as_str().unwrap();
    assert!(nudge.starts_with("[structured-output-enforce] "), "{nudge}");
    let result = stage.last("result:success");
    assert_eq!(result["result"], "Four");
    assert!(result.get("structured_output").is_none());
    stage.end().await;
}

#[tokio::test]
async fn request_limit_applies_to_structured_output() {
    let mut stage = Stage::with(Script::new().reply(answer("x").repeat()), |options| {
        shaped(options);
        options.limits.max_turns = Some(2);
    })
    .await;
    stage.prompt("count").await;
    assert_eq!(stage.result().await["subtype"], "error_max_turns");
    assert_eq!(stage.server.requests().len(), 2);
    stage.end().await;
}

#[tokio::test]
async fn schema_can_be_sent_in_initialize() {
    let mut stage = Stage::begin(Script::new().reply(answer(4))).await;
    let refused = stage
        .control(json!({"subtype": "initialize", "jsonSchema": {"type": "strange"}}))
        .await;
    assert_eq!(refused["subtype"], "error");
    assert!(refused["error"].as_str().unwrap().contains("jsonSchema"), "{refused}");
    let greeted = stage
        .control(json!({"subtype": "initialize", "jsonSchema": schema()}))
        .await;
    assert_eq!(greeted["subtype"], "success");
    stage.prompt("count").await;
    assert_eq!(stage.result().await["structured_output"], json!({"n": 4}));
    stage.end().await;
}

#[tokio::test]
async fn structured_output_tool_requires_a_schema() {
    let mut stage = Stage::begin(Script::new().reply(answer(4)).text("Four")).await;
    stage.prompt("count").await;
    assert_eq!(
        stage.turn().await,
        "init assistant:tool_use user:tool_error assistant:text result:success"
    );
    stage.end().await;
}
