//! Sessions kept elsewhere: whatever an agent writes down is handed to a store, and a session of a store can be gone on with.
//!
//! An agent keeps its sessions in files of its own. A program that runs on many machines, or on one that forgets,
//! gives a [`SessionStore`] with [`Options::session_store`](crate::Options::session_store):
//! the agent then repeats every entry of its transcripts, and they go to the store in batches, in their order.
//! Nothing waits for the store. What it does not take is told in a `mirror_error` message, and the turn goes on.
//!
//! With a store, [`Options::resume`](crate::Options::resume) looks there first.
//! The session is laid out as files in a folder that goes with the agent.
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

pub(crate) use layout::lay_out;
pub(crate) use mirror::Mirror;

use crate::transport::BoxFuture;

/// An error of a store.
pub type StoreError = Box<dyn std::error::Error + Send + Sync>;

/// Which transcript: of a session, or of a subagent in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    /// The folder the session is about, as agents name it.
    pub project_key: String,
    /// The session.
    pub session_id: String,
    /// The part of the session, `subagents/agent-ID` for example; the session itself without it.
    pub subpath: Option<String>,
}

impl SessionKey {
    /// The session itself.
    pub fn new(project_key: impl Into<String>, session_id: impl Into<String>) -> Self {
        Self {
            project_key: project_key.into(),
            session_id: session_id.into(),
            subpath: None,
        }
    }

    /// A part of the session.
    #[must_use]
    pub fn part(mut self, subpath: impl Into<String>) -> Self {
        self.subpath = Some(subpath.into());
        self
    }

    /// The key of a transcript by its path: `…/projects/KEY/ID.jsonl`, or `…/projects/KEY/ID/PART.jsonl`.
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
    /// Its id.
    pub session_id: String,
    /// When it was last added to, in milliseconds since 1970.
    pub last_modified: u64,
}

/// A store of sessions.
///
/// An entry may be handed in twice, when it is not known whether it arrived; those with the same `uuid` are one.
pub trait SessionStore: fmt::Debug + Send + Sync + 'static {
    /// Adds entries to a transcript, in this order, after those that are there.
    fn append<'a>(&'a self, key: &'a SessionKey, entries: &'a [Raw]) -> BoxFuture<'a, Result<(), StoreError>>;

    /// All entries of a transcript; `None` when there is none.
    fn load<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Option<Vec<Raw>>, StoreError>>;

    /// The sessions of a project; `None` when this store cannot tell. Needed to go on with the newest one.
    fn list_sessions<'a>(
        &'a self,
        _project_key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Vec<StoredSession>>, StoreError>> {
        Box::pin(async { Ok(None) })
    }

    /// The parts of a session that have a transcript of their own.
    fn list_subkeys<'a>(&'a self, _session: &'a SessionKey) -> BoxFuture<'a, Result<Vec<String>, StoreError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Deletes a transcript; of a session with all its parts.
    fn delete<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let text = format!("this store does not delete; {} stays", key.session_id);
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
    fn a_path_names_a_transcript() {
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
