//! `transcript_mirror` messages on their way to a store.

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

/// How much is gathered before it goes to the store: until the turn ends, or there is this much.
const ENTRIES: usize = 500;
const BYTES: usize = 1024 * 1024;

/// How much may wait for a store that is slow; what comes on top is lost, and that is told.
const WAITING: usize = 64 * 1024 * 1024;

/// How long one attempt may take, and how long it rests before the others.
const ATTEMPT: Duration = Duration::from_secs(60);
const RESTS: [Duration; 3] = [Duration::ZERO, Duration::from_millis(200), Duration::from_millis(800)];

/// The way to a store, and the task that goes it.
pub(crate) struct Mirror {
    says: mpsc::UnboundedSender<Said>,
    waiting: Arc<AtomicUsize>,
    told_full: bool,
    log: Log,
    task: JoinHandle<()>,
}

enum Said {
    Line(Arc<Message>),
    /// A turn has ended.
    Flush,
}

impl Mirror {
    pub(crate) fn new(store: Arc<dyn SessionStore>, eager: bool, log: Log) -> Self {
        let (says, said) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let keeper = Keeper {
            store,
            log: log.clone(),
            waiting: Arc::clone(&waiting),
            eager,
            batch: Vec::new(),
            entries: 0,
            bytes: 0,
        };
        Self {
            says,
            waiting,
            told_full: false,
            log,
            task: tokio::spawn(keeper.run(said)),
        }
    }

    /// Takes a `transcript_mirror`. Never waits.
    pub(crate) fn take(&mut self, message: Arc<Message>) {
        let bytes = message.text().len();
        if self.waiting.load(Ordering::Relaxed) + bytes > WAITING {
            if !std::mem::replace(&mut self.told_full, true) {
                tell(&self.log, None, "the store is too slow; entries are lost");
            }
            return;
        }
        self.told_full = false;
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
        // It ends only with the mirror.
        self.says.send(Said::Line(message)).ok();
    }

    /// A turn has ended: what was gathered goes to the store.
    pub(crate) fn flush(&self) {
        self.says.send(Said::Flush).ok();
    }

    /// Waits until everything is kept, or known not to be.
    pub(crate) async fn finish(self) {
        drop(self.says);
        self.task.await.ok();
    }
}

struct Keeper {
    store: Arc<dyn SessionStore>,
    log: Log,
    waiting: Arc<AtomicUsize>,
    eager: bool,
    /// In the order in which the transcripts were first written to.
    batch: Vec<(SessionKey, Vec<Raw>)>,
    entries: usize,
    bytes: usize,
}

impl Keeper {
    async fn run(mut self, mut said: mpsc::UnboundedReceiver<Said>) {
        while let Some(said) = said.recv().await {
            let flush = match said {
                Said::Line(message) => {
                    self.gather(&message);
                    self.eager || self.entries >= ENTRIES || self.bytes >= BYTES
                }
                Said::Flush => true,
            };
            if flush {
                self.keep().await;
            }
        }
        self.keep().await;
    }

    fn gather(&mut self, message: &Message) {
        self.bytes += message.text().len();
        let Some(ToHost::TranscriptMirror(mirror)) = message.to_host() else {
            tell(&self.log, None, "an entry of the transcript cannot be read");
            return;
        };
        let TranscriptMirror { file_path, entries, .. } = &**mirror;
        let Some(key) = SessionKey::of_file(file_path.as_ref()) else {
            tell(&self.log, None, &format!("{file_path} is not where transcripts are"));
            return;
        };
        self.entries += entries.len();
        match self.batch.iter_mut().find(|(known, _)| *known == key) {
            Some((_, kept)) => kept.extend_from_slice(entries),
            None => self.batch.push((key, entries.clone())),
        }
    }

    async fn keep(&mut self) {
        for (key, entries) in std::mem::take(&mut self.batch) {
            if let Err(error) = append(&*self.store, &key, &entries).await {
                tell(&self.log, Some(key), &error.to_string());
            }
        }
        self.waiting
            .fetch_sub(std::mem::take(&mut self.bytes), Ordering::Relaxed);
        self.entries = 0;
    }
}

async fn append(store: &dyn SessionStore, key: &SessionKey, entries: &[Raw]) -> Result<(), StoreError> {
    let mut last = StoreError::from("nothing was tried");
    for rest in RESTS {
        tokio::time::sleep(rest).await;
        match timeout(ATTEMPT, store.append(key, entries)).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => last = error,
            Err(_) => last = "the store did not answer in time".into(),
        }
    }
    Err(last)
}

/// Says what was not kept, as the official hosts do: with a message among those of the agent.
fn tell(log: &Log, key: Option<SessionKey>, error: &str) {
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
