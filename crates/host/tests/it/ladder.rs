//! Interrupting a turn, with escalation until it ends.

use std::time::Duration;

use serde_json::json;
use sluice_host::conversation::{AskState, Rung};
use sluice_host::{Event, PermissionDecision, Step};

use crate::stage::{SESSION, Stage, brisk, forever, hello, until};

/// Returns an agent whose turn waits until it is interrupted.
fn stoppable() -> serde_json::Value {
    let mut script = forever(json!([{"text": "Let me think"}, {"sleep": 1000}, {"result": {}}]));
    script["on_interrupt"] = json!([{"result": {"subtype": "error_during_execution", "is_error": true}}]);
    script
}

async fn start_turn(client: &sluice_host::Client) {
    let mut events = client.events();
    client.send("Hi").await.unwrap();
    until(&mut events, |event| {
        (event.message()?.frame().ty() == "assistant").then_some(())
    })
    .await;
}

/// Returns the steps of an interrupt until the turn is stopped.
async fn steps(mut events: sluice_host::Events) -> Vec<Step> {
    let mut steps = Vec::new();
    while steps.last() != Some(&Step::Stopped) {
        if let Event::Ladder(step) = events.next().await.unwrap() {
            steps.push(step);
        }
    }
    steps
}

#[tokio::test(start_paused = true)]
async fn responsive_agent_is_only_asked() {
    let stage = Stage::new([stoppable()]);
    let client = stage.client(brisk()).await;
    start_turn(&client).await;
    let events = client.events();
    let stopped = client.interrupt().await.unwrap();
    assert_eq!(stopped.rung, Some(Rung::Acknowledged));
    let steps = steps(events).await;
    assert_eq!(
        steps,
        [Step::Rung(Rung::Asked), Step::Rung(Rung::Acknowledged), Step::Stopped]
    );
    assert_eq!(stage.starts().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn interrupt_without_a_turn_does_nothing() {
    let stage = Stage::answering(hello());
    let client = stage.client(brisk()).await;
    let stopped = client.interrupt().await.unwrap();
    assert_eq!(stopped.rung, None);
    assert!(client.run("Hi").await.unwrap().result.is_some());
}

#[tokio::test(start_paused = true)]
async fn unresponsive_agent_is_restarted_with_its_session() {
    let mut unresponsive = forever(json!([{"text": "Let me think"}, {"fault": "silent"}]));
    unresponsive["answers"] = json!({"interrupt": null});
    let stage = Stage::new([unresponsive, forever(hello())]);
    let client = stage.client(brisk()).await;
    start_turn(&client).await;
    let events = client.events();
    let waiting = client.clone();
    let stop = tokio::spawn(async move { waiting.interrupt().await });
    // A prompt that is sent meanwhile waits and is not lost.
    let ended = client.run("And now?").await.unwrap();
    assert_eq!(ended.result.unwrap().result.as_deref(), Some("Hello"));
    let stopped = stop.await.unwrap().unwrap();
    assert_eq!(stopped.rung, Some(Rung::Terminated));
    let steps = steps(events).await;
    assert!(steps.contains(&Step::Respawn), "{steps:?}");
    assert_eq!(stage.starts()[1].resume.as_deref(), Some(SESSION));
}

/// Returns an agent that does not know the session to resume and reports this like the reference CLI.
fn agent_without_session() -> serde_json::Value {
    let text = format!("No conversation found with session ID: {SESSION}");
    json!({"answers": {"initialize": null}, "steps": [
        {"result": {"subtype": "error_during_execution", "is_error": true, "num_turns": 0, "errors": [text]}},
        {"fault": "crash", "code": 1}
    ]})
}

fn unresponsive() -> serde_json::Value {
    let mut unresponsive = forever(json!([{"text": "Let me think"}, {"fault": "silent"}]));
    unresponsive["answers"] = json!({"interrupt": null});
    unresponsive
}

#[tokio::test(start_paused = true)]
async fn agent_without_the_session_starts_a_new_one_and_reports_it() {
    let stage = Stage::new([unresponsive(), agent_without_session(), forever(hello())]);
    let client = stage.client(brisk().resume(SESSION)).await;
    start_turn(&client).await;
    let mut events = client.events();
    // A prompt that is sent meanwhile goes to the agent that does not know the session, and then to the next one.
    let waiting = client.clone();
    let meanwhile = tokio::spawn(async move { waiting.run("Meanwhile").await });
    client.interrupt().await.unwrap();
    assert!(meanwhile.await.unwrap().unwrap().result.is_some());
    let session = until(&mut events, |event| match event {
        Event::Forgotten { session, error } => {
            assert!(error.starts_with("No conversation found"), "{error}");
            Some(session.clone())
        }
        _ => None,
    })
    .await;
    assert_eq!(&*session, SESSION);
    let resumed = until(&mut events, |event| match event {
        Event::Connected { resumed, .. } => Some(resumed.clone()),
        _ => None,
    })
    .await;
    assert_eq!(resumed, None);
    assert!(client.run("And now?").await.unwrap().result.is_some());
    let starts = stage.starts();
    assert_eq!(starts.len(), 3);
    assert!(starts[2].new_session && starts[2].resume.is_none());
}

#[tokio::test(start_paused = true)]
async fn agent_that_saves_no_sessions_is_not_resumed() {
    let stage = Stage::new([unresponsive(), forever(hello())]);
    let client = stage.client(brisk().persist_session(false)).await;
    start_turn(&client).await;
    let mut events = client.events();
    client.interrupt().await.unwrap();
    until(&mut events, |event| {
        matches!(event, Event::Forgotten { .. }).then_some(())
    })
    .await;
    assert!(client.run("And now?").await.unwrap().result.is_some());
    assert!(stage.starts()[1].new_session && stage.starts()[1].resume.is_none());
}

#[tokio::test(start_paused = true)]
async fn agent_that_rejects_to_start_is_tried_once() {
    let mut unwilling = agent_without_session();
    unwilling["steps"][0]["result"]["errors"] = json!(["the folder is gone"]);
    for (second, starts) in [(agent_without_session(), 3), (unwilling, 2)] {
        let stage = Stage::new([unresponsive(), second]);
        let client = stage.client(brisk()).await;
        start_turn(&client).await;
        let mut events = client.events();
        let error = client.interrupt().await.unwrap_err();
        let reported = until(&mut events, |event| match event {
            Event::Unreachable { error } => Some(error.to_string()),
            _ => None,
        })
        .await;
        assert_eq!(reported, error.to_string());
        assert_eq!(
            client.send("And now?").await.unwrap_err().kind(),
            sluice_host::ErrorKind::Gone
        );
        assert_eq!(stage.starts().len(), starts, "{error}");
        let again = client.respawn().await.unwrap_err();
        assert_eq!(again.to_string(), error.to_string());
    }
}

#[tokio::test(start_paused = true)]
async fn missing_session_is_reported_with_a_hint() {
    let stage = Stage::new([agent_without_session()]);
    let connected = sluice_host::Client::over(stage.transport(), brisk().resume(SESSION)).await;
    let error = connected.unwrap_err();
    assert_eq!(error.kind(), sluice_host::ErrorKind::Session);
    let text = error.to_string();
    assert!(
        text.starts_with("No conversation found") && text.contains("start a new session"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn open_permission_request_is_withdrawn_first() {
    let mut script = forever(json!([
        {"tool": {"id": "toolu_01", "name": "Bash", "input": {}}},
        {"ask": {"tool_name": "Bash", "input": {}, "tool_use_id": "toolu_01"}},
        {"result": {}}
    ]));
    script["on_interrupt"] = json!([{"result": {"subtype": "error_during_execution", "is_error": true}}]);
    let stage = Stage::new([script]);
    let (callback_started, mut started) = tokio::sync::mpsc::channel(1);
    let client = stage
        .client(brisk().on_permission(move |_| {
            let callback_started = callback_started.clone();
            async move {
                callback_started.send(()).await.unwrap();
                std::future::pending::<()>().await;
                PermissionDecision::allow()
            }
        }))
        .await;
    client.send("Hi").await.unwrap();
    started.recv().await.unwrap();
    let events = client.events();
    client.interrupt().await.unwrap();
    let steps = steps(events).await;
    assert_eq!(steps[0], Step::AsksWithdrawn { count: 1 });
    let states = client
        .look(|state| state.asks().iter().map(|ask| ask.state).collect::<Vec<_>>())
        .await
        .unwrap();
    assert_eq!(states, [AskState::Cancelled]);
    assert!(
        !stage
            .received_lines()
            .iter()
            .any(|line| line["type"] == "control_response"),
        "no response was sent"
    );
}

#[tokio::test(start_paused = true)]
async fn turn_without_result_is_stalled_after_its_deadline() {
    let stop = json!({"type": "stream_event", "session_id": "$SID", "uuid": "$UUID", "parent_tool_use_id": null,
        "event": {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}});
    let stage = Stage::answering(json!([{"stream": "Done"}, {"say": stop}, {"sleep": 1000}, {"result": {}}]));
    let client = stage.client(brisk()).await;
    let mut events = client.events();
    let begin = tokio::time::Instant::now();
    client.send("Hi").await.unwrap();
    loop {
        let stalled = client
            .look(|state| matches!(state.activity(), sluice_host::conversation::Activity::Stalled { .. }))
            .await
            .unwrap();
        if stalled {
            break;
        }
        until(&mut events, |event| matches!(event, Event::Changed(_)).then_some(())).await;
    }
    let waited = begin.elapsed();
    assert!(
        waited >= Duration::from_secs(10) && waited < Duration::from_secs(20),
        "{waited:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn turn_with_a_running_call_is_not_stalled() {
    let stage = Stage::answering(json!([
        {"tool": {"id": "toolu_01", "name": "Bash", "input": {"command": "sleep 100"}}},
        {"sleep": 100},
        {"tool_result": {"tool_use_id": "toolu_01", "content": "done"}},
        {"text": "Done"}, {"result": {"result": "Done"}}
    ]));
    let client = stage.client(brisk()).await;
    let running = client.clone();
    let run = tokio::spawn(async move { running.run("Hi").await });
    for _ in 0..9 {
        tokio::time::sleep(Duration::from_secs(10)).await;
        let stalled = client
            .look(|state| matches!(state.activity(), sluice_host::conversation::Activity::Stalled { .. }))
            .await
            .unwrap();
        assert!(!stalled);
    }
    assert!(run.await.unwrap().unwrap().result.is_some());
}
