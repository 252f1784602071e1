//! A store in memory, for tests.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use sluice_wire::Raw;

use super::{SessionKey, SessionStore, StoreError, StoredSession};
use crate::transport::BoxFuture;

/// A store of sessions in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    transcripts: Mutex<BTreeMap<SessionKey, Transcript>>,
}

#[derive(Debug, Default)]
struct Transcript {
    entries: Vec<Raw>,
    last_modified: u64,
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionKey, Transcript>> {
        self.transcripts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the keys of all transcripts.
    #[must_use]
    pub fn keys(&self) -> Vec<SessionKey> {
        self.lock().keys().cloned().collect()
    }
}

impl SessionStore for MemoryStore {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [Raw]) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let mut all = self.lock();
            let transcript = all.entry(key.clone()).or_default();
            transcript.entries.extend_from_slice(entries);
            transcript.last_modified = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
            Ok(())
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Option<Vec<Raw>>, StoreError>> {
        Box::pin(async move { Ok(self.lock().get(key).map(|transcript| transcript.entries.clone())) })
    }

    fn list_sessions<'a>(
        &'a self,
        project_key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Vec<StoredSession>>, StoreError>> {
        Box::pin(async move {
            let all = self.lock();
            let in_project = all
                .iter()
                .filter(|(key, _)| key.project_key == project_key && key.subpath.is_none());
            let sessions = in_project.map(|(key, transcript)| StoredSession {
                session_id: key.session_id.clone(),
                last_modified: transcript.last_modified,
            });
            Ok(Some(sessions.collect()))
        })
    }

    fn list_subkeys<'a>(&'a self, session: &'a SessionKey) -> BoxFuture<'a, Result<Vec<String>, StoreError>> {
        Box::pin(async move {
            let all = self.lock();
            let parts = all
                .keys()
                .filter(|key| key.project_key == session.project_key && key.session_id == session.session_id);
            Ok(parts.filter_map(|key| key.subpath.clone()).collect())
        })
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.lock().retain(|transcript, _| {
                let whole = key.subpath.is_none()
                    && transcript.project_key == key.project_key
                    && transcript.session_id == key.session_id;
                transcript != key && !whole
            });
            Ok(())
        })
    }
}
