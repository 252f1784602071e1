//! Control requests to the host from outside the session, such as an elicitation of an MCP server. A request is sent
//! immediately; its response is delivered to the task that sent it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use sluice_wire::control::{ControlRequest, Request};
use tokio::sync::oneshot;

use crate::messages::{self, State};
use crate::options::StateEvents;
use crate::out::Out;

/// The response of the host, or an error message.
pub(crate) type HostResponse = Result<Value, String>;

/// Error message when the host is gone.
const HOST_GONE: &str = "the host is gone";

/// Control requests that wait for their response, shared by all senders.
#[derive(Debug)]
pub(crate) struct HostRequests {
    out: Out,
    open: Mutex<OpenRequests>,
    state_events: StateEvents,
    state: Mutex<SessionState>,
}

/// The state of the session as seen by the host.
#[derive(Debug)]
struct SessionState {
    state: State,
    /// Number of open forms of MCP servers. While there is one, the state is `requires_action`.
    forms: usize,
    /// The state that was sent last.
    sent: State,
}

impl SessionState {
    fn effective(&self) -> State {
        if self.forms > 0 {
            State::RequiresAction
        } else {
            self.state
        }
    }

    /// Returns the state if it has to be sent.
    fn changed(&mut self) -> Option<State> {
        let state = self.effective();
        (std::mem::replace(&mut self.sent, state) != state).then_some(state)
    }
}

/// An open form. Dropping it closes it.
#[derive(Debug)]
pub(crate) struct Form {
    line: Arc<HostRequests>,
    open: bool,
}

impl Form {
    /// Closes the form after it was answered.
    pub(crate) async fn close(mut self) {
        self.open = false;
        let changed = self.line.count_forms(|forms| forms.saturating_sub(1));
        self.line.send_state(changed).await;
    }
}

impl Drop for Form {
    fn drop(&mut self) {
        if self.open
            && let Some(state) = self.line.count_forms(|forms| forms.saturating_sub(1))
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let line = self.line.clone();
            runtime.spawn(async move { line.send_state(Some(state)).await });
        }
    }
}

#[derive(Debug, Default)]
struct OpenRequests {
    /// The host's input has ended.
    closed: bool,
    waiting: HashMap<String, oneshot::Sender<HostResponse>>,
}

/// A request that has been sent. Dropping it withdraws the request.
#[derive(Debug)]
pub(crate) struct PendingRequest {
    line: Arc<HostRequests>,
    id: String,
    answer: oneshot::Receiver<HostResponse>,
    answered: bool,
}

impl HostRequests {
    pub(crate) fn new(out: Out, state_events: StateEvents) -> Arc<Self> {
        Arc::new(Self {
            out,
            open: Mutex::default(),
            state_events,
            state: Mutex::new(SessionState {
                state: State::Idle,
                forms: 0,
                sent: State::Idle,
            }),
        })
    }

    /// The state of the session, ignoring open forms.
    pub(crate) fn state(&self) -> State {
        self.lock_state().state
    }

    /// Changes the state of the session and notifies the host.
    pub(crate) async fn enter(&self, state: State) {
        let changed = {
            let mut shown = self.lock_state();
            shown.state = state;
            shown.changed()
        };
        self.send_state(changed).await;
    }

    /// Registers a form of an MCP server that is shown to the person.
    pub(crate) async fn open_form(self: &Arc<Self>) -> Form {
        let changed = self.count_forms(|forms| forms + 1);
        self.send_state(changed).await;
        Form {
            line: self.clone(),
            open: true,
        }
    }

    fn count_forms(&self, count: impl FnOnce(usize) -> usize) -> Option<State> {
        let mut shown = self.lock_state();
        shown.forms = count(shown.forms);
        shown.changed()
    }

    async fn send_state(&self, changed: Option<State>) {
        if let Some(state) = changed.filter(|_| self.state_events != StateEvents::Off) {
            let host_only = self.state_events == StateEvents::HostOnly;
            self.out.emit(messages::state(state, host_only)).await;
        }
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request. Requests are sent in the order of the calls.
    pub(crate) async fn send(self: &Arc<Self>, request: impl Into<Request>) -> Result<PendingRequest, String> {
        let id = messages::fresh_id();
        let (tell, answer) = oneshot::channel();
        {
            let mut open = self.lock();
            if open.closed {
                return Err(HOST_GONE.to_owned());
            }
            open.waiting.insert(id.clone(), tell);
        }
        self.out.emit(ControlRequest::new(id.as_str(), request)).await;
        Ok(PendingRequest {
            line: self.clone(),
            id,
            answer,
            answered: false,
        })
    }

    /// Delivers a response. Returns false if no such request is open.
    pub(crate) fn deliver(&self, id: &str, response: HostResponse) -> bool {
        let waiting = self.lock().waiting.remove(id);
        waiting.is_some_and(|tell| tell.send(response).is_ok())
    }

    /// Fails all open requests, because the host's input has ended.
    pub(crate) fn close(&self) {
        let mut open = self.lock();
        open.closed = true;
        open.waiting.clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, OpenRequests> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingRequest {
    /// Waits for the response.
    pub(crate) async fn answer(mut self) -> HostResponse {
        let response = (&mut self.answer).await;
        self.answered = true;
        response.unwrap_or_else(|_| Err(HOST_GONE.to_owned()))
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        let open = self.line.lock().waiting.remove(&self.id).is_some();
        if open
            && !self.answered
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let out = self.line.out.clone();
            let cancel = messages::cancel(&self.id);
            runtime.spawn(async move { out.emit(cancel).await });
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use serde_json::json;
    use sluice_wire::ToHost;
    use sluice_wire::control::Elicitation;
    use tokio::sync::mpsc;
    use tokio_util::sync::CancellationToken;

    use super::*;

    fn line() -> (Arc<HostRequests>, mpsc::Receiver<ToHost>) {
        let (messages, received) = mpsc::channel(8);
        (
            HostRequests::new(Out::new(messages, "s", CancellationToken::new()), StateEvents::Off),
            received,
        )
    }

    async fn ask(line: &Arc<HostRequests>) -> HostResponse {
        line.send(Elicitation::default()).await?.answer().await
    }

    async fn asked(received: &mut mpsc::Receiver<ToHost>) -> String {
        match received.recv().await {
            Some(ToHost::ControlRequest(request)) => request.request_id.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn response_is_delivered_once() {
        let (line, mut received) = line();
        let asking = tokio::spawn({
            let line = line.clone();
            async move { ask(&line).await }
        });
        let id = asked(&mut received).await;
        assert!(!line.deliver("another", Ok(json!(1))));
        assert!(line.deliver(&id, Ok(json!({"action": "accept"}))));
        assert!(!line.deliver(&id, Ok(json!(2))), "a second answer finds nobody");
        assert_eq!(asking.await.unwrap(), Ok(json!({"action": "accept"})));
    }

    #[tokio::test]
    async fn dropped_request_is_withdrawn() {
        let (line, mut received) = line();
        let question = line.send(Elicitation::default()).await.unwrap();
        let id = asked(&mut received).await;
        drop(question);
        match received.recv().await {
            Some(ToHost::ControlCancelRequest(cancel)) => assert_eq!(cancel.request_id.to_string(), id),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn requests_fail_when_the_host_is_gone() {
        let (line, mut received) = line();
        let question = line.send(Elicitation::default()).await.unwrap();
        asked(&mut received).await;
        line.close();
        assert_eq!(question.answer().await, Err(HOST_GONE.to_owned()));
        assert_eq!(ask(&line).await, Err(HOST_GONE.to_owned()));
    }
}
