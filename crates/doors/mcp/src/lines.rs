//! MCP over stdio: one JSON-RPC message per line, each way.
//!
//! A line that cannot be parsed is answered with an error and does not affect the lines around it.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use sluice_wire::{FramedLine, Framer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// The maximum length of an input line, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;
/// The read buffer size, in bytes.
const CHUNK: usize = 64 * 1024;
/// Methods that are accepted before `initialize`.
const OPENERS: &[&str] = &["initialize", "ping", "server/discover"];

type Incoming = RxJsonRpcMessage<RoleServer>;
type Outgoing = TxJsonRpcMessage<RoleServer>;

/// The transport: reads lines from `R` and writes lines to `W`.
pub(crate) struct Lines<R, W> {
    read: R,
    chunk: Vec<u8>,
    framer: Framer,
    /// Lines that were read together and have not been returned yet.
    ready: VecDeque<Heard>,
    write: Arc<Mutex<W>>,
    /// Whether `initialize` was received.
    opened: bool,
    /// Whether the input has ended.
    ended: bool,
    /// Cancelled at the end of the client's input.
    gone: CancellationToken,
}

/// A parsed line.
#[derive(Debug)]
enum Heard {
    Message(Box<Incoming>),
    /// An invalid line, with the error for its sender.
    Bad(ErrorData, Option<RequestId>),
}

impl<R, W> Lines<R, W> {
    pub(crate) fn new(read: R, write: W, gone: CancellationToken) -> Self {
        Self {
            read,
            chunk: vec![0; CHUNK],
            framer: Framer::with_cap(LONGEST),
            ready: VecDeque::new(),
            write: Arc::new(Mutex::new(write)),
            opened: false,
            ended: false,
            gone,
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(&mut self, item: Outgoing) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = self.write.clone();
        async move { write_line(&write, &item).await }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        loop {
            match self.ready.pop_front() {
                Some(Heard::Message(message)) => return Some(*message),
                Some(Heard::Bad(error, id)) => {
                    let report = Outgoing::error(error, id);
                    write_line(&self.write, &report).await.ok()?;
                    continue;
                }
                None if self.ended => {
                    self.gone.cancel();
                    return None;
                }
                None => {}
            }
            // Cancel safe: bytes are only consumed when they are passed to the framer.
            let count = self.read.read(&mut self.chunk).await.unwrap_or(0);
            let read = self.chunk.get(..count).unwrap_or_default();
            let mut lines = self.framer.push(read);
            if count == 0 {
                self.ended = true;
                lines.extend(self.framer.finish());
            }
            for line in lines {
                let heard = understand(&line, self.opened);
                self.opened |= matches!(&heard, Some(Heard::Message(message)) if opens(message));
                self.ready.extend(heard);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.shutdown().await
    }
}

async fn write_line<W: AsyncWrite + Unpin>(write: &Mutex<W>, message: &Outgoing) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut write = write.lock().await;
    write.write_all(&line).await?;
    write.flush().await
}

/// Parses a line. Returns `None` for invalid lines that need no response.
fn understand(line: &FramedLine<'_>, opened: bool) -> Option<Heard> {
    let text = match line {
        FramedLine::Text { text, .. } => text,
        FramedLine::TooLong { bytes } => {
            let problem = format!("a line of {bytes} bytes is too long: at most {LONGEST} are read");
            return Some(Heard::Bad(ErrorData::invalid_request(problem, None), None));
        }
    };
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            let problem = format!("this line is not JSON: {error}");
            return Some(Heard::Bad(ErrorData::parse_error(problem, None), None));
        }
    };
    let id = value
        .get("id")
        .and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let method = value.get("method").and_then(Value::as_str).map(str::to_owned);
    if !opened && !method.as_deref().is_some_and(|method| OPENERS.contains(&method)) {
        // Early notifications and responses need no response.
        return id.filter(|_| method.is_some()).map(|id| {
            let problem = "the first request has to be `initialize`";
            Heard::Bad(ErrorData::invalid_request(problem, None), Some(id))
        });
    }
    match serde_json::from_value::<Incoming>(value) {
        Ok(message) => Some(Heard::Message(Box::new(message))),
        Err(_) if id.is_none() && method.is_some() => None,
        Err(error) => {
            let problem = format!("this is no JSON-RPC 2.0 message of MCP: {error}");
            Some(Heard::Bad(
                ErrorData::new(ErrorCode::INVALID_REQUEST, problem, None),
                id,
            ))
        }
    }
}

fn opens(message: &Incoming) -> bool {
    matches!(message, Incoming::Request(request) if request.request.method() == "initialize")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    fn heard(text: &str, opened: bool) -> Option<Heard> {
        let line = FramedLine::Text {
            text: text.into(),
            repaired: false,
        };
        understand(&line, opened)
    }

    fn problem(text: &str, opened: bool) -> (i32, Option<RequestId>) {
        match heard(text, opened) {
            Some(Heard::Bad(error, id)) => (error.code.0, id),
            other => panic!("{text} became {other:?}"),
        }
    }

    #[test]
    fn what_cannot_be_read_is_answered() {
        assert_eq!(problem("{", true), (-32700, None));
        assert_eq!(problem("[]", true), (-32600, None));
        assert_eq!(problem("7", true), (-32600, None));
        assert_eq!(
            problem(r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#, true),
            (-32600, Some(RequestId::Number(3)))
        );
        let long = FramedLine::TooLong { bytes: 99 };
        assert!(matches!(understand(&long, true), Some(Heard::Bad(..))));
    }

    #[test]
    fn the_first_request_says_who_it_is() {
        let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        assert_eq!(problem(list, false), (-32600, Some(RequestId::Number(1))));
        assert!(matches!(heard(list, true), Some(Heard::Message(_))));
        assert!(heard(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, false).is_none());
        assert!(heard(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, false).is_none());
        assert!(matches!(
            heard(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, false),
            Some(Heard::Message(_))
        ));
    }
}
