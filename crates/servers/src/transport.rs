//! Transports of MCP servers. For all of them: a server that floods is read no faster than it is answered, one that
//! does not answer the first request is taken for an older version, and the end of a connection is always noticed.

mod bounded;
pub(super) mod http;
pub(super) mod sdk;
pub(super) mod sse;
pub(super) mod stdio;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long the probe for a newer protocol waits before the older one is tried.
pub(super) const PROBE: Duration = Duration::from_secs(3);
/// How many requests of a server may be open at a time.
const MOST_OPEN: usize = 64;
/// The longest message taken from a server.
pub(super) const LONGEST_MESSAGE: usize = 16 << 20;

/// A transport that is watched.
pub(super) struct Watched<T> {
    inner: T,
    open: Arc<Requests>,
    /// The probe that is out, and until when it is waited for.
    probe: Option<(RequestId, Instant)>,
    /// A probe nobody waits for any more: its answer is late.
    late: Option<RequestId>,
    _ended: DropGuard,
}

/// The server's requests that are not answered yet.
#[derive(Debug, Default)]
struct Requests {
    count: AtomicUsize,
    fewer: Notify,
}

impl<T> Watched<T> {
    /// Cancels `ended` when the transport is gone.
    pub(super) fn new(inner: T, ended: CancellationToken) -> Self {
        Self {
            inner,
            open: Arc::default(),
            probe: None,
            late: None,
            _ended: ended.drop_guard(),
        }
    }

    /// Whether this answers the probe we have given up, and so is nobody's.
    fn is_late(&mut self, message: &ServerJsonRpcMessage) -> bool {
        let answered = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let late = answered.is_some() && answered == self.late.as_ref();
        if late {
            self.late = None;
        }
        if answered.is_some() && answered == self.probe.as_ref().map(|(id, _)| id) {
            self.probe = None;
        }
        late
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        match &item {
            JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::DiscoverRequest(_)) => {
                self.probe = Some((request.id.clone(), Instant::now() + PROBE));
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {
                let less = |count: usize| count.checked_sub(1);
                self.open
                    .count
                    .fetch_update(Ordering::AcqRel, Ordering::Acquire, less)
                    .ok();
                self.open.fewer.notify_one();
            }
            _ => {}
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            while self.open.count.load(Ordering::Acquire) >= MOST_OPEN {
                self.open.fewer.notified().await;
            }
            let message = match &self.probe {
                None => self.inner.receive().await?,
                Some((id, until)) => {
                    let (id, until) = (id.clone(), *until);
                    match tokio::time::timeout_at(until, self.inner.receive()).await {
                        Ok(message) => message?,
                        Err(_) => {
                            self.probe = None;
                            self.late = Some(id.clone());
                            return Some(unanswered(id));
                        }
                    }
                }
            };
            if self.is_late(&message) {
                continue;
            }
            if matches!(message, JsonRpcMessage::Request(_)) {
                self.open.count.fetch_add(1, Ordering::AcqRel);
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}

/// What an older server would have said to the probe.
fn unanswered(id: RequestId) -> ServerJsonRpcMessage {
    let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "the probe was not answered", None);
    ServerJsonRpcMessage::error(error, Some(id))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use rmcp::model::{DiscoverRequest, DiscoverRequestParams, NumberOrString};
    use serde_json::{Value, json};
    use tokio::sync::mpsc;

    use super::*;

    /// A server whose lines a test writes.
    struct Scripted {
        lines: mpsc::Receiver<Value>,
    }

    impl Transport<RoleClient> for Scripted {
        type Error = std::io::Error;

        fn send(
            &mut self,
            _item: ClientJsonRpcMessage,
        ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
            std::future::ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
            let line = self.lines.recv().await?;
            Some(serde_json::from_value(line).unwrap())
        }

        async fn close(&mut self) -> Result<(), Self::Error> {
            Ok(())
        }
    }

    fn scripted() -> (Watched<Scripted>, mpsc::Sender<Value>, CancellationToken) {
        let (server, lines) = mpsc::channel(256);
        let ended = CancellationToken::new();
        (Watched::new(Scripted { lines }, ended.clone()), server, ended)
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_is_ignored_counts_as_refused_and_its_late_answer_as_nothing() {
        let (mut watched, server, _ended) = scripted();
        let probe = ClientRequest::DiscoverRequest(DiscoverRequest::new(DiscoverRequestParams {}));
        watched
            .send(ClientJsonRpcMessage::request(probe, NumberOrString::Number(0)))
            .await
            .unwrap();
        let began = Instant::now();
        let Some(JsonRpcMessage::Error(error)) = watched.receive().await else {
            panic!("the probe should have been given up")
        };
        assert_eq!(error.id, Some(NumberOrString::Number(0)));
        assert_eq!(began.elapsed(), PROBE);
        server
            .send(json!({"jsonrpc": "2.0", "id": 0, "result": {}}))
            .await
            .unwrap();
        server
            .send(json!({"jsonrpc": "2.0", "id": 1, "result": {}}))
            .await
            .unwrap();
        let Some(JsonRpcMessage::Response(response)) = watched.receive().await else {
            panic!("the next answer")
        };
        assert_eq!(response.id, NumberOrString::Number(1));
    }

    #[tokio::test]
    async fn a_server_that_asks_faster_than_it_is_answered_is_read_no_further() {
        let (mut watched, server, _ended) = scripted();
        for id in 0..=MOST_OPEN {
            server
                .send(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}))
                .await
                .unwrap();
        }
        for _ in 0..MOST_OPEN {
            assert!(watched.receive().await.is_some());
        }
        let blocked = tokio::time::timeout(Duration::from_millis(20), watched.receive()).await;
        assert!(blocked.is_err(), "the next waits until one is answered");
        let answer = ClientJsonRpcMessage::response(rmcp::model::ClientResult::empty(()), NumberOrString::Number(0));
        watched.send(answer).await.unwrap();
        assert!(watched.receive().await.is_some());
    }

    #[tokio::test]
    async fn the_end_is_told() {
        let (watched, _server, ended) = scripted();
        drop(watched);
        assert!(ended.is_cancelled());
    }
}
