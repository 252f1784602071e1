//! Decodes server-sent events as bytes arrive.

/// The default maximum length of an event in bytes.
pub const DEFAULT_LIMIT: usize = 16 << 20;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The `event` field; empty if there was none.
    pub event: String,
    /// The `data` lines, joined by newlines.
    pub data: String,
}

/// An event exceeded the maximum length. The decoder returns no more events after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event is longer than {limit} bytes")]
pub struct TooLong {
    /// The limit.
    pub limit: usize,
}

/// Accepts bytes in chunks of any size and returns complete events.
#[derive(Debug)]
pub struct Decoder {
    buffer: Vec<u8>,
    /// Offset of the first unread line.
    line: usize,
    /// Offset up to which that line was searched for its end.
    searched: usize,
    /// The last line ended with CR; a following LF belongs to it.
    after_cr: bool,
    started: bool,
    event: Vec<u8>,
    data: Vec<u8>,
    limit: usize,
    failed: bool,
    /// The number of complete lines so far.
    lines: u64,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }
}

impl Decoder {
    /// Creates a decoder that rejects events longer than `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            line: 0,
            searched: 0,
            after_cr: false,
            started: false,
            event: Vec::new(),
            data: Vec::new(),
            limit,
            failed: false,
            lines: 0,
        }
    }

    /// Appends received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.line > 0 {
            self.buffer.drain(..self.line);
            self.searched -= self.line;
            self.line = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next complete event, if there is one. An unfinished event at the end of a stream is never returned.
    pub fn next_frame(&mut self) -> Option<Result<Frame, TooLong>> {
        while !self.failed {
            let rest = self.buffer.get(self.searched..)?;
            if self.after_cr && !rest.is_empty() {
                self.after_cr = false;
                if rest.first() == Some(&b'\n') {
                    self.line += 1;
                    self.searched += 1;
                    continue;
                }
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let known = end.unwrap_or(rest.len());
            let end_byte = rest.get(known).copied();
            let line = self.line..self.searched + known;
            if self.data.len() + line.len() > self.limit {
                self.failed = true;
                return Some(Err(TooLong { limit: self.limit }));
            }
            let Some(end_byte) = end_byte else {
                self.searched += known;
                return None;
            };
            self.after_cr = end_byte == b'\r';
            self.searched = line.end + 1;
            self.line = self.searched;
            if let Some(frame) = self.take_line(line) {
                return Some(Ok(frame));
            }
        }
        None
    }

    /// Returns the number of complete lines so far. It shows whether a server makes progress or only sends bytes.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    fn take_line(&mut self, range: std::ops::Range<usize>) -> Option<Frame> {
        self.lines += 1;
        let mut line = self.buffer.get(range)?;
        if !std::mem::replace(&mut self.started, true) {
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch();
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, value) = line.split_at_checked(colon)?;
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => {
                self.event.clear();
                self.event.extend_from_slice(value);
            }
            // Comments have an empty field name. `id` and `retry` are only relevant for reconnecting.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<Frame> {
        let event = std::mem::take(&mut self.event);
        let mut data = std::mem::take(&mut self.data);
        data.pop()?;
        Some(Frame {
            event: text(event),
            data: text(data),
        })
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
