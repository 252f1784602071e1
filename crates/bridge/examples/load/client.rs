//! A client of the bridge that counts what it is sent.

use std::error::Error;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Where the bridge is, and the way in. Level 0 without a token is how the peer is reached.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// `127.0.0.1:4747`.
    pub(crate) address: String,
    pub(crate) token: String,
    /// `/ws` with us.
    pub(crate) path: String,
    /// Where sessions are started.
    pub(crate) folder: String,
}

/// A connection.
pub(crate) struct Client {
    socket: WebSocketStream<TcpStream>,
    /// Bytes of all frames so far, with their headers.
    pub(crate) bytes: u64,
    pub(crate) frames: u64,
}

impl Client {
    pub(crate) async fn connect(place: &Place) -> Outcome<Self> {
        let mut request = format!("ws://{}{}", place.address, place.path).into_client_request()?;
        if !place.token.is_empty() {
            let bearer = format!("Bearer {}", place.token).parse()?;
            request.headers_mut().insert("authorization", bearer);
        }
        let stream = TcpStream::connect(&place.address).await?;
        stream.set_nodelay(true)?;
        let config = WebSocketConfig::default()
            .max_message_size(None)
            .max_frame_size(None)
            .read_buffer_size(16 * 1024);
        let (socket, _) = client_async_with_config(request, stream, Some(config)).await?;
        Ok(Self {
            socket,
            bytes: 0,
            frames: 0,
        })
    }

    /// Connects, says `hello` and is welcomed; the list and what was missed are still to be read.
    pub(crate) async fn hello(place: &Place, revisions: &Value) -> Outcome<Self> {
        let mut client = Self::connect(place).await?;
        client
            .say(&json!({"type": "hello", "version": 2, "client": "load", "revisions": revisions}))
            .await?;
        client.of("welcome").await?;
        Ok(client)
    }

    pub(crate) async fn say(&mut self, message: &Value) -> Outcome<()> {
        Ok(self.socket.send(Message::text(message.to_string())).await?)
    }

    /// The next frame; pings are answered on the way.
    pub(crate) async fn next(&mut self) -> Outcome<Utf8Bytes> {
        loop {
            let message = self.socket.next().await.ok_or("the bridge closed the connection")??;
            let length = message.len();
            self.frames += 1;
            self.bytes += length as u64 + header(length);
            match message {
                Message::Text(text) if text.starts_with(r#"{"type":"ping""#) => {
                    self.say(&json!({"type": "pong"})).await?;
                }
                Message::Text(text) => return Ok(text),
                Message::Close(why) => return Err(format!("the bridge closed the connection: {why:?}").into()),
                _ => {}
            }
        }
    }

    /// The next message of this type; what comes before is passed over unread, so that the client costs little.
    pub(crate) async fn of(&mut self, name: &str) -> Outcome<Value> {
        loop {
            let frame = self.next().await?;
            let found = frame.strip_prefix(r#"{"type":""#).and_then(|rest| rest.split_once('"'));
            match found.map(|(found, _)| found) {
                Some("error") => return Err(format!("the bridge complains: {frame}").into()),
                Some(found) if found == name => return Ok(serde_json::from_str(&frame)?),
                _ => {}
            }
        }
    }

    /// The next message that fits, whatever comes first in it.
    pub(crate) async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Outcome<Value> {
        loop {
            let message: Value = serde_json::from_str(&self.next().await?)?;
            if message["type"] == "error" {
                return Err(format!("the bridge complains: {message}").into());
            }
            if fits(&message) {
                return Ok(message);
            }
        }
    }

    /// Does a command and gives what its receipt holds.
    pub(crate) async fn command(&mut self, message: Value) -> Outcome<Value> {
        let id = self.send(message).await?;
        let receipt = self.until(|it| it["type"] == "receipt" && it["id"] == id).await?;
        match receipt["ok"].as_bool() {
            Some(true) => Ok(receipt["data"].clone()),
            _ => Err(format!("refused: {receipt}").into()),
        }
    }

    /// Sends a command and gives its id.
    pub(crate) async fn send(&mut self, mut message: Value) -> Outcome<String> {
        let id = uuid::Uuid::new_v4().to_string();
        message["id"] = id.clone().into();
        self.say(&message).await?;
        Ok(id)
    }

    pub(crate) async fn close(mut self) {
        self.socket.close(None).await.ok();
    }
}

/// How long the header of an unmasked frame is.
fn header(length: usize) -> u64 {
    match length {
        0..126 => 2,
        126..65536 => 4,
        _ => 10,
    }
}
