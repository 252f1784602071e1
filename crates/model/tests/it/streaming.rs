//! Streams: complete, in chunks, cut, broken, stalled, compressed.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sluice_model::{Accumulator, EventKind, Failure, Head, Stream};
use tokio::sync::Notify;

use crate::server::{
    Server, Step, chunk, event, good, message_events, request, stream_end, stream_head, streamed, whole, write,
};

/// Reads to the end and returns the text of the first block.
async fn read(mut stream: Stream) -> Result<String, Failure> {
    let mut message = Accumulator::new();
    while let Some(event) = stream.next().await? {
        message.feed(&event);
    }
    assert!(message.is_complete());
    Ok(message.finished()[0].block["text"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn stream_is_read_to_its_end() {
    let mut server = Server::start(vec![good()]).await;
    let mut stream = server.client().stream(&request()).await.unwrap();
    assert_eq!(
        stream.head,
        Head {
            request_id: Some("req_1".into()),
            status: 200,
            limits: None,
        }
    );
    let mut kinds = Vec::new();
    while let Some(event) = stream.next().await.unwrap() {
        kinds.push(event.kind);
    }
    assert!(matches!(kinds[0], EventKind::MessageStart { .. }));
    assert_eq!(kinds.len(), 8);
    assert_eq!(kinds[7], EventKind::MessageStop);
    assert!(stream.next().await.unwrap().is_none(), "the stream stays at its end");
    let seen = server.seen().await;
    assert!(seen.head.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{}", seen.head);
    assert_eq!(seen.header("x-api-key"), Some("key"));
    assert_eq!(seen.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(seen.header("authorization"), None);
    assert_eq!(seen.header("anthropic-beta"), None);
    assert_eq!(seen.json()["stream"], true);
}

#[tokio::test]
async fn packets_may_split_anywhere() {
    let text = message_events("Ünïcödé 🦀 here").concat();
    for size in [1, 2, 3, 7, 100] {
        let server = Server::start(vec![streamed(text.as_bytes().chunks(size))]).await;
        let stream = server.client().stream(&request()).await.unwrap();
        assert_eq!(read(stream).await.unwrap(), "Ünïcödé 🦀 here", "{size}");
    }
}

#[tokio::test]
async fn events_are_returned_as_they_arrive() {
    let gate = Arc::new(Notify::new());
    let events = message_events("one");
    let mut steps = vec![stream_head("")];
    for event in &events {
        steps.extend([Step::Gate(Arc::clone(&gate)), chunk(event.as_bytes())]);
    }
    steps.push(stream_end());
    let server = Server::start(vec![steps]).await;
    let mut stream = server.client().stream(&request()).await.unwrap();
    for _ in &events {
        gate.notify_one();
        assert!(stream.next().await.unwrap().is_some());
    }
    assert!(stream.next().await.unwrap().is_none());
}

#[tokio::test]
async fn dropped_wait_loses_no_data() {
    let gate = Arc::new(Notify::new());
    let events = message_events("one two");
    let (before, after) = events.split_at(3);
    let half = after.concat();
    let (left, right) = half.as_bytes().split_at(40);
    let first = before.concat();
    let steps = vec![
        stream_head(""),
        chunk(first.as_bytes()),
        chunk(left),
        Step::Gate(Arc::clone(&gate)),
        chunk(right),
        stream_end(),
    ];
    let server = Server::start(vec![steps]).await;
    let mut stream = server.client().stream(&request()).await.unwrap();
    let mut message = Accumulator::new();
    for _ in before {
        message.feed(&stream.next().await.unwrap().unwrap());
    }
    for _ in 0..5 {
        let waited = tokio::time::timeout(Duration::from_millis(5), stream.next()).await;
        assert!(waited.is_err(), "an incomplete event is not returned");
    }
    gate.notify_one();
    while let Some(event) = stream.next().await.unwrap() {
        message.feed(&event);
    }
    assert_eq!(message.finished()[0].block, json!({"type": "text", "text": "one two"}));
}

#[tokio::test]
async fn connection_is_reused_for_the_next_request() {
    let gate = Arc::new(Notify::new());
    let text = message_events("Hello").concat();
    let reply = vec![
        stream_head(""),
        chunk(text.as_bytes()),
        Step::Gate(Arc::clone(&gate)),
        stream_end(),
    ];
    let mut server = Server::start(vec![reply.clone(), reply]).await;
    let client = server.client();
    for _ in 0..2 {
        let mut stream = client.stream(&request()).await.unwrap();
        // Like a turn, stops reading here, before the response is closed.
        while stream.next().await.unwrap().unwrap().kind != EventKind::MessageStop {}
        drop(stream);
        gate.notify_one();
        // Lets the tasks run that close the response and return its connection to the pool.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
    let connections = (server.seen().await.connection, server.seen().await.connection);
    assert_eq!(connections, (0, 0));
}

#[tokio::test]
async fn lost_connection_is_a_failure() {
    let events = message_events("one two three");
    let empty = streamed([]);
    let mut tidy = vec![stream_head("")];
    tidy.extend(events[..4].iter().map(|event| chunk(event.as_bytes())));
    let mut rude = tidy.clone();
    tidy.push(stream_end());
    rude.push(Step::Cut);
    for (steps, count) in [(empty, 0), (tidy, 4), (rude, 4)] {
        let server = Server::start(vec![steps]).await;
        let mut stream = server.client().stream(&request()).await.unwrap();
        for _ in 0..count {
            assert!(stream.next().await.unwrap().is_some());
        }
        assert!(matches!(stream.next().await, Err(Failure::Lost { .. })));
        assert!(
            matches!(stream.next().await, Err(Failure::Lost { .. })),
            "a failed stream stays failed"
        );
    }
}

#[tokio::test]
async fn error_event_is_reported_with_its_type() {
    let mut text = message_events("one")[..3].concat();
    text += &event(&json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}));
    text += &message_events("more").concat();
    let server = Server::start(vec![streamed([text.as_bytes()])]).await;
    let mut stream = server.client().stream(&request()).await.unwrap();
    for _ in 0..3 {
        assert!(stream.next().await.unwrap().is_some());
    }
    let want = Failure::InStream {
        kind: "overloaded_error".into(),
        message: "Overloaded".into(),
    };
    assert_eq!(stream.next().await.unwrap_err(), want);
    let after = stream.next().await;
    assert!(
        matches!(after, Err(Failure::Lost { .. })),
        "events after an error are ignored: {after:?}"
    );
}

#[tokio::test]
async fn pause_is_a_stall_even_if_the_wait_is_dropped() {
    let first = message_events("one")[0].clone();
    let server = Server::start(vec![vec![stream_head(""), chunk(first.as_bytes()), Step::Hang]]).await;
    let mut config = server.config();
    config.stall_timeout = Duration::from_secs(300);
    let client = sluice_model::Client::new(config).unwrap();
    let mut stream = client.stream(&request()).await.unwrap();
    assert!(stream.next().await.unwrap().is_some());
    tokio::time::pause();
    let start = tokio::time::Instant::now();
    let end = loop {
        // Shorter than the stall timeout: only a timer that survives the drop can expire.
        if let Ok(end) = tokio::time::timeout(Duration::from_secs(70), stream.next()).await {
            break end;
        }
        assert!(start.elapsed().as_secs() < 300, "every wait restarted the timer");
    };
    assert_eq!(end.unwrap_err(), Failure::Stalled);
    assert_eq!(start.elapsed().as_secs(), 300);
}

#[tokio::test]
async fn response_that_is_not_a_stream_is_a_failure() {
    let page = vec![write(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n<a/>",
    )];
    let ignorant = whole(200, "", &json!({"type": "message", "content": []}));
    let server = Server::start(vec![page, ignorant]).await;
    for _ in 0..2 {
        let failure = server.client().stream(&request()).await.unwrap_err();
        assert!(matches!(failure, Failure::Protocol(_)), "{failure:?}");
    }
}

#[tokio::test]
async fn compressed_stream_is_read_as_it_arrives() {
    let gate = Arc::new(Notify::new());
    let events = message_events("squeezed text");
    let plain = events.concat();
    let (left, right) = plain.split_at(events[..3].concat().len());
    let steps = vec![
        stream_head("content-encoding: gzip\r\n"),
        chunk(
            &[
                b"\x1f\x8b\x08\0\0\0\0\0\0\xff".as_slice(),
                &stored(left.as_bytes(), false),
            ]
            .concat(),
        ),
        Step::Gate(Arc::clone(&gate)),
        chunk(&[stored(right.as_bytes(), true), check(plain.as_bytes())].concat()),
        stream_end(),
    ];
    let mut server = Server::start(vec![steps]).await;
    let mut stream = server.client().stream(&request()).await.unwrap();
    let mut message = Accumulator::new();
    for _ in 0..3 {
        message.feed(&stream.next().await.unwrap().unwrap());
    }
    gate.notify_one();
    while let Some(event) = stream.next().await.unwrap() {
        message.feed(&event);
    }
    assert_eq!(message.finished()[0].block["text"], "squeezed text");
    assert!(server.seen().await.header("accept-encoding").unwrap().contains("gzip"));
}

/// Returns a stored (uncompressed) deflate block.
fn stored(bytes: &[u8], last: bool) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap();
    let mut out = vec![u8::from(last)];
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&(!length).to_le_bytes());
    out.extend_from_slice(bytes);
    out
}

/// Returns the trailer of a gzip file: checksum and length.
fn check(bytes: &[u8]) -> Vec<u8> {
    let mut crc = !0_u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & 0_u32.wrapping_sub(crc & 1));
        }
    }
    [(!crc).to_le_bytes(), u32::try_from(bytes.len()).unwrap().to_le_bytes()].concat()
}
