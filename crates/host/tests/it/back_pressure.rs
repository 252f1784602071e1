//! Slow listeners, and agents that do not read.

use serde_json::json;
use sluice_host::transport::{ChannelTransport, Link};
use sluice_host::wire::ToHost;
use sluice_host::{Client, ErrorKind, Event, Prompt};

use crate::stage::{Stage, brisk};

#[tokio::test(start_paused = true)]
async fn a_listener_that_never_listens_does_not_stop_the_agent() {
    let stage = Stage::answering(json!([
        {"repeat": 200, "steps": [{"text": "a word that is not very long but comes often"}]},
        {"result": {"result": "Done"}}
    ]));
    let client = stage.client(brisk().log_cap(10_000_usize)).await;
    let mut slow = client.events();
    let ended = client.run("Hi").await.unwrap();
    assert!(ended.result.is_some(), "the agent was read to the end");
    let Event::Gap { missed } = slow.next().await.unwrap() else {
        panic!("a gap comes first");
    };
    assert!(missed > 100, "{missed}");
    let mut results = 0;
    while slow.position() < ended.position {
        if let Some(ToHost::Result(_)) = slow.next().await.unwrap().message().and_then(|it| it.to_host()) {
            results += 1;
        }
    }
    assert_eq!(results, 1, "what came last is there");
    let texts = client.look(|state| state.entries().len()).await.unwrap();
    assert!(texts > 200, "and the conversation holds all of it: {texts}");
}

#[tokio::test(start_paused = true)]
async fn words_that_were_shown_can_be_let_go_of_and_all_else_stays() {
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
    assert!(all > seen, "what is new is there");
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_and_the_events_after_it_are_the_whole() {
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
        "the second turn begins after the snapshot"
    );
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_read_is_told_of_not_waited_for() {
    // It greets, and never reads again.
    let transport = ChannelTransport::new(|_| async {
        let (says, host_hears) = tokio::sync::mpsc::channel::<std::sync::Arc<str>>(16);
        let (host_says, mut hears) = tokio::sync::mpsc::channel::<String>(1);
        tokio::spawn(async move {
            let greeting: serde_json::Value = serde_json::from_str(&hears.recv().await.unwrap()).unwrap();
            let answer = json!({"type": "control_response", "response":
                {"subtype": "success", "request_id": greeting["request_id"], "response": {}}});
            says.send(answer.to_string().into()).await.unwrap();
            std::future::pending::<()>().await;
            drop(hears);
        });
        Ok(Link::lines(host_hears, host_says))
    });
    let client = Client::over(transport, brisk().outbox_cap(100_000_usize))
        .await
        .unwrap();
    let large = "x".repeat(20_000);
    let mut refused = None;
    // Some lines fit into the channels on the way.
    for _ in 0..100 {
        if let Err(error) = client.send(Prompt::new(large.as_str())).await {
            refused = Some(error.kind());
            break;
        }
    }
    assert_eq!(refused, Some(ErrorKind::Busy));
    assert!(client.look(|_| ()).await.is_ok(), "the owner still answers");
    client.close().await;
}
