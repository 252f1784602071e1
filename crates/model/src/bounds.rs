//! Limits on a single response. The longest response of a model is a few megabytes. A server that sends more is broken
//! or malicious, and all of it would be held in memory several times.

use std::time::Duration;

use tokio::time::Instant;

use crate::event::{Delta, EventKind};
use crate::failure::Failure;

/// The maximum number of bytes of a stream, framing included.
const MAX_STREAM_BYTES: usize = 64 << 20;
/// The maximum number of bytes of content.
pub(crate) const MAX_CONTENT: usize = 32 << 20;
/// The maximum number of blocks of a message.
const MAX_BLOCKS: usize = 2048;

/// Tracks the size and duration of a stream against the limits.
#[derive(Debug)]
pub(crate) struct ResponseLimits {
    /// The deadline for the end of the stream.
    pub(crate) deadline: Instant,
    max_duration: Duration,
    bytes: usize,
    content: usize,
    blocks: usize,
}

impl ResponseLimits {
    pub(crate) fn new(max_duration: Duration) -> Self {
        Self {
            deadline: Instant::now() + max_duration,
            max_duration,
            bytes: 0,
            content: 0,
            blocks: 0,
        }
    }

    /// Counts received bytes.
    pub(crate) fn count_bytes(&mut self, bytes: usize) -> Result<(), Failure> {
        // A stream that never pauses never reaches a timeout, so the deadline is checked here.
        if Instant::now() >= self.deadline {
            return Err(self.too_slow());
        }
        self.bytes = self.bytes.saturating_add(bytes);
        check_limit(self.bytes, MAX_STREAM_BYTES, "bytes of a stream")
    }

    /// Counts an event whose JSON has `length` bytes.
    pub(crate) fn count_event(&mut self, kind: &EventKind, length: usize) -> Result<(), Failure> {
        let size = match kind {
            EventKind::Delta { delta, .. } => match delta {
                Delta::Text(text) | Delta::Thinking(text) | Delta::Signature(text) | Delta::InputJson(text) => {
                    text.len()
                }
                Delta::Citations(_) | Delta::Other(_) => length,
            },
            EventKind::BlockStart { .. } | EventKind::MessageStart { .. } | EventKind::MessageDelta { .. } => length,
            EventKind::BlockStop { .. } | EventKind::MessageStop | EventKind::Ping | EventKind::Unknown => 0,
        };
        self.blocks += usize::from(matches!(kind, EventKind::BlockStart { .. }));
        self.content = self.content.saturating_add(size);
        check_limit(self.blocks, MAX_BLOCKS, "blocks")?;
        check_limit(self.content, MAX_CONTENT, "bytes")
    }

    /// Returns the failure for a stream that exceeds its deadline.
    pub(crate) fn too_slow(&self) -> Failure {
        Failure::Excess(format!("it took longer than {} seconds", self.max_duration.as_secs()))
    }
}

fn check_limit(count: usize, max: usize, unit: &str) -> Result<(), Failure> {
    if count > max {
        return Err(Failure::Excess(format!("it has more than {max} {unit}")));
    }
    Ok(())
}
