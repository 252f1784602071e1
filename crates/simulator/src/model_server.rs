//! The Messages API on loopback: receives requests, gets replies from a [`Brain`], and sends them.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::brain::{Brain, is_main};
use crate::capture::{Ending, Kind, Log, Request};
use crate::error::Error;
use crate::gate::{Gate, Gates};
use crate::playback::{Beat, Envelope, beats, error_body, gates, whole};
use crate::script::Script;

type Body = BoxBody<Bytes, io::Error>;

/// Delay before a connection is dropped, so that data already written is sent.
const FLUSH_DELAY: Duration = Duration::from_millis(20);

/// A running scripted model. It stops when it is dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    log: Log,
    gates: Gates,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl ModelServer {
    /// Serves `brain` (for example a [`Script`]) on a free port of the loopback interface.
    ///
    /// # Errors
    /// If no port is available.
    pub async fn start(brain: impl Brain) -> Result<Self, Error> {
        Self::listen(brain, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await
    }

    /// Serves `brain` on `address`.
    ///
    /// # Errors
    /// If the port is not available.
    pub async fn listen(brain: impl Brain, address: SocketAddr) -> Result<Self, Error> {
        let refused = |source| Error::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(refused)?;
        let server = Self {
            address: listener.local_addr().map_err(refused)?,
            log: Log::new(),
            gates: Gates::default(),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        if brain.refuses() {
            return Ok(server);
        }
        let shared = Shared {
            brain: Arc::new(brain),
            log: server.log.clone(),
            gates: server.gates.clone(),
            tasks: server.tasks.clone(),
        };
        server.tasks.spawn(accept(listener, shared, server.stop.clone()));
        Ok(server)
    }

    /// Returns the value for `ANTHROPIC_BASE_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the address of the server.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the main requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        let mut requests = self.log.all();
        requests.retain(Request::is_main);
        requests
    }

    /// Returns all requests so far, including auxiliary requests, token counts and probes.
    #[must_use]
    pub fn everything(&self) -> Vec<Request> {
        self.log.all()
    }

    /// Waits until `count` main requests have arrived, and returns all main requests.
    pub async fn wait_requests(&self, count: usize) -> Vec<Request> {
        let enough = |all: &[Request]| {
            let main: Vec<Request> = all.iter().filter(|it| it.is_main()).cloned().collect();
            (main.len() >= count).then_some(main)
        };
        self.log.wait(enough).await.unwrap_or_default()
    }

    /// Waits until the response to the `n`-th main request (from 1) has ended, and returns how.
    pub async fn wait_ending(&self, n: usize) -> Ending {
        let over = |all: &[Request]| {
            let request = all.iter().find(|it| it.kind == Kind::Main(n))?;
            (request.ending != Ending::Open).then_some(request.ending)
        };
        self.log.wait(over).await.unwrap_or(Ending::Open)
    }

    /// Returns the gate with this name.
    #[must_use]
    pub fn gate(&self, name: &str) -> Gate {
        self.gates.get(name)
    }

    /// Stops the server and waits until all connections are closed.
    pub async fn shutdown(self) {
        self.stop.cancel();
        self.gates.open_all();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Runs until the future `stop` completes.
    pub async fn run_until(self, stop: impl Future<Output = ()>) {
        stop.await;
        self.shutdown().await;
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.stop.cancel();
        self.tasks.close();
    }
}

/// Plays a model script on the address `listen` until the future is dropped.
///
/// # Errors
/// If the script is invalid or the port is not available.
pub async fn run_model(script_text: &str, listen: SocketAddr, announce: impl FnOnce(SocketAddr)) -> Result<(), Error> {
    let server = ModelServer::listen(Script::parse(script_text)?, listen).await?;
    announce(server.address());
    server.run_until(std::future::pending()).await;
    Ok(())
}

/// The state that connections share.
#[derive(Clone)]
struct Shared {
    brain: Arc<dyn Brain>,
    log: Log,
    gates: Gates,
    tasks: TaskTracker,
}

async fn accept(listener: TcpListener, shared: Shared, stop: CancellationToken) {
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        // Ignore connections that failed while they were being accepted.
        let Ok((socket, _)) = accepted else { continue };
        let shared_clone = shared.clone();
        let stop = stop.clone();
        shared.tasks.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = serve(socket, shared_clone) => {}
            }
        });
    }
}

async fn serve(socket: TcpStream, shared: Shared) {
    // Without this option a chunk may be delayed until the next one, but tests count chunks.
    drop(socket.set_nodelay(true));
    let service = service_fn(|request| answer(request, shared.clone()));
    let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(socket), service);
    // Errors are expected: scripts close connections, and clients may disconnect at any time.
    drop(connection.await);
}

