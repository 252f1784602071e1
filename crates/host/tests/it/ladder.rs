//! Stopping a turn, whatever it takes.

use std::time::Duration;

use serde_json::json;
use sluice_host::conversation::{AskState, Rung};
use sluice_host::{Event, PermissionDecision, Step};

use crate::stage::{SESSION, Stage, brisk, forever, hello, until};

/// An agent whose turn waits until it is interrupted.
fn stoppable() -> serde_json::Value {
    let mut script = forever(json!([{"text": "Let me think"}, {"sleep": 1000}, {"result": {}}]));
    script["on_interrupt"] = json!([{"result": {"subtype": "error_during_execution", "is_error": true}}]);
    script
}

async fn begun(client: &sluice_host::Client) {
    let mut events = client.events();
    client.send("Hi").await.unwrap();
    until(&mut events, |event| {
        (event.message()?.frame().ty() == "assistant").then_some(())
    })
    .await;
}

/// The steps of the ladder until the turn is stopped.
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
async fn an_agent_that_listens_is_only_asked() {
    let stage = Stage::new([stoppable()]);
    let client = stage.client(brisk()).await;
    begun(&client).await;
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
async fn an_interrupt_while_nothing_runs_does_nothing() {
    let stage = Stage::answering(hello());
    let client = stage.client(brisk()).await;
    let stopped = client.interrupt().await.unwrap();
    assert_eq!(stopped.rung, None);
    assert!(client.run("Hi").await.unwrap().result.is_some());
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_deaf_is_given_up_and_started_again_with_its_session() {
    let mut deaf = forever(json!([{"text": "Let me think"}, {"fault": "silent"}]));
    deaf["answers"] = json!({"interrupt": null});
    let stage = Stage::new([deaf, forever(hello())]);
    let client = stage.client(brisk()).await;
    begun(&client).await;
    let events = client.events();
    let waiting = client.clone();
    let stop = tokio::spawn(async move { waiting.interrupt().await });
    // A prompt that is sent meanwhile waits, and is not lost.
    let ended = client.run("And now?").await.unwrap();
    assert_eq!(ended.result.unwrap().result.as_deref(), Some("Hello"));
    let stopped = stop.await.unwrap().unwrap();
    assert_eq!(stopped.rung, Some(Rung::Terminated));
    let steps = steps(events).await;
    assert!(steps.contains(&Step::Respawn), "{steps:?}");
    assert_eq!(stage.starts()[1].resume.as_deref(), Some(SESSION));
}

/// An agent that does not know the session it shall go on with, as the reference CLI says it.
fn forgetful() -> serde_json::Value {
    let text = format!("No conversation found with session ID: {SESSION}");
    json!({"answers": {"initialize": null}, "steps": [
        {"result": {"subtype": "error_during_execution", "is_error": true, "num_turns": 0, "errors": [text]}},
        {"fault": "crash", "code": 1}
    ]})
}

fn deaf() -> serde_json::Value {
    let mut deaf = forever(json!([{"text": "Let me think"}, {"fault": "silent"}]));
    deaf["answers"] = json!({"interrupt": null});
    deaf
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_forgot_its_session_begins_anew_and_that_is_told() {
    let stage = Stage::new([deaf(), forgetful(), forever(hello())]);
    let client = stage.client(brisk().resume(SESSION)).await;
    begun(&client).await;
    let mut events = client.events();
    // One that is handed in meanwhile is told to the agent that knows nothing, and to the one after it.
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
    assert!(starts[2].anew && starts[2].resume.is_none());
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_keeps_no_sessions_is_not_asked_to_resume_one() {
    let stage = Stage::new([deaf(), forever(hello())]);
    let client = stage.client(brisk().persist_session(false)).await;
    begun(&client).await;
    let mut events = client.events();
    client.interrupt().await.unwrap();
    until(&mut events, |event| {
        matches!(event, Event::Forgotten { .. }).then_some(())
    })
    .await;
    assert!(client.run("And now?").await.unwrap().result.is_some());
    assert!(stage.starts()[1].anew && stage.starts()[1].resume.is_none());
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_will_not_start_at_all_is_tried_once() {
    let mut unwilling = forgetful();
    unwilling["steps"][0]["result"]["errors"] = json!(["the folder is gone"]);
    for (second, starts) in [(forgetful(), 3), (unwilling, 2)] {
        let stage = Stage::new([deaf(), second]);
        let client = stage.client(brisk()).await;
        begun(&client).await;
        let mut events = client.events();
        let error = client.interrupt().await.unwrap_err();
        let told = until(&mut events, |event| match event {
            Event::Unreachable { error } => Some(error.to_string()),
            _ => None,
        })
        .await;
        assert_eq!(told, error.to_string());
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
async fn a_session_that_is_not_there_is_named_with_what_to_do() {
    let stage = Stage::new([forgetful()]);
    let connected = sluice_host::Client::over(stage.transport(), brisk().resume(SESSION)).await;
    let error = connected.unwrap_err();
    assert_eq!(error.kind(), sluice_host::ErrorKind::Session);
    let text = error.to_string();
    assert!(
        text.starts_with("No conversation found") && text.contains("start without it"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_open_is_withdrawn_first() {
    let mut script = forever(json!([
        {"tool": {"id": "toolu_01", "name": "Bash", "input": {}}},
        {"ask": {"tool_name": "Bash", "input": {}, "tool_use_id": "toolu_01"}},
        {"result": {}}
    ]));
    script["on_interrupt"] = json!([{"result": {"subtype": "error_during_execution", "is_error": true}}]);
    let stage = Stage::new([script]);
    let (begins, mut begun) = tokio::sync::mpsc::channel(1);
    let client = stage
        .client(brisk().on_permission(move |_| {
            let begins = begins.clone();
            async move {
                begins.send(()).await.unwrap();
                std::future::pending::<()>().await;
                PermissionDecision::allow()
            }
        }))
        .await;
    client.send("Hi").await.unwrap();
    begun.recv().await.unwrap();
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
        !stage.heard().iter().any(|line| line["type"] == "control_response"),
        "nothing was answered"
    );
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_has_said_its_last_word_is_shown_stalled_after_its_deadline() {
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
async fn a_turn_whose_call_runs_is_not_stalled() {
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
