//! The ledger: a session's records, wherever they are kept.

use std::sync::Arc;

use tokio::sync::broadcast::{self, error::RecvError};

use crate::directory::BoxFuture;
use crate::error::StoreError;
use crate::records::{NewRecord, Page, Record};
use crate::store::Store;

/// Bytes a subscriber is given at once.
const CHUNK: usize = 1 << 20;

/// Where records are kept. Numbers are those of [`Record::n`]: from 1, without holes, whatever the epoch.
pub trait Ledger: Send + std::marker::Sync {
    /// Appends if the newest record still is `expected` (0: there is none), and answers the new newest number. What
    /// was answered is not lost. Of two writers who expect the same number one is refused.
    fn append<'a>(
        &'a self,
        session: &'a str,
        epoch: i64,
        expected: i64,
        records: Vec<NewRecord>,
    ) -> BoxFuture<'a, Result<i64, StoreError>>;

    /// Records after the number `after`, of every epoch, oldest first; at least one if there is one.
    fn read_from<'a>(
        &'a self,
        session: &'a str,
        after: i64,
        limit_bytes: usize,
    ) -> BoxFuture<'a, Result<Page, StoreError>>;

    /// Every record after the number `after`, those that are there and those to come: none is missed, none comes
    /// twice.
    fn subscribe<'a>(
        &'a self,
        session: &'a str,
        after: i64,
    ) -> BoxFuture<'a, Result<Box<dyn Subscription>, StoreError>>;
}

/// Records as they come.
pub trait Subscription: Send {
    /// The next ones, at least one. Waits until there are some.
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<Record>, StoreError>>;
}

impl Ledger for Store {
    fn append<'a>(
        &'a self,
        session: &'a str,
        epoch: i64,
        expected: i64,
        records: Vec<NewRecord>,
    ) -> BoxFuture<'a, Result<i64, StoreError>> {
        Box::pin(self.append_records_surely(session, epoch, expected, records))
    }

    fn read_from<'a>(
        &'a self,
        session: &'a str,
        after: i64,
        limit_bytes: usize,
    ) -> BoxFuture<'a, Result<Page, StoreError>> {
        Box::pin(self.records_of_every_epoch(session, after, limit_bytes))
    }

    fn subscribe<'a>(
        &'a self,
        session: &'a str,
        after: i64,
    ) -> BoxFuture<'a, Result<Box<dyn Subscription>, StoreError>> {
        Box::pin(async move {
            // Listening begins before the first read: what comes between is not missed.
            let grown = self.shared.grown.subscribe();
            self.last_n(session).await?;
            let tail = Tail {
                store: self.clone(),
                session: session.to_owned(),
                after,
                grown,
            };
            Ok(Box::new(tail) as Box<dyn Subscription>)
        })
    }
}

/// A subscription to the SQLite store: told that there is more, it reads it.
struct Tail {
    store: Store,
    session: String,
    after: i64,
    grown: broadcast::Receiver<Arc<str>>,
}

impl Tail {
    async fn advance(&mut self) -> Result<Vec<Record>, StoreError> {
        loop {
            let page = self
                .store
                .records_of_every_epoch(&self.session, self.after, CHUNK)
                .await?;
            if let Some(last) = page.records.last() {
                self.after = last.n;
                return Ok(page.records);
            }
            self.wait().await?;
        }
    }

    async fn wait(&mut self) -> Result<(), StoreError> {
        loop {
            match self.grown.recv().await {
                // No name: the store closes, which the next read tells.
                Ok(session) if session.is_empty() || *session == *self.session => return Ok(()),
                Ok(_) => {}
                // Too many to say which: look.
                Err(RecvError::Lagged(_)) => return Ok(()),
                Err(RecvError::Closed) => return Err(StoreError::Closed),
            }
        }
    }
}

impl Subscription for Tail {
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<Record>, StoreError>> {
        Box::pin(self.advance())
    }
}
