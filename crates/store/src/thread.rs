//! The thread that owns the connection. Calls that wait together share one transaction.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::error::StoreError;
use crate::health::Health;
use crate::opening::{File, Lock};
use crate::options::{Options, Sync};
use crate::store::Shared;
use crate::{blobs, mirror, segments};

#[cfg(test)]
mod tests;

/// Batches after which something nobody waits for gets its turn all the same.
const PATIENCE: u32 = 64;

/// Calls that share one transaction at most: bounds how long the first of them waits.
const BATCH: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Read,
    Write(Sync),
}

pub(crate) enum Message {
    Work(Weight, Box<dyn Job>),
    Close(oneshot::Sender<Result<(), StoreError>>),
}

/// One call: done, perhaps again, and answered once it is committed.
pub(crate) trait Job: Send {
    /// The error if it failed: then nothing of it may stay.
    fn perform(&mut self, core: &Core) -> Result<(), StoreError>;
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

pub(crate) struct Call<T, F> {
    work: F,
    done: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Call<T, F> {
    pub(crate) fn new(work: F, reply: oneshot::Sender<Result<T, StoreError>>) -> Self {
        let done = None;
        Self { work, done, reply }
    }
}

impl<T, F> Job for Call<T, F>
where
    T: Send,
    F: Fn(&Core) -> Result<T, StoreError> + Send,
{
    fn perform(&mut self, core: &Core) -> Result<(), StoreError> {
        let done = (self.work)(core).map_err(|error| error.about(&core.path));
        let outcome = done.as_ref().map(|_| ()).map_err(Clone::clone);
        self.done = Some(done);
        outcome
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let Self { work, done, reply } = *self;
        // What the work held is gone by the time the caller goes on.
        drop(work);
        // Its own error says more than that of the transaction.
        let answer = match (committed, done) {
            (Err(error), None | Some(Ok(_))) => Err(error),
            (_, done) => done.unwrap_or(Err(StoreError::Closed)),
        };
        // The caller may have gone: the work stays done.
        drop(reply.send(answer));
    }
}

/// What the work of a call may use.
pub(crate) struct Core {
    pub(crate) connection: Connection,
    pub(crate) options: Options,
    pub(crate) blobs: PathBuf,
    pub(crate) path: PathBuf,
    lock: Lock,
    synchronous: Cell<Option<Sync>>,
    after: RefCell<After>,
    /// Sessions whose rows exceed the cap.
    crowded: RefCell<BTreeSet<i64>>,
    damaged: Cell<bool>,
    health: Arc<Health>,
    pub(crate) receipts_put: Cell<u64>,
    /// Transactions committed, and the calls that were in them.
    pub(crate) commits: Cell<u64>,
    pub(crate) writes: Cell<u64>,
}

/// What is done once the transaction is committed, and forgotten when it is not.
#[derive(Default)]
struct After {
    unlink: Vec<String>,
    crowded: Vec<i64>,
}

impl Core {
    pub(crate) fn new(file: File, options: Options, shared: &Shared) -> Self {
        Self {
            connection: file.connection,
            options,
            blobs: shared.blobs.clone(),
            path: file.path,
            lock: file.lock,
            synchronous: Cell::new(None),
            after: RefCell::default(),
            crowded: RefCell::default(),
            damaged: Cell::new(false),
            health: Arc::clone(&shared.health),
            receipts_put: Cell::new(0),
            commits: Cell::new(0),
            writes: Cell::new(0),
        }
    }

    /// The file of a blob without a row goes after the commit.
    pub(crate) fn unlink(&self, hash: String) {
        self.after.borrow_mut().unlink.push(hash);
    }

    pub(crate) fn is_crowded(&self, session: i64) {
        self.after.borrow_mut().crowded.push(session);
    }
}

/// Starts the thread. It ends when every handle is gone, or at [`Message::Close`].
pub(crate) fn start(core: Core, mut waiting: mpsc::Receiver<Message>, path: &Path) -> Result<(), StoreError> {
    let run = move || {
        let asked = core.serve(&mut waiting);
        waiting.close();
        let outcome = core.finish();
        if let Some(reply) = asked {
            drop(reply.send(outcome));
        }
    };
    let thread = std::thread::Builder::new().name("sluice-store".to_owned()).spawn(run);
    thread.map(drop).map_err(|error| StoreError::io(path, &error))
}

impl Core {
    /// Works until it is told to close: then the one to tell when that is done.
    fn serve(&self, waiting: &mut mpsc::Receiver<Message>) -> Option<oneshot::Sender<Result<(), StoreError>>> {
        let (mut closing, mut batches) = (None, 0);
        while closing.is_none() {
            let crowded = self.crowded.borrow().first().copied();
            let first = match (crowded, waiting.is_empty() || batches >= PATIENCE) {
                // Nobody waits for this: it is done in small steps, between calls.
                (Some(session), true) => {
                    self.compact(session);
                    batches = 0;
                    continue;
                }
                _ => waiting.blocking_recv()?,
            };
            batches += 1;
            let (mut writes, mut reads, mut sync) = (Vec::new(), Vec::new(), Sync::Normal);
            let mut next = Some(first);
            while let Some(message) = next {
                match message {
                    Message::Work(Weight::Read, job) => reads.push(job),
                    Message::Work(Weight::Write(wanted), job) => {
                        sync = sync.max(wanted);
                        writes.push(job);
                    }
                    Message::Close(reply) => {
                        closing = Some(reply);
                        break;
                    }
                }
                let room = writes.len() + reads.len() < BATCH;
                next = room.then(|| waiting.try_recv().ok()).flatten();
            }
            // Writers first: what they wait for is short, and readers then see it.
            self.commit_together(writes, sync);
            for mut job in reads {
                let done = job.perform(self);
                self.note(&done);
                job.answer(Ok(()));
            }
        }
        closing
    }

