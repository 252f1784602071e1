//! Prompts and the turns they start.

use futures_util::StreamExt as _;
use serde_json::json;
use sluice_host::conversation::PromptState;
use sluice_host::wire::ToHost;
use sluice_host::{Event, Prompt, query_over};

use crate::stage::{SESSION, Stage, brisk, hello, until};

#[tokio::test(start_paused = true)]
async fn prompt_runs_to_its_result() {
    let stage = Stage::answering(hello());
    let client = stage.client(brisk()).await;
    let ended = client.run("Hi").await.unwrap();
    assert_eq!(ended.result.unwrap().result.as_deref(), Some("Hello"));
    assert_eq!(client.session_id().await.unwrap().as_deref(), Some(SESSION));
    client.close().await;
    let lines = stage.received_lines();
    assert_eq!(
        lines[0]["request"]["subtype"], "initialize",
        "`initialize` is sent first"
    );
    assert_eq!(lines[1]["message"]["content"], "Hi");
    assert!(lines[1]["uuid"].is_string(), "every prompt has an id");
    assert_eq!(lines.len(), 2, "nothing else is sent: {lines:?}");
}

#[tokio::test(start_paused = true)]
async fn query_yields_every_message_of_the_turn() {
    let stage = Stage::answering(hello());
    let mut query = query_over(stage.transport(), "Hi", brisk()).await.unwrap();
    let mut kinds = Vec::new();
    while let Some(message) = query.next().await {
        let message = message.unwrap();
        assert!(message.text().starts_with('{'), "the text of the line is available");
        kinds.push(message.to_host().unwrap().kind().to_owned());
    }
    assert_eq!(kinds, ["system", "assistant", "result"]);
}

#[tokio::test(start_paused = true)]
async fn text_of_a_query_is_the_last_result() {
    let stage = Stage::answering(hello());
    let query = query_over(stage.transport(), "Hi", brisk()).await.unwrap();
    assert_eq!(query.text().await.unwrap(), "Hello");
}

#[tokio::test(start_paused = true)]
async fn simultaneous_prompts_all_run() {
    let stage = Stage::answering(hello());
    let client = stage.client(brisk()).await;
    let prompts = futures_util::stream::iter(["one", "two", "three"]);
    let mut events = client.events();
    let sent = client.send_all(prompts).await.unwrap();
    assert_eq!(sent.len(), 3);
    for _ in 0..3 {
        until(&mut events, |event| match event.message()?.to_host() {
            Some(ToHost::Result(_)) => Some(()),
            _ => None,
        })
        .await;
    }
    let lines = stage.received_lines();
    let contents: Vec<_> = lines
        .iter()
        .filter(|line| line["type"] == "user")
        .map(|line| line["message"]["content"].clone())
        .collect();
    assert_eq!(contents, [json!("one"), json!("two"), json!("three")]);
}

#[tokio::test(start_paused = true)]
async fn repeated_prompt_runs_once() {
    let stage = Stage::answering(hello());
    let client = stage.client(brisk()).await;
    let prompt = Prompt::new("Hi").uuid("aaaaaaaa-0000-4000-8000-000000000000");
    client.run(prompt.clone()).await.unwrap();
    client.send(prompt).await.unwrap();
    let states = client
        .look(|state| state.prompts().iter().map(|it| it.state).collect::<Vec<_>>())
        .await
        .unwrap();
    assert_eq!(states, [PromptState::Delivered]);
}

#[tokio::test(start_paused = true)]
async fn malformed_line_has_no_further_effect() {
    let stage = Stage::answering(json!([
        {"fault": "garbage", "text": "panic: oh no"},
        {"raw": "[1, 2]\n\n{\"type\":\"from_tomorrow\",\"x\":1}\n"},
        {"text": "Hello"}, {"result": {"result": "Hello"}}
    ]));
    let client = stage.client(brisk()).await;
    let mut events = client.events();
    let ended = client.run("Hi").await.unwrap();
    assert!(ended.result.is_some());
    let mut malformed = Vec::new();
    let mut unknown = 0;
    while events.position() < ended.position {
        match events.next().await.unwrap() {
            Event::Malformed(it) => malformed.push(it.text.to_string()),
            Event::Message(message) if matches!(message.to_host(), Some(ToHost::Unknown(_))) => unknown += 1,
            _ => {}
        }
    }
    assert_eq!(malformed, ["panic: oh no", "[1, 2]"]);
    assert_eq!(unknown, 1);
}

#[tokio::test(start_paused = true)]
async fn too_long_line_is_skipped() {
    let stage = Stage::answering(json!([
        {"fault": "huge", "say": {"type": "assistant", "text": "@BIG@"}, "bytes": 100_000},
        {"text": "Hello"}, {"result": {"result": "Hello"}}
    ]));
    let client = stage.client(brisk().line_cap(20_000_usize)).await;
    let mut events = client.events();
    let ended = client.run("Hi").await.unwrap();
    assert!(ended.result.is_some());
    let bytes = until(&mut events, |event| match event {
        Event::TooLong { bytes } => Some(*bytes),
        _ => None,
    })
    .await;
    assert!(bytes > 100_000);
}

#[tokio::test(start_paused = true)]
async fn agent_that_exits_in_a_turn_can_be_restarted() {
    let dies = json!({"session_id": SESSION, "steps": [
        {"expect": {"type": "user"}}, {"init": {}}, {"text": "Let me"}, {"fault": "crash", "code": 3}]});
    let stage = Stage::new([dies, crate::stage::forever(hello())]);
    let client = stage.client(brisk()).await;
    let ended = client.run("Hi").await.unwrap();
    assert!(ended.result.is_none(), "the turn ended without a result");
    assert!(client.send("Still there?").await.is_err());
    client.respawn().await.unwrap();
    let ended = client.run("Still there?").await.unwrap();
    assert!(ended.result.is_some());
    let starts = stage.starts();
    assert_eq!(starts.len(), 2);
    assert_eq!(starts[1].resume.as_deref(), Some(SESSION), "it resumes its session");
}

#[tokio::test(start_paused = true)]
async fn closed_client_rejects_prompts_and_ends_events() {
    let stage = Stage::answering(hello());
    let client = stage.client(brisk()).await;
    let mut events = client.events();
    client.close().await;
    assert!(client.send("Hi").await.is_err());
    while events.next().await.is_some() {}
}

#[tokio::test(start_paused = true)]
async fn restarted_agent_resumes_the_last_session_id() {
    // Clearing, compacting and forking may change the id of the conversation.
    let other = "22222222-2222-4333-8444-555555555555";
    let moved = json!({"session_id": SESSION, "steps": [
        {"expect": {"type": "user"}}, {"init": {}}, {"text": "Hm"}, {"result": {}},
        {"expect": {"type": "user"}}, {"init": {"session_id": other}}, {"text": "Hm"}, {"fault": "crash", "code": 3}]});
    let stage = Stage::new([moved, crate::stage::forever(hello())]);
    let client = stage.client(brisk()).await;
    client.run("one").await.unwrap();
    assert_eq!(client.session_id().await.unwrap().as_deref(), Some(SESSION));
    assert!(client.run("two").await.unwrap().result.is_none());
    client.respawn().await.unwrap();
    assert_eq!(stage.starts()[1].resume.as_deref(), Some(other));
    let ids = client.look(|state| state.session().ids.clone()).await.unwrap();
    assert_eq!(ids, [SESSION.into(), other.into()], "they form a chain");
}
