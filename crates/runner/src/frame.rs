//! Frames of the socket: a length, a tag, a payload. Values in, bytes out, and back; no input or output here.

use std::marker::PhantomData;

use crate::record::{self, Record};

/// The longest frame, tag and payload together.
pub const LONGEST: usize = 32 << 20;
/// The longest line that still fits a frame.
pub const LONGEST_LINE: usize = LONGEST - 64;
/// A buffer that grew larger than this for one frame is given back after it.
const KEPT: usize = 256 << 10;

/// What a bridge says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToRunner {
    /// The first thing said: takes the runner over, and asks for the records from a number on.
    Hello { term: u64, from: u64 },
    /// A line for the agent, without its end.
    Write { id: u64, line: Vec<u8> },
    /// The agent's input ends after what was written.
    EndInput,
    /// To the agent's process group.
    Signal(Signal),
    /// Records below this number are kept elsewhere now.
    Trim { below: u64 },
    /// Ends the agent, gently, then not, and the runner after it.
    Shutdown { grace_ms: u64 },
}

/// A signal to the agent's process group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
    Kill,
}

/// What a runner says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromRunner {
    /// The bridge is in force. The log holds the records from `first` to before `next`.
    Welcome {
        term: u64,
        first: u64,
        next: u64,
        agent: AgentStatus,
    },
    /// Another bridge is in force, with this term.
    Refused { term: u64 },
    /// One thing that passed.
    Record(Record),
    /// All records that existed at the hello were sent: those before `next`.
    CaughtUp { next: u64 },
    /// The line is in the log, on the disk, under this number, and on its way to the agent.
    Wrote { id: u64, number: u64 },
    /// The line is not in the log and will not reach the agent.
    NotWritten { id: u64, reason: String },
    /// Another bridge took over, with this term.
    Overtaken { term: u64 },
}

/// How the agent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentStatus {
    /// `started`: in ticks since the machine started.
    Running {
        pid: u32,
        started: u64,
    },
    Exited {
        code: Option<i32>,
        signal: Option<i32>,
    },
}

/// Why bytes are no frame. The connection cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("a frame of {length} bytes is longer than the {limit} allowed")]
    TooLong { length: usize, limit: usize },
    #[error("no frame has the tag {tag}")]
    Unknown { tag: u8 },
    #[error("the payload of a frame with the tag {tag} is malformed")]
    Malformed { tag: u8 },
}

/// A value that passes as a frame.
pub trait Frame: Sized {
    /// Appends the frame.
    fn encode(&self, out: &mut Vec<u8>);
    /// The value of a tag and its payload.
    ///
    /// # Errors
    /// When there is none.
    fn decode(tag: u8, payload: &[u8]) -> Result<Self, FrameError>;
}

/// Cuts frames out of bytes that come in any pieces.
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
    /// A decoder that takes frames up to [`LONGEST`].
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(LONGEST)
    }

    /// A decoder that takes frames up to `limit`.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            start: 0,
            limit,
            of: PhantomData,
        }
    }

    /// Takes longer or shorter frames from now on.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Takes more bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
            if self.bytes.capacity() > KEPT && self.bytes.len() < KEPT {
                self.bytes.shrink_to(KEPT);
            }
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame, if it is there.
    ///
    /// # Errors
    /// When the bytes are no frame; nothing after that can be told apart.
    // Not an iterator: after `None` there may be more.
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
            self.bytes.shrink_to(KEPT);
        }
        Ok(Some(value))
    }
}

/// Appends a frame whose payload `fill` writes.
fn framed(tag: u8, out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&[0, 0, 0, 0, tag]);
    fill(out);
    let length = u32::try_from(out.len() - at - 4).unwrap_or(u32::MAX);
    if let Some(place) = out.get_mut(at..at + 4) {
        place.copy_from_slice(&length.to_le_bytes());
    }
}

/// Takes a payload apart, front to back.
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

    fn small(&mut self) -> Option<i32> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(i32::from_le_bytes(*number))
    }

    /// A number that may be missing.
    fn maybe(&mut self) -> Option<Option<i32>> {
        match self.byte()? {
            0 => Some(None),
            1 => self.small().map(Some),
            _ => None,
        }
    }

    fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

fn put_maybe(number: Option<i32>, out: &mut Vec<u8>) {
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
    /// Appends the frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Hello { term, from } => framed(1, out, |out| put(&[*term, *from], out)),
            Self::Write { id, line } => framed(2, out, |out| {
                put(&[*id], out);
                out.extend_from_slice(line);
            }),
            Self::EndInput => framed(3, out, |_| {}),
            Self::Signal(signal) => framed(4, out, |out| {
                out.push(match signal {
                    Signal::Interrupt => 1,
                    Signal::Terminate => 2,
                    Signal::Kill => 3,
                });
            }),
            Self::Trim { below } => framed(5, out, |out| put(&[*below], out)),
            Self::Shutdown { grace_ms } => framed(6, out, |out| put(&[*grace_ms], out)),
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
        checked(value, tag, 6, &payload)
    }
}

impl FromRunner {
    /// Appends the frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Welcome {
                term,
                first,
                next,
                agent,
            } => framed(1, out, |out| {
                put(&[*term, *first, *next], out);
                match agent {
                    AgentStatus::Running { pid, started } => {
                        out.push(1);
                        put(&[u64::from(*pid), *started], out);
                    }
                    AgentStatus::Exited { code, signal } => {
                        out.push(2);
                        put_maybe(*code, out);
                        put_maybe(*signal, out);
                    }
                }
            }),
            Self::Refused { term } => framed(2, out, |out| put(&[*term], out)),
            Self::Record(record) => record::encode(record.number, record.at, record.kind, &record.body, out),
            Self::CaughtUp { next } => framed(4, out, |out| put(&[*next], out)),
            Self::Wrote { id, number } => framed(5, out, |out| put(&[*id, *number], out)),
            Self::NotWritten { id, reason } => framed(6, out, |out| {
                put(&[*id], out);
                out.extend_from_slice(reason.as_bytes());
            }),
            Self::Overtaken { term } => framed(7, out, |out| put(&[*term], out)),
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
                            code: payload.maybe()?,
                            signal: payload.maybe()?,
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
        checked(value, tag, 7, &payload)
    }
}

/// A value is whole when nothing of its payload is left over.
fn checked<T>(value: Option<T>, tag: u8, tags: u8, left: &Payload<'_>) -> Result<T, FrameError> {
    match value {
        Some(value) if left.0.is_empty() => Ok(value),
        _ if tag == 0 || tag > tags => Err(FrameError::Unknown { tag }),
        _ => Err(FrameError::Malformed { tag }),
    }
}
