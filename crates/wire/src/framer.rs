//! Splits a byte stream into lines.

use std::borrow::Cow;

use crate::{Frame, Malformed};

/// The default maximum length of a line: 64 MiB.
pub const DEFAULT_CAP: usize = 64 * 1024 * 1024;

/// Splits a stream of bytes into lines, independent of how the bytes are divided into reads.
///
/// A line ends at LF. A CR before the LF, a byte order mark at the start of a line and blank lines are dropped. A line
/// longer than the limit is reported once and skipped; the next line is read as usual.
///
/// ```
/// use sluice_wire::Framer;
/// let mut framer = Framer::new();
/// assert!(framer.push(b"{\"type\":").is_empty());
/// let lines = framer.push(b"\"x\"}\r\n\n");
/// assert_eq!(lines.len(), 1);
/// assert_eq!(lines[0].text(), Some("{\"type\":\"x\"}"));
/// ```
#[derive(Debug, Clone)]
pub struct Framer {
    cap: usize,
    /// The start of a line whose end has not been read yet.
    head: Vec<u8>,
    /// Number of bytes discarded so far of a line that is too long.
    dropped: u64,
}

/// One line, or the report of a line that was too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FramedLine<'a> {
    /// A line.
    Text {
        /// The line without its terminator. Borrowed from the read if that contains the whole line.
        text: Cow<'a, str>,
        /// Whether bytes that were not UTF-8 were replaced.
        repaired: bool,
    },
    /// A line longer than the limit, which was discarded.
    TooLong {
        /// The length of the line.
        bytes: u64,
    },
}

impl FramedLine<'_> {
    /// Returns the text of a line, `None` if it was too long.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            FramedLine::Text { text, .. } => Some(text),
            FramedLine::TooLong { .. } => None,
        }
    }

    /// Parses the line as a frame; `None` if it was too long.
    #[must_use]
    pub fn frame(&self) -> Option<Result<Frame, Malformed>> {
        match self {
            FramedLine::Text { text, repaired } => Some(Frame::read(text, *repaired)),
            FramedLine::TooLong { .. } => None,
        }
    }
}

impl Default for Framer {
    fn default() -> Self {
        Self::new()
    }
}

impl Framer {
    /// Creates a framer with the default limit.
    #[must_use]
    pub fn new() -> Self {
        Self::with_cap(DEFAULT_CAP)
    }

    /// Creates a framer that accepts lines of up to `cap` bytes.
    #[must_use]
    pub fn with_cap(cap: usize) -> Self {
        Self {
            cap,
            head: Vec::new(),
            dropped: 0,
        }
    }

    /// Adds the bytes of one read and returns the lines that are complete now.
    pub fn push<'a>(&mut self, read: &'a [u8]) -> Vec<FramedLine<'a>> {
        let mut lines = Vec::new();
        let mut rest = read;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (piece, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            lines.extend(self.complete(piece));
        }
        self.keep(rest);
        lines
    }

    /// Ends the stream. Returns the last line if it has no LF.
    pub fn finish(&mut self) -> Option<FramedLine<'static>> {
        self.complete(&[])
    }

    /// Returns the number of buffered bytes of an unfinished line.
    #[must_use]
    pub fn held(&self) -> usize {
        self.head.len()
    }

    fn complete<'a>(&mut self, piece: &'a [u8]) -> Option<FramedLine<'a>> {
        if self.dropped == 0 && self.head.is_empty() && piece.len() <= self.cap {
            return decode(piece);
        }
        self.keep(piece);
        if self.dropped > 0 {
            let bytes = std::mem::take(&mut self.dropped);
            return Some(FramedLine::TooLong { bytes });
        }
        let whole = std::mem::take(&mut self.head);
        decode(&whole).map(FramedLine::into_owned)
    }

    fn keep(&mut self, piece: &[u8]) {
        if self.dropped > 0 {
            self.dropped += piece.len() as u64;
        } else if self.head.len() + piece.len() > self.cap {
            self.dropped = (self.head.len() + piece.len()) as u64;
            self.head = Vec::new();
        } else {
            self.head.extend_from_slice(piece);
        }
    }
}

impl FramedLine<'_> {
    fn into_owned(self) -> FramedLine<'static> {
        match self {
            FramedLine::Text { text, repaired } => FramedLine::Text {
                text: Cow::Owned(text.into_owned()),
                repaired,
            },
            FramedLine::TooLong { bytes } => FramedLine::TooLong { bytes },
        }
    }
}

fn decode(bytes: &[u8]) -> Option<FramedLine<'_>> {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    // The conversion only allocates if it replaces bytes.
    let repaired = matches!(text, Cow::Owned(_));
    Some(FramedLine::Text { text, repaired })
}
