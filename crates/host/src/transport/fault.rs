//! A transport for tests that injects faults, chosen by a seed.

use std::sync::Arc;
use std::time::Duration;

use sluice_wire::{FramedLine, Framer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;

use super::{BoxFuture, ByteSink, ByteSource, FromAgent, IntoAgent, Link, Start, Transport};
use crate::error::Error;

/// The faults to inject, with their probabilities per line (0.0 to 1.0).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Faults {
    /// The same seed gives the same faults for the same lines.
    pub seed: u64,
    /// A line arrives in pieces.
    pub split: f64,
    /// A line arrives in one read with the next one.
    pub merge: f64,
    /// A line is delayed.
    pub delay: f64,
    /// The maximum delay.
    pub delay_max: Duration,
    /// A line is lost.
    pub drop: f64,
    /// A line is duplicated.
    pub duplicate: f64,
    /// After this number of lines nothing arrives anymore, without an error.
    pub half_open_after: Option<u64>,
    /// Whether messages of the host are affected too.
    pub both_ways: bool,
}

impl Faults {
    /// Returns no faults, with this seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self {
            seed,
            split: 0.0,
            merge: 0.0,
            delay: 0.0,
            delay_max: Duration::from_millis(50),
            drop: 0.0,
            duplicate: 0.0,
            half_open_after: None,
            both_ways: false,
        }
    }
}

/// A transport with faults injected.
#[derive(Debug)]
pub struct FaultTransport<T> {
    inner: T,
    faults: Faults,
}

impl<T: Transport> FaultTransport<T> {
    /// Adds faults to a transport.
    pub fn new(inner: T, faults: Faults) -> Self {
        Self { inner, faults }
    }
}

impl<T: Transport> Transport for FaultTransport<T> {
    fn connect(&self, start: Start) -> BoxFuture<'_, Result<Link, Error>> {
        Box::pin(async move {
            let link = self.inner.connect(start).await?;
            let faults = self.faults;
            let (near, far) = tokio::io::duplex(64 * 1024);
            tokio::spawn(pump(Lines::of(link.from_agent), near, faults));
            let into_agent = if faults.both_ways {
                let (near, far) = tokio::io::duplex(64 * 1024);
                let other = Faults {
                    seed: faults.seed.wrapping_add(1),
                    ..faults
                };
                tokio::spawn(pump(Lines::bytes(near), Sink::of(link.into_agent), other));
                IntoAgent::Bytes(ByteSink(Box::new(far)))
            } else {
                link.into_agent
            };
            Ok(Link {
                from_agent: FromAgent::Bytes(ByteSource(Box::new(far))),
                into_agent,
                stderr: link.stderr,
                process: link.process,
                outlives: link.outlives,
            })
        })
    }
}

/// A reader of lines from any source.
struct Lines {
    from: From,
    framer: Framer,
    ready: std::collections::VecDeque<Arc<str>>,
}

enum From {
    Bytes(Box<dyn AsyncRead + Send + Unpin>),
    Other(FromAgent),
}

impl Lines {
    fn of(from: FromAgent) -> Self {
        match from {
            FromAgent::Bytes(bytes) => Self::new(From::Bytes(bytes.0)),
            other => Self::new(From::Other(other)),
        }
    }

    fn bytes(bytes: impl AsyncRead + Send + Unpin + 'static) -> Self {
        Self::new(From::Bytes(Box::new(bytes)))
    }

    fn new(from: From) -> Self {
        Self {
            from,
            framer: Framer::new(),
            ready: std::collections::VecDeque::new(),
        }
    }

    async fn next(&mut self) -> Option<Arc<str>> {
        loop {
            if let Some(line) = self.ready.pop_front() {
                return Some(line);
            }
            match &mut self.from {
                From::Other(FromAgent::Lines(lines)) => return lines.recv().await,
                From::Other(FromAgent::Values(values)) => return values.recv().await.map(|it| it.to_line().into()),
                From::Other(FromAgent::Bytes(_)) => return None,
                From::Bytes(bytes) => {
                    let mut read = vec![0; 16 * 1024];
                    let count = bytes.read(&mut read).await.unwrap_or(0);
                    if count == 0 {
                        return None;
                    }
                    let lines = self.framer.push(read.get(..count).unwrap_or_default());
                    self.ready
                        .extend(lines.iter().filter_map(FramedLine::text).map(Arc::<str>::from));
                }
            }
        }
    }
}

