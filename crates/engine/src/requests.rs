//! Control requests that take a while. They run concurrently with the session, and each is answered when it is done.

pub(crate) mod file_names;

use std::collections::HashMap;

use sluice_wire::control::{ControlResponse, RequestId};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use self::file_names::Names;
use crate::messages;

/// Control requests that run concurrently.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    pub(crate) concurrent: ConcurrentRequests,
    /// File names for suggestions.
    pub(crate) names: Names,
    /// Suggestions of a next prompt.
    pub(crate) suggestions: Suggestions,
}

/// The result of a control request that ran concurrently.
#[derive(Debug)]
pub(crate) struct RequestOutcome {
    pub(crate) answer: ControlResponse,
    /// A settings file was written; it is applied before the response is sent.
    pub(crate) wrote_settings: bool,
    /// A generated session title to store.
    pub(crate) named: Option<String>,
}

impl From<ControlResponse> for RequestOutcome {
    fn from(answer: ControlResponse) -> Self {
        Self {
            answer,
            wrote_settings: false,
            named: None,
        }
    }
}

/// The running requests.
#[derive(Debug, Default)]
pub(crate) struct ConcurrentRequests {
    tasks: JoinSet<RequestOutcome>,
    requests: HashMap<Id, (RequestId, AbortHandle)>,
}

impl ConcurrentRequests {
    pub(crate) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Runs an asynchronous request.
    pub(crate) fn spawn(&mut self, id: &RequestId, work: impl Future<Output = RequestOutcome> + Send + 'static) {
        let handle = self.tasks.spawn(work);
        self.requests.insert(handle.id(), (id.clone(), handle));
    }

    /// Runs a blocking request.
    pub(crate) fn spawn_blocking<T: Into<RequestOutcome>>(
        &mut self,
        id: &RequestId,
        work: impl FnOnce() -> T + Send + 'static,
    ) {
        let handle = self.tasks.spawn_blocking(move || work().into());
        self.requests.insert(handle.id(), (id.clone(), handle));
    }

    /// Waits for the next request to finish; `None` if there are none.
    pub(crate) async fn next(&mut self) -> Option<RequestOutcome> {
        let (task, done) = match self.tasks.join_next_with_id().await? {
            Ok((task, aside)) => (task, Ok(aside)),
            Err(error) => (error.id(), Err(error)),
        };
        let request = self
            .requests
            .remove(&task)
            .map(|(request, _)| request)
            .unwrap_or_default();
        Some(done.unwrap_or_else(|error| failed(&request, &error)))
    }

    /// Cancels a request. It is answered as cancelled, unless its work is finished or cannot be interrupted.
    pub(crate) fn cancel(&self, request: &RequestId) {
        for (_, work) in self.requests.values().filter(|(known, _)| known == request) {
            work.abort();
        }
    }
}

/// The response for work that was cancelled or panicked.
fn failed(request: &RequestId, error: &JoinError) -> RequestOutcome {
    if error.is_cancelled() {
        return messages::error(request, "The request was cancelled".to_owned()).into();
    }
    messages::error(request, format!("The request could not be finished: {error}")).into()
}

/// A suggestion that is being generated.
#[derive(Debug, Default)]
pub(crate) struct Suggestions {
    guess: JoinSet<Option<String>>,
}

impl Suggestions {
    /// True if no suggestion is being generated.
    pub(crate) fn is_empty(&self) -> bool {
        self.guess.is_empty()
    }

    /// Waits for the suggestion; `None` if none is being generated.
    pub(crate) async fn next(&mut self) -> Option<Option<String>> {
        Some(self.guess.join_next().await?.unwrap_or_default())
    }

    /// Starts generating a suggestion.
    pub(crate) fn start(&mut self, work: impl Future<Output = Option<String>> + Send + 'static) {
        self.guess.spawn(work);
    }

    /// Cancels the suggestion.
    pub(crate) fn cancel(&mut self) {
        self.guess = JoinSet::new();
    }
}

#[cfg(test)]
mod tests {
    use sluice_wire::control::Response;

    use super::*;

    #[tokio::test]
    async fn cancelled_request_is_answered_and_others_continue() {
        let mut concurrent = ConcurrentRequests::default();
        let (release, id) = tokio::sync::oneshot::channel::<()>();
        concurrent.spawn(&RequestId::from("r1"), std::future::pending());
        concurrent.spawn(&RequestId::from("r2"), async {
            id.await.ok();
            messages::ok(&RequestId::from("r2")).into()
        });
        concurrent.cancel(&RequestId::from("r1"));
        let first = concurrent.next().await.map(|aside| aside.answer);
        assert!(matches!(first.map(|answer| answer.response), Some(Response::Error(_))));
        release.send(()).ok();
        let second = concurrent
            .next()
            .await
            .map(|aside| aside.answer.request_id().to_string());
        assert_eq!(second.as_deref(), Some("r2"));
    }

    #[tokio::test]
    async fn panicking_request_is_answered() {
        let mut concurrent = ConcurrentRequests::default();
        concurrent.spawn(&RequestId::from("r1"), async { unreachable!("broken on purpose") });
        let id = concurrent
            .next()
            .await
            .map(|aside| aside.answer.request_id().to_string());
        assert_eq!(id.as_deref(), Some("r1"));
        assert!(concurrent.is_empty());
    }
}
