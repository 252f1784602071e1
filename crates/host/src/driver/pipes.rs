//! The pipes of an agent: one task reads stdout, one writes stdin, one reads stderr.

use std::sync::Arc;

use sluice_wire::{Frame, FramedLine, Framer, Malformed, ToAgent};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::message::Message;
use crate::transport::{FromAgent, IntoAgent};

/// The read buffer starts small, as there may be hundreds of idle agents, and grows while reads fill it.
const MIN_READ: usize = 8 * 1024;
const MAX_READ: usize = 256 * 1024;

/// The maximum length in bytes of a line of stderr; longer ones are split.
const MAX_STDERR_LINE: usize = 64 * 1024;

/// A received line.
#[derive(Debug)]
pub(super) enum Received {
    Message(Arc<Message>),
    Malformed(Malformed),
    TooLong(u64),
}

impl Received {
    fn of(read: Result<Frame, Malformed>) -> Self {
        match read {
            Ok(frame) => Self::Message(Arc::new(Message::new(frame))),
            Err(malformed) => Self::Malformed(malformed),
        }
    }
}

/// Reads until the agent's output ends. All lines of one read are sent together.
pub(super) async fn reader(from: FromAgent, cap: usize, received: mpsc::Sender<Vec<Received>>) {
    match from {
        FromAgent::Bytes(source) => read_bytes(source.0, cap, &received).await,
        FromAgent::Lines(mut lines) => {
            while let Some(line) = lines.recv().await {
                if line.trim().is_empty() {
                    continue;
                }
                if received.send(vec![Received::of(Frame::parse(&line))]).await.is_err() {
                    return;
                }
            }
        }
        FromAgent::Values(mut values) => {
            while let Some(value) = values.recv().await {
                let one = match Message::of(value) {
                    Ok(message) => Received::Message(Arc::new(message)),
                    Err(malformed) => Received::Malformed(malformed),
                };
                if received.send(vec![one]).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn read_bytes(mut source: Box<dyn AsyncRead + Send + Unpin>, cap: usize, received: &mpsc::Sender<Vec<Received>>) {
    let mut framer = Framer::with_cap(cap);
    let mut buffer = vec![0_u8; MIN_READ];
    loop {
        // A read error counts as the end of the output.
        let count = source.read(&mut buffer).await.unwrap_or(0);
        if count == 0 {
            break;
        }
        let lines = framer.push(buffer.get(..count).unwrap_or_default());
        let batch: Vec<Received> = lines.iter().map(receive).collect();
        if !batch.is_empty() && received.send(batch).await.is_err() {
            return;
        }
        if count == buffer.len() && count < MAX_READ {
            buffer.resize(count * 2, 0);
        }
    }
    // An incomplete last line is dropped, as the agent died while writing it. A complete message without line end is kept.
    let last = framer.finish();
    let last_message = last
        .as_ref()
        .map(receive)
        .filter(|it| matches!(it, Received::Message(_)));
    if let Some(last_message) = last_message {
        received.send(vec![last_message]).await.ok();
    }
}

fn receive(line: &FramedLine<'_>) -> Received {
    match line {
        FramedLine::TooLong { bytes } => Received::TooLong(*bytes),
        FramedLine::Text { .. } => match line.frame() {
            Some(read) => Received::of(read),
            None => Received::TooLong(0),
        },
    }
}

/// Writes lines until the channel is closed; then the agent's input is closed.
pub(super) async fn writer(into: IntoAgent, mut lines: mpsc::Receiver<Arc<str>>) {
    match into {
        IntoAgent::Bytes(sink) => write_bytes(sink.0, lines).await,
        IntoAgent::Lines(sink) => {
            while let Some(line) = lines.recv().await {
                if sink.send(line.to_string()).await.is_err() {
                    return;
                }
            }
        }
        IntoAgent::Values(sink) => {
            while let Some(line) = lines.recv().await {
                let Ok(message) = Frame::parse(&line).and_then(|frame| frame.to_agent()) else {
                    continue;
                };
                if sink.send(message).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn write_bytes(mut sink: Box<dyn AsyncWrite + Send + Unpin>, mut lines: mpsc::Receiver<Arc<str>>) {
    while let Some(line) = lines.recv().await {
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        if sink.write_all(&bytes).await.is_err() || sink.flush().await.is_err() {
            // The agent has closed its input. Its end is detected by its output and its process.
            return;
        }
    }
    // An error can be ignored: the sink is closed when it is dropped.
    sink.shutdown().await.ok();
}

/// Forwards lines of stderr. It is read even without a subscriber, because a full pipe would block the agent.
pub(super) async fn stderr(mut source: Box<dyn AsyncRead + Send + Unpin>, lines: mpsc::Sender<Arc<str>>) {
    let mut partial = Vec::new();
    let mut buffer = vec![0_u8; 4 * 1024];
    loop {
        let count = source.read(&mut buffer).await.unwrap_or(0);
        partial.extend_from_slice(buffer.get(..count).unwrap_or_default());
        while let Some(end) = partial.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = partial.drain(..=end).collect();
            forward(&line, &lines);
        }
        if partial.len() > MAX_STDERR_LINE || (count == 0 && !partial.is_empty()) {
            forward(&std::mem::take(&mut partial), &lines);
        }
        if count == 0 {
            return;
        }
    }
}

/// Forwards a line. If the channel is full, the line is dropped, so that the agent is not blocked.
fn forward(line: &[u8], lines: &mpsc::Sender<Arc<str>>) {
    let text = String::from_utf8_lossy(line);
    lines.try_send(text.trim_end().into()).ok();
}

/// Returns whether a message may be written to an agent. All other messages make older agents exit.
pub(crate) fn is_harmless(message: &ToAgent) -> bool {
    match message {
        ToAgent::User(_)
        | ToAgent::ControlRequest(_)
        | ToAgent::ControlResponse(_)
        | ToAgent::KeepAlive(_)
        | ToAgent::UpdateEnvironmentVariables(_) => true,
        ToAgent::ControlCancelRequest(_) | ToAgent::Unknown(_) => false,
    }
}

/// A task that is aborted when the handle is dropped.
#[derive(Debug)]
pub(super) struct AbortOnDrop(pub(super) JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
