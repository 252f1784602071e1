//! Captured requests of a server, and how each answer ended.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde_json::Value;
use tokio::sync::watch;

/// How the answer to a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// Not yet.
    Open,
    /// Said to the end.
    Complete,
    /// Cut by the script.
    Cut,
    /// The client went away before the end, as it does when a turn is interrupted.
    ClientLeft,
}

/// What a request is for, with its number among those of its kind, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The conversation itself.
    Main(usize),
    /// An errand beside it.
    Errand(usize),
    /// Not a message at all: token counts, probes.
    Other,
}

/// A request as it came in.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// `POST`, `GET` or `HEAD`.
    pub method: String,
    /// Path and query, as in `/v1/messages?beta=true`.
    pub path: String,
    /// Header names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The body; a string if it is not JSON, null if there is none.
    pub body: Value,
    /// When it came.
    pub at: SystemTime,
    /// What it is for.
    pub kind: Kind,
    /// How its answer ended.
    pub ending: Ending,
}

impl Request {
    /// The first header of that name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether it belongs to the conversation itself.
    #[must_use]
    pub fn is_main(&self) -> bool {
        matches!(self.kind, Kind::Main(_))
    }
}

/// The log of requests, with a bell that rings at every change.
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

    /// Writes a request down, numbered by `kind` from what came before; gives back its place.
    pub(crate) fn add(&self, mut request: Request, kind: impl FnOnce(&[Request]) -> Kind) -> (usize, Kind) {
        let place = {
            let mut requests = self.lock();
            request.kind = kind(&requests);
            let kind = request.kind;
            requests.push(request);
            (requests.len() - 1, kind)
        };
        self.changes.send_modify(|count| *count += 1);
        place
    }

    pub(crate) fn end(&self, place: usize, ending: Ending) {
        if let Some(request) = self.lock().get_mut(place)
            && request.ending == Ending::Open
        {
            request.ending = ending;
        }
        self.changes.send_modify(|count| *count += 1);
    }

    pub(crate) fn all(&self) -> Vec<Request> {
        self.lock().clone()
    }

    /// Waits until `done` finds what it looks for in the log.
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
