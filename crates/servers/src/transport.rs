//! Transports of MCP servers. For all of them, the number of open requests from a server is limited, a server that does
//! not answer the first request is treated as an older version, and the end of a connection is always noticed.

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

/// How long to wait for an answer to the probe for a newer protocol, before the older one is tried.
pub(super) const PROBE_TIMEOUT: Duration = Duration::from_secs(3);
/// The maximum number of unanswered requests from a server.
const MAX_OPEN_REQUESTS: usize = 64;
/// The maximum size in bytes of a message from a server.
pub(super) const MAX_MESSAGE: usize = 16 << 20;

/// A transport that limits open requests, handles an unanswered probe, and signals its end.
pub(super) struct WatchedTransport<T> {
    inner: T,
    open: Arc<Requests>,
    /// The id of the unanswered probe, and the deadline for its answer.
    probe: Option<(RequestId, Instant)>,
    /// The id of a probe that timed out; its late answer is discarded.
    late: Option<RequestId>,
    _ended: DropGuard,
}

/// The number of requests from the server that are not answered yet.
#[derive(Debug, Default)]
struct Requests {
    count: AtomicUsize,
    answered_one: Notify,
}

impl<T> WatchedTransport<T> {
    /// Wraps a transport. `ended` is cancelled when it is dropped.
    pub(super) fn new(inner: T, ended: CancellationToken) -> Self {
        Self {
            inner,
            open: Arc::default(),
            probe: None,
            late: None,
            _ended: ended.drop_guard(),
        }
    }

    /// Returns whether a message is a late reply to a probe that timed out.
    fn is_late(&mut self, message: &ServerJsonRpcMessage) -> bool {
        let answered_id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let late = answered_id.is_some() && answered_id == self.late.as_ref();
        if late {
            self.late = None;
        }
        if answered_id.is_some() && answered_id == self.probe.as_ref().map(|(id, _)| id) {
            self.probe = None;
        }
        late
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for WatchedTransport<T> {
    type Error = T::Error;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        match &item {
            JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::DiscoverRequest(_)) => {
                self.probe = Some((request.id.clone(), Instant::now() + PROBE_TIMEOUT));
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {
                let decrement = |count: usize| count.checked_sub(1);
                self.open
                    .count
                    .fetch_update(Ordering::AcqRel, Ordering::Acquire, decrement)
                    .ok();
                self.open.answered_one.notify_one();
            }
            _ => {}
        }
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            while self.open.count.load(Ordering::Acquire) >= MAX_OPEN_REQUESTS {
                self.open.answered_one.notified().await;
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
                            return Some(probe_error(id));
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

/// Returns the error with which an older server answers the probe.
fn probe_error(id: RequestId) -> ServerJsonRpcMessage {
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

    /// A server whose messages are sent by the test.
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

    fn scripted() -> (WatchedTransport<Scripted>, mpsc::Sender<Value>, CancellationToken) {
        let (server, lines) = mpsc::channel(256);
        let ended = CancellationToken::new();
        (WatchedTransport::new(Scripted { lines }, ended.clone()), server, ended)
    }

    #[tokio::test(start_paused = true)]
    async fn unanswered_probe_times_out_and_late_reply_is_ignored() {
        let (mut transport, server, _ended) = scripted();
        let probe = ClientRequest::DiscoverRequest(DiscoverRequest::new(DiscoverRequestParams {}));
        transport
            .send(ClientJsonRpcMessage::request(probe, NumberOrString::Number(0)))
            .await
            .unwrap();
        let start = Instant::now();
        let Some(JsonRpcMessage::Error(error)) = transport.receive().await else {
            panic!("the probe should have been given up")
        };
        assert_eq!(error.id, Some(NumberOrString::Number(0)));
        assert_eq!(start.elapsed(), PROBE_TIMEOUT);
        server
            .send(json!({"jsonrpc": "2.0", "id": 0, "result": {}}))
            .await
            .unwrap();
        server
            .send(json!({"jsonrpc": "2.0", "id": 1, "result": {}}))
            .await
            .unwrap();
        let Some(JsonRpcMessage::Response(response)) = transport.receive().await else {
            panic!("the next answer")
        };
        assert_eq!(response.id, NumberOrString::Number(1));
    }

    #[tokio::test]
    async fn reading_stops_at_too_many_open_requests() {
        let (mut transport, server, _ended) = scripted();
        for id in 0..=MAX_OPEN_REQUESTS {
            server
                .send(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}))
                .await
                .unwrap();
        }
        for _ in 0..MAX_OPEN_REQUESTS {
            assert!(transport.receive().await.is_some());
        }
        let blocked = tokio::time::timeout(Duration::from_millis(20), transport.receive()).await;
        assert!(blocked.is_err(), "the next request waits until one is answered");
        let answer = ClientJsonRpcMessage::response(rmcp::model::ClientResult::empty(()), NumberOrString::Number(0));
        transport.send(answer).await.unwrap();
        assert!(transport.receive().await.is_some());
    }

    #[tokio::test]
    async fn end_of_the_transport_is_signalled() {
        let (transport, _server, ended) = scripted();
        drop(transport);
        assert!(ended.is_cancelled());
    }
}
