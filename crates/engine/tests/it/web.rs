//! A small HTTP server whose responses a test defines.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use futures_util::StreamExt as _;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{HeaderMap, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// The value of a form field or query parameter.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let query = self.path.split_once('?').map(|(_, query)| query).unwrap_or_default();
        let all = format!("{query}&{}", self.body);
        let url = reqwest::Url::parse(&format!("http://x/?{all}")).unwrap();
        url.query_pairs()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
    }
}

/// A response.
pub(crate) enum Reply {
    /// A status, headers and a body.
    Respond(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Server-sent events. The stream ends when the sender is dropped.
    Events(mpsc::UnboundedReceiver<String>),
    /// No response.
    Hang,
}

impl Reply {
    pub(crate) fn json(value: &Value) -> Self {
        Self::Respond(
            200,
            vec![("content-type", "application/json".to_owned())],
            value.to_string().into(),
        )
    }

    pub(crate) fn status(status: u16) -> Self {
        Self::Respond(status, Vec::new(), Vec::new())
    }

    pub(crate) fn with(self, name: &'static str, value: &str) -> Self {
        match self {
            Self::Respond(status, mut headers, body) => {
                headers.push((name, value.to_owned()));
                Self::Respond(status, headers, body)
            }
            other => other,
        }
    }
}

pub(crate) struct Web {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<ReceivedRequest>>>,
    serving: tokio::task::JoinHandle<()>,
}

impl Web {
    pub(crate) async fn start(answer: impl Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<ReceivedRequest>>>::default();
        let (answer, log) = (Arc::new(answer), asked.clone());
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, log) = (answer.clone(), log.clone());
                let service = service_fn(move |request: hyper::Request<Incoming>| {
                    let (answer, log) = (answer.clone(), log.clone());
                    async move {
                        let (head, body) = request.into_parts();
                        let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
                        let asked = ReceivedRequest {
                            method: head.method.to_string(),
                            path: head.uri.to_string(),
                            headers: head.headers,
                            body: String::from_utf8_lossy(&body).into_owned(),
                        };
                        log.lock().unwrap().push(asked.clone());
                        Ok::<_, Infallible>(sent(answer(&asked)).await)
                    }
                });
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service),
                );
            }
        });
        Self { url, asked, serving }
    }

    /// All requests so far.
    pub(crate) fn asked(&self) -> Vec<ReceivedRequest> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn sent(reply: Reply) -> Response<BoxBody<Bytes, Infallible>> {
    match reply {
        Reply::Respond(status, headers, body) => {
            let mut response = Response::builder().status(status);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            response.body(Full::new(Bytes::from(body)).boxed()).unwrap()
        }
        Reply::Events(events) => {
            let events = futures_util::stream::unfold(events, |mut events| async {
                let event = events.recv().await?;
                Some((event, events))
            });
            let frames = events.map(|event| Ok::<_, Infallible>(Frame::data(Bytes::from(event))));
            Response::builder()
                .header("content-type", "text/event-stream")
                .body(BodyExt::boxed(StreamBody::new(Box::pin(frames))))
                .unwrap()
        }
        Reply::Hang => std::future::pending().await,
    }
}
