//! Commands with the same id run once: a repeated frame waits for the first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

type Locks = Mutex<HashMap<(String, String), Arc<tokio::sync::Mutex<()>>>>;

/// The commands that are being done.
#[derive(Debug, Default)]
pub(crate) struct Once {
    locks: Arc<Locks>,
}

/// Held while a command is done.
#[derive(Debug)]
pub(crate) struct Turn {
    guard: Option<OwnedMutexGuard<()>>,
    key: (String, String),
    locks: Arc<Locks>,
}

impl Once {
    /// Whether this command is being done.
    pub(crate) fn is_busy(&self, device: &str, id: &str) -> bool {
        let locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.contains_key(&(device.to_owned(), id.to_owned()))
    }

    /// Waits until nobody does the same command.
    pub(crate) async fn enter(&self, device: &str, id: &str) -> Turn {
        let key = (device.to_owned(), id.to_owned());
        let lock = {
            let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(locks.entry(key.clone()).or_default())
        };
        Turn {
            guard: Some(lock.lock_owned().await),
            key,
            locks: Arc::clone(&self.locks),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.guard = None;
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody else waits: the map and this one hold the only two.
        if locks.get(&self.key).is_some_and(|lock| Arc::strong_count(lock) == 1) {
            locks.remove(&self.key);
        }
    }
}
