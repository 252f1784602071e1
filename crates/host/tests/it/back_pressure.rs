//! Slow subscribers, and agents that do not read their input.

use serde_json::json;
use sluice_host::transport::{ChannelTransport, Link};
use sluice_host::wire::ToHost;
use sluice_host::{Client, ErrorKind, Event, Prompt};

use crate::stage::{Stage, brisk};

#[tokio::test(start_paused = true)]
async fn subscriber_that_never_reads_does_not_block_the_agent() {
    let stage = Stage::answering(json!([
        {"repeat": 200, "steps": [{"text": "a word that is not very long but comes often"}]},
        {"result": {"result": "Done"}}
    ]));
    let client = stage.client(brisk().log_cap(10_000_usize)).await;
    let mut slow = client.events();
    let ended = client.run("Hi").await.unwrap();
    assert!(ended.result.is_some(), "the agent was read to the end");
    let Event::Gap { missed } = slow.next().await.unwrap() else {
        panic!("the first event is a gap");
    };
    assert!(missed > 100, "{missed}");
    let mut results = 0;
    while slow.position() < ended.position {
        if let Some(ToHost::Result(_)) = slow.next().await.unwrap().message().and_then(|it| it.to_host()) {
            results += 1;
        }
    }
    assert_eq!(results, 1, "the last events are available");
    let texts = client.look(|state| state.entries().len()).await.unwrap();
    assert!(texts > 200, "the conversation contains all messages: {texts}");
}

#[tokio::test(start_paused = true)]
async fn released_entries_are_empty_and_later_ones_are_kept() {
    let stage = Stage::answering(crate::stage::hello());
    let client = stage.client(brisk()).await;
    client.run("one").await.unwrap();
    let (seen, revision) = client
        .look(|state| (state.entries().len(), state.item_revision()))
        .await
        .unwrap();
    client.let_go(revision).await.unwrap();
    let ended = client.run("two").await.unwrap();
    assert_eq!(ended.result.unwrap().result.as_deref(), Some("Hello"));
    let (empty, turns, all) = client
        .look(|state| {
            let empty = state.entries().iter().take_while(|entry| entry.line.is_empty()).count();
            (empty, state.turns().len(), state.entries().len())
        })
        .await
        .unwrap();
    assert_eq!((empty, turns), (seen, 2));
    assert!(all > seen, "new entries are added");
}

#[tokio::test(start_paused = true)]
async fn snapshot_and_later_events_are_complete() {
    let stage = Stage::answering(crate::stage::hello());
    let client = stage.client(brisk()).await;
    client.run("one").await.unwrap();
    let (snapshot, position) = client.snapshot().await.unwrap();
    let mut events = client.events_from(position);
    client.run("two").await.unwrap();
    let restored = sluice_host::conversation::ConversationState::restore(snapshot).unwrap();
    assert_eq!(restored.turns().len(), 1);
    let first = crate::stage::until(&mut events, |event| event.message().cloned()).await;
    assert_eq!(
        first.frame().subtype(),
        Some("init"),
        "the second turn starts after the snapshot"
    );
}

#[tokio::test(start_paused = true)]
async fn agent_that_does_not_read_is_reported_as_busy() {
    // The agent answers `initialize` and never reads again.
    let transport = ChannelTransport::new(|_| async {
        let (agent_output, from_agent) = tokio::sync::mpsc::channel::<std::sync::Arc<str>>(16);
        let (into_agent, mut agent_input) = tokio::sync::mpsc::channel::<String>(1);
        tokio::spawn(async move {
            let greeting: serde_json::Value = serde_json::from_str(&agent_input.recv().await.unwrap()).unwrap();
            let answer = json!({"type": "control_response", "response":
                {"subtype": "success", "request_id": greeting["request_id"], "response": {}}});
            agent_output.send(answer.to_string().into()).await.unwrap();
            std::future::pending::<()>().await;
            drop(agent_input);
        });
        Ok(Link::lines(from_agent, into_agent))
    });
    let client = Client::over(transport, brisk().outbox_cap(100_000_usize))
        .await
        .unwrap();
    let large = "x".repeat(20_000);
    let mut refused = None;
    // Some lines fit into the channels in between.
    for _ in 0..100 {
        if let Err(error) = client.send(Prompt::new(large.as_str())).await {
            refused = Some(error.kind());
            break;
        }
    }
    assert_eq!(refused, Some(ErrorKind::Busy));
    assert!(client.look(|_| ()).await.is_ok(), "the driver still answers");
    client.close().await;
}
