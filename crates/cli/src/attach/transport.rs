//! The connection of a terminal to a session of a bridge, as the transport of an agent.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use sluice_host::transport::{ChannelTransport, Link};
use sluice_host::{Error, ErrorKind};
use sluice_wire::Frame;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;

use super::Bridge;
use super::translation::Translation;
use super::way::Socket;

/// The pause between two attempts to reconnect to the bridge.
const RECONNECT_INTERVAL: Duration = Duration::from_secs(1);

impl Bridge {
    /// A session of it as an agent, and the name the agent gives that session, once it is known.
    pub(crate) fn transport(&self, session: &str) -> (ChannelTransport, Arc<Mutex<Option<String>>>) {
        let provider = Arc::new(Mutex::new(None));
        let (bridge, session, told) = (self.clone(), session.to_owned(), Arc::clone(&provider));
        let transport = ChannelTransport::new(move |_| {
            let (bridge, session, told) = (bridge.clone(), session.clone(), Arc::clone(&told));
            async move {
                let socket = bridge
                    .connect()
                    .await
                    .map_err(|why| Error::new(ErrorKind::Start, why))?;
                let (heard, lines) = mpsc::channel::<Arc<str>>(256);
                let (say, said) = mpsc::channel::<String>(64);
                tokio::spawn(carry(bridge, socket, Translation::new(&session), heard, said, told));
                let mut link = Link::lines(lines, say);
                link.outlives = true;
                Ok(link)
            }
        });
        (transport, provider)
    }
}

/// Forwards messages in both directions until the terminal leaves. A lost connection is opened again.
async fn carry(
    bridge: Bridge,
    mut socket: Socket,
    mut translation: Translation,
    heard: mpsc::Sender<Arc<str>>,
    mut said: mpsc::Receiver<String>,
    provider: Arc<Mutex<Option<String>>>,
) {
    loop {
        let hello = [translation.hello(), translation.subscribe()];
        if send_all(&mut socket, &hello).await
            && forward(&mut socket, &mut translation, &heard, &mut said, &provider).await
        {
            socket.close(None).await.ok();
            return;
        }
        let lost = translation.note("the connection to the bridge is lost; trying again");
        if heard.send(lost.into()).await.is_err() {
            return;
        }
        socket = loop {
            tokio::time::sleep(RECONNECT_INTERVAL).await;
            if heard.is_closed() {
                return;
            }
            if let Ok(socket) = bridge.connect().await {
                break socket;
            }
        };
        heard
            .send(translation.note("connected to the bridge again").into())
            .await
            .ok();
    }
}

async fn send_all(socket: &mut Socket, messages: &[Value]) -> bool {
    for message in messages {
        if socket.send(Message::text(message.to_string())).await.is_err() {
            return false;
        }
    }
    true
}

/// Forwards messages. Returns true when the terminal has left, and false when the connection is lost.
async fn forward(
    socket: &mut Socket,
    translation: &mut Translation,
    heard: &mpsc::Sender<Arc<str>>,
    said: &mut mpsc::Receiver<String>,
    provider: &Mutex<Option<String>>,
) -> bool {
    loop {
        let lines = tokio::select! {
            message = socket.next() => {
                let Some(Ok(message)) = message else { return false };
                let Some(message) = message.to_text().ok().and_then(|text| serde_json::from_str::<Value>(text).ok()) else {
                    continue;
                };
                if message.get("type").is_some_and(|kind| kind == "ping") && !send_all(socket, &[json!({"type": "pong"})]).await {
                    return false;
                }
                let lines = translation.heard(&message);
                provider.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&translation.provider);
                lines
            }
            line = said.recv() => {
                let Some(line) = line else { return true };
                let Ok(frame) = Frame::parse(&line) else { continue };
                let (commands, answers) = translation.said(&frame);
                if !send_all(socket, &commands).await {
                    return false;
                }
                answers
            }
        };
        for line in lines {
            if heard.send(line.into()).await.is_err() {
                return true;
            }
        }
    }
}
