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

use super::LONGEST_MESSAGE;

/// How long a server has to end by itself when its input ends.
const GRACE: Duration = Duration::from_millis(500);
/// How much of what it complains about is kept.
const KEPT: usize = 4096;

/// A program and its streams.
pub(crate) struct Stdio {
    lines: AsyncRwTransport<RoleClient, ChildStdout, ChildStdin>,
    program: Piped,
}

/// The end of what a program complained about.
#[derive(Debug, Clone, Default)]
pub(crate) struct Complaints {
    kept: Arc<Mutex<VecDeque<u8>>>,
}

impl Complaints {
    /// The last line of it.
    pub(crate) fn last(&self) -> Option<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        Some(last.chars().take(300).collect())
    }

    async fn read(self, mut pipe: impl AsyncRead + Unpin) {
        let mut piece = [0; 1024];
        while let Ok(count @ 1..) = pipe.read(&mut piece).await {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(piece.get(..count).unwrap_or_default());
            let extra = kept.len().saturating_sub(KEPT);
            kept.drain(..extra);
        }
    }
}

impl Stdio {
    /// Starts the program.
    pub(crate) fn start(
        command: &str,
        args: &[String],
        directory: &Path,
        env: &[(OsString, OsString)],
        tasks: &Arc<Tasks>,
    ) -> io::Result<(Self, Complaints)> {
        let (program, streams) = Piped::start(command, args, directory, env, tasks)?;
        let complaints = Complaints::default();
        // Read to the end, whatever it is: a program must never wait for us to hear its complaints.
        tokio::spawn(complaints.clone().read(streams.stderr));
        let lines = AsyncRwTransport::new_client(streams.stdout, streams.stdin).with_max_line_length(LONGEST_MESSAGE);
        Ok((Self { lines, program }, complaints))
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

    /// The end of its input tells a server to go; one that stays is ended.
    async fn close(&mut self) -> Result<(), io::Error> {
        let closed = self.lines.close().await;
        if tokio::time::timeout(GRACE, self.program.end()).await.is_err() {
            self.program.kill();
            self.program.end().await;
        }
        closed
    }
}