async fn answer(request: hyper::Request<Incoming>, shared: Shared) -> io::Result<Response<Body>> {
    let request = read(request).await?;
    let (method, path) = (request.method.clone(), request.path.clone());
    let is_message = method == Method::POST.as_str() && path.contains("/v1/messages") && !path.contains("count_tokens");
    let (main, body) = (is_main(&request.body), request.body.clone());
    let (index, kind) = shared.log.add(request, |earlier| {
        let of_kind = |main: bool| {
            let same = |it: &&Request| it.kind != Kind::Other && it.is_main() == main;
            earlier.iter().filter(same).count() + 1
        };
        match (is_message, main) {
            (false, _) => Kind::Other,
            (true, true) => Kind::Main(of_kind(true)),
            (true, false) => Kind::Errand(of_kind(false)),
        }
    });
    let mut ending = EndingRecorder {
        log: shared.log.clone(),
        index,
        ending: Ending::ClientLeft,
    };
    let (reply, number) = match kind {
        Kind::Main(n) => (shared.brain.reply(&body, n), n.to_string()),
        Kind::Errand(n) => (shared.brain.errand(&body), format!("aux{n}")),
        Kind::Other => {
            ending.ending = Ending::Complete;
            let count = path.contains("count_tokens");
            let body = if count { json!({"input_tokens": 100}) } else { json!({}) };
            return json_response(200, &body, &[]);
        }
    };
    if let Some(name) = &reply.gate_head {
        shared.gates.get(name).pass().await;
    }
    if !reply.first_delay.is_zero() {
        tokio::time::sleep(reply.first_delay).await;
    }
    if reply.cut_before_headers {
        ending.ending = Ending::Cut;
        return Err(io::Error::other("the script cuts before the headers"));
    }
    let tag = shared.brain.tag();
    let mut headers = vec![("request-id".to_owned(), format!("req_{tag}_{number}"))];
    headers.extend(reply.headers.iter().cloned());
    if let Some(status) = reply.status {
        ending.ending = Ending::Complete;
        return json_response(status, &error_body(&reply, "api_error", "scripted error"), &headers);
    }
    let envelope = Envelope {
        id: format!("msg_{tag}_{number}"),
        model: body.get("model").cloned().unwrap_or(Value::Null),
        call_prefix: format!("toolu_{tag}_{number}"),
    };
    if body.get("stream") != Some(&Value::Bool(true)) {
        for name in gates(&reply) {
            shared.gates.get(name).pass().await;
        }
        ending.ending = Ending::Complete;
        return json_response(200, &whole(&reply, &envelope), &headers);
    }
    let (sender, mut receiver) = mpsc::channel(1);
    shared
        .tasks
        .spawn(play(beats(&reply, &envelope), shared.gates, sender, ending));
    let frames = stream::poll_fn(move |context| receiver.poll_recv(context));
    let mut response = Response::new(BodyExt::boxed(StreamBody::new(frames)));
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    add_headers(&mut response, &headers)?;
    Ok(response)
}

/// Records how a response ended, even if its task is dropped.
struct EndingRecorder {
    log: Log,
    index: usize,
    ending: Ending,
}

impl Drop for EndingRecorder {
    fn drop(&mut self) {
        self.log.end(self.index, self.ending);
    }
}

async fn read(request: hyper::Request<Incoming>) -> io::Result<Request> {
    let (head, body) = request.into_parts();
    let bytes = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let body = if bytes.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(&bytes).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()))
    };
    let header = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    Ok(Request {
        method: head.method.to_string(),
        path: head.uri.to_string(),
        headers: head.headers.iter().map(header).collect(),
        body,
        at: SystemTime::now(),
        kind: Kind::Other,
        ending: Ending::Open,
    })
}

type Sender = mpsc::Sender<io::Result<Frame<Bytes>>>;

/// Plays the beats of a stream until they end or the client disconnects.
async fn play(beats: Vec<Beat>, gates: Gates, sender: Sender, mut recorder: EndingRecorder) {
    let ending = tokio::select! {
        () = sender.closed() => Ending::ClientLeft,
        ending = play_beats(beats, &gates, &sender) => ending,
    };
    recorder.ending = ending;
}

async fn play_beats(beats: Vec<Beat>, gates: &Gates, sender: &Sender) -> Ending {
    for beat in beats {
        match beat {
            Beat::Event(name, data) => {
                let text = format!("event: {name}\ndata: {data}\n\n");
                if sender.send(Ok(Frame::data(Bytes::from(text)))).await.is_err() {
                    return Ending::ClientLeft;
                }
            }
            Beat::Wait(time) => tokio::time::sleep(time).await,
            Beat::Gate(name) => gates.get(&name).pass().await,
            Beat::Cut => {
                tokio::time::sleep(FLUSH_DELAY).await;
                drop(sender.send(Err(io::Error::other("the script cuts here"))).await);
                return Ending::Cut;
            }
        }
    }
    Ending::Complete
}

fn json_response(status: u16, body: &Value, headers: &[(String, String)]) -> io::Result<Response<Body>> {
    let whole = Full::new(Bytes::from(body.to_string()));
    let mut response = Response::new(whole.map_err(|never: Infallible| match never {}).boxed());
    *response.status_mut() = StatusCode::from_u16(status).map_err(io::Error::other)?;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    add_headers(&mut response, headers)?;
    Ok(response)
}

fn add_headers(response: &mut Response<Body>, headers: &[(String, String)]) -> io::Result<()> {
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(io::Error::other)?;
        let value = HeaderValue::from_str(value).map_err(io::Error::other)?;
        response.headers_mut().insert(name, value);
    }
    Ok(())
}
