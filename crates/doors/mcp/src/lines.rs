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
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
/// The read buffer size, in bytes.
const READ_BUFFER_BYTES: usize = 64 * 1024;
/// Methods that are accepted before `initialize`.
const EARLY_METHODS: &[&str] = &["initialize", "ping", "server/discover"];

type Incoming = RxJsonRpcMessage<RoleServer>;
type Outgoing = TxJsonRpcMessage<RoleServer>;

/// The transport: reads lines from `R` and writes lines to `W`.
pub(crate) struct Lines<R, W> {
    read: R,
    chunk: Vec<u8>,
    framer: Framer,
    /// Lines that were read together and have not been returned yet.
    ready: VecDeque<ParsedLine>,
    write: Arc<Mutex<W>>,
    /// Whether `initialize` was received.
    opened: bool,
    /// Whether the input has ended.
    ended: bool,
    /// Cancelled at the end of the client's input.
    disconnected: CancellationToken,
}

/// A parsed line.
#[derive(Debug)]
enum ParsedLine {
    Message(Box<Incoming>),
    /// An invalid line, with the error for its sender.
    Bad(ErrorData, Option<RequestId>),
}

impl<R, W> Lines<R, W> {
    pub(crate) fn new(read: R, write: W, disconnected: CancellationToken) -> Self {
        Self {
            read,
            chunk: vec![0; READ_BUFFER_BYTES],
            framer: Framer::with_cap(MAX_LINE_BYTES),
            ready: VecDeque::new(),
            write: Arc::new(Mutex::new(write)),
            opened: false,
            ended: false,
            disconnected,
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
                Some(ParsedLine::Message(message)) => return Some(*message),
                Some(ParsedLine::Bad(error, id)) => {
                    let report = Outgoing::error(error, id);
                    write_line(&self.write, &report).await.ok()?;
                    continue;
                }
                None if self.ended => {
                    self.disconnected.cancel();
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
                let parsed = parse(&line, self.opened);
                self.opened |= matches!(&parsed, Some(ParsedLine::Message(message)) if is_initialize(message));
                self.ready.extend(parsed);
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
fn parse(line: &FramedLine<'_>, opened: bool) -> Option<ParsedLine> {
    let text = match line {
        FramedLine::Text { text, .. } => text,
        FramedLine::TooLong { bytes } => {
            let problem = format!("a line of {bytes} bytes is too long: at most {MAX_LINE_BYTES} are read");
            return Some(ParsedLine::Bad(ErrorData::invalid_request(problem, None), None));
        }
    };
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            let problem = format!("this line is not JSON: {error}");
            return Some(ParsedLine::Bad(ErrorData::parse_error(problem, None), None));
        }
    };
    let id = value
        .get("id")
        .and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let method = value.get("method").and_then(Value::as_str).map(str::to_owned);
    if !opened && !method.as_deref().is_some_and(|method| EARLY_METHODS.contains(&method)) {
        // Early notifications and responses need no response.
        return id.filter(|_| method.is_some()).map(|id| {
            let problem = "the first request has to be `initialize`";
            ParsedLine::Bad(ErrorData::invalid_request(problem, None), Some(id))
        });
    }
    match serde_json::from_value::<Incoming>(value) {
        Ok(message) => Some(ParsedLine::Message(Box::new(message))),
        Err(_) if id.is_none() && method.is_some() => None,
        Err(error) => {
            let problem = format!("this is no JSON-RPC 2.0 message of MCP: {error}");
            Some(ParsedLine::Bad(
                ErrorData::new(ErrorCode::INVALID_REQUEST, problem, None),
                id,
            ))
        }
    }
}

fn is_initialize(message: &Incoming) -> bool {
    matches!(message, Incoming::Request(request) if request.request.method() == "initialize")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    fn parsed(text: &str, opened: bool) -> Option<ParsedLine> {
        let line = FramedLine::Text {
            text: text.into(),
            repaired: false,
        };
        parse(&line, opened)
    }

    fn problem(text: &str, opened: bool) -> (i32, Option<RequestId>) {
        match parsed(text, opened) {
            Some(ParsedLine::Bad(error, id)) => (error.code.0, id),
            other => panic!("{text} became {other:?}"),
        }
    }

    #[test]
    fn invalid_lines_are_answered_with_errors() {
        assert_eq!(problem("{", true), (-32700, None));
        assert_eq!(problem("[]", true), (-32600, None));
        assert_eq!(problem("7", true), (-32600, None));
        assert_eq!(
            problem(r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#, true),
            (-32600, Some(RequestId::Number(3)))
        );
        let long = FramedLine::TooLong { bytes: 99 };
        assert!(matches!(parse(&long, true), Some(ParsedLine::Bad(..))));
    }

    #[test]
    fn first_request_must_be_initialize() {
        let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        assert_eq!(problem(list, false), (-32600, Some(RequestId::Number(1))));
        assert!(matches!(parsed(list, true), Some(ParsedLine::Message(_))));
        assert!(parsed(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, false).is_none());
        assert!(parsed(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, false).is_none());
        assert!(matches!(
            parsed(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, false),
            Some(ParsedLine::Message(_))
        ));
    }
}
