//! The stdio transport: a process, one message per line on its standard streams.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use sluice_tools::{Piped, Tasks};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStdin, ChildStdout};

use super::MAX_MESSAGE;

/// How long a server may take to exit after its input was closed.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);
/// How many bytes of its standard error are kept.
const MAX_ERROR_OUTPUT: usize = 4096;

/// A server process and its streams.
pub(crate) struct Stdio {
    lines: AsyncRwTransport<RoleClient, ChildStdout, ChildStdin>,
    program: Piped,
}

/// The end of what a server process wrote to standard error.
#[derive(Debug, Clone, Default)]
pub(crate) struct ErrorOutput {
    tail: Arc<Mutex<VecDeque<u8>>>,
}

impl ErrorOutput {
    /// Returns the last non-empty line.
    pub(crate) fn last(&self) -> Option<String> {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        Some(last.chars().take(300).collect())
    }

    async fn read(self, mut pipe: impl AsyncRead + Unpin) {
        let mut piece = [0; 1024];
        while let Ok(count @ 1..) = pipe.read(&mut piece).await {
            let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
            tail.extend(piece.get(..count).unwrap_or_default());
            let extra = tail.len().saturating_sub(MAX_ERROR_OUTPUT);
            tail.drain(..extra);
        }
    }
}

impl Stdio {
    /// Starts the process.
    pub(crate) fn start(
        command: &str,
        args: &[String],
        directory: &Path,
        env: &[(OsString, OsString)],
        tasks: &Arc<Tasks>,
    ) -> io::Result<(Self, ErrorOutput)> {
        let (program, streams) = Piped::start(command, args, directory, env, tasks)?;
        let error_output = ErrorOutput::default();
        // Standard error is read to the end, so that the process never blocks on writing to it.
        tokio::spawn(error_output.clone().read(streams.stderr));
        let lines = AsyncRwTransport::new_client(streams.stdout, streams.stdin).with_max_line_length(MAX_MESSAGE);
        Ok((Self { lines, program }, error_output))
    }
}

impl Transport<RoleClient> for Stdio {
    type Error = io::Error;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.lines.receive().await
    }

    /// Closes the input of the process and kills it if it does not exit.
    async fn close(&mut self) -> Result<(), io::Error> {
        let closed = self.lines.close().await;
        if tokio::time::timeout(EXIT_TIMEOUT, self.program.end()).await.is_err() {
            self.program.kill();
            self.program.end().await;
        }
        closed
    }
}