    /// All in one transaction; when that fails, each in its own.
    fn commit_together(&self, mut jobs: Vec<Box<dyn Job>>, sync: Sync) {
        if jobs.is_empty() {
            return;
        }
        match self.attempt(&mut jobs, sync) {
            Err(_) if jobs.len() > 1 => {
                for job in jobs {
                    let mut alone = vec![job];
                    let outcome = self.attempt(&mut alone, sync);
                    alone.into_iter().for_each(|job| job.answer(outcome.clone()));
                }
            }
            outcome => jobs.into_iter().for_each(|job| job.answer(outcome.clone())),
        }
    }

    /// One transaction. A job that fails leaves nothing behind and takes no other with it; an error here is one of
    /// the whole transaction.
    fn attempt(&self, jobs: &mut [Box<dyn Job>], sync: Sync) -> Result<(), StoreError> {
        let began = Instant::now();
        let outcome = self.transaction(jobs, sync).map_err(|error| error.about(&self.path));
        self.note(&outcome);
        let after = self.after.take();
        if outcome.is_ok() {
            self.health.committed(began.elapsed());
            self.commits.set(self.commits.get() + 1);
            self.writes.set(self.writes.get() + jobs.len() as u64);
            // Without the copy the change is still in the database.
            if let Err(error) = mirror::copy_changes(&self.connection) {
                self.health.failed(&error);
            }
            self.follow_up(after);
        } else if !self.connection.is_autocommit() {
            drop(self.connection.execute_batch("ROLLBACK"));
        }
        outcome
    }

    fn transaction(&self, jobs: &mut [Box<dyn Job>], sync: Sync) -> Result<(), StoreError> {
        self.be_as_sure_as(sync)?;
        // As BEGIN IMMEDIATE, for the database alone: that would lock the second file too.
        self.connection
            .execute_batch("BEGIN; DELETE FROM main.meta WHERE FALSE")?;
        for job in jobs.iter_mut() {
            self.connection.execute_batch("SAVEPOINT one")?;
            let done = job.perform(self);
            self.note(&done);
            match done {
                Ok(()) => self.connection.execute_batch("RELEASE one")?,
                // SQLite gave up the whole transaction: the others have to be done again.
                Err(error) if self.connection.is_autocommit() => return Err(error),
                Err(_) => self.connection.execute_batch("ROLLBACK TO one; RELEASE one")?,
            }
        }
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    fn be_as_sure_as(&self, sync: Sync) -> Result<(), StoreError> {
        if self.synchronous.get() != Some(sync) {
            self.connection.execute_batch(match sync {
                Sync::Normal => "PRAGMA synchronous = NORMAL",
                Sync::Full => "PRAGMA synchronous = FULL",
            })?;
            self.synchronous.set(Some(sync));
        }
        Ok(())
    }

    fn follow_up(&self, after: After) {
        self.crowded.borrow_mut().extend(after.crowded);
        for hash in after.unlink {
            blobs::unlink(self, &hash);
        }
    }

    /// Moves one segment's worth of a session's oldest rows.
    fn compact(&self, session: i64) {
        let moved = self.be_as_sure_as(Sync::Normal).and_then(|()| {
            let transaction = self.connection.unchecked_transaction()?;
            let more = segments::move_oldest(self, session)?;
            transaction.commit()?;
            Ok(more)
        });
        self.note(&moved);
        // After a failure it is tried again when the session grows again.
        if !matches!(moved, Ok(true)) {
            self.crowded.borrow_mut().remove(&session);
        }
    }

    /// Damage found now is looked for when the file is opened next.
    fn note<T>(&self, outcome: &Result<T, StoreError>) {
        if let Err(error) = outcome {
            self.health.failed(error);
        }
        if matches!(outcome, Err(StoreError::Damaged { .. })) {
            self.damaged.set(true);
        }
    }

    fn finish(self) -> Result<(), StoreError> {
        let checkpoint = self
            .connection
            .execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)");
        let closed = self.connection.close().map_err(|(_, error)| error);
        let outcome = checkpoint
            .and(closed)
            .map_err(|error| StoreError::from(error).about(&self.path));
        // Otherwise the next start checks all of the file.
        if outcome.is_ok() && !self.damaged.get() {
            self.lock.close()?;
        }
        outcome
    }
}
