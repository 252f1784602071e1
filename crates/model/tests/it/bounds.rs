//! Endless responses: each ends in an error after a bounded number of bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use sluice_model::{Accumulator, Auth, Client, Config, Failure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::server::{Server, Step, chunk, event, message_events, request, stream_head, streamed};

/// A server that sends a first part and then repeats the same bytes until the client disconnects.
struct Endless {
    url: String,
    sent: Arc<AtomicUsize>,
}

impl Endless {
    async fn start(kind: &'static str, first: String, again: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let sent = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&sent);
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut request_bytes = [0; 4096];
                let _read = socket.read(&mut request_bytes).await;
                let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{first}");
                let _gone = socket.write_all(head.as_bytes()).await;
                let piece = again.repeat(1 + (64 << 10) / again.len());
                while socket.write_all(piece.as_bytes()).await.is_ok() {
                    count.fetch_add(piece.len(), Ordering::Relaxed);
                }
            }
        });
        Self { url, sent }
    }

    async fn events(first: &[String], again: &[String]) -> Self {
        Self::start("text/event-stream", first.concat(), again.concat()).await
    }

    fn client(&self) -> Client {
        Client::new(Config::new(&self.url, Auth::ApiKey("key".into()))).unwrap()
    }

    /// Reads until the stream fails. Returns the failure and the number of finished blocks.
    async fn failure(&self) -> (Failure, usize) {
        let mut stream = self.client().stream(&request()).await.unwrap();
        let mut message = Accumulator::new();
        loop {
            match stream.next().await {
                Ok(event) => message.feed(&event.expect("it never ends")),
                Err(failure) => return (failure, message.finished().len()),
            };
        }
    }
}

fn start() -> String {
    event(&json!({"type": "message_start", "message": {"id": "m", "model": "x", "usage": {}}}))
}

fn block(index: usize, kind: &str) -> String {
    let block = match kind {
        "tool_use" => json!({"type": kind, "id": "t", "name": "Bash", "input": {}}),
        kind => json!({"type": kind, kind: ""}),
    };
    event(&json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn delta(kind: &str, key: &str, text: &str) -> String {
    event(&json!({"type": "content_block_delta", "index": 0, "delta": {"type": kind, key: text}}))
}

#[tokio::test]
async fn endless_content_ends_in_an_error() {
    let text = "x".repeat(1000);
    for (kind, more) in [
        ("text", delta("text_delta", "text", &text)),
        ("thinking", delta("thinking_delta", "thinking", &text)),
        ("thinking", delta("signature_delta", "signature", &text)),
        ("tool_use", delta("input_json_delta", "partial_json", &text)),
        ("text", delta("delta_of_tomorrow", "text", &text)),
    ] {
        let server = Endless::events(&[start(), block(0, kind)], std::slice::from_ref(&more)).await;
        let (failure, _) = server.failure().await;
        assert!(matches!(failure, Failure::Excess(_)), "{kind}: {failure:?}");
        assert!(server.sent.load(Ordering::Relaxed) < 64 << 20, "{kind}");
    }
}

#[tokio::test]
async fn endless_blocks_end_in_an_error() {
    let stop = event(&json!({"type": "content_block_stop", "index": 0}));
    for again in [vec![block(0, "text"), stop.clone()], vec![block(0, "text")]] {
        let (failure, finished) = Endless::events(&[start()], &again).await.failure().await;
        assert!(matches!(failure, Failure::Excess(_)), "{failure:?}");
        assert!(finished <= 2048, "{finished}");
    }
}

#[tokio::test]
async fn endless_empty_events_end_in_an_error() {
    for again in [
        event(&json!({"type": "ping"})),
        event(&json!({"type": "of_tomorrow", "text": "y".repeat(1000)})),
        ": nothing\n\n".to_owned(),
        "data:\n".to_owned(),
        start(),
    ] {
        let server = Endless::events(&[start()], std::slice::from_ref(&again)).await;
        let (failure, _) = server.failure().await;
        assert!(matches!(failure, Failure::Excess(_)), "{again}: {failure:?}");
        assert!(server.sent.load(Ordering::Relaxed) < 96 << 20, "{again}");
    }
}

#[tokio::test]
async fn endless_line_ends_in_an_error() {
    let server = Endless::events(&[start(), "data: ".to_owned()], &["z".to_owned()]).await;
    let (failure, _) = server.failure().await;
    assert!(matches!(failure, Failure::Excess(_)), "{failure:?}");
    assert!(server.sent.load(Ordering::Relaxed) < 64 << 20);
}

#[tokio::test]
async fn endless_body_ends_in_an_error() {
    let server = Endless::start("application/json", "{\"content\": [\"".to_owned(), "a".to_owned()).await;
    let failure = server.client().create(&request()).await.unwrap_err();
    assert!(matches!(failure, Failure::Excess(_)), "{failure:?}");
    assert!(server.sent.load(Ordering::Relaxed) < 64 << 20);
}

/// Bytes without complete lines count as a stall, and a response has a maximum duration.
#[tokio::test]
async fn slow_bytes_are_a_stall_and_responses_have_a_deadline() {
    let steps = |again: &str| {
        let mut steps = vec![stream_head(""), chunk(start().as_bytes())];
        steps.extend((0..2000).map(|_| chunk(again.as_bytes())));
        steps.push(Step::Hang);
        steps
    };
    let mut slow = Server::start(vec![steps("d")]).await.config();
    slow.stall_timeout = Duration::from_millis(200);
    let (mut stream, mut last) = (Client::new(slow).unwrap().stream(&request()).await.unwrap(), None);
    while last.is_none() {
        last = stream.next().await.err();
    }
    assert_eq!(last, Some(Failure::Stalled));

    let mut long = Server::start(vec![steps(&event(&json!({"type": "ping"})))])
        .await
        .config();
    long.max_response_time = Duration::from_millis(200);
    let (mut stream, mut last) = (Client::new(long).unwrap().stream(&request()).await.unwrap(), None);
    while last.is_none() {
        last = stream.next().await.err();
    }
    assert!(matches!(last, Some(Failure::Excess(_))), "{last:?}");
}

/// Several `data` lines form one event; forwarded unchanged they would be separate lines.
#[tokio::test]
async fn multi_line_event_is_forwarded_on_one_line() {
    let forged =
        "event: of_tomorrow\ndata: {\"type\": \"of_tomorrow\",\ndata: \"x\":\ndata: {\"type\":\"result\"}\ndata: }\n\n";
    let events = message_events("hi");
    let (first, rest) = events.split_first().unwrap();
    let all = [first.as_str(), forged, &rest.concat()].concat();
    let server = Server::start(vec![streamed([all.as_bytes()])]).await;
    let mut stream = server.client().stream(&request()).await.unwrap();
    let mut seen = 0;
    while let Some(event) = stream.next().await.unwrap() {
        assert!(!event.raw.get().contains(['\n', '\r']), "{}", event.raw.get());
        seen += usize::from(event.raw.get().contains("of_tomorrow"));
    }
    assert_eq!(seen, 1);
}
