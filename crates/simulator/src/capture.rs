//! The captured requests of a server, and how each response ended.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde_json::Value;
use tokio::sync::watch;

/// How the response to a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// The response has not ended.
    Open,
    /// The response was sent completely.
    Complete,
    /// The script closed the connection.
    Cut,
    /// The client disconnected before the end, as it does when a turn is interrupted.
    ClientLeft,
}

/// The purpose of a request, with its number among requests of its kind, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A request of the conversation.
    Main(usize),
    /// An auxiliary request.
    Errand(usize),
    /// Not a message request: token counts, probes.
    Other,
}

/// A captured request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// `POST`, `GET` or `HEAD`.
    pub method: String,
    /// The path and query, as in `/v1/messages?beta=true`.
    pub path: String,
    /// The headers in order, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; a string if it is not JSON, null if there is none.
    pub body: Value,
    /// When the request arrived.
    pub at: SystemTime,
    /// The purpose.
    pub kind: Kind,
    /// How the response ended.
    pub ending: Ending,
}

impl Request {
    /// Returns the first header with this name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether the request belongs to the conversation.
    #[must_use]
    pub fn is_main(&self) -> bool {
        matches!(self.kind, Kind::Main(_))
    }
}

/// The log of requests, which notifies waiting tasks of every change.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    requests: Arc<Mutex<Vec<Request>>>,
    changes: Arc<watch::Sender<u64>>,
}

impl Log {
    pub(crate) fn new() -> Self {
        Self {
            requests: Arc::default(),
            changes: Arc::new(watch::Sender::new(0)),
        }
    }

    /// Adds a request. `kind` determines its kind and number from the earlier requests. Returns its index and kind.
    pub(crate) fn add(&self, mut request: Request, kind: impl FnOnce(&[Request]) -> Kind) -> (usize, Kind) {
        let index = {
            let mut requests = self.lock();
            request.kind = kind(&requests);
            let kind = request.kind;
            requests.push(request);
            (requests.len() - 1, kind)
        };
        self.changes.send_modify(|count| *count += 1);
        index
    }

    pub(crate) fn end(&self, index: usize, ending: Ending) {
        if let Some(request) = self.lock().get_mut(index)
            && request.ending == Ending::Open
        {
            request.ending = ending;
        }
        self.changes.send_modify(|count| *count += 1);
    }

    pub(crate) fn all(&self) -> Vec<Request> {
        self.lock().clone()
    }

    /// Waits until `done` returns a value for the log.
    pub(crate) async fn wait<T>(&self, mut done: impl FnMut(&[Request]) -> Option<T>) -> Option<T> {
        let mut changes = self.changes.subscribe();
        loop {
            changes.borrow_and_update();
            if let Some(found) = done(&self.lock()) {
                return Some(found);
            }
            changes.changed().await.ok()?;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
