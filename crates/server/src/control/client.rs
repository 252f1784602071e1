//! The client of the control socket.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::request::BridgeRequest;
use super::{MAX_LINE, SOCKET};

#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("no bridge is running with the state folder {}\nhint: `sluice serve` starts one; --state names another folder", .0.display())]
    NotRunning(PathBuf),
    #[error("the bridge cannot be reached: {0}")]
    Io(#[from] io::Error),
    #[error("the bridge did not answer in time")]
    TimedOut,
    #[error("the bridge's answer cannot be read\nhint: it may be of another version; restart it")]
    Unreadable,
    #[error("{0}")]
    Refused(String),
}

/// Sends a request to the bridge of a state folder.
///
/// # Errors
/// No bridge is running, it does not respond within half a minute, or it refuses.
pub async fn ask(state: &Path, request: &BridgeRequest) -> Result<Value, ControlError> {
    let answer = timeout(Duration::from_secs(30), exchange(state, request)).await;
    answer.map_err(|_| ControlError::TimedOut)?
}

async fn exchange(state: &Path, request: &BridgeRequest) -> Result<Value, ControlError> {
    let stream = UnixStream::connect(state.join(SOCKET))
        .await
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => ControlError::NotRunning(state.to_owned()),
            _ => ControlError::Io(error),
        })?;
    let (reading, mut writing) = stream.into_split();
    let mut line = serde_json::to_vec(request).map_err(|_| ControlError::Unreadable)?;
    line.push(b'\n');
    writing.write_all(&line).await?;
    let mut answer = String::new();
    BufReader::new(reading.take(MAX_LINE)).read_line(&mut answer).await?;
    let mut answer: Value = serde_json::from_str(&answer).map_err(|_| ControlError::Unreadable)?;
    if let Some(error) = answer.get("error").and_then(Value::as_str) {
        return Err(ControlError::Refused(error.to_owned()));
    }
    answer.get_mut("ok").map(Value::take).ok_or(ControlError::Unreadable)
}
