//! Faulty connections to the agent, with seeded fault injection.

use std::time::Duration;

use serde_json::json;
use sluice_host::transport::{FaultTransport, Faults};
use sluice_host::{Client, ErrorKind, PermissionDecision};

use crate::stage::{Stage, brisk, forever, hello};

#[tokio::test(start_paused = true)]
async fn split_merged_delayed_and_duplicated_lines_change_nothing() {
    for seed in 0..6 {
        let stage = Stage::answering(json!([
            {"stream": "Let me look"},
            {"tool": {"id": "toolu_01", "name": "Bash", "input": {"command": "ls"}}},
            {"ask": {"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "toolu_01"}},
            {"tool_result": {"tool_use_id": "toolu_01", "content": "a b c"}},
            {"text": "Three files"}, {"result": {"result": "Three files"}}
        ]));
        let faults = Faults {
            split: 0.4,
            merge: 0.3,
            delay: 0.3,
            duplicate: 0.2,
            ..Faults::seeded(seed)
        };
        let transport = FaultTransport::new(stage.transport(), faults);
        let options = brisk().on_permission(|_| async { PermissionDecision::allow() });
        let client = Client::over(transport, options).await.unwrap();
        for _ in 0..3 {
            let ended = client.run("Hi").await.unwrap();
            assert_eq!(
                ended.result.unwrap().result.as_deref(),
                Some("Three files"),
                "seed {seed}"
            );
        }
        let (prompts, asks) = client
            .look(|state| (state.prompts().len(), state.asks().len()))
            .await
            .unwrap();
        assert_eq!((prompts, asks), (3, 3), "seed {seed}");
        client.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn faults_in_both_directions_change_nothing() {
    for seed in 0..6 {
        let stage = Stage::answering(hello());
        let faults = Faults {
            split: 0.5,
            merge: 0.3,
            delay: 0.5,
            both_ways: true,
            ..Faults::seeded(seed)
        };
        let client = Client::over(FaultTransport::new(stage.transport(), faults), brisk())
            .await
            .unwrap();
        assert!(client.run("Hi").await.unwrap().result.is_some(), "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn half_open_connection_times_out_and_an_interrupt_reconnects() {
    let stage = Stage::new([forever(
        json!([{"text": "Hello"}, {"text": "again"}, {"result": {"result": "Hello"}}]),
    )]);
    // The response to `initialize`, the `init` message and one text arrive; then nothing more.
    let faults = Faults {
        half_open_after: Some(3),
        ..Faults::seeded(1)
    };
    let client = Client::over(FaultTransport::new(stage.transport(), faults), brisk())
        .await
        .unwrap();
    client.send("Hi").await.unwrap();
    let error = client.get_settings().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    let begin = tokio::time::Instant::now();
    client.interrupt().await.unwrap();
    assert!(begin.elapsed() < Duration::from_secs(30));
    assert_eq!(stage.starts().len(), 2, "the host connected again");
}

#[tokio::test(start_paused = true)]
async fn lost_lines_never_block_a_request() {
    for seed in 0..6 {
        let stage = Stage::answering(hello());
        let faults = Faults {
            drop: 0.5,
            ..Faults::seeded(seed)
        };
        let transport = FaultTransport::new(stage.transport(), faults);
        let Ok(client) = Client::over(transport, brisk()).await else {
            continue;
        };
        for _ in 0..5 {
            let answered = tokio::time::timeout(Duration::from_secs(6), client.get_session_cost()).await;
            assert!(answered.is_ok(), "seed {seed}: a request outlived its deadline");
        }
    }
}
