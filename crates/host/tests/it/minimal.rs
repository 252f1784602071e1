//! Minimal agents: without `init`, without echoes of prompts, without status of prompts.

use std::time::Duration;

use serde_json::{Value, json};
use sluice_host::conversation::{Change, PromptState, Proof};
use sluice_host::transport::{ChannelTransport, Link};
use sluice_host::{Client, ErrorKind, Event};
use tokio::sync::mpsc;

use crate::stage::{SESSION, Stage, brisk};

/// Returns an agent that sends what `answer` returns for each line, and nothing else.
fn agent(answer: impl Fn(&Value) -> Vec<Value> + Clone + Send + Sync + 'static) -> ChannelTransport {
    ChannelTransport::new(move |_| {
        let answer = answer.clone();
        async move {
            let (agent_output, from_agent) = mpsc::channel(8);
            let (into_agent, mut agent_input) = mpsc::channel::<String>(8);
            tokio::spawn(async move {
                while let Some(line) = agent_input.recv().await {
                    for message in answer(&serde_json::from_str(&line).unwrap()) {
                        agent_output.send(message.to_string().into()).await.unwrap();
                    }
                }
            });
            Ok(Link::lines(from_agent, into_agent))
        }
    })
}

fn initialize_response(line: &Value) -> Option<Value> {
    (line["type"] == "control_request").then(|| {
        json!({"type": "control_response", "response":
            {"subtype": "success", "request_id": line["request_id"], "response": {}}})
    })
}

fn bare_result(line: &Value) -> Value {
    let text = line["message"]["content"].as_str().unwrap_or_default();
    json!({"type": "result", "subtype": "success", "is_error": false, "result": text})
}

fn assistant_message(line: &Value) -> Value {
    json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Hm"}]},
        "uuid": line["uuid"].as_str().unwrap().chars().rev().collect::<String>()})
}

/// Runs two prompts and checks their results.
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
async fn result_alone_ends_the_turn() {
    let transport = agent(|line| vec![initialize_response(line).unwrap_or_else(|| bare_result(line))]);
    let client = Client::over(transport, brisk()).await.unwrap();
    two_prompts(&client).await;
}

#[tokio::test(start_paused = true)]
async fn messages_without_init_belong_to_the_prompt() {
    let transport = agent(|line| match initialize_response(line) {
        Some(greeting) => vec![greeting],
        None => vec![assistant_message(line), bare_result(line)],
    });
    let client = Client::over(transport, brisk()).await.unwrap();
    two_prompts(&client).await;
}

#[tokio::test(start_paused = true)]
async fn simultaneous_prompts_without_init_have_a_turn_each() {
    let transport = agent(|line| vec![initialize_response(line).unwrap_or_else(|| bare_result(line))]);
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
async fn agent_that_never_answers_initialize_times_out() {
    let begin = tokio::time::Instant::now();
    let error = Client::over(agent(|_| Vec::new()), brisk()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(begin.elapsed() < Duration::from_secs(11), "{:?}", begin.elapsed());
}

#[tokio::test(start_paused = true)]
async fn agent_that_never_starts_a_turn_times_out() {
    let transport = agent(|line| initialize_response(line).into_iter().collect());
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
    assert_eq!(state, PromptState::Indeterminate, "it may have been read");
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn agent_that_never_answers_an_interrupt_is_reconnected() {
    let transport = agent(|line| match line["request"]["subtype"].as_str() {
        Some("initialize") => initialize_response(line).into_iter().collect(),
        Some(_) => Vec::new(),
        None => vec![assistant_message(line)],
    });
    let client = Client::over(transport, brisk()).await.unwrap();
    let mut events = client.events();
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Hi").await });
    crate::stage::until(&mut events, |event| event.message().map(drop)).await;
    client.interrupt().await.unwrap();
    assert!(
        run.await.unwrap().unwrap().result.is_none(),
        "its turn ended without a result"
    );
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn prompt_completed_by_a_lost_agent_is_reported() {
    // The first agent has read both prompts and does not react anymore; the second one finds the other prompt completed.
    let unresponsive = json!({"session_id": SESSION, "answers": {"interrupt": null}, "steps": [
        {"expect": {"type": "user"}}, {"init": {}}, {"text": "Hm"}, {"expect": {"type": "user"}}, {"fault": "silent"}]});
    let completes = json!({"session_id": SESSION, "steps": [
        {"expect": {"type": "user"}, "as": "prompt"},
        {"say": {"type": "command_lifecycle", "command_uuid": "${prompt.uuid}", "state": "completed", "uuid": "$UUID"}},
        {"fault": "silent"}]});
    let stage = Stage::new([unresponsive, completes]);
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
