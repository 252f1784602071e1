//! `Store`: the handle every call goes through.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::blobs;
use crate::error::StoreError;
use crate::health::Health;
use crate::opening::{self, Opened};
use crate::options::{Options, Sync};
use crate::thread::{self, Call, Core, Message, Weight};

/// A handle to the thread that owns the database. Cheap to clone. When the last one is gone, or after
/// [`Store::close`], the thread writes what waits, checkpoints and ends.
#[derive(Debug, Clone)]
pub struct Store {
    queue: mpsc::Sender<Message>,
    pub(crate) shared: Arc<Shared>,
}

/// What handles know without asking the thread.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) blobs: std::path::PathBuf,
    pub(crate) health: Arc<Health>,
}

impl Store {
    /// Opens the database file at `path`, or begins one; its folder is made when it is missing. Blocks: it reads the
    /// whole file when the last one who had it open did not close it. The folder `blobs` lies beside the file.
    ///
    /// # Errors
    /// See [`StoreError`]: in use by another process, not writable, newer, no space.
    pub fn open(path: &Path, options: Options) -> Result<(Self, Opened), StoreError> {
        let (file, opened) = opening::open(path, &options)?;
        let (queue, waiting) = mpsc::channel(options.queue.max(1));
        let shared = Arc::new(Shared {
            blobs: file.folder.join("blobs"),
            health: Arc::default(),
        });
        blobs::sweep_unnamed(&shared.blobs);
        let core = Core::new(file, options, &shared);
        thread::start(core, waiting, path)?;
        Ok((Self { queue, shared }, opened))
    }

    /// Writes what waits, checkpoints, marks the file as closed cleanly and lets go of it. Calls after this answer
    /// [`StoreError::Closed`].
    ///
    /// # Errors
    /// When the checkpoint failed; the file is let go of all the same.
    pub async fn close(&self) -> Result<(), StoreError> {
        let (reply, answer) = oneshot::channel();
        if self.queue.send(Message::Close(reply)).await.is_err() {
            return Ok(());
        }
        answer.await.unwrap_or(Ok(()))
    }

    /// Calls that wait now: for metrics.
    pub fn waiting(&self) -> usize {
        self.queue.max_capacity() - self.queue.capacity()
    }

    pub(crate) async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&Core) -> Result<T, StoreError> + Send + 'static,
    {
        self.call(Weight::Read, work).await
    }

    /// The work may be done more than once: when the transaction it shared failed, it is done again by itself.
    pub(crate) async fn write<T, F>(&self, sync: Sync, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&Core) -> Result<T, StoreError> + Send + 'static,
    {
        self.call(Weight::Write(sync), work).await
    }

    async fn call<T, F>(&self, weight: Weight, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&Core) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let call = Call::new(work, reply);
        let message = Message::Work(weight, Box::new(call));
        self.queue.send(message).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}
