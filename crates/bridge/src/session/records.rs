//! Records of a session: numbered once, kept in memory while they are young, stored in order.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sluice_store::{NewRecord, Store, StoreError};

use crate::api::LineCursor;

/// How much may wait to be stored before the agent is no longer read.
const WAITING_BYTES: usize = 32 * 1024 * 1024;

/// What a row of the store is.
pub(crate) mod kind {
    /// A line of the agent.
    pub(crate) const SAID: u8 = 1;
    /// A line to the agent.
    pub(crate) const WROTE: u8 = 2;
    /// News of its process.
    pub(crate) const PROCESS: u8 = 3;
    /// A record of the bridge's own.
    pub(crate) const OWN: u8 = 4;
    /// A line of the agent that is no message, as a JSON string.
    pub(crate) const GARBLED: u8 = 5;
}

/// Where the runner's log was read up to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// The last number of which everything is in the records.
    pub(crate) committed: i64,
    /// The last number before which nothing was being written: where to read from to know what is.
    pub(crate) safe: i64,
}

/// The records of one session.
pub(crate) struct Records {
    session: String,
    epoch: i64,
    last_n: i64,
    last_seq: i64,
    waiting: Vec<NewRecord>,
    waiting_bytes: usize,
    position: Position,
    stored_position: Position,
    storing: Option<BoxFuture<'static, Result<i64, StoreError>>>,
    /// What is being stored, in case it has to be tried again.
    in_flight: (Vec<NewRecord>, Position),
}

/// A new record.
#[derive(Debug, Clone, Default)]
pub(crate) struct New {
    pub(crate) at: i64,
    pub(crate) kind: u8,
    pub(crate) turn: Option<i64>,
    pub(crate) body: String,
    /// Whether screens are shown it.
    pub(crate) shown: bool,
    /// What search shall find.
    pub(crate) text: Option<String>,
    pub(crate) role: Option<&'static str>,
}

impl Records {
    pub(crate) fn new(session: &str, epoch: i64, last_n: i64, last_seq: i64, position: Position) -> Self {
        Self {
            session: session.to_owned(),
            epoch,
            last_n,
            last_seq,
            waiting: Vec::new(),
            waiting_bytes: 0,
            position,
            stored_position: position,
            storing: None,
            in_flight: (Vec::new(), position),
        }
    }

    pub(crate) fn cursor(&self) -> LineCursor {
        LineCursor {
            epoch: self.epoch,
            seq: self.last_seq,
        }
    }

    pub(crate) fn position(&self) -> Position {
        self.position
    }

    /// The number up to which the runner's log is no longer needed.
    pub(crate) fn stored(&self) -> i64 {
        self.stored_position.safe.min(self.stored_position.committed)
    }

    /// Everything of the runner's log up to here is in the records.
    pub(crate) fn read_up_to(&mut self, position: Position) {
        self.position = position;
    }

    /// No message of which only parts were received is being written: the log need not be read again from its start.
    pub(crate) fn nothing_is_written(&mut self) {
        self.position.safe = self.position.committed;
    }

    /// Keeps a record, and gives its number if it is shown.
    pub(crate) fn add(&mut self, new: New) -> Option<i64> {
        let seq = new.shown.then(|| {
            self.last_seq += 1;
            self.last_seq
        });
        self.waiting_bytes += new.body.len();
        self.waiting.push(NewRecord {
            seq,
            at: new.at,
            kind: new.kind,
            turn: new.turn,
            body: new.body,
            text: new.text,
            role: new.role.map(str::to_owned),
        });
        seq
    }

    /// Whether so much waits that the agent should not be read on.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting_bytes > WAITING_BYTES
    }

    /// Whether everything is stored.
    pub(crate) fn is_settled(&self) -> bool {
        self.storing.is_none() && self.waiting.is_empty() && self.position == self.stored_position
    }

    /// Begins to store what waits, unless something is being stored.
    pub(crate) fn store(&mut self, store: &Store) {
        if self.storing.is_some() || (self.waiting.is_empty() && self.position == self.stored_position) {
            return;
        }
        self.in_flight = (std::mem::take(&mut self.waiting), self.position);
        self.waiting_bytes = 0;
        self.begin(store);
    }

    fn begin(&mut self, store: &Store) {
        let store = store.clone();
        let (records, position) = self.in_flight.clone();
        let (session, epoch, last_n) = (self.session.clone(), self.epoch, self.last_n);
        self.storing = Some(
            async move {
                let (committed, safe) = (Some(position.committed), Some(position.safe));
                store
                    .append_records(&session, epoch, last_n, records, committed, safe)
                    .await
            }
            .boxed(),
        );
    }

    /// Waits until what is being stored is, for ever when nothing is.
    pub(crate) async fn stored_now(&mut self) -> Result<i64, StoreError> {
        match &mut self.storing {
            Some(storing) => storing.await,
            None => std::future::pending().await,
        }
    }

    /// Takes note of what became of it. An error is tried again by [`Records::retry`].
    pub(crate) fn take_stored(&mut self, stored: &Result<i64, StoreError>) {
        self.storing = None;
        if let Ok(last_n) = stored {
            self.last_n = *last_n;
            self.stored_position = self.in_flight.1;
            self.in_flight.0 = Vec::new();
        }
    }

    /// Tries again what could not be stored.
    pub(crate) fn retry(&mut self, store: &Store) {
        if self.storing.is_none() {
            let mut records = std::mem::take(&mut self.in_flight.0);
            records.append(&mut self.waiting);
            self.waiting_bytes = 0;
            self.in_flight = (records, self.position);
            self.begin(store);
        }
    }
}
