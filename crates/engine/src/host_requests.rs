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
pub(crate) type Said = Result<Value, String>;

/// Error message when the host is gone.
const GONE: &str = "the host is gone";

/// Control requests that wait for their response, shared by all senders.
#[derive(Debug)]
pub(crate) struct HostRequests {
    out: Out,
    open: Mutex<Open>,
    state_events: StateEvents,
    state: Mutex<Shown>,
}

/// The state of the session as seen by the host.
#[derive(Debug)]
struct Shown {
    state: State,
    /// Number of open forms of MCP servers. While there is one, the state is `requires_action`.
    forms: usize,
    /// The state that was sent last.
    sent: State,
}

impl Shown {
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
struct Open {
    /// The host's input has ended.
    closed: bool,
    waiting: HashMap<String, oneshot::Sender<Said>>,
}

/// A request that has been sent. Dropping it withdraws the request.
#[derive(Debug)]
pub(crate) struct Question {
    line: Arc<HostRequests>,
    id: String,
    answer: oneshot::Receiver<Said>,
    answered: bool,
}

impl HostRequests {
    pub(crate) fn new(out: Out, state_events: StateEvents) -> Arc<Self> {
        Arc::new(Self {
            out,
            open: Mutex::default(),
            state_events,
            state: Mutex::new(Shown {
                state: State::Idle,
                forms: 0,
                sent: State::Idle,
            }),
        })
    }

    /// The state of the session, ignoring open forms.
    pub(crate) fn state(&self) -> State {
        self.shown().state
    }

    /// Changes the state of the session and notifies the host.
    pub(crate) async fn enter(&self, state: State) {
        let changed = {
            let mut shown = self.shown();
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
        let mut shown = self.shown();
        shown.forms = count(shown.forms);
        shown.changed()
    }

    async fn send_state(&self, changed: Option<State>) {
        if let Some(state) = changed.filter(|_| self.state_events != StateEvents::Off) {
            let host_only = self.state_events == StateEvents::HostOnly;
            self.out.say(messages::state(state, host_only)).await;
        }
    }

    fn shown(&self) -> std::sync::MutexGuard<'_, Shown> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request. Requests are sent in the order of the calls.
    pub(crate) async fn put(self: &Arc<Self>, request: impl Into<Request>) -> Result<Question, String> {
        let id = messages::fresh_id();
        let (tell, answer) = oneshot::channel();
        {
            let mut open = self.lock();
            if open.closed {
                return Err(GONE.to_owned());
            }
            open.waiting.insert(id.clone(), tell);
        }
        self.out.say(ControlRequest::new(id.as_str(), request)).await;
        Ok(Question {
            line: self.clone(),
            id,
            answer,
            answered: false,
        })
    }

    /// Delivers a response. Returns false if no such request is open.
    pub(crate) fn settle(&self, id: &str, said: Said) -> bool {
        let waiting = self.lock().waiting.remove(id);
        waiting.is_some_and(|tell| tell.send(said).is_ok())
    }

    /// Fails all open requests, because the host's input has ended.
    pub(crate) fn close(&self) {
        let mut open = self.lock();
        open.closed = true;
        open.waiting.clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Question {
    /// Waits for the response.
    pub(crate) async fn answer(mut self) -> Said {
        let said = (&mut self.answer).await;
        self.answered = true;
        said.unwrap_or_else(|_| Err(GONE.to_owned()))
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let open = self.line.lock().waiting.remove(&self.id).is_some();
        if open
            && !self.answered
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let out = self.line.out.clone();
            let cancel = messages::cancel(&self.id);
            runtime.spawn(async move { out.say(cancel).await });
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
        let (messages, heard) = mpsc::channel(8);
        (
            HostRequests::new(Out::new(messages, "s", CancellationToken::new()), StateEvents::Off),
            heard,
        )
    }

    async fn ask(line: &Arc<HostRequests>) -> Said {
        line.put(Elicitation::default()).await?.answer().await
    }

    async fn asked(heard: &mut mpsc::Receiver<ToHost>) -> String {
        match heard.recv().await {
            Some(ToHost::ControlRequest(request)) => request.request_id.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn an_answer_finds_who_asked_once() {
        let (line, mut heard) = line();
        let asking = tokio::spawn({
            let line = line.clone();
            async move { ask(&line).await }
        });
        let id = asked(&mut heard).await;
        assert!(!line.settle("another", Ok(json!(1))));
        assert!(line.settle(&id, Ok(json!({"action": "accept"}))));
        assert!(!line.settle(&id, Ok(json!(2))), "a second answer finds nobody");
        assert_eq!(asking.await.unwrap(), Ok(json!({"action": "accept"})));
    }

    #[tokio::test]
    async fn a_question_nobody_waits_for_is_withdrawn() {
        let (line, mut heard) = line();
        let question = line.put(Elicitation::default()).await.unwrap();
        let id = asked(&mut heard).await;
        drop(question);
        match heard.recv().await {
            Some(ToHost::ControlCancelRequest(cancel)) => assert_eq!(cancel.request_id.to_string(), id),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_host_that_is_gone_is_no_reason_to_wait() {
        let (line, mut heard) = line();
        let question = line.put(Elicitation::default()).await.unwrap();
        asked(&mut heard).await;
        line.close();
        assert_eq!(question.answer().await, Err(GONE.to_owned()));
        assert_eq!(ask(&line).await, Err(GONE.to_owned()));
    }
}