/// A sink that accepts bytes and converts them to lines if necessary.
enum Sink {
    Bytes(Box<dyn AsyncWrite + Send + Unpin>),
    Lines(mpsc::Sender<String>, Framer),
    Values(mpsc::Sender<sluice_wire::ToAgent>, Framer),
}

impl Sink {
    fn of(into: IntoAgent) -> Self {
        match into {
            IntoAgent::Bytes(bytes) => Self::Bytes(bytes.0),
            IntoAgent::Lines(lines) => Self::Lines(lines, Framer::new()),
            IntoAgent::Values(values) => Self::Values(values, Framer::new()),
        }
    }
}

trait Put: Send {
    fn put(&mut self, bytes: &[u8]) -> impl Future<Output = bool> + Send;
}

impl Put for tokio::io::DuplexStream {
    async fn put(&mut self, bytes: &[u8]) -> bool {
        self.write_all(bytes).await.is_ok()
    }
}

impl Put for Sink {
    async fn put(&mut self, bytes: &[u8]) -> bool {
        match self {
            Self::Bytes(sink) => sink.write_all(bytes).await.is_ok() && sink.flush().await.is_ok(),
            Self::Lines(lines, framer) => {
                let texts: Vec<String> = texts(framer, bytes);
                for text in texts {
                    if lines.send(text).await.is_err() {
                        return false;
                    }
                }
                true
            }
            Self::Values(values, framer) => {
                for text in texts(framer, bytes) {
                    let read = sluice_wire::Frame::parse(&text).and_then(|frame| frame.to_agent());
                    let Ok(message) = read else { continue };
                    if values.send(message).await.is_err() {
                        return false;
                    }
                }
                true
            }
        }
    }
}

fn texts(framer: &mut Framer, bytes: &[u8]) -> Vec<String> {
    let lines = framer.push(bytes);
    lines.iter().filter_map(FramedLine::text).map(str::to_owned).collect()
}

/// Copies lines from one side to the other with faults.
async fn pump(mut lines: Lines, mut sink: impl Put, faults: Faults) {
    let mut random = Random(faults.seed);
    let mut seen = 0_u64;
    let mut pending: Vec<u8> = Vec::new();
    loop {
        let line = if pending.is_empty() {
            lines.next().await
        } else {
            // A line that is held back for merging is sent after a short time without another line.
            match tokio::time::timeout(Duration::from_millis(5), lines.next()).await {
                Ok(line) => line,
                Err(_) => {
                    if !sink.put(&std::mem::take(&mut pending)).await {
                        return;
                    }
                    continue;
                }
            }
        };
        let Some(line) = line else { break };
        seen += 1;
        if faults.half_open_after.is_some_and(|after| seen > after) {
            // Lines are consumed and not forwarded: the other side sees neither data nor the end of the connection.
            while lines.next().await.is_some() {}
            std::future::pending::<()>().await;
        }
        if random.chance(faults.drop) {
            continue;
        }
        let times = if random.chance(faults.duplicate) { 2 } else { 1 };
        for _ in 0..times {
            pending.extend_from_slice(line.as_bytes());
            pending.push(b'\n');
        }
        if random.chance(faults.delay) {
            tokio::time::sleep(faults.delay_max.mul_f64(random.fraction())).await;
        }
        if random.chance(faults.merge) {
            continue;
        }
        let batch = std::mem::take(&mut pending);
        let written = if random.chance(faults.split) {
            put_in_pieces(&mut sink, &batch, &mut random).await
        } else {
            sink.put(&batch).await
        };
        if !written {
            return;
        }
    }
    // The connection ends anyway, so errors are ignored.
    sink.put(&pending).await;
}

async fn put_in_pieces(sink: &mut impl Put, mut rest: &[u8], random: &mut Random) -> bool {
    while !rest.is_empty() {
        let size = 1 + random.below(rest.len());
        let (piece, after) = rest.split_at(size.min(rest.len()));
        rest = after;
        if !sink.put(piece).await {
            return false;
        }
        tokio::task::yield_now().await;
    }
    true
}

/// The Splitmix64 generator, which gives the same numbers on every platform.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number between 0 and 1.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.fraction() < probability
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or_default()
    }
}
