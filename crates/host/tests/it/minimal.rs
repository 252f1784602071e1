//! Agents that say hardly anything: no announcement, no echo, no word of what becomes of a prompt.

use std::time::Duration;

use serde_json::{Value, json};
use sluice_host::conversation::{Change, PromptState, Proof};
use sluice_host::transport::{ChannelTransport, Link};
use sluice_host::{Client, ErrorKind, Event};
use tokio::sync::mpsc;

use crate::stage::{SESSION, Stage, brisk};

/// An agent that says what `answer` gives for each line, and nothing else.
fn agent(answer: impl Fn(&Value) -> Vec<Value> + Clone + Send + Sync + 'static) -> ChannelTransport {
    ChannelTransport::new(move |_| {
        let answer = answer.clone();
        async move {
            let (says, from_agent) = mpsc::channel(8);
            let (into_agent, mut told) = mpsc::channel::<String>(8);
            tokio::spawn(async move {
                while let Some(line) = told.recv().await {
                    for said in answer(&serde_json::from_str(&line).unwrap()) {
                        says.send(said.to_string().into()).await.unwrap();
                    }
                }
            });
            Ok(Link::lines(from_agent, into_agent))
        }
    })
}

fn greets(line: &Value) -> Option<Value> {
    (line["type"] == "control_request").then(|| {
        json!({"type": "control_response", "response":
            {"subtype": "success", "request_id": line["request_id"], "response": {}}})
    })
}

fn bare_result(line: &Value) -> Value {
    let said = line["message"]["content"].as_str().unwrap_or_default();
    json!({"type": "result", "subtype": "success", "is_error": false, "result": said})
}

fn spoken(line: &Value) -> Value {
    json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Hm"}]},
        "uuid": line["uuid"].as_str().unwrap().chars().rev().collect::<String>()})
}

/// Gives what became of two prompts, one after the other.
async fn two_prompts(client: &Client) {
    for prompt in ["one", "two"] {
        let ended = client.run(prompt).await.unwrap();
        assert_eq!(ended.result.unwrap().result.as_deref(), Some(prompt));
        assert!(ended.turn.is_own());
    }
    let states = client
        .look(|state| {
            let prompts = state.prompts().iter();
            prompts.map(|it| (it.state, it.proof)).collect::<Vec<_>>()
        })
        .await
        .unwrap();
    assert_eq!(states, [(PromptState::Delivered, Some(Proof::Presumed)); 2]);
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_result_alone_ends_the_prompts_turn() {
    let transport = agent(|line| vec![greets(line).unwrap_or_else(|| bare_result(line))]);
    let client = Client::over(transport, brisk()).await.unwrap();
    two_prompts(&client).await;
}

#[tokio::test(start_paused = true)]
async fn words_without_an_announcement_are_the_prompts_turn() {
    let transport = agent(|line| match greets(line) {
        Some(greeting) => vec![greeting],
        None => vec![spoken(line), bare_result(line)],
    });
    let client = Client::over(transport, brisk()).await.unwrap();
    two_prompts(&client).await;
}

#[tokio::test(start_paused = true)]
async fn prompts_sent_at_once_to_one_that_announces_nothing_have_a_turn_each() {
    let transport = agent(|line| vec![greets(line).unwrap_or_else(|| bare_result(line))]);
    let client = Client::over(transport, brisk()).await.unwrap();
    let runs = ["one", "two", "three"].map(|prompt| client.run(prompt));
    for (ended, prompt) in futures_util::future::join_all(runs)
        .await
        .into_iter()
        .zip(["one", "two", "three"])
    {
        assert_eq!(ended.unwrap().result.unwrap().result.as_deref(), Some(prompt));
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_never_greets_costs_a_deadline() {
    let begin = tokio::time::Instant::now();
    let error = Client::over(agent(|_| Vec::new()), brisk()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(begin.elapsed() < Duration::from_secs(11), "{:?}", begin.elapsed());
}

#[tokio::test(start_paused = true)]
async fn one_that_never_takes_up_a_prompt_costs_a_deadline() {
    let transport = agent(|line| greets(line).into_iter().collect());
    let client = Client::over(transport, brisk()).await.unwrap();
    let begin = tokio::time::Instant::now();
    let error = client.run("Hi").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    let waited = begin.elapsed();
    assert!(
        waited >= Duration::from_secs(20) && waited < Duration::from_secs(22),
        "{waited:?}"
    );
    let state = client.look(|state| state.prompts()[0].state).await.unwrap();
    assert_eq!(state, PromptState::Indeterminate, "it may have arrived");
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn one_that_never_answers_an_interrupt_is_left_and_reached_again() {
    let transport = agent(|line| match line["request"]["subtype"].as_str() {
        Some("initialize") => greets(line).into_iter().collect(),
        Some(_) => Vec::new(),
        None => vec![spoken(line)],
    });
    let client = Client::over(transport, brisk()).await.unwrap();
    let mut events = client.events();
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Hi").await });
    crate::stage::until(&mut events, |event| event.message().map(drop)).await;
    client.interrupt().await.unwrap();
    assert!(run.await.unwrap().unwrap().result.is_none(), "its turn ended unsaid");
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_was_run_by_an_agent_that_was_lost_is_not_waited_for() {
    // The first has read both and hears nothing more; the second finds the other prompt in what the first wrote down.
    let deaf = json!({"session_id": SESSION, "answers": {"interrupt": null}, "steps": [
        {"expect": {"type": "user"}}, {"init": {}}, {"text": "Hm"}, {"expect": {"type": "user"}}, {"fault": "silent"}]});
    let done = json!({"session_id": SESSION, "steps": [
        {"expect": {"type": "user"}, "as": "prompt"},
        {"say": {"type": "command_lifecycle", "command_uuid": "${prompt.uuid}", "state": "completed", "uuid": "$UUID"}},
        {"fault": "silent"}]});
    let stage = Stage::new([deaf, done]);
    let client = stage.client(brisk()).await;
    let mut events = client.events();
    client.send("one").await.unwrap();
    crate::stage::until(&mut events, |event| {
        (event.message()?.frame().ty() == "assistant").then_some(())
    })
    .await;
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("two").await });
    crate::stage::until(&mut events, |event| {
        matches!(event, Event::Changed(Change::Prompt(1))).then_some(())
    })
    .await;
    client.interrupt().await.unwrap();
    let error = run.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("was lost with it"), "{error}");
    client.close().await;
}
