//! Limits on one response. A model's longest response is a few megabytes; a server that sends more is broken or
//! hostile, and all of it would be held in memory several times.

use std::time::Duration;

use tokio::time::Instant;

use crate::event::{Delta, EventKind};
use crate::failure::Failure;

/// Most bytes of a stream, framing included.
const MOST_BYTES: usize = 64 << 20;
/// Most bytes of content.
pub(crate) const MOST_CONTENT: usize = 32 << 20;
/// Most blocks of one message.
const MOST_BLOCKS: usize = 2048;

/// What has come of a stream, held against what may.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// When it has to be over.
    pub(crate) until: Instant,
    longest: Duration,
    bytes: usize,
    content: usize,
    blocks: usize,
}

impl Bounds {
    pub(crate) fn new(longest: Duration) -> Self {
        Self {
            until: Instant::now() + longest,
            longest,
            bytes: 0,
            content: 0,
            blocks: 0,
        }
    }

    /// So many bytes more have come.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), Failure> {
        // A stream that never pauses is never waited for, so nothing else would notice the time.
        if Instant::now() >= self.until {
            return Err(self.too_slow());
        }
        self.bytes = self.bytes.saturating_add(bytes);
        within(self.bytes, MOST_BYTES, "bytes of a stream")
    }

    /// An event has come whose text is so long.
    pub(crate) fn count(&mut self, kind: &EventKind, length: usize) -> Result<(), Failure> {
        let said = match kind {
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
        self.content = self.content.saturating_add(said);
        within(self.blocks, MOST_BLOCKS, "blocks")?;
        within(self.content, MOST_CONTENT, "bytes")
    }

    /// It took too long.
    pub(crate) fn too_slow(&self) -> Failure {
        Failure::Excess(format!("it took longer than {} seconds", self.longest.as_secs()))
    }
}

fn within(count: usize, most: usize, of_what: &str) -> Result<(), Failure> {
    if count > most {
        return Err(Failure::Excess(format!("it has more than {most} {of_what}")));
    }
    Ok(())
}
