//! A server that sends scripted bytes and records the requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use sluice_model::{Auth, Client, Config, Request};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};

/// A step of a scripted response.
#[derive(Clone)]
pub(crate) enum Step {
    /// Sends bytes immediately in a separate write.
    Write(Vec<u8>),
    /// Waits for the test.
    Gate(Arc<Notify>),
    /// Sends nothing more and keeps the connection open.
    Hang,
    /// Closes the connection.
    Cut,
}

/// A received request.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The number of the connection.
    pub(crate) connection: usize,
    /// Request line and headers.
    pub(crate) head: String,
    /// Body.
    pub(crate) body: Vec<u8>,
}

impl Seen {
    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1);
        let mut pairs = lines.filter_map(|line| line.split_once(": "));
        Some(pairs.find(|(key, _)| key.eq_ignore_ascii_case(name))?.1)
    }

    /// Parses the body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// The server: its URL and the recorded requests.
pub(crate) struct Server {
    pub(crate) url: String,
    seen: mpsc::UnboundedReceiver<Seen>,
}

impl Server {
    /// Starts the server, which answers the n-th request with the n-th reply.
    pub(crate) async fn start(replies: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let replies = Arc::new(Mutex::new(VecDeque::from(replies)));
        let (sender, seen) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            for connection in 0.. {
                let Ok((socket, _)) = listener.accept().await else {
                    return;
                };
                tokio::spawn(serve(socket, connection, Arc::clone(&replies), sender.clone()));
            }
        });
        Self { url, seen }
    }

    /// Returns the next received request.
    pub(crate) async fn seen(&mut self) -> Seen {
        self.seen.recv().await.unwrap()
    }

    /// Returns whether no further request was received.
    pub(crate) fn received_nothing_more(&mut self) -> bool {
        self.seen.try_recv().is_err()
    }

    pub(crate) fn config(&self) -> Config {
        Config::new(&self.url, Auth::ApiKey("key".into()))
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.config()).unwrap()
    }
}

/// Serves one connection until it is closed or the script ends.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut socket: S,
    connection: usize,
    replies: Arc<Mutex<VecDeque<Vec<Step>>>>,
    sender: mpsc::UnboundedSender<Seen>,
) {
    while let Some((head, body)) = read_request(&mut socket).await {
        let _gone = sender.send(Seen { connection, head, body });
        let Some(reply) = replies.lock().unwrap().pop_front() else {
            return;
        };
        for step in reply {
            match step {
                Step::Write(bytes) => {
                    if socket.write_all(&bytes).await.is_err() || socket.flush().await.is_err() {
                        return;
                    }
                }
                Step::Gate(gate) => gate.notified().await,
                Step::Hang => std::future::pending().await,
                Step::Cut => return,
            }
        }
    }
}

async fn read_request<S: AsyncRead + Unpin>(socket: &mut S) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let split = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..split].to_vec()).unwrap();
    let length = head
        .to_ascii_lowercase()
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = bytes.split_off(split);
    while body.len() < length.unwrap_or(0) {
        if socket.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some((head, body))
}

pub(crate) fn write(text: impl Into<String>) -> Step {
    Step::Write(text.into().into_bytes())
}

pub(crate) fn chunk(bytes: &[u8]) -> Step {
    let mut out = format!("{:x}\r\n", bytes.len()).into_bytes();
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
    Step::Write(out)
}

/// Sends the head of a streamed response.
pub(crate) fn stream_head(extra: &str) -> Step {
    write(format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nrequest-id: req_1\r\n{extra}transfer-encoding: chunked\r\n\r\n"
    ))
}

pub(crate) fn stream_end() -> Step {
    write("0\r\n\r\n")
}

/// Returns a complete streamed response in the given chunks.
pub(crate) fn streamed<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Step> {
    let mut steps = vec![stream_head("")];
    steps.extend(pieces.into_iter().map(chunk));
    steps.push(stream_end());
    steps
}

/// Returns a response that is not streamed.
pub(crate) fn whole(status: u16, headers: &str, body: &Value) -> Vec<Step> {
    let body = body.to_string();
    let length = body.len();
    vec![write(format!(
        "HTTP/1.1 {status} Reason\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nrequest-id: req_1\r\n{headers}\r\n{body}"
    ))]
}

/// Returns an event in its encoding in a stream.
pub(crate) fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap())
}

/// Returns the events of a message with this text, one delta per word.
pub(crate) fn message_events(text: &str) -> Vec<String> {
    let mut events = vec![
        event(
            &json!({"type": "message_start", "message": {"id": "msg_1", "model": "m", "usage": {"input_tokens": 10, "output_tokens": 5}}}),
        ),
        event(&json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})),
    ];
    events.extend(text.split_inclusive(' ').map(|word| {
        event(&json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}}))
    }));
    events.extend([
        event(&json!({"type": "content_block_stop", "index": 0})),
        event(&json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 12}})),
        event(&json!({"type": "message_stop"})),
    ]);
    events
}

/// Returns a successful streamed response.
pub(crate) fn good() -> Vec<Step> {
    let text = message_events("Hello there friend").concat();
    streamed([text.as_bytes()])
}

pub(crate) fn request() -> Request {
    Request::new("claude-haiku-5-5", vec![json!({"role": "user", "content": "hi"})])
}
