//! The older SSE transport: one long response of server-sent events, and an endpoint for POST requests, which is named by
//! the first event.

use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Response, StatusCode, Url};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use sluice_model::sse::Decoder;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::MAX_MESSAGE;

/// The maximum number of unread messages.
const MAX_UNREAD: usize = 64;
/// The timeout for posting a message.
const POST_TIMEOUT: Duration = Duration::from_secs(60);

/// Errors of the transport.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SseError {
    /// It needs authentication.
    #[error("the server needs authentication")]
    Unauthorized,
    /// It responded with an error status.
    #[error("the server responded with {0}")]
    Status(StatusCode),
    /// It sent no `endpoint` event.
    #[error("the server sent no `endpoint` event")]
    NoEndpoint,
    /// It named an endpoint on another origin.
    #[error("the server's `endpoint` {0} is on another origin")]
    Foreign(String),
    /// The connection failed.
    #[error(transparent)]
    Http(#[from] reqwest::Error),
}

/// The client's end of the connection.
pub(crate) struct Sse {
    client: Client,
    headers: HeaderMap,
    endpoint: Url,
    inbox: mpsc::Receiver<ServerJsonRpcMessage>,
    _reading: DropGuard,
}

impl Sse {
    /// Opens the stream and waits for its `endpoint` event.
    pub(crate) async fn open(client: Client, url: Url, headers: HeaderMap) -> Result<Self, SseError> {
        let request = client.get(url.clone()).headers(headers.clone());
        let response = check_status(request.header(ACCEPT, "text/event-stream").send().await?)?;
        let mut events = Events::new(response);
        let endpoint = loop {
            let (event, data) = events.next().await.ok_or(SseError::NoEndpoint)?;
            if event == "endpoint" {
                break url.join(data.trim()).map_err(|_| SseError::NoEndpoint)?;
            }
        };
        // Messages may contain secrets, so they are only sent to the configured origin.
        if endpoint.origin() != url.origin() {
            return Err(SseError::Foreign(endpoint.to_string()));
        }
        let (incoming, inbox) = mpsc::channel(MAX_UNREAD);
        let stop = CancellationToken::new();
        tokio::spawn(read(events, incoming, stop.clone()));
        Ok(Self {
            client,
            headers,
            endpoint,
            inbox,
            _reading: stop.drop_guard(),
        })
    }
}

impl Transport<RoleClient> for Sse {
    type Error = SseError;

    fn send(&mut self, item: ClientJsonRpcMessage) -> impl Future<Output = Result<(), SseError>> + Send + 'static {
        let body = serde_json::to_string(&item).unwrap_or_default();
        let request = self.client.post(self.endpoint.clone()).headers(self.headers.clone());
        let request = request
            .header(CONTENT_TYPE, "application/json")
            .timeout(POST_TIMEOUT)
            .body(body);
        async move { check_status(request.send().await?).map(|_| ()) }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.inbox.recv().await
    }

    async fn close(&mut self) -> Result<(), SseError> {
        self.inbox.close();
        Ok(())
    }
}

fn check_status(response: Response) -> Result<Response, SseError> {
    match response.status() {
        status if status.is_success() => Ok(response),
        StatusCode::UNAUTHORIZED => Err(SseError::Unauthorized),
        status => Err(SseError::Status(status)),
    }
}

async fn read(mut events: Events, incoming: mpsc::Sender<ServerJsonRpcMessage>, stop: CancellationToken) {
    loop {
        let next = tokio::select! {
            next = events.next() => next,
            () = stop.cancelled() => return,
        };
        let Some((event, data)) = next else { return };
        // Invalid messages are dropped.
        if (event.is_empty() || event == "message")
            && let Ok(message) = serde_json::from_str(&data)
            && incoming.send(message).await.is_err()
        {
            return;
        }
    }
}

/// The events of a response.
struct Events {
    bytes: futures_util::stream::BoxStream<'static, reqwest::Result<Vec<u8>>>,
    decoder: Decoder,
}

impl Events {
    fn new(response: Response) -> Self {
        Self {
            bytes: response.bytes_stream().map(|piece| piece.map(Vec::from)).boxed(),
            decoder: Decoder::with_limit(MAX_MESSAGE),
        }
    }

    async fn next(&mut self) -> Option<(String, String)> {
        loop {
            if let Some(frame) = self.decoder.next_frame() {
                let frame = frame.ok()?;
                return Some((frame.event, frame.data));
            }
            let piece = self.bytes.next().await?.ok()?;
            self.decoder.push(&piece);
        }
    }
}
