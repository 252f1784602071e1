//! Measures the time from received bytes to deltas: `cargo run --release -p sluice-model --example deltas`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::json;
use sluice_model::{Accumulator, Auth, Client, Config, Request, sse};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const DELTAS: u32 = 20_000;

fn event(data: &serde_json::Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap())
}

fn response() -> String {
    let mut text = event(&json!({"type": "message_start", "message": {"id": "m", "usage": {}}}));
    text += &event(&json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}));
    let delta = json!({"type": "text_delta", "text": " and so on, a few words more"});
    text += &event(&json!({"type": "content_block_delta", "index": 0, "delta": delta})).repeat(DELTAS as usize);
    text += &event(&json!({"type": "content_block_stop", "index": 0}));
    text + &event(&json!({"type": "message_stop"}))
}

/// Returns the minimum of several runs, in microseconds per delta.
fn best(times: impl Iterator<Item = Duration>) -> f64 {
    times.min().unwrap_or_default().as_secs_f64() * 1e6 / f64::from(DELTAS)
}

fn framing(bytes: &[u8]) -> Duration {
    let start = Instant::now();
    let mut decoder = sse::Decoder::default();
    for packet in bytes.chunks(16 << 10) {
        decoder.push(packet);
        while let Some(frame) = decoder.next_frame() {
            black_box(frame.unwrap());
        }
    }
    start.elapsed()
}

async fn streaming(text: String) -> Duration {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    // A separate thread, so that only the client's work is measured.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async move {
            let listener = TcpListener::from_std(listener.into_std().unwrap()).unwrap();
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut seen = vec![0; 4096];
            assert!(socket.read(&mut seen).await.unwrap() > 0);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            socket.write_all(format!("{head}{text}").as_bytes()).await.unwrap();
        });
    });
    let client = Client::new(Config::new(url, Auth::ApiKey("key".into()))).unwrap();
    let request = Request::new("m", vec![json!({"role": "user", "content": "go"})]);
    let mut stream = client.stream(&request).await.unwrap();
    let start = Instant::now();
    let mut message = Accumulator::new();
    while let Some(event) = stream.next().await.unwrap() {
        black_box(message.feed(&event));
    }
    assert!(message.is_complete());
    start.elapsed()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let start = Instant::now();
    let plain = Client::new(Config::new("http://127.0.0.1:9", Auth::ApiKey("key".into()))).unwrap();
    println!(
        "creating a client                      {:8.1} µs",
        start.elapsed().as_secs_f64() * 1e6
    );
    let request = Request::new("m", Vec::<serde_json::Value>::new());
    let start = Instant::now();
    assert!(plain.stream(&request).await.is_err());
    println!(
        "first request, http       {:8.1} µs (refused)",
        start.elapsed().as_secs_f64() * 1e6
    );
    let secure = Client::new(Config::new("https://127.0.0.1:9", Auth::ApiKey("key".into()))).unwrap();
    let start = Instant::now();
    assert!(secure.stream(&request).await.is_err());
    println!(
        "first request, https      {:8.1} µs (refused; reads the system's certificates)",
        start.elapsed().as_secs_f64() * 1e6
    );
    let text = response();
    println!(
        "framing, a delta              {:8.3} µs",
        best((0..5).map(|_| framing(text.as_bytes())))
    );
    let mut times = Vec::new();
    for _ in 0..5 {
        times.push(streaming(text.clone()).await);
    }
    println!("socket to message, a delta    {:8.3} µs", best(times.into_iter()));
}
