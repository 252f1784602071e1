//! The pipes: one task reads stdout, one writes stdin, one reads stderr.

use std::sync::Arc;

use sluice_wire::{Frame, FramedLine, Framer, Malformed, ToAgent};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::message::Message;
use crate::transport::{FromAgent, IntoAgent};

/// Reads begin small, for hundreds of idle agents, and grow while they come back full.
const SMALLEST_READ: usize = 8 * 1024;
const LARGEST_READ: usize = 256 * 1024;

/// The longest piece of a line of stderr that is kept.
const STDERR_LINE: usize = 64 * 1024;

/// One line of an agent, or what became of it.
#[derive(Debug)]
pub(super) enum Heard {
    Message(Arc<Message>),
    Malformed(Malformed),
    TooLong(u64),
}

impl Heard {
    fn of(read: Result<Frame, Malformed>) -> Self {
        match read {
            Ok(frame) => Self::Message(Arc::new(Message::new(frame))),
            Err(malformed) => Self::Malformed(malformed),
        }
    }
}

/// Reads until the agent's output ends. What one read brought goes on together.
pub(super) async fn reader(from: FromAgent, cap: usize, heard: mpsc::Sender<Vec<Heard>>) {
    match from {
        FromAgent::Bytes(source) => read_bytes(source.0, cap, &heard).await,
        FromAgent::Lines(mut lines) => {
            while let Some(line) = lines.recv().await {
                if line.trim().is_empty() {
                    continue;
                }
                if heard.send(vec![Heard::of(Frame::parse(&line))]).await.is_err() {
                    return;
                }
            }
        }
        FromAgent::Values(mut values) => {
            while let Some(value) = values.recv().await {
                let one = match Message::of(value) {
                    Ok(message) => Heard::Message(Arc::new(message)),
                    Err(malformed) => Heard::Malformed(malformed),
                };
                if heard.send(vec![one]).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn read_bytes(mut source: Box<dyn AsyncRead + Send + Unpin>, cap: usize, heard: &mpsc::Sender<Vec<Heard>>) {
    let mut framer = Framer::with_cap(cap);
    let mut buffer = vec![0_u8; SMALLEST_READ];
    loop {
        // An output that fails has ended.
        let count = source.read(&mut buffer).await.unwrap_or(0);
        if count == 0 {
            break;
        }
        let lines = framer.push(buffer.get(..count).unwrap_or_default());
        let batch: Vec<Heard> = lines.iter().map(hear).collect();
        if !batch.is_empty() && heard.send(batch).await.is_err() {
            return;
        }
        if count == buffer.len() && count < LARGEST_READ {
            buffer.resize(count * 2, 0);
        }
    }
    // Half a line at the end is no message: its other half died with the agent. A whole one is.
    let last = framer.finish();
    let whole = last.as_ref().map(hear).filter(|it| matches!(it, Heard::Message(_)));
    if let Some(whole) = whole {
        heard.send(vec![whole]).await.ok();
    }
}

fn hear(line: &FramedLine<'_>) -> Heard {
    match line {
        FramedLine::TooLong { bytes } => Heard::TooLong(*bytes),
        FramedLine::Text { .. } => match line.frame() {
            Some(read) => Heard::of(read),
            None => Heard::TooLong(0),
        },
    }
}

/// Writes line after line until there are no more; then the agent's input ends.
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
            // The agent does not read any more. Its end is told by its output and its process.
            return;
        }
    }
    // Whether it still listens or not: the end comes with the drop.
    sink.shutdown().await.ok();
}

/// Passes on what the agent says beside the protocol. It is read even when nobody wants it: a full pipe stops an agent.
pub(super) async fn stderr(mut source: Box<dyn AsyncRead + Send + Unpin>, said: mpsc::Sender<Arc<str>>) {
    let mut held = Vec::new();
    let mut buffer = vec![0_u8; 4 * 1024];
    loop {
        let count = source.read(&mut buffer).await.unwrap_or(0);
        held.extend_from_slice(buffer.get(..count).unwrap_or_default());
        while let Some(end) = held.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = held.drain(..=end).collect();
            tell(&line, &said);
        }
        if held.len() > STDERR_LINE || (count == 0 && !held.is_empty()) {
            tell(&std::mem::take(&mut held), &said);
        }
        if count == 0 {
            return;
        }
    }
}

/// What nobody takes in time is lost: it must not stop the agent.
fn tell(line: &[u8], said: &mpsc::Sender<Arc<str>>) {
    let text = String::from_utf8_lossy(line);
    said.try_send(text.trim_end().into()).ok();
}

/// What may be written to an agent: anything else could end an older one.
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

/// A task that ends with its handle.
#[derive(Debug)]
pub(super) struct Bound(pub(super) JoinHandle<()>);

impl Drop for Bound {
    fn drop(&mut self) {
        self.0.abort();
    }
}
