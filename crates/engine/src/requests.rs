//! Requests of the host that take a while: they are worked on beside the session, which goes on meanwhile, and each is
//! answered when it is done.

pub(crate) mod file_names;

use std::collections::HashMap;

use sluice_wire::control::{ControlResponse, RequestId};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use self::file_names::Names;
use crate::messages;

/// Requests of the host that take a while.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    pub(crate) asides: Asides,
    /// File names for a person who types one.
    pub(crate) names: Names,
    /// What the person may ask next.
    pub(crate) suggestions: Suggestions,
}

/// What came of a request that took a while.
#[derive(Debug)]
pub(crate) struct Aside {
    pub(crate) answer: ControlResponse,
    /// A settings file was written: it holds before the host is told.
    pub(crate) wrote_settings: bool,
    /// The name the model has for the session; it is kept.
    pub(crate) named: Option<String>,
}

impl From<ControlResponse> for Aside {
    fn from(answer: ControlResponse) -> Self {
        Self {
            answer,
            wrote_settings: false,
            named: None,
        }
    }
}

/// The requests that are being worked on.
#[derive(Debug, Default)]
pub(crate) struct Asides {
    tasks: JoinSet<Aside>,
    requests: HashMap<Id, (RequestId, AbortHandle)>,
}

impl Asides {
    pub(crate) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Works on a request that waits for others.
    pub(crate) fn spawn(&mut self, id: &RequestId, work: impl Future<Output = Aside> + Send + 'static) {
        let handle = self.tasks.spawn(work);
        self.requests.insert(handle.id(), (id.clone(), handle));
    }

    /// Works on a request that waits for the disk.
    pub(crate) fn spawn_blocking<T: Into<Aside>>(&mut self, id: &RequestId, work: impl FnOnce() -> T + Send + 'static) {
        let handle = self.tasks.spawn_blocking(move || work().into());
        self.requests.insert(handle.id(), (id.clone(), handle));
    }

    /// The next that is done; none when there are none.
    pub(crate) async fn next(&mut self) -> Option<Aside> {
        let (task, done) = match self.tasks.join_next_with_id().await? {
            Ok((task, aside)) => (task, Ok(aside)),
            Err(error) => (error.id(), Err(error)),
        };
        let request = self
            .requests
            .remove(&task)
            .map(|(request, _)| request)
            .unwrap_or_default();
        Some(done.unwrap_or_else(|error| broken(&request, &error)))
    }

    /// The host no longer wants this one: it is answered as cancelled, unless its work is done or cannot be left half
    /// done.
    pub(crate) fn cancel(&self, request: &RequestId) {
        for (_, work) in self.requests.values().filter(|(known, _)| known == request) {
            work.abort();
        }
    }
}

/// The work was cancelled, or it broke: the host is told all the same.
fn broken(request: &RequestId, error: &JoinError) -> Aside {
    if error.is_cancelled() {
        return messages::error(request, "The request was cancelled".to_owned()).into();
    }
    messages::error(request, format!("The request could not be finished: {error}")).into()
}

/// A guess that is being made.
#[derive(Debug, Default)]
pub(crate) struct Suggestions {
    guess: JoinSet<Option<String>>,
}

impl Suggestions {
    /// Whether none is being made.
    pub(crate) fn is_empty(&self) -> bool {
        self.guess.is_empty()
    }

    /// The guess, once it is made; none when there is nothing to wait for.
    pub(crate) async fn next(&mut self) -> Option<Option<String>> {
        Some(self.guess.join_next().await?.unwrap_or_default())
    }

    /// Begins to guess.
    pub(crate) fn guess(&mut self, work: impl Future<Output = Option<String>> + Send + 'static) {
        self.guess.spawn(work);
    }

    /// Nobody wants it any more.
    pub(crate) fn drop_guess(&mut self) {
        self.guess = JoinSet::new();
    }
}

#[cfg(test)]
mod tests {
    use sluice_wire::control::Response;

    use super::*;

    #[tokio::test]
    async fn work_that_is_cancelled_is_answered_and_the_rest_goes_on() {
        let mut asides = Asides::default();
        let (tell, told) = tokio::sync::oneshot::channel::<()>();
        asides.spawn(&RequestId::from("r1"), std::future::pending());
        asides.spawn(&RequestId::from("r2"), async {
            told.await.ok();
            messages::ok(&RequestId::from("r2")).into()
        });
        asides.cancel(&RequestId::from("r1"));
        let first = asides.next().await.map(|aside| aside.answer);
        assert!(matches!(first.map(|answer| answer.response), Some(Response::Error(_))));
        tell.send(()).ok();
        let second = asides.next().await.map(|aside| aside.answer.request_id().to_string());
        assert_eq!(second.as_deref(), Some("r2"));
    }

    #[tokio::test]
    async fn work_that_breaks_is_answered() {
        let mut asides = Asides::default();
        asides.spawn(&RequestId::from("r1"), async { unreachable!("broken on purpose") });
        let told = asides.next().await.map(|aside| aside.answer.request_id().to_string());
        assert_eq!(told.as_deref(), Some("r1"));
        assert!(asides.is_empty());
    }
}
