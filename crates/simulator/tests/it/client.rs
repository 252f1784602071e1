//! A minimal HTTP client that exposes single chunks and broken connections.

use serde_json::{Value, json};
use sluice_simulator::ModelServer;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    reader: BufReader<TcpStream>,
}

/// The next part of the body.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    Event(String, Value),
    End,
    Broken,
}

/// Sends a request. Returns `None` if the connection is closed without a response.
pub(crate) async fn send(server: &ModelServer, method: &str, path: &str, body: &Value) -> Option<Answer> {
    let mut socket = TcpStream::connect(server.address()).await.unwrap();
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: test\r\nX-Api-Key: sk-test\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all((head + &body).as_bytes()).await.unwrap();
    let mut reader = BufReader::new(socket);
    let first = line(&mut reader).await?;
    let status = first.split(' ').nth(1).unwrap().parse().unwrap();
    let mut headers = Vec::new();
    loop {
        let text = line(&mut reader).await?;
        match text.split_once(": ") {
            Some((name, value)) => headers.push((name.to_lowercase(), value.to_owned())),
            None => break,
        }
    }
    Some(Answer {
        status,
        headers,
        reader,
    })
}

async fn line(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut text = String::new();
    match reader.read_line(&mut text).await {
        Ok(n) if n > 0 => Some(text.trim_end().to_owned()),
        _ => None,
    }
}

/// Returns a request as agents send it: with tools and streaming.
pub(crate) fn asking(text: &str) -> Value {
    json!({
        "model": "claude-test", "stream": true, "max_tokens": 10, "tools": [{"name": "Bash"}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": text}]}],
    })
}

/// Sends a streaming request with the prompt `text`.
pub(crate) async fn ask(server: &ModelServer, text: &str) -> Answer {
    send(server, "POST", "/v1/messages?beta=true", &asking(text))
        .await
        .unwrap()
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Reads the next chunk, which contains exactly one event.
    pub(crate) async fn next(&mut self) -> Next {
        let Some(size) = line(&mut self.reader).await else {
            return Next::Broken;
        };
        let size = usize::from_str_radix(&size, 16).unwrap();
        let mut chunk = vec![0; size + 2];
        if self.reader.read_exact(&mut chunk).await.is_err() {
            return Next::Broken;
        }
        if size == 0 {
            return Next::End;
        }
        let text = String::from_utf8(chunk).unwrap();
        let (name, data) = text.split_once('\n').unwrap();
        let data = data.trim().strip_prefix("data: ").unwrap();
        let name = name.strip_prefix("event: ").unwrap();
        Next::Event(name.to_owned(), serde_json::from_str(data).unwrap())
    }

    /// Reads all events. Also returns how the stream ended.
    pub(crate) async fn events(&mut self) -> (Vec<(String, Value)>, Next) {
        let mut events = Vec::new();
        loop {
            match self.next().await {
                Next::Event(name, data) => events.push((name, data)),
                end => return (events, end),
            }
        }
    }

    /// Reads the whole stream and returns its text.
    pub(crate) async fn text(&mut self) -> String {
        let (events, end) = self.events().await;
        assert_eq!(end, Next::End);
        events
            .iter()
            .filter_map(|(_, data)| data["delta"]["text"].as_str())
            .collect()
    }

    /// Reads the whole stream and returns the names of the events and how it ended.
    pub(crate) async fn names(&mut self) -> (Vec<String>, Next) {
        let (events, end) = self.events().await;
        (events.into_iter().map(|(name, _)| name).collect(), end)
    }

    /// Reads the body of a response with a content length.
    pub(crate) async fn json(&mut self) -> Value {
        let size = self.header("content-length").unwrap().parse().unwrap();
        let mut body = vec![0; size];
        self.reader.read_exact(&mut body).await.unwrap();
        serde_json::from_slice(&body).unwrap()
    }
}
