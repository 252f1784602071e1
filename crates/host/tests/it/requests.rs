//! Requests of the host: answered, rejected, never answered, answered twice.

use std::time::Duration;

use serde_json::json;
use sluice_host::ErrorKind;

use crate::stage::{Stage, brisk, hello};

fn with_answers(answers: serde_json::Value) -> Stage {
    let mut script = crate::stage::forever(hello());
    script["answers"] = answers;
    Stage::new([script])
}

#[tokio::test(start_paused = true)]
async fn response_is_parsed_into_its_type() {
    let stage = with_answers(json!({"set_model": {"model": "claude-x"}, "get_session_cost": {"text": "nothing"}}));
    let client = stage.client(brisk()).await;
    assert_eq!(client.set_model(None).await.unwrap().model.as_deref(), Some("claude-x"));
    assert_eq!(client.get_session_cost().await.unwrap().text, "nothing");
    let request = stage
        .received_lines()
        .into_iter()
        .find(|line| line["request"]["subtype"] == "set_model")
        .unwrap();
    assert_eq!(request["request"], json!({"subtype": "set_model", "model": null}));
}

#[tokio::test(start_paused = true)]
async fn rejection_is_an_error_with_the_agents_message() {
    let stage = with_answers(json!({"mcp_toggle": {"$error": "Server not found: none"}}));
    let client = stage.client(brisk()).await;
    let error = client.mcp_toggle("none", true).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(error.to_string(), "Server not found: none");
}

#[tokio::test(start_paused = true)]
async fn unanswered_request_times_out_and_session_continues() {
    let stage = with_answers(json!({"get_settings": null}));
    let client = stage.client(brisk()).await;
    let begin = tokio::time::Instant::now();
    let error = client
        .request_within(
            sluice_host::wire::control::GetSettings::default(),
            Duration::from_secs(2),
        )
        .await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Timeout);
    let waited = begin.elapsed();
    assert!(
        waited >= Duration::from_secs(2) && waited < Duration::from_secs(3),
        "{waited:?}"
    );
    assert!(
        client.run("Hi").await.unwrap().result.is_some(),
        "the session continues"
    );
}

#[tokio::test(start_paused = true)]
async fn foreign_and_second_responses_are_dropped() {
    let answer = |text: &str| json!({"say": {"type": "control_response", "response": {"subtype": "success", "request_id": text, "response": {"mode": "plan"}}}});
    let stage = Stage::new([json!({"steps": [
        {"expect": {"type": "control_request", "request": {"subtype": "set_permission_mode"}}, "as": "mode"},
        answer("nobodys"),
        answer("${mode.request_id}"),
        answer("${mode.request_id}"),
        {"expect": {"type": "user"}}, {"init": {}}, {"text": "Hello"}, {"result": {"result": "Hello"}}
    ]})]);
    let client = stage.client(brisk()).await;
    let set = client.set_permission_mode("plan").await.unwrap();
    assert_eq!(set.mode.unwrap().as_str(), "plan");
    assert!(client.run("Hi").await.unwrap().result.is_some());
    let foreign = client.look(|state| state.drift().foreign).await.unwrap();
    assert_eq!(foreign, 2);
}

#[tokio::test(start_paused = true)]
async fn requests_fail_immediately_when_the_agent_exits() {
    let stage = Stage::new([json!({"steps": [
        {"expect": {"type": "control_request", "request": {"subtype": "get_settings"}}},
        {"fault": "crash", "code": 1}
    ]})]);
    let client = stage.client(brisk()).await;
    let begin = tokio::time::Instant::now();
    let error = client.get_settings().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Gone);
    assert!(begin.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn messages_that_end_older_agents_are_never_written() {
    let stage = Stage::answering(hello());
    let client = stage.client(brisk()).await;
    for line in [
        "",
        "not json",
        "[]",
        "null",
        r#"{"type":"control_cancel_request","request_id":"x"}"#,
        r#"{"type":"assistant"}"#,
        r#"{"type":"control_response"}"#,
        r#"{"type":"user","message":{"role":"assistant","content":"x"}}"#,
    ] {
        let error = client.write_line(line).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Forbidden, "{line}");
    }
    client.write_line(r#"{"type":"keep_alive"}"#).await.unwrap();
    assert!(client.run("Hi").await.unwrap().result.is_some());
}
