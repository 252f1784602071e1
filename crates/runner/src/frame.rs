//! Frames of the socket: length, tag, payload. Pure encoding and decoding; no I/O.

use std::marker::PhantomData;

use crate::record::{self, Record};

/// The maximum length of a frame in bytes, tag and payload together.
pub const MAX_FRAME: usize = 32 << 20;
/// The maximum length in bytes of a line that fits into a frame.
pub const MAX_LINE: usize = MAX_FRAME - 64;
/// Capacity in bytes to which the decoder's buffer is shrunk after a larger frame.
const BUFFER_CAPACITY: usize = 256 << 10;

/// A frame from a bridge to the runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToRunner {
    /// The first frame of a connection: takes over the runner and requests the records from number `from` on.
    Hello { term: u64, from: u64 },
    /// A line for the agent, without its line end.
    Write { id: u64, line: Vec<u8> },
    /// Closes the agent's standard input after the lines written so far.
    EndInput,
    /// Sends a signal to the agent's process group.
    Signal(Signal),
    /// Records below this number are stored elsewhere and may be deleted from the log.
    Trim { below: u64 },
    /// Ends the agent and then the runner: closes the input of the agent, sends `SIGTERM` after half of `grace_ms`
    /// milliseconds, and `SIGKILL` after all of them.
    Shutdown { grace_ms: u64 },
}

/// A signal to the agent's process group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
    Kill,
}

/// A frame from the runner to a bridge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromRunner {
    /// The connection is the active one. The log contains the records from `first` up to, but not including, `next`.
    Welcome {
        term: u64,
        first: u64,
        next: u64,
        agent: AgentStatus,
    },
    /// The hello was refused: a bridge with this term, which is not lower, is or was active.
    Refused { term: u64 },
    /// A record of the log.
    Record(Record),
    /// All records that existed when the hello arrived (those before `next`) were sent.
    CaughtUp { next: u64 },
    /// The line is in the log and synced to disk under this number; it will be written to the agent next.
    Wrote { id: u64, number: u64 },
    /// The line is not in the log and will not reach the agent.
    NotWritten { id: u64, reason: String },
    /// Another bridge with this higher term took over.
    Overtaken { term: u64 },
}

/// Whether the agent is running, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentStatus {
    /// `started` is the start time in clock ticks since boot.
    Running {
        pid: u32,
        started: u64,
    },
    Exited {
        code: Option<i32>,
        signal: Option<i32>,
    },
}

/// Why bytes could not be decoded. The connection is unusable afterwards.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("a frame of {length} bytes is longer than the {limit} allowed")]
    TooLong { length: usize, limit: usize },
    #[error("no frame has the tag {tag}")]
    Unknown { tag: u8 },
    #[error("the payload of a frame with the tag {tag} is malformed")]
    Malformed { tag: u8 },
}

/// A value with an encoding as a frame.
pub trait Frame: Sized {
    /// Appends the encoded frame.
    fn encode(&self, out: &mut Vec<u8>);
    /// Decodes a frame from its tag and payload.
    ///
    /// # Errors
    /// Returns an error if the tag is unknown or the payload is malformed.
    fn decode(tag: u8, payload: &[u8]) -> Result<Self, FrameError>;
}

/// Splits a byte stream into frames, regardless of how the bytes are chunked.
#[derive(Debug)]
pub struct Decoder<T> {
    bytes: Vec<u8>,
    start: usize,
    limit: usize,
    of: PhantomData<fn() -> T>,
}

impl<T: Frame> Default for Decoder<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Frame> Decoder<T> {
    /// Creates a decoder for frames of up to [`MAX_FRAME`] bytes.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(MAX_FRAME)
    }

    /// Creates a decoder for frames of up to `limit` bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            start: 0,
            limit,
            of: PhantomData,
        }
    }

    /// Changes the maximum frame length for the following frames.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Appends received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
            if self.bytes.capacity() > BUFFER_CAPACITY && self.bytes.len() < BUFFER_CAPACITY {
                self.bytes.shrink_to(BUFFER_CAPACITY);
            }
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next complete frame, or `None` if more bytes are needed.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a valid frame; the stream cannot be decoded beyond that point.
    // Not an iterator: `None` may be followed by more frames once more bytes arrive.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<T>, FrameError> {
        let waiting = self.bytes.get(self.start..).unwrap_or_default();
        let Some((length, rest)) = waiting.split_first_chunk::<4>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length > self.limit {
            return Err(FrameError::TooLong {
                length,
                limit: self.limit,
            });
        }
        let Some((tag, payload)) = (match rest.get(..length) {
            Some(frame) => frame.split_first(),
            None => return Ok(None),
        }) else {
            return Err(FrameError::Malformed { tag: 0 });
        };
        let value = T::decode(*tag, payload)?;
        self.start += 4 + length;
        if self.start == self.bytes.len() {
            self.bytes.clear();
            self.start = 0;
            self.bytes.shrink_to(BUFFER_CAPACITY);
        }
        Ok(Some(value))
    }
}

/// Appends a frame whose payload is written by `fill`.
fn put_frame(tag: u8, out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&[0, 0, 0, 0, tag]);
    fill(out);
    let length = u32::try_from(out.len() - at - 4).unwrap_or(u32::MAX);
    if let Some(place) = out.get_mut(at..at + 4) {
        place.copy_from_slice(&length.to_le_bytes());
    }
}

