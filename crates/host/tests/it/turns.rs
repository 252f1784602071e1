//! Prompts in, turns out.

use futures_util::StreamExt as _;
use serde_json::json;
use sluice_host::conversation::PromptState;
use sluice_host::wire::ToHost;
use sluice_host::{Event, Prompt, query_over};

use crate::stage::{SESSION, Stage, brisk, hello, until};

#[tokio::test(start_paused = true)]
async fn a_prompt_is_run_to_its_result() {
    let stage = Stage::answering(hello());
    let client = stage.client(brisk()).await;
    let ended = client.run("Hi").await.unwrap();
    assert_eq!(ended.result.unwrap().result.as_deref(), Some("Hello"));
    assert_eq!(client.session_id().await.unwrap().as_deref(), Some(SESSION));
    client.close().await;
    let heard = stage.heard();
    assert_eq!(heard[0]["request"]["subtype"], "initialize", "the greeting comes first");
    assert_eq!(heard[1]["message"]["content"], "Hi");
    assert!(heard[1]["uuid"].is_string(), "every prompt has an id");
    assert_eq!(heard.len(), 2, "nothing else is said: {heard:?}");
}

#[tokio::test(start_paused = true)]
async fn a_query_ends_with_the_turn_and_shows_every_line() {
    let stage = Stage::answering(hello());
    let mut query = query_over(stage.transport(), "Hi", brisk()).await.unwrap();
    let mut kinds = Vec::new();
    while let Some(message) = query.next().await {
        let message = message.unwrap();
        assert!(message.text().starts_with('{'), "the line is kept");
        kinds.push(message.to_host().unwrap().kind().to_owned());
    }
    assert_eq!(kinds, ["system", "assistant", "result"]);
}

#[tokio::test(start_paused = true)]
async fn the_text_of_a_query_is_the_last_result() {
    let stage = Stage::answering(hello());
    let query = query_over(stage.transport(), "Hi", brisk()).await.unwrap();
    assert_eq!(query.text().await.unwrap(), "Hello");
}

#[tokio::test(start_paused = true)]
async fn prompts_sent_at_once_all_run() {
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
    let heard = stage.heard();
    let said: Vec<_> = heard
        .iter()
        .filter(|line| line["type"] == "user")
        .map(|line| line["message"]["content"].clone())
        .collect();
    assert_eq!(said, [json!("one"), json!("two"), json!("three")]);
}

#[tokio::test(start_paused = true)]
async fn the_same_prompt_twice_is_one_prompt() {
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
async fn a_line_that_is_none_costs_nothing_but_itself() {
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
async fn a_line_over_the_cap_is_passed_over_and_the_next_is_read() {
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
async fn an_agent_that_dies_in_a_turn_is_told_and_can_be_started_again() {
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
    assert_eq!(
        starts[1].resume.as_deref(),
        Some(SESSION),
        "it goes on with its session"
    );
}

#[tokio::test(start_paused = true)]
async fn after_the_close_nothing_is_taken_and_the_events_end() {
    let stage = Stage::answering(hello());
    let client = stage.client(brisk()).await;
    let mut events = client.events();
    client.close().await;
    assert!(client.send("Hi").await.is_err());
    while events.next().await.is_some() {}
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_started_again_goes_on_with_the_id_it_named_last() {
    // Clearing, compacting and forking may give the conversation another id.
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
