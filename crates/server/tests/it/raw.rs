//! Raw HTTP: the test controls every byte of a request.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Timeout for expected events; only failing tests reach it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the `code` of an error response.
    pub(crate) fn code(&self) -> String {
        let body: serde_json::Value = serde_json::from_slice(&self.body).unwrap_or_default();
        body["code"].as_str().unwrap_or_default().to_owned()
    }
}

pub(crate) async fn connect(port: u16) -> TcpStream {
    TcpStream::connect(("127.0.0.1", port)).await.unwrap()
}

/// Sends bytes on a new connection and reads one response; `None` if the server closes the connection.
pub(crate) async fn send(port: u16, bytes: &[u8]) -> Option<Response> {
    let mut stream = connect(port).await;
    // The server may close the connection before it has read everything.
    stream.write_all(bytes).await.ok();
    read(&mut tokio::io::BufReader::new(stream), bytes.starts_with(b"HEAD ")).await
}

pub(crate) async fn read<S: AsyncRead + Unpin>(stream: &mut S, head: bool) -> Option<Response> {
    timeout(PATIENCE, read_one(stream, head))
        .await
        .expect("an answer or the end")
}

async fn read_one<S: AsyncRead + Unpin>(stream: &mut S, head: bool) -> Option<Response> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(stream.read_u8().await.ok()?);
    }
    let text = String::from_utf8(bytes).unwrap();
    let text = text.trim_end();
    let mut lines = text.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let header = |line: &str| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_ascii_lowercase(), value.trim().to_owned())
    };
    let headers: Vec<(String, String)> = lines.map(header).collect();
    let mut response = Response {
        status,
        headers,
        body: Vec::new(),
    };
    if head || matches!(status, 101 | 204 | 304) {
        return Some(response);
    }
    if let Some(length) = response.header("content-length") {
        let mut body = vec![0; length.parse().unwrap()];
        stream.read_exact(&mut body).await.ok()?;
        response.body = body;
    } else if response.header("transfer-encoding") == Some("chunked") {
        response.body = read_chunks(stream).await?;
    }
    Some(response)
}

async fn read_chunks<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            line.push(stream.read_u8().await.ok()?);
        }
        let length = usize::from_str_radix(std::str::from_utf8(&line).unwrap().trim(), 16).unwrap();
        let mut chunk = vec![0; length + 2];
        stream.read_exact(&mut chunk).await.ok()?;
        if length == 0 {
            return Some(body);
        }
        body.extend_from_slice(&chunk[..length]);
    }
}

/// True if the server closes the connection without sending another byte.
pub(crate) async fn ends(stream: &mut TcpStream) -> bool {
    let mut rest = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut rest))
        .await
        .expect("the end")
        .is_err()
        || rest.is_empty()
}

/// A well-formed request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

pub(crate) fn get(path: &str) -> Request {
    request("GET", path)
}

pub(crate) fn post(path: &str, kind: &str, body: impl Into<Vec<u8>>) -> Request {
    let body = body.into();
    let mut request = request("POST", path).with("Content-Type", kind);
    request = request.with("Content-Length", &body.len().to_string());
    Request { body, ..request }
}

pub(crate) fn request(method: &str, path: &str) -> Request {
    Request {
        line: format!("{method} {path} HTTP/1.1"),
        headers: Vec::new(),
        body: Vec::new(),
    }
}

impl Request {
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn bytes(&self, port: u16) -> Vec<u8> {
        let mut text = format!("{}\r\n", self.line);
        if !self.headers.iter().any(|(name, _)| name == "Host") {
            text.push_str(&format!("Host: 127.0.0.1:{port}\r\n"));
        }
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str("\r\n");
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }

    pub(crate) async fn send(&self, port: u16) -> Response {
        send(port, &self.bytes(port)).await.expect("an answer")
    }
}

/// Builds a WebSocket handshake.
pub(crate) fn handshake(path: &str) -> Request {
    get(path)
        .with("Connection", "Upgrade")
        .with("Upgrade", "websocket")
        .with("Sec-WebSocket-Version", "13")
        .with("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
}
