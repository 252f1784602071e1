//! The connection to a runner: frames in both directions.

use std::path::{Path, PathBuf};

use sluice_runner::{Decoder, FromRunner, LogReader, Record, ToRunner, registry};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

/// How many batches of frames may wait for the session.
const BATCHES: usize = 4;
/// How many frames may wait for the runner.
const FRAMES: usize = 1024;
/// How much is read at once.
const READ: usize = 16 * 1024;

/// A runner that is reached. Dropping it lets the runner go; the agent is not touched.
#[derive(Debug)]
pub(crate) struct Link {
    frames: mpsc::Receiver<Vec<FromRunner>>,
    out: mpsc::Sender<ToRunner>,
    _reader: AbortOnDropHandle<()>,
    _writer: AbortOnDropHandle<()>,
}

impl Link {
    /// Reaches the runner in `dir` and takes it over.
    ///
    /// # Errors
    /// When nobody listens there.
    pub(crate) async fn connect(dir: &Path, term: u64, from: u64) -> std::io::Result<Self> {
        let dir = dir.to_owned();
        let connected = tokio::task::spawn_blocking(move || sluice_runner::connect(&dir)).await;
        let stream = connected.map_err(std::io::Error::other)??;
        stream.set_nonblocking(true)?;
        let (read, write) = UnixStream::from_std(stream)?.into_split();
        let (batches, frames) = mpsc::channel(BATCHES);
        let (out, lines) = mpsc::channel(FRAMES);
        // Nothing is said before this; a channel that is new has room.
        out.try_send(ToRunner::Hello { term, from }).ok();
        Ok(Self {
            frames,
            out,
            _reader: AbortOnDropHandle::new(tokio::spawn(reading(read, batches))),
            _writer: AbortOnDropHandle::new(tokio::spawn(writing(write, lines))),
        })
    }

    /// What the runner said since the last time; nothing when it is gone.
    pub(crate) async fn next(&mut self) -> Option<Vec<FromRunner>> {
        self.frames.recv().await
    }

    /// Says something. Gives whether it could be.
    pub(crate) fn say(&self, frame: ToRunner) -> bool {
        self.out.try_send(frame).is_ok()
    }
}

async fn reading(mut read: tokio::net::unix::OwnedReadHalf, batches: mpsc::Sender<Vec<FromRunner>>) {
    let mut decoder = Decoder::<FromRunner>::new();
    let mut bytes = vec![0; READ];
    loop {
        let Ok(count) = read.read(&mut bytes).await else { return };
        if count == 0 {
            return;
        }
        decoder.push(bytes.get(..count).unwrap_or_default());
        let mut batch = Vec::new();
        loop {
            match decoder.next() {
                Ok(Some(frame)) => batch.push(frame),
                Ok(None) => break,
                // Nothing after this can be told apart: the runner is reached anew.
                Err(error) => {
                    tracing::warn!(%error, "a runner said something that is no frame");
                    return;
                }
            }
        }
        if !batch.is_empty() && batches.send(batch).await.is_err() {
            return;
        }
    }
}

async fn writing(mut write: tokio::net::unix::OwnedWriteHalf, mut frames: mpsc::Receiver<ToRunner>) {
    let mut bytes = Vec::new();
    while let Some(frame) = frames.recv().await {
        frame.encode(&mut bytes);
        while let Ok(frame) = frames.try_recv() {
            frame.encode(&mut bytes);
        }
        if write.write_all(&bytes).await.is_err() {
            return;
        }
        bytes.clear();
        bytes.shrink_to(READ);
    }
}

/// Whether the runner of this folder lives, and the folder is not a copy.
pub(crate) fn runs(dir: &Path) -> bool {
    registry::read(dir).is_some_and(|registered| registry::is_alive(&registered)) && !registry::is_copy(dir)
}

/// Records a runner that is gone left in its log, read as fast as they are taken.
pub(crate) fn left_behind(dir: PathBuf, from: u64) -> mpsc::Receiver<Record> {
    let (records, left) = mpsc::channel(64);
    tokio::task::spawn_blocking(move || {
        // The processes that it left running are ended first, so that the log has their last output.
        registry::sweep(&dir);
        let Ok(reader) = LogReader::open(&dir) else { return };
        for record in reader.read_from(from) {
            if records.blocking_send(record).is_err() {
                return;
            }
        }
    });
    left
}
