//! The directory: which node owns a session, and how to reach it.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

/// A future behind a pointer, so that which implementation is used can be decided when the program starts.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// That a node owns a session, for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ownership {
    pub session: String,
    pub node: String,
    /// Rises with every owner of the session.
    pub term: u64,
    /// When it ends if it is not renewed, in milliseconds of the directory's own clock.
    pub until: i64,
}

/// Why the directory refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DirectoryError {
    #[error("session {session} is owned by {owner}")]
    Owned { session: String, owner: String },
    /// Another one owns it now, or nobody does.
    #[error("session {session} is not owned any more; stop writing to it")]
    Lost { session: String },
    #[error("nobody owns session {session}; it can be resumed")]
    NoOwner { session: String },
    /// The owner did not take the call, or ended without an answer.
    #[error("the owner of session {session} does not answer")]
    Gone { session: String },
    /// The directory itself cannot be reached.
    #[error("the directory cannot be reached: {0}")]
    Unreachable(String),
}

/// A call that reached the owner.
#[derive(Debug)]
pub struct Asked {
    pub session: String,
    pub request: Vec<u8>,
    /// Dropped without an answer, the caller is told [`DirectoryError::Gone`].
    pub reply: oneshot::Sender<Vec<u8>>,
}

/// Who owns which session.
pub trait Directory: Send + Sync {
    /// Makes `node` the owner for `lease`; calls to it then come through `calls`. A node may own again what it owns:
    /// its older ownership is lost then.
    fn own<'a>(
        &'a self,
        session: &'a str,
        node: &'a str,
        lease: Duration,
        calls: mpsc::Sender<Asked>,
    ) -> BoxFuture<'a, Result<Ownership, DirectoryError>>;

    /// Prolongs it to `lease` from now.
    fn renew<'a>(
        &'a self,
        ownership: &'a Ownership,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Ownership, DirectoryError>>;

    /// Who owns it now.
    fn owner<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<Option<Ownership>, DirectoryError>>;

    /// Calls the owner and waits for its answer.
    fn call<'a>(&'a self, session: &'a str, request: Vec<u8>) -> BoxFuture<'a, Result<Vec<u8>, DirectoryError>>;

    /// Ends it. That it is lost already is no error.
    fn let_go<'a>(&'a self, ownership: &'a Ownership) -> BoxFuture<'a, Result<(), DirectoryError>>;
}

type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The directory of one machine: this process.
#[derive(Clone)]
pub struct Local {
    entries: Arc<Mutex<HashMap<String, Entry>>>,
    clock: Clock,
}

struct Entry {
    ownership: Ownership,
    calls: mpsc::Sender<Asked>,
    /// Let go: kept, so that terms go on rising.
    ended: bool,
}

impl fmt::Debug for Local {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Local").finish_non_exhaustive()
    }
}

impl Default for Local {
    fn default() -> Self {
        let start = Instant::now();
        Self::with_clock(move || i64::try_from(start.elapsed().as_millis()).unwrap_or(i64::MAX))
    }
}

impl Local {
    pub fn new() -> Self {
        Self::default()
    }

    /// With another clock, in milliseconds.
    pub fn with_clock(clock: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        let clock: Clock = Arc::new(clock);
        let entries = Arc::default();
        Self { entries, clock }
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn after(&self, lease: Duration) -> i64 {
        (self.clock)().saturating_add(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX))
    }

    fn holds(&self, entry: &Entry) -> bool {
        !entry.ended && entry.ownership.until > (self.clock)()
    }

    fn take(
        &self,
        session: &str,
        node: &str,
        lease: Duration,
        calls: mpsc::Sender<Asked>,
    ) -> Result<Ownership, DirectoryError> {
        let mut entries = self.entries();
        let before = entries.get(session);
        if let Some(entry) = before.filter(|entry| entry.ownership.node != node && self.holds(entry)) {
            return Err(DirectoryError::Owned {
                session: session.to_owned(),
                owner: entry.ownership.node.clone(),
            });
        }
        let ownership = Ownership {
            session: session.to_owned(),
            node: node.to_owned(),
            term: before.map_or(0, |entry| entry.ownership.term) + 1,
            until: self.after(lease),
        };
        let entry = Entry {
            ownership: ownership.clone(),
            calls,
            ended: false,
        };
        entries.insert(session.to_owned(), entry);
        Ok(ownership)
    }

    fn prolong(&self, ownership: &Ownership, lease: Duration) -> Result<Ownership, DirectoryError> {
        let session = &ownership.session;
        let mut entries = self.entries();
        let entry = entries.get_mut(session);
        let held = entry.filter(|entry| entry.ownership.term == ownership.term && self.holds(entry));
        let Some(entry) = held else {
            let session = session.clone();
            return Err(DirectoryError::Lost { session });
        };
        entry.ownership.until = self.after(lease);
        Ok(entry.ownership.clone())
    }

    async fn reach(&self, session: &str, request: Vec<u8>) -> Result<Vec<u8>, DirectoryError> {
        let calls = {
            let entries = self.entries();
            let entry = entries.get(session).filter(|entry| self.holds(entry));
            entry.map(|entry| entry.calls.clone())
        };
        let session = session.to_owned();
        let Some(calls) = calls else {
            return Err(DirectoryError::NoOwner { session });
        };
        let (reply, answer) = oneshot::channel();
        let asked = Asked {
            session: session.clone(),
            request,
            reply,
        };
        let gone = DirectoryError::Gone { session };
        calls.send(asked).await.map_err(|_| gone.clone())?;
        answer.await.map_err(|_| gone)
    }
}

impl Directory for Local {
    fn own<'a>(
        &'a self,
        session: &'a str,
        node: &'a str,
        lease: Duration,
        calls: mpsc::Sender<Asked>,
    ) -> BoxFuture<'a, Result<Ownership, DirectoryError>> {
        Box::pin(std::future::ready(self.take(session, node, lease, calls)))
    }

    fn renew<'a>(
        &'a self,
        ownership: &'a Ownership,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Ownership, DirectoryError>> {
        Box::pin(std::future::ready(self.prolong(ownership, lease)))
    }

    fn owner<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<Option<Ownership>, DirectoryError>> {
        let entries = self.entries();
        let entry = entries.get(session).filter(|entry| self.holds(entry));
        Box::pin(std::future::ready(Ok(entry.map(|entry| entry.ownership.clone()))))
    }

    fn call<'a>(&'a self, session: &'a str, request: Vec<u8>) -> BoxFuture<'a, Result<Vec<u8>, DirectoryError>> {
        Box::pin(self.reach(session, request))
    }

    fn let_go<'a>(&'a self, ownership: &'a Ownership) -> BoxFuture<'a, Result<(), DirectoryError>> {
        let mut entries = self.entries();
        if let Some(entry) = entries.get_mut(&ownership.session)
            && entry.ownership.term == ownership.term
        {
            entry.ended = true;
        }
        Box::pin(std::future::ready(Ok(())))
    }
}
