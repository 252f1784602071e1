//! A second implementation of the ledger, in memory: the traits ask for nothing only SQLite has.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use sluice_store::{BoxFuture, Ledger, NewRecord, Page, Record, StoreError, Subscription};
use tokio::sync::watch;

#[derive(Clone)]
pub(crate) struct Memory {
    sessions: Arc<HashMap<String, Kept>>,
}

struct Kept {
    records: Mutex<Vec<Record>>,
    last: watch::Sender<i64>,
}

impl Memory {
    pub(crate) fn with(sessions: &[&str]) -> Self {
        let kept = || Kept {
            records: Mutex::default(),
            last: watch::Sender::new(0),
        };
        let sessions = sessions.iter().map(|id| ((*id).to_owned(), kept()));
        Self {
            sessions: Arc::new(sessions.collect()),
        }
    }

    fn kept(&self, session: &str) -> Result<&Kept, StoreError> {
        self.sessions.get(session).ok_or_else(|| StoreError::NotFound {
            what: "session",
            id: session.to_owned(),
        })
    }

    fn write(&self, session: &str, epoch: i64, expected: i64, new: Vec<NewRecord>) -> Result<i64, StoreError> {
        let kept = self.kept(session)?;
        let mut records = kept.records.lock().unwrap();
        let (actual, newest) = records.last().map_or((0, 0), |record| (record.n, record.epoch));
        if expected != actual {
            return Err(StoreError::Stale { actual });
        }
        if epoch < newest {
            return Err(StoreError::StaleEpoch { actual: newest });
        }
        for one in new {
            let n = records.len() as i64 + 1;
            records.push(Record {
                n,
                epoch,
                seq: one.seq,
                at: one.at,
                kind: one.kind,
                turn: one.turn,
                role: one.role,
                body: one.body,
            });
        }
        let last = records.len() as i64;
        kept.last.send_replace(last);
        Ok(last)
    }

    fn page(&self, session: &str, after: i64, limit_bytes: usize) -> Result<Page, StoreError> {
        let records = self.kept(session)?.records.lock().unwrap();
        let (mut page, mut bytes) = (Page::default(), 0);
        for record in &records[usize::try_from(after).unwrap()..] {
            bytes += record.body.len();
            if bytes > limit_bytes && !page.records.is_empty() {
                page.more = true;
                break;
            }
            page.records.push(record.clone());
        }
        Ok(page)
    }
}

impl Ledger for Memory {
    fn append<'a>(
        &'a self,
        session: &'a str,
        epoch: i64,
        expected: i64,
        records: Vec<NewRecord>,
    ) -> BoxFuture<'a, Result<i64, StoreError>> {
        Box::pin(async move { self.write(session, epoch, expected, records) })
    }

    fn read_from<'a>(
        &'a self,
        session: &'a str,
        after: i64,
        limit_bytes: usize,
    ) -> BoxFuture<'a, Result<Page, StoreError>> {
        Box::pin(async move { self.page(session, after, limit_bytes) })
    }

    fn subscribe<'a>(
        &'a self,
        session: &'a str,
        after: i64,
    ) -> BoxFuture<'a, Result<Box<dyn Subscription>, StoreError>> {
        Box::pin(async move {
            let last = self.kept(session)?.last.subscribe();
            let (memory, session) = (self.clone(), session.to_owned());
            let tail = Tail {
                memory,
                session,
                after,
                last,
            };
            Ok(Box::new(tail) as Box<dyn Subscription>)
        })
    }
}

struct Tail {
    memory: Memory,
    session: String,
    after: i64,
    last: watch::Receiver<i64>,
}

impl Subscription for Tail {
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<Record>, StoreError>> {
        Box::pin(async move {
            let after = self.after;
            let waited = self.last.wait_for(|last| *last > after).await.map(|_| ());
            waited.map_err(|_| StoreError::Closed)?;
            let page = self.memory.page(&self.session, after, usize::MAX)?;
            self.after = page.records.last().map_or(after, |record| record.n);
            Ok(page.records)
        })
    }
}