/// Reads the fields of a payload front to back.
struct Payload<'a>(&'a [u8]);

impl<'a> Payload<'a> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn int32(&mut self) -> Option<i32> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(i32::from_le_bytes(*number))
    }

    /// Reads an optional number.
    fn optional_int32(&mut self) -> Option<Option<i32>> {
        match self.byte()? {
            0 => Some(None),
            1 => self.int32().map(Some),
            _ => None,
        }
    }

    fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

fn put_optional(number: Option<i32>, out: &mut Vec<u8>) {
    out.push(u8::from(number.is_some()));
    if let Some(number) = number {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

fn put(numbers: &[u64], out: &mut Vec<u8>) {
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

impl ToRunner {
    /// Appends the encoded frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Hello { term, from } => put_frame(1, out, |out| put(&[*term, *from], out)),
            Self::Write { id, line } => put_frame(2, out, |out| {
                put(&[*id], out);
                out.extend_from_slice(line);
            }),
            Self::EndInput => put_frame(3, out, |_| {}),
            Self::Signal(signal) => put_frame(4, out, |out| {
                out.push(match signal {
                    Signal::Interrupt => 1,
                    Signal::Terminate => 2,
                    Signal::Kill => 3,
                });
            }),
            Self::Trim { below } => put_frame(5, out, |out| put(&[*below], out)),
            Self::Shutdown { grace_ms } => put_frame(6, out, |out| put(&[*grace_ms], out)),
        }
    }
}

impl Frame for ToRunner {
    fn encode(&self, out: &mut Vec<u8>) {
        Self::encode(self, out);
    }

    fn decode(tag: u8, payload: &[u8]) -> Result<Self, FrameError> {
        let mut payload = Payload(payload);
        let value = (|| {
            Some(match tag {
                1 => Self::Hello {
                    term: payload.number()?,
                    from: payload.number()?,
                },
                2 => Self::Write {
                    id: payload.number()?,
                    line: payload.rest().to_vec(),
                },
                3 => Self::EndInput,
                4 => Self::Signal(match payload.byte()? {
                    1 => Signal::Interrupt,
                    2 => Signal::Terminate,
                    3 => Signal::Kill,
                    _ => return None,
                }),
                5 => Self::Trim {
                    below: payload.number()?,
                },
                6 => Self::Shutdown {
                    grace_ms: payload.number()?,
                },
                _ => return None,
            })
        })();
        finish_decode(value, tag, 6, &payload)
    }
}

impl FromRunner {
    /// Appends the encoded frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Welcome {
                term,
                first,
                next,
                agent,
            } => put_frame(1, out, |out| {
                put(&[*term, *first, *next], out);
                match agent {
                    AgentStatus::Running { pid, started } => {
                        out.push(1);
                        put(&[u64::from(*pid), *started], out);
                    }
                    AgentStatus::Exited { code, signal } => {
                        out.push(2);
                        put_optional(*code, out);
                        put_optional(*signal, out);
                    }
                }
            }),
            Self::Refused { term } => put_frame(2, out, |out| put(&[*term], out)),
            Self::Record(record) => record::encode(record.number, record.at, record.kind, &record.body, out),
            Self::CaughtUp { next } => put_frame(4, out, |out| put(&[*next], out)),
            Self::Wrote { id, number } => put_frame(5, out, |out| put(&[*id, *number], out)),
            Self::NotWritten { id, reason } => put_frame(6, out, |out| {
                put(&[*id], out);
                out.extend_from_slice(reason.as_bytes());
            }),
            Self::Overtaken { term } => put_frame(7, out, |out| put(&[*term], out)),
        }
    }
}

impl Frame for FromRunner {
    fn encode(&self, out: &mut Vec<u8>) {
        Self::encode(self, out);
    }

    fn decode(tag: u8, payload: &[u8]) -> Result<Self, FrameError> {
        let mut payload = Payload(payload);
        let value = (|| {
            Some(match tag {
                1 => Self::Welcome {
                    term: payload.number()?,
                    first: payload.number()?,
                    next: payload.number()?,
                    agent: match payload.byte()? {
                        1 => AgentStatus::Running {
                            pid: u32::try_from(payload.number()?).ok()?,
                            started: payload.number()?,
                        },
                        2 => AgentStatus::Exited {
                            code: payload.optional_int32()?,
                            signal: payload.optional_int32()?,
                        },
                        _ => return None,
                    },
                },
                2 => Self::Refused {
                    term: payload.number()?,
                },
                record::TAG => Self::Record(record::decode(payload.rest())?),
                4 => Self::CaughtUp {
                    next: payload.number()?,
                },
                5 => Self::Wrote {
                    id: payload.number()?,
                    number: payload.number()?,
                },
                6 => Self::NotWritten {
                    id: payload.number()?,
                    reason: String::from_utf8_lossy(payload.rest()).into_owned(),
                },
                7 => Self::Overtaken {
                    term: payload.number()?,
                },
                _ => return None,
            })
        })();
        finish_decode(value, tag, 7, &payload)
    }
}

/// Checks that the payload was consumed completely.
fn finish_decode<T>(value: Option<T>, tag: u8, tags: u8, left: &Payload<'_>) -> Result<T, FrameError> {
    match value {
        Some(value) if left.0.is_empty() => Ok(value),
        _ if tag == 0 || tag > tags => Err(FrameError::Unknown { tag }),
        _ => Err(FrameError::Malformed { tag }),
    }
}
