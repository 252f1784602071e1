//! Session stores: copies of the agent's transcripts in other storage, from which sessions can be resumed.
//!
//! An agent saves its sessions in its own files. A program that runs on several machines, or on machines without
//! persistent disks, sets a [`SessionStore`] with [`Options::session_store`](crate::Options::session_store). The agent
//! then also sends every entry of its transcripts, and they are written to the store in batches and in order. The turn
//! never waits for the store; if it fails, a `mirror_error` message is sent and the turn continues.
//!
//! With a store, [`Options::resume`](crate::Options::resume) searches there first. The session is written to files in a
//! temporary folder that exists as long as the agent.
//!
//! ```
//! use std::sync::Arc;
//! use sluice_host::store::{MemoryStore, SessionKey, SessionStore as _};
//! use sluice_host::{Options, wire::Raw};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), sluice_host::store::StoreError> {
//! let store = Arc::new(MemoryStore::default());
//! let options = Options::new().session_store(Arc::clone(&store));
//!
//! let key = SessionKey::new("-home-me-project", "0b2f7c62-0000-4000-8000-000000000001");
//! store.append(&key, &[Raw::of("an entry")]).await?;
//! assert_eq!(store.load(&key).await?.map(|entries| entries.len()), Some(1));
//! # Ok(()) }
//! ```

mod folder;
mod layout;
mod memory;
mod mirror;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use sluice_wire::Raw;

pub use folder::FolderStore;
pub use memory::MemoryStore;

pub(crate) use layout::write_session;
pub(crate) use mirror::Mirror;

use crate::transport::BoxFuture;

/// An error of a store.
pub type StoreError = Box<dyn std::error::Error + Send + Sync>;

/// Identifies a transcript: of a session, or of a subagent in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    /// The name of the project folder, derived from the working folder by agents.
    pub project_key: String,
    /// The id of the session.
    pub session_id: String,
    /// The part of the session, for example `subagents/agent-ID`; `None` for the session itself.
    pub subpath: Option<String>,
}

impl SessionKey {
    /// Returns the key of a session.
    pub fn new(project_key: impl Into<String>, session_id: impl Into<String>) -> Self {
        Self {
            project_key: project_key.into(),
            session_id: session_id.into(),
            subpath: None,
        }
    }

    /// Returns the key of a part of the session.
    #[must_use]
    pub fn part(mut self, subpath: impl Into<String>) -> Self {
        self.subpath = Some(subpath.into());
        self
    }

    /// Returns the key of a transcript file: `…/projects/KEY/ID.jsonl`, or `…/projects/KEY/ID/PART.jsonl`.
    #[must_use]
    pub fn of_file(path: &Path) -> Option<Self> {
        let parts: Vec<&str> = path.iter().map(|part| part.to_str()).collect::<Option<_>>()?;
        let (last, folders) = parts.split_last()?;
        let last = last.strip_suffix(".jsonl")?;
        let projects = folders.iter().rposition(|part| *part == "projects")?;
        match folders.get(projects + 1..)? {
            [project] => Some(Self::new(*project, last)),
            [project, session, within @ ..] => {
                let within: Vec<&str> = within.iter().copied().chain([last]).collect();
                Some(Self::new(*project, *session).part(within.join("/")))
            }
            [] => None,
        }
    }
}

/// A session in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// The id of the session.
    pub session_id: String,
    /// The time of the last change in milliseconds since 1970.
    pub last_modified: u64,
}

/// A store of sessions.
///
/// An entry may be appended twice if it is not known whether it was stored; entries with the same `uuid` are identical.
pub trait SessionStore: fmt::Debug + Send + Sync + 'static {
    /// Appends entries to a transcript in this order.
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [Raw]) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Returns all entries of a transcript, or `None` if it does not exist.
    fn load<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Option<Vec<Raw>>, StoreError>>;

    /// Returns the sessions of a project, or `None` if this store cannot list them. Needed to resume the newest one.
    fn list_sessions<'a>(
        &'a self,
        _project_key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Vec<StoredSession>>, StoreError>> {
        Box::pin(async { Ok(None) })
    }

    /// Returns the parts of a session that have a separate transcript.
    fn list_subkeys<'a>(&'a self, _session: &'a SessionKey) -> BoxFuture<'a, Result<Vec<String>, StoreError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Deletes a transcript; for a session including all its parts.
    fn delete<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let text = format!("this store does not support deleting; {} was kept", key.session_id);
            Err(text.into())
        })
    }
}

impl<T: SessionStore + ?Sized> SessionStore for Arc<T> {
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [Raw]) -> BoxFuture<'a, Result<(), StoreError>> {
        (**self).append(key, entries)
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Option<Vec<Raw>>, StoreError>> {
        (**self).load(key)
    }

    fn list_sessions<'a>(
        &'a self,
        project_key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Vec<StoredSession>>, StoreError>> {
        (**self).list_sessions(project_key)
    }

    fn list_subkeys<'a>(&'a self, session: &'a SessionKey) -> BoxFuture<'a, Result<Vec<String>, StoreError>> {
        (**self).list_subkeys(session)
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<(), StoreError>> {
        (**self).delete(key)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::SessionKey;

    #[test]
    fn key_is_derived_from_a_path() {
        let of = |path: &str| SessionKey::of_file(Path::new(path));
        assert_eq!(of("/c/projects/-p/s.jsonl"), Some(SessionKey::new("-p", "s")));
        assert_eq!(
            of("/projects/c/projects/-p/s/subagents/agent-1.jsonl"),
            Some(SessionKey::new("-p", "s").part("subagents/agent-1"))
        );
        assert_eq!(of("/c/projects/s.jsonl"), None);
        assert_eq!(of("/c/projects/-p/s.json"), None);
        assert_eq!(of("/elsewhere/-p/s.jsonl"), None);
    }
}
