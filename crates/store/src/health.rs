//! Whether the store can write: its last failure, and counts for metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use crate::error::StoreError;
use crate::store::Store;

/// The condition of the storage, shared by the thread and its handles.
#[derive(Debug)]
pub(crate) struct Health {
    failure: watch::Sender<Option<StoreError>>,
    errors: AtomicU64,
    commits: AtomicU64,
    commit_micros: AtomicU64,
}

impl Default for Health {
    fn default() -> Self {
        Self {
            failure: watch::Sender::new(None),
            errors: AtomicU64::new(0),
            commits: AtomicU64::new(0),
            commit_micros: AtomicU64::new(0),
        }
    }
}

impl Health {
    /// A transaction was committed: the storage works.
    pub(crate) fn committed(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.commit_micros.fetch_add(micros, Ordering::Relaxed);
        self.failure.send_if_modified(|failure| failure.take().is_some());
    }

    /// A call failed. Errors that are about the call and not about the storage do not count.
    pub(crate) fn failed(&self, error: &StoreError) {
        let of_storage = matches!(
            error,
            StoreError::Full { .. }
                | StoreError::Io { .. }
                | StoreError::Unwritable { .. }
                | StoreError::Damaged { .. }
                | StoreError::DamagedRecords { .. }
        );
        if !of_storage {
            return;
        }
        self.errors.fetch_add(1, Ordering::Relaxed);
        self.failure.send_if_modified(|failure| {
            let is_new = failure.as_ref() != Some(error);
            *failure = Some(error.clone());
            is_new
        });
    }
}

/// Counts of the storage since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageCounts {
    /// Calls that the storage failed.
    pub errors: u64,
    /// Transactions, and the time that all of them took.
    pub commits: u64,
    pub commit_time: Duration,
}

impl Store {
    /// The failure of the last write, until a write succeeds.
    pub fn failure(&self) -> watch::Receiver<Option<StoreError>> {
        self.shared.health.failure.subscribe()
    }

    /// For metrics.
    pub fn storage_counts(&self) -> StorageCounts {
        let health = &self.shared.health;
        StorageCounts {
            errors: health.errors.load(Ordering::Relaxed),
            commits: health.commits.load(Ordering::Relaxed),
            commit_time: Duration::from_micros(health.commit_micros.load(Ordering::Relaxed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_lasts_until_a_write_succeeds() {
        let health = Health::default();
        let mut failure = health.failure.subscribe();
        health.failed(&StoreError::Stale { actual: 1 });
        assert!(!failure.has_changed().unwrap(), "not about the storage");
        let full = StoreError::Full {
            detail: "full".to_owned(),
        };
        health.failed(&full);
        assert_eq!(*failure.borrow_and_update(), Some(full.clone()));
        health.failed(&full);
        assert!(!failure.has_changed().unwrap(), "the same again");
        health.committed(Duration::from_micros(5));
        assert_eq!(*failure.borrow_and_update(), None);
        assert_eq!(health.errors.load(Ordering::Relaxed), 2);
    }
}
