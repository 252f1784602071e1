//! Writes `transcript_mirror` messages to a store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sluice_wire::stdout::system::{MirrorError, MirrorKey};
use sluice_wire::stdout::{System, TranscriptMirror};
use sluice_wire::{Raw, ToHost};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{SessionKey, SessionStore, StoreError};
use crate::event::Event;
use crate::log::Log;
use crate::message::Message;

/// Entries are written at the end of a turn, or when this many entries or bytes were collected.
const MAX_BATCH_ENTRIES: usize = 500;
const MAX_BATCH_BYTES: usize = 1024 * 1024;

/// The maximum number of bytes queued for a slow store; further entries are dropped, and an error is reported.
const MAX_QUEUED_BYTES: usize = 64 * 1024 * 1024;

/// The timeout of one attempt to write, and the delays before each attempt.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(60);
const ATTEMPT_DELAYS: [Duration; 3] = [Duration::ZERO, Duration::from_millis(200), Duration::from_millis(800)];

/// The queue of a store, and the task that writes to it.
pub(crate) struct Mirror {
    queue: mpsc::UnboundedSender<Queued>,
    queued_bytes: Arc<AtomicUsize>,
    full_reported: bool,
    log: Log,
    task: JoinHandle<()>,
}

enum Queued {
    Line(Arc<Message>),
    /// A turn has ended.
    Flush,
}

impl Mirror {
    pub(crate) fn new(store: Arc<dyn SessionStore>, eager: bool, log: Log) -> Self {
        let (queue, receiver) = mpsc::unbounded_channel();
        let queued_bytes = Arc::new(AtomicUsize::new(0));
        let writer = Writer {
            store,
            log: log.clone(),
            queued_bytes: Arc::clone(&queued_bytes),
            eager,
            batch: Vec::new(),
            entries: 0,
            bytes: 0,
        };
        Self {
            queue,
            queued_bytes,
            full_reported: false,
            log,
            task: tokio::spawn(writer.run(receiver)),
        }
    }

    /// Queues a `transcript_mirror` message. Never blocks.
    pub(crate) fn enqueue(&mut self, message: Arc<Message>) {
        let bytes = message.text().len();
        if self.queued_bytes.load(Ordering::Relaxed) + bytes > MAX_QUEUED_BYTES {
            if !std::mem::replace(&mut self.full_reported, true) {
                report(&self.log, None, "the store is too slow; entries were dropped");
            }
            return;
        }
        self.full_reported = false;
        self.queued_bytes.fetch_add(bytes, Ordering::Relaxed);
        // The receiver only ends with the mirror.
        self.queue.send(Queued::Line(message)).ok();
    }

    /// Writes the collected entries at the end of a turn.
    pub(crate) fn flush(&self) {
        self.queue.send(Queued::Flush).ok();
    }

    /// Waits until all entries were written, or writing them has failed.
    pub(crate) async fn finish(self) {
        drop(self.queue);
        self.task.await.ok();
    }
}

struct Writer {
    store: Arc<dyn SessionStore>,
    log: Log,
    queued_bytes: Arc<AtomicUsize>,
    eager: bool,
    /// Collected entries, in the order in which the transcripts were first written to.
    batch: Vec<(SessionKey, Vec<Raw>)>,
    entries: usize,
    bytes: usize,
}

impl Writer {
    async fn run(mut self, mut queue: mpsc::UnboundedReceiver<Queued>) {
        while let Some(item) = queue.recv().await {
            let flush = match item {
                Queued::Line(message) => {
                    self.collect(&message);
                    self.eager || self.entries >= MAX_BATCH_ENTRIES || self.bytes >= MAX_BATCH_BYTES
                }
                Queued::Flush => true,
            };
            if flush {
                self.write_batch().await;
            }
        }
        self.write_batch().await;
    }

    fn collect(&mut self, message: &Message) {
        self.bytes += message.text().len();
        let Some(ToHost::TranscriptMirror(mirror)) = message.to_host() else {
            report(&self.log, None, "an entry of the transcript is invalid");
            return;
        };
        let TranscriptMirror { file_path, entries, .. } = &**mirror;
        let Some(key) = SessionKey::of_file(file_path.as_ref()) else {
            report(&self.log, None, &format!("{file_path} is not the path of a transcript"));
            return;
        };
        self.entries += entries.len();
        match self.batch.iter_mut().find(|(known, _)| *known == key) {
            Some((_, collected)) => collected.extend_from_slice(entries),
            None => self.batch.push((key, entries.clone())),
        }
    }

    async fn write_batch(&mut self) {
        for (key, entries) in std::mem::take(&mut self.batch) {
            if let Err(error) = append(&*self.store, &key, &entries).await {
                report(&self.log, Some(key), &error.to_string());
            }
        }
        self.queued_bytes
            .fetch_sub(std::mem::take(&mut self.bytes), Ordering::Relaxed);
        self.entries = 0;
    }
}

async fn append(store: &dyn SessionStore, key: &SessionKey, entries: &[Raw]) -> Result<(), StoreError> {
    let mut last = StoreError::from("no attempt was made");
    for delay in ATTEMPT_DELAYS {
        tokio::time::sleep(delay).await;
        match timeout(ATTEMPT_TIMEOUT, store.append(key, entries)).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => last = error,
            Err(_) => last = "the store did not answer in time".into(),
        }
    }
    Err(last)
}

/// Reports a failure in the way of the official hosts: as a message among those of the agent.
fn report(log: &Log, key: Option<SessionKey>, error: &str) {
    let session_id = key.as_ref().map(|key| key.session_id.clone()).unwrap_or_default();
    let error = MirrorError {
        error: error.to_owned(),
        key: key.map(|key| MirrorKey {
            project_key: Some(key.project_key),
            session_id: Some(key.session_id),
            subpath: key.subpath,
            ..MirrorKey::default()
        }),
        uuid: uuid::Uuid::new_v4().to_string(),
        session_id,
        ..MirrorError::default()
    };
    if let Ok(message) = Message::of(ToHost::from(System::from(error))) {
        log.push(Event::Message(Arc::new(message)));
    }
}
